// What holds bodies or keeps them apart: contacts, equalities, tendons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

void MjcfReader::contacts(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (c.name != "exclude") continue;
        c.find("name");
        // -1 is the world in our tree; a name that is not known must be told apart from it.
        constexpr int kWorld = -1, kUnknown = -2;
        const auto    body = [&](const char* which) {
            const std::string name = c.get(which);
            if (name == "world") return kWorld;
            const int found = named(bodies_, name, c, "body");
            return found >= 0 ? found : kUnknown;
        };
        const int a = body("body1"), b = body("body2");
        if (a != kUnknown && b != kUnknown && a != b) tree_.exclusions.push_back({a, b, c.place});
    }
}

// contype and conaffinity are masks of 32 bits, and USD has groups that filter one another. Colliders with equal masks
// form one group; two groups are filtered where no bit meets. Where all meet, no group is needed.
// A collider that has neither bits nor an affinity touches nothing and is none.
void MjcfReader::groups()
{
    std::map<std::pair<int, int>, std::vector<int>> by_class;
    for (std::size_t i = 0; i < tree_.shapes.size(); ++i)
        if (tree_.shapes[i].collider && (classes_[i].first != 0 || classes_[i].second != 0))
            by_class[classes_[i]].push_back(static_cast<int>(i));
    // MuJoCo's test: either's type meets the other's affinity.
    const auto meet = [](const std::pair<int, int>& a, const std::pair<int, int>& b) {
        return (a.first & b.second) != 0 || (b.first & a.second) != 0;
    };
    bool all = true;
    for (const auto& [a, x] : by_class)
        for (const auto& [b, y] : by_class) all = all && meet(a, b);
    if (all || by_class.empty()) return;
    for (const auto& [key, shapes] : by_class) {
        CollisionGroup group{fmt::format("type_{}_affinity_{}", key.first, key.second), shapes, {}};
        int            index = 0;
        for (const auto& [other, more] : by_class) {
            if (!meet(key, other)) group.filtered.push_back(index);
            ++index;
        }
        tree_.groups.push_back(std::move(group));
    }
}

/// solref and solimp as MuJoCo's layer holds them.
std::vector<Extra> MjcfReader::softness(const XmlElement& m, const char* api)
{
    std::vector<Extra> out;
    for (const char* name : {"solref", "solimp"})
        if (const auto v = s_.numbers(m, name, 1, 5))
            out.push_back(mj(std::string("mjc:") + name, "double[]", usda_list(*v), api, m.place));
    return out;
}

void MjcfReader::equalities(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (c.name != "connect" && c.name != "weld" && c.name != "joint") continue;
        const XmlElement m      = defaults_.merged(c, "equality", "", s_);
        const bool       active = flag(m, "active", true) && !off("equality");
        std::string      name   = m.get("name");
        if (!active) {
            // A program of MuJoCo can switch it on; OpenUSD has no such switch.
            if (keep_equality(c, m))
                s_.losses.add({"inactive-equality", Severity::warning, LossAction::converted, "kinematics",
                               site_of(c.place), fmt::format("{} '{}'", c.name, name),
                               off("equality") ? "disabled by a flag" : "active=false", "a prim of MuJoCo's layer",
                               "it does nothing until a program turns it on"});
            defaults_.settle(c, m, "equality", s_);
            continue;
        }
        if (c.name == "joint")
            joint_equality(c, m);
        else
            body_equality(c, m, name);
        defaults_.settle(c, m, "equality", s_);
    }
}

void MjcfReader::joint_equality(const XmlElement& c, const XmlElement& m)
{
    // MuJoCo's joint1 follows joint2.
    const auto follower = dofs_.find(m.get("joint1"));
    if (follower == dofs_.end()) return void(named(joints_, m.get("joint1"), c, "joint"));
    // q1 - r1 = a0 + a1 (q2 - r2) + a2 (q2 - r2)^2 + ..., with r the references of the joints.
    auto coefficients = s_.numbers(m, "polycoef", 1, 5).value_or(std::vector<double>{0, 1, 0, 0, 0});
    coefficients.resize(5, 0);
    Joint&             joint = tree_.joints[at(follower->second.first)];
    const std::string* other = m.find("joint2");
    if (other == nullptr || joint.dofs.size() != 1) {
        return joint_equality_kept(c, m, follower->first,
                                   other == nullptr ? "USD cannot express a joint that is held at a value"
                                                    : "only joints of one axis follow others");
    }
    const auto leader = dofs_.find(*other);
    if (leader == dofs_.end()) return void(named(joints_, *other, c, "joint"));
    if (tree_.joints[at(leader->second.first)].dofs.size() != 1) {
        return joint_equality_kept(c, m, follower->first, "only joints of one axis lead others");
    }
    if (const std::string name = m.get("name"); !name.empty())
        s_.losses.add({"equality-name",
                       Severity::info,
                       LossAction::dropped,
                       "metadata",
                       site_of(c.place),
                       fmt::format("equality '{}'", name),
                       name,
                       {},
                       "a joint that follows another one has no second name"});
    // A mimic speaks of the joints' own coordinates: q1 = (a0 + r1 - a1 r2) + a1 q2.
    const double r1 = refs_[follower->first], r2 = refs_[leader->first];
    joint.mimic = Mimic{leader->second.first, coefficients[1], coefficients[0] + r1 - coefficients[1] * r2, c.place};
    if (coefficients[2] != 0 || coefficients[3] != 0 || coefficients[4] != 0) {
        for (std::size_t i = 2; i < 5; ++i)
            joint.extras.push_back(mj(fmt::format("mjc:coef{}", i), "double", usda_number(coefficients[i]),
                                      "MjcEqualityJointAPI", c.place));
        s_.losses.add({"polynomial-equality", Severity::error, LossAction::approximated, "kinematics", site_of(c.place),
                       fmt::format("joint '{}'", follower->first), "a polynomial", "its linear part",
                       "a mimic is linear; the rest is kept in MuJoCo's layer"});
    }
    for (Extra& x : softness(m, "MjcEqualityJointAPI")) joint.extras.push_back(std::move(x));
}

void MjcfReader::joint_equality_kept(const XmlElement& c, const XmlElement& m, const std::string& joint,
                                     std::string reason)
{
    if (keep_equality(c, m))
        s_.losses.add({"joint-equality",
                       Severity::error,
                       LossAction::converted,
                       "kinematics",
                       site_of(c.place),
                       fmt::format("joint '{}'", joint),
                       {},
                       "a prim of MuJoCo's layer",
                       std::move(reason),
                       true});
}

void MjcfReader::body_equality(const XmlElement& c, const XmlElement& m, const std::string& name)
{
    int   bodies[2] = {-1, -1};
    Posed frames[2];
    // Two sites say all: their bodies and both frames.
    if (const std::string* site = m.find("site1")) {
        const char* which[] = {"site1", "site2"};
        for (int i = 0; i < 2; ++i) {
            const int s = named(sites_, m.get(which[i]), c, "site");
            if (s < 0) return;
            bodies[i] = tree_.sites[at(s)].link;
            frames[i] = tree_.sites[at(s)].X_LS;
        }
        static_cast<void>(site);
    } else {
        const std::string* first  = m.find("body1");
        const std::string* second = m.find("body2");
        if (first == nullptr)
            return s_.error(kMissing, c.place, fmt::format("the {} '{}' names no body", c.name, name));
        if (*first != "world" && (bodies[0] = named(bodies_, *first, c, "body")) < 0) return;
        if (second != nullptr && *second != "world" && (bodies[1] = named(bodies_, *second, c, "body")) < 0) return;
        // Poses at the reference configuration: without relpose a weld holds what is there then.
        const auto  world  = [&](int body) { return body >= 0 ? tree_.links[at(body)].X_WL : Posed{}; };
        const Posed X_12   = inverse(world(bodies[0])) * world(bodies[1]);
        const Vec3d anchor = s_.vec3(m, "anchor").value_or(Vec3d{});
        if (c.name == "connect") {  // the anchor lies in the first body
            frames[0] = {anchor, {}};
            frames[1] = inverse(X_12) * frames[0];
        } else {
            // The anchor of a weld lies in the second body. The position of relpose is the point of the first body that
            // meets it, its rotation that of the second body in the first (eq_data of mjEQ_WELD); without relpose
            // both are those of the start.
            frames[1] = {anchor, {}};
            frames[0] = X_12 * frames[1];
            if (const auto v = s_.numbers(m, "relpose", 7, 7);
                v && ((*v)[3] != 0 || (*v)[4] != 0 || (*v)[5] != 0 || (*v)[6] != 0))
                frames[0] = {{(*v)[0], (*v)[1], (*v)[2]}, normalized(Quatd{(*v)[4], (*v)[5], (*v)[6], (*v)[3]})};
        }
    }
    if (bodies[0] == bodies[1])
        return s_.error(kTree, c.place, fmt::format("the {} '{}' joins a body with itself", c.name, name));
    // Our joints have a child that is a body; the world can only be the parent.
    if (bodies[1] < 0) std::swap(bodies[0], bodies[1]), std::swap(frames[0], frames[1]);
    Joint made;
    made.name   = s_.unique(joint_names_, name.empty() ? fmt::format("{}_{}", c.name, tree_.joints.size()) : name, c,
                            "joint", false);
    made.kind   = c.name == "connect" ? Joint::Kind::ball : Joint::Kind::fixed;
    made.parent = bodies[0];
    made.child  = bodies[1];
    made.X_PJ   = frames[0];
    made.X_CJ   = frames[1];
    // An equality closes a loop over the tree of joints, and MuJoCo lets the two bodies touch.
    made.loop = made.collide = true;
    made.place               = c.place;
    const char* api          = c.name == "connect" ? "MjcEqualityConnectAPI" : "MjcEqualityWeldAPI";
    made.extras              = softness(m, api);
    made.extras.push_back(mj("", "", "", api, c.place));
    if (const auto v = s_.number(m, "torquescale"); v && *v != 1)
        made.extras.push_back(mj("mjc:torqueScale", "float", usda_number(*v), api, c.place));
    joints_.try_emplace(made.name, static_cast<int>(tree_.joints.size()));
    tree_.joints.push_back(std::move(made));
}

void MjcfReader::tendons(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (c.name != "fixed" && c.name != "spatial") continue;
        const XmlElement m = defaults_.merged(c, "tendon", "", s_);
        VendorPrim       made;
        made.type  = "MjcTendon";
        made.name  = m.get("name", fmt::format("tendon_{}", tree_.prims.size()));
        made.place = c.place;
        // UsdPhysics has no tendon: everything goes into a prim of MuJoCo's schema.
        const auto put = [&](std::string name, std::string type, std::string text) {
            made.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "", c.place));
        };
        put("type", "token", usda_string(c.name));
        for (const char* name : {"stiffness", "damping"})
            if (const auto v = first_number(m, name)) put(name, "double", usda_number(*v));
        for (const char* name : {"armature", "frictionloss", "margin", "width"})
            if (const auto v = s_.number(m, name)) put(name, "double", usda_number(*v));
        if (const auto v = s_.numbers(m, "range", 2, 2))
            put("range:min", "double", usda_number((*v)[0])), put("range:max", "double", usda_number((*v)[1]));
        for (const char* name : {"limited", "actuatorfrclimited"})
            if (const auto v = s_.word(m, name, {"true", "false", "auto"})) put(name, "token", usda_string(*v));
        if (const auto v = s_.numbers(m, "actuatorfrcrange", 2, 2))
            put("actuatorfrcrange:min", "double", usda_number((*v)[0])),
                put("actuatorfrcrange:max", "double", usda_number((*v)[1]));
        if (const auto v = s_.number(m, "group"); v && *v != 0 && std::abs(*v) < 1e9)
            put("group", "int", fmt::format("{}", static_cast<int>(*v)));
        if (const auto v = s_.numbers(m, "springlength", 1, 2)) put("springlength", "double[]", usda_list(*v));
        if (const auto v = s_.numbers(m, "rgba", 4, 4)) put("rgba", "color4f", usda_list(*v, '('));
        for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
            if (const auto v = s_.numbers(m, name, 1, 5)) put(name, "double[]", usda_list(*v));
        // A fixed tendon is a weighted sum of joints, a spatial one a path over sites and around geoms; pulleys cut the
        // path into segments, each with its divisor.
        Relation            path{"mjc:path", {}}, sides{"mjc:sideSites", {}};
        std::vector<double> coefficients, divisors{1}, segments, side_indices;
        int                 segment = 0;
        bool                good = true, several = false;
        std::string         dof_names;
        for (const XmlElement& p : m.children) {
            p.used = true;
            if (p.name == "joint") {
                const auto found = dofs_.find(p.get("joint"));
                if (found == dofs_.end()) {
                    good = false;
                    named(joints_, p.get("joint"), p, "joint");
                    continue;
                }
                path.targets.push_back({Ref::Kind::joint, found->second.first});
                several = several || tree_.joints[at(found->second.first)].dofs.size() > 1;
                dof_names += (dof_names.empty() ? "" : ", ") + usda_string(p.get("joint"));
                coefficients.push_back(s_.number(p, "coef").value_or(1));
            } else if (p.name == "site" || p.name == "geom") {
                const int found = p.name == "site" ? named(sites_, p.get("site"), p, "site")
                                                   : named(geoms_, p.get("geom"), p, "geom");
                if (found < 0) {
                    good = false;
                    continue;
                }
                path.targets.push_back({p.name == "site" ? Ref::Kind::site : Ref::Kind::shape, found});
                segments.push_back(segment);
                // -1 where a geom has no side site. Indices point into the relationship of side sites.
                int side = -1;
                if (const std::string* s = p.find("sidesite"); s != nullptr && sites_.contains(*s)) {
                    side = static_cast<int>(sides.targets.size());
                    sides.targets.push_back({Ref::Kind::site, sites_.at(*s)});
                }
                side_indices.push_back(side);
            } else if (p.name == "pulley") {
                ++segment;
                divisors.push_back(s_.number(p, "divisor").value_or(1));
            }
        }
        const auto ints = [](const std::vector<double>& v) { return usda_list(v); };
        // A tendon that only measures changes nothing; the entry of the report says whether it pulls.
        const bool pulls = std::any_of(made.extras.begin(), made.extras.end(), [](const Extra& x) {
            static constexpr std::string_view kForces[] = {"mjc:stiffness", "mjc:damping",   "mjc:frictionloss",
                                                           "mjc:armature",  "mjc:range:min", "mjc:range:max"};
            return x.text != "0" && std::find(std::begin(kForces), std::end(kForces), x.name) != std::end(kForces);
        });
        if (several) made.extras.push_back(mj(hints::kDof, "string[]", "[" + dof_names + "]", "", c.place));
        if (!coefficients.empty()) put("path:coef", "double[]", usda_list(coefficients));
        if (!segments.empty())
            put("path:segments", "int[]", ints(segments)), put("path:divisors", "double[]", usda_list(divisors));
        if (!sides.targets.empty()) put("sideSites:indices", "int[]", ints(side_indices));
        // The order of the path is kept by indices, since a relationship names each target once.
        std::vector<double> order;
        std::vector<Ref>    once;  // a target stands in a relationship once
        for (const Ref& r : path.targets) {
            const auto same = std::find_if(once.begin(), once.end(),
                                           [&](const Ref& o) { return o.kind == r.kind && o.index == r.index; });
            order.push_back(static_cast<double>(same - once.begin()));
            if (same == once.end()) once.push_back(r);
        }
        path.targets = once;
        put("path:indices", "int[]", ints(order));
        made.relations.push_back(std::move(path));
        if (!sides.targets.empty()) made.relations.push_back(std::move(sides));
        defaults_.settle(c, m, "tendon", s_);
        s_.losses.add({"tendon", Severity::warning, LossAction::converted, "kinematics", site_of(c.place),
                       fmt::format("tendon '{}'", made.name), c.name, "MjcTendon",
                       "USD has no tendon; it is kept in MuJoCo's layer", pulls});
        if (!good) continue;
        tendons_.try_emplace(made.name, static_cast<int>(tree_.prims.size()));
        tree_.prims.push_back(std::move(made));
    }
}

}  // namespace mechane::sourceformats

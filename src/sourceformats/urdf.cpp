// URDF as ROS's wiki describes it (wiki.ros.org/urdf/XML): links, joints, materials, in metres, kilograms and radians.
//
// Left to others: <transmission>, <gazebo> and <ros2_control> are listed as losses; Xacro is expanded before
// (xacro.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "mechane/core/disjoint_sets.h"
#include "mechane/core/nearest.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {
namespace {

class Urdf {
  public:
    Urdf(const XmlElement& root, const std::string& file, Source& source)
        : root_(root), folder_(folder_of(file)), s_(source), tree_(source.tree)
    {
    }

    void read()
    {
        root_.used = true;
        // The version changes nothing in the reading. Asking for it marks it as read.
        tree_.place = root_.place;
        if (const std::string* name = root_.find("name"); name != nullptr && !name->empty()) tree_.name = *name;
        root_.find("version");
        for (const XmlElement& e : root_.children)
            // Order in the file does not matter in URDF: links name materials, joints name links, followers name
            // joints.
            if (e.name == "material") global_material(e);
        for (const XmlElement& e : root_.children)
            if (e.name == "link") link(e);
        for (const XmlElement& e : root_.children)
            if (e.name == "joint") joint(e);
        for (const XmlElement& e : root_.children)
            if (e.name == "joint") mimic(e);
        open_mimic_circles();
        order_joints();
        place_links();
        if (links_.empty()) s_.error(kMissing, root_.place, "the robot has no link");
    }

  private:
    const XmlElement&                root_;
    std::string                      folder_;
    Source&                          s_;
    RobotTree&                       tree_;
    std::set<std::string>            link_names_, joint_names_;
    std::map<int, std::size_t>       joint_above_;  ///< by link: the joint that carries it
    std::optional<DisjointSets<int>> trees_;        ///< links that joints hold together
    std::map<std::string, int>       links_, joints_, materials_;
    std::map<const XmlElement*, int> read_joints_;

    Posed origin(const XmlElement& e)
    {
        Posed             out;
        const XmlElement* o = e.child("origin");
        if (o == nullptr) return out;
        if (const auto xyz = s_.vec3(*o, "xyz")) out.p = *xyz;
        if (const auto rpy = s_.vec3(*o, "rpy")) out.q = from_rpy(rpy->x, rpy->y, rpy->z);
        // Newer files may have a quaternion, real part last, beside roll, pitch and yaw; it counts where both stand.
        if (const auto q = s_.numbers(*o, "quat_xyzw", 4, 4))
            out.q = normalized(Quatd{(*q)[0], (*q)[1], (*q)[2], (*q)[3]});
        return out;
    }

    // A visual's material is a definition when it has a colour or a texture, else a reference by name.
    int material(const XmlElement& e)
    {
        const std::string name    = e.get("name");
        const XmlElement* color   = e.child("color");
        const XmlElement* texture = e.child("texture");
        if (color == nullptr && texture == nullptr) {
            // A material without a colour refers to one of the robot, or to one that an earlier visual defined.
            const auto known = materials_.find(name);
            if (known != materials_.end()) return known->second;
            std::vector<std::string> names;
            for (const auto& [n, index] : materials_) names.push_back(n);
            s_.error(kUnknownName, e.place, fmt::format("there is no material '{}'", name), did_you_mean(name, names));
            return -1;
        }
        Material made;
        made.name  = name.empty() ? "material" : name;
        made.place = e.place;
        if (color != nullptr)
            if (const auto rgba = s_.numbers(*color, "rgba", 3, 4))
                for (std::size_t i = 0; i < rgba->size(); ++i) made.rgba[i] = std::clamp((*rgba)[i], 0.0, 1.0);
        if (texture != nullptr)
            if (const std::string* file = texture->find("filename"))
                made.texture = s_.texture(*file, folder_, texture->place);
        const int index = s_.material(std::move(made));
        // The first definition of a name is what later references mean.
        if (!name.empty()) materials_.try_emplace(name, index);
        return index;
    }

    void global_material(const XmlElement& e)
    {
        // A robot may name a material that its links define.
        if (e.child("color") == nullptr && e.child("texture") == nullptr) {
            e.find("name");
            return;
        }
        material(e);
    }

    void link(const XmlElement& e)
    {
        const std::string* given = e.find("name");
        if (given == nullptr || given->empty()) return s_.error(kMissing, e.place, "a link has no name");
        Link made;
        made.name       = s_.unique(link_names_, *given, e, "link", true);
        made.place      = e.place;
        const int index = static_cast<int>(tree_.links.size());
        links_.try_emplace(made.name, index);
        if (const XmlElement* inertial = e.child("inertial"); inertial != nullptr) {
            if (s_.options.ignore_inertial)
                inertial->use_all();
            else
                read_inertial(*inertial, made);
        }
        tree_.links.push_back(std::move(made));
        int visuals = 0, collisions = 0;
        for (const XmlElement& c : e.children) {
            if (c.name == "visual") shape(c, index, true, ++visuals);
            // With --visuals-collide visuals take the place of collisions.
            if (c.name == "collision" && s_.options.visuals_collide) c.use_all();
            if (c.name == "collision" && !s_.options.visuals_collide) shape(c, index, false, ++collisions);
        }
    }

    void read_inertial(const XmlElement& e, Link& link)
    {
        Inertial made;
        made.place             = e.place;
        const XmlElement* mass = e.child("mass");
        const auto        m    = mass != nullptr ? s_.number(*mass, "value") : std::nullopt;
        if (!m) {
            if (mass == nullptr || mass->peek("value") == nullptr)
                s_.error(kMissing, e.place, fmt::format("the inertial of link '{}' has no mass", link.name));
            // Without a mass nothing else of an inertial has a meaning. `why` is what the loss report says of the
            // rest.
            e.why = "the mass of this inertial cannot be read, so nothing else of it is";
            return;
        }
        // The tensor is about the centre of mass, in axes that the origin may have turned against those of the link.
        const Posed X_LI       = origin(e);
        made.mass              = *m;
        made.com               = X_LI.p;
        double            v[6] = {};
        bool              all  = true;
        const XmlElement* I    = e.child("inertia");
        if (I != nullptr) {
            static constexpr const char* kNames[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
            for (std::size_t i = 0; i < 6; ++i) {
                const auto x = s_.number(*I, kNames[i]);
                v[i]         = x.value_or(0);
                // Products of inertia may be left out, moments may not.
                if (!x && (i == 0 || i == 3 || i == 5)) all = false;
            }
        }
        made.has_inertia = I != nullptr && all;
        const Mat33d R   = to_matrix(X_LI.q);
        made.inertia     = R * Mat33d{{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}} * transpose(R);
        if (!made.has_inertia)
            s_.error(
                kMissing, e.place,
                fmt::format("the inertial of link '{}' has no complete inertia; {}", link.name, kInertiaOtherwise));
        if (made.mass == 0 && made.has_inertia && trace(made.inertia) == 0) {  // how some write "no inertial"
            s_.losses.add({"zero-inertial",
                           Severity::info,
                           LossAction::merged,
                           "inertia",
                           site_of(e.place),
                           fmt::format("link '{}'/inertial", link.name),
                           "0",
                           {},
                           "an inertial of zero is none"});
            return;
        }
        if (!(made.mass > 0)) {
            s_.error(kInertia, e.place, fmt::format("the mass of link '{}' is {}", link.name, made.mass));
            if (made.mass == 0 && made.has_inertia && is_finite(made.inertia) && is_finite(made.com))
                link.unused = made;  // for the way back
            return;
        }
        if (made.has_inertia && !is_inertia(made.inertia)) {
            s_.error(kInertia, I->place,
                     fmt::format("the inertia of link '{}' is that of no body; {}", link.name, kInertiaOtherwise));
            made.has_inertia = false;
            if (is_finite(made.inertia)) link.unused = made;  // for the way back
        }
        link.inertial = made;
    }

    void shape(const XmlElement& e, int link, bool visual, int number)
    {
        // urdfdom reads the first child of <geometry>, and so do we; others are listed as not read.
        const XmlElement* geometry = e.child("geometry");
        if (geometry == nullptr || geometry->children.empty())
            return s_.error(kMissing, e.place,
                            fmt::format("a {} of link '{}' has no geometry", e.name,
                                        tree_.links[static_cast<std::size_t>(link)].name));
        Shape made;
        made.link     = link;
        made.visual   = visual;
        made.collider = !visual || s_.options.visuals_collide;
        made.place    = e.place;
        made.X_LS     = origin(e);
        made.name     = e.get("name");
        if (made.name.empty()) made.name = number == 1 ? e.name : fmt::format("{}_{}", e.name, number);
        const XmlElement& g = geometry->children.front();
        g.used              = true;
        const auto positive = [&](std::initializer_list<double> sizes) {
            const bool good = std::all_of(sizes.begin(), sizes.end(), [](double v) { return v > 0; });
            if (!good) s_.error(kShape, g.place, fmt::format("the size of a <{}> is not positive", g.name));
            return good;
        };
        if (g.name == "box") {
            const auto size = s_.vec3(g, "size");
            if (!size || !positive({size->x, size->y, size->z})) return;
            made.kind = Shape::Kind::box;
            // Our boxes, cylinders and capsules have half sizes.
            made.size = 0.5 * *size;
        } else if (g.name == "sphere") {
            const auto r = s_.number(g, "radius");
            if (!r || !positive({*r})) return;
            made.kind = Shape::Kind::sphere;
            made.size = {*r, *r, *r};
        } else if (g.name == "cylinder" || g.name == "capsule") {
            const auto r = s_.number(g, "radius"), l = s_.number(g, "length");
            if (!r || !l || !positive({*r, *l})) return;
            made.kind = g.name == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
            made.size = {*r, 0.5 * *l, 0};
        } else if (g.name == "mesh") {
            const std::string* address = g.find("filename");
            if (address == nullptr) return s_.error(kMissing, g.place, "a mesh has no filename");
            made.kind = Shape::Kind::mesh;
            // One number scales all axes. Negative ones mirror, and are honoured by the writer.
            if (const auto scale = s_.numbers(g, "scale", 1, 3)) {
                const auto& v = *scale;
                made.scale    = v.size() == 3 ? Vec3d{v[0], v[1], v[2]} : Vec3d{v[0], v[0], v[0]};
                if (made.scale.x == 0 || made.scale.y == 0 || made.scale.z == 0)
                    return s_.error(kShape, g.place, "the scale of a mesh is zero");
            }
            made.mesh = s_.mesh(*address, folder_, g.place);
            if (made.mesh < 0) return;
        } else {
            return s_.error(kUnsupported, g.place,
                            fmt::format("<{}> is not a shape of URDF: box, sphere, cylinder, capsule, mesh", g.name));
        }
        if (const XmlElement* look = e.child("material")) made.material = material(*look);
        tree_.shapes.push_back(std::move(made));
    }

    std::optional<int> link_named(const XmlElement& joint, const char* which)
    {
        const XmlElement*  e    = joint.child(which);
        const std::string* name = e != nullptr ? e->find("link") : nullptr;
        if (name == nullptr) {
            s_.error(kMissing, joint.place, fmt::format("the joint '{}' has no {}", joint.get("name"), which));
            return std::nullopt;
        }
        if (const auto at = links_.find(*name); at != links_.end()) return at->second;
        std::vector<std::string> names;
        for (const auto& [n, index] : links_) names.push_back(n);
        s_.error(kUnknownName, e->place,
                 fmt::format("the joint '{}' names the link '{}', which does not exist", joint.get("name"), *name),
                 did_you_mean(*name, names));
        return std::nullopt;
    }

    void joint(const XmlElement& e)
    {
        const std::string* given = e.find("name");
        if (given == nullptr || given->empty()) return s_.error(kMissing, e.place, "a joint has no name");
        const auto type = s_.word(
            e, "type", {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", "ball", "spherical"});
        const auto parent = link_named(e, "parent"), child = link_named(e, "child");
        if (e.peek("type") == nullptr)
            return s_.error(kMissing, e.place, fmt::format("the joint '{}' has no type", *given));
        e.why = !type ? "the type of this joint cannot be read, so nothing else of it is"
                      : "this joint cannot be placed in the tree, so nothing else of it is read";
        if (!type || !parent || !child) return;
        // A link with two parents is no tree. Which of the joints counts is the order of the file.
        if (const auto other = joint_above_.find(*child); other != joint_above_.end())
            return s_.error(kTree, e.place,
                            fmt::format("link '{}' is the child of the joints '{}' and '{}'",
                                        tree_.links[static_cast<std::size_t>(*child)].name,
                                        tree_.joints[other->second].name, *given));
        // A link that no joint carries yet is the root of its tree: the joint closes a cycle if its parent is of that
        // tree.
        if (!trees_) trees_.emplace(tree_.links.size());
        if (trees_->find(*parent) == trees_->find(*child))
            return s_.error(kTree, e.place, fmt::format("the joint '{}' closes a cycle", *given));
        e.why.clear();
        Joint made;
        made.name   = s_.unique(joint_names_, *given, e, "joint", true);
        made.place  = e.place;
        made.parent = *parent;
        made.child  = *child;
        made.X_PJ   = origin(e);
        Dof dof;
        dof.name  = made.name;
        dof.place = dof.limit_place = e.place;
        if (const XmlElement* axis = e.child("axis")) {
            if (const auto v = s_.vec3(*axis, "xyz")) {
                if (length(*v) > 1e-9)
                    dof.axis = normalized(*v);
                else if (*type != "fixed" && *type != "floating")
                    s_.error(kNumber, axis->place, fmt::format("the axis of joint '{}' has no direction", made.name),
                             kDirectionHint);
            }
        }
        const XmlElement*     limit = e.child("limit");
        std::optional<double> lower, upper, effort;
        if (limit != nullptr) {
            dof.limit_place    = limit->place;
            lower              = s_.number(*limit, "lower");
            upper              = s_.number(*limit, "upper");
            effort             = s_.number(*limit, "effort");
            dof.velocity_limit = s_.number(*limit, "velocity");
        }
        if (const XmlElement* dynamics = e.child("dynamics")) {
            dof.damping  = s_.number(*dynamics, "damping");
            dof.friction = s_.number(*dynamics, "friction");
        }
        if (*type == "revolute" || *type == "prismatic") {
            // A side that <limit> leaves out is 0 by the specification, not infinite.
            dof.lower = lower.value_or(0);
            dof.upper = upper.value_or(0);
            if (limit == nullptr)
                s_.error(kMissing, e.place,
                         fmt::format("the {} joint '{}' has no limits; both are taken as 0", *type, made.name));
            else if (!lower && !upper)
                s_.error(
                    kLimits, dof.limit_place,
                    fmt::format("the {} joint '{}' has neither a lower nor an upper limit: both are 0 by the format, "
                                "which locks it",
                                *type, made.name),
                    "Write lower and upper, or make it a continuous joint.");
            if (dof.lower > dof.upper)
                s_.error(kLimits, dof.limit_place,
                         fmt::format("the lower limit {} of joint '{}' is above the upper one {}", dof.lower, made.name,
                                     dof.upper));
        } else if (*type == "continuous" && (lower || upper)) {
            s_.losses.add({"continuous-limits",
                           Severity::info,
                           LossAction::dropped,
                           "kinematics",
                           site_of(dof.limit_place),
                           fmt::format("joint '{}'/limit", made.name),
                           fmt::format("{} {}", lower.value_or(0), upper.value_or(0)),
                           {},
                           "a continuous joint has no limits of position"});
        }
        // effort is the largest force or torque of whatever drives the joint: a drive without gains keeps it.
        if (effort && *type != "fixed" && *type != "floating") {
            Drive drive;
            drive.max_force = *effort;
            drive.place     = dof.limit_place;
            if (*effort >= 0) dof.drive = drive;
        }
        // A continuous joint is a rotation without limits; planar and ball joints get their dofs below.
        dof.angular = *type != "prismatic";
        if (*type == "fixed") {
            made.kind = Joint::Kind::fixed;
        } else if (*type == "ball" || *type == "spherical") {
            made.kind = Joint::Kind::ball;
            // A ball joint has one entry without an axis: limits and drives of URDF say nothing about it.
            Dof one;
            one.name  = made.name;
            one.place = one.limit_place = e.place;
            made.dofs.push_back(std::move(one));
        } else if (*type == "floating") {
            // All six free: the link is a root of its own, and the joint only says where it stands.
            s_.losses.add({"floating-joint", Severity::info, LossAction::converted, "kinematics", site_of(e.place),
                           fmt::format("joint '{}'", made.name), "floating", "no joint",
                           "USD has no joint that leaves everything free"});
            made.kind = Joint::Kind::generic;
            made.dofs.clear();
        } else if (*type == "planar") {
            // Translations in the plane that the axis is normal to, and the turn about it.
            made.kind     = Joint::Kind::generic;
            const Vec3d n = dof.axis, u = any_perpendicular(n), v = cross(n, u);
            for (const auto& [axis, angular] : {std::pair{u, false}, std::pair{v, false}, std::pair{n, true}}) {
                Dof part     = dof;
                part.axis    = axis;
                part.angular = angular;
                // A bound of force or torque of whatever drives the joint: the format names one number for all three.
                made.dofs.push_back(part);
            }
        } else {
            made.kind = dof.angular ? Joint::Kind::revolute : Joint::Kind::prismatic;
            made.dofs.push_back(dof);
        }
        if (*type == "floating") floating_.insert(static_cast<int>(tree_.joints.size()));
        joints_.try_emplace(made.name, static_cast<int>(tree_.joints.size()));
        read_joints_[&e] = static_cast<int>(tree_.joints.size());
        joint_above_.emplace(made.child, tree_.joints.size());
        trees_->join(made.parent, made.child);
        tree_.joints.push_back(std::move(made));
    }

    void mimic(const XmlElement& e)
    {
        const XmlElement* m  = e.child("mimic");
        const auto        at = read_joints_.find(&e);
        if (m == nullptr || at == read_joints_.end()) return;
        const std::string* name = m->find("joint");
        if (name == nullptr) return s_.error(kMissing, m->place, "a mimic names no joint");
        const auto leader = joints_.find(*name);
        if (leader == joints_.end() || leader->second == at->second) {
            std::vector<std::string> names;
            for (const auto& [n, index] : joints_) names.push_back(n);
            return s_.error(kUnknownName, m->place,
                            fmt::format("the mimic of joint '{}' names '{}', which is not another joint",
                                        tree_.joints[static_cast<std::size_t>(at->second)].name, *name),
                            did_you_mean(*name, names));
        }
        Joint&     follower   = tree_.joints[static_cast<std::size_t>(at->second)];
        const auto multiplier = s_.number(*m, "multiplier"), offset = s_.number(*m, "offset");
        // A follower's position is multiplier * leader + offset; that needs one number on either side.
        if (follower.dofs.size() != 1 || tree_.joints[static_cast<std::size_t>(leader->second)].dofs.size() != 1)
            return s_.error(kUnsupported, m->place,
                            fmt::format("the mimic of joint '{}' needs two joints of one axis", follower.name));
        follower.mimic = Mimic{leader->second, multiplier.value_or(1), offset.value_or(0), m->place};
    }

    /// Joints that follow one another in a circle follow nothing: the last of them stands alone.
    void open_mimic_circles()
    {
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
            int at = static_cast<int>(j);
            for (std::size_t steps = 0; steps <= tree_.joints.size(); ++steps) {
                const auto& next = tree_.joints[static_cast<std::size_t>(at)].mimic;
                if (!next) break;
                at = next->joint;
                if (at != static_cast<int>(j)) continue;
                s_.error(kTree, next->place,
                         fmt::format("the joints that '{}' follows lead back to it", tree_.joints[j].name),
                         "Let one joint lead, and the others follow it.");
                tree_.joints[j].mimic.reset();
                break;
            }
        }
    }

    std::set<int> floating_;

    /// Parents before children, so that poses and names can be made in one pass.
    void order_joints()
    {
        std::vector<std::vector<int>> below(tree_.links.size());
        std::vector<bool>             has_parent(tree_.links.size(), false);
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
            below[static_cast<std::size_t>(tree_.joints[j].parent)].push_back(static_cast<int>(j));
            has_parent[static_cast<std::size_t>(tree_.joints[j].child)] = true;
        }
        // Depth first, with an explicit stack: chains of links may be longer than the program's stack is deep. Joints
        // of one link keep the order of the file.
        std::vector<int> order, todo;
        int              roots = 0;
        for (std::size_t l = tree_.links.size(); l-- > 0;)
            if (!has_parent[l]) todo.push_back(static_cast<int>(l)), ++roots;
        if (roots > 1) {
            std::string       names;
            const XmlElement* where = &root_;
            for (std::size_t l = 0; l < tree_.links.size(); ++l)
                if (!has_parent[l]) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", tree_.links[l].name);
            s_.error(
                kTree, where->place,
                fmt::format("the robot has {} roots, URDF has one: {}; each becomes a tree of its own", roots, names));
        }
        while (!todo.empty()) {
            const auto link = static_cast<std::size_t>(todo.back());
            todo.pop_back();
            for (const int j : below[link]) order.push_back(j);
            for (std::size_t i = below[link].size(); i-- > 0;)
                todo.push_back(tree_.joints[static_cast<std::size_t>(below[link][i])].child);
        }
        std::vector<int>   place(tree_.joints.size(), -1);
        std::vector<Joint> sorted;
        for (const int j : order) {
            place[static_cast<std::size_t>(j)] = static_cast<int>(sorted.size());
            sorted.push_back(std::move(tree_.joints[static_cast<std::size_t>(j)]));
        }
        // Indices of joints changed: floating joints and leaders are renamed.
        std::set<int> floating;
        for (const int j : floating_) floating.insert(place[static_cast<std::size_t>(j)]);
        floating_ = std::move(floating);
        for (Joint& j : sorted)
            if (j.mimic) j.mimic->joint = place[static_cast<std::size_t>(j.mimic->joint)];
        tree_.joints = std::move(sorted);
    }

    void place_links()
    {
        for (const Joint& j : tree_.joints)
            // Poses at zero of all joints.
            tree_.links[static_cast<std::size_t>(j.child)].X_WL =
                tree_.links[static_cast<std::size_t>(j.parent)].X_WL * j.X_PJ * inverse(j.X_CJ);
        // A floating joint is none; nor may anything follow it. The way back needs its name and where it hung.
        for (const int f : floating_) {
            const Joint& j = tree_.joints[static_cast<std::size_t>(f)];
            Extra        told;
            told.name  = hints::kFloating;
            told.type  = "string";
            told.text  = j.name + "|" + tree_.links[static_cast<std::size_t>(j.parent)].name;
            told.place = j.place;
            tree_.links[static_cast<std::size_t>(j.child)].extras.push_back(std::move(told));
        }
        remove_joints([&](std::size_t i) { return floating_.contains(static_cast<int>(i)); });
        // The link "world" is the world itself.
        const auto world = links_.find("world");
        // The name alone is not enough: a link "world" with a mass, or that a joint carries, is a link.
        const bool named = world != links_.end() && !tree_.links[static_cast<std::size_t>(world->second)].inertial &&
                           std::none_of(tree_.joints.begin(), tree_.joints.end(),
                                        [&](const Joint& j) { return j.child == world->second; });
        if (named && s_.options.base != Base::floating)
            join_world(world->second);
        else if (named)
            drop_world(world->second);
        else if (s_.options.base == Base::fixed)
            // Asked to fix the base, and nothing in the file does: each root gets a joint to the world.
            anchor();
    }

    template <class Gone>
    void remove_joints(const Gone& gone)
    {
        std::vector<int>   place(tree_.joints.size(), -1);
        std::vector<Joint> kept;
        for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
            if (gone(i)) continue;
            place[i] = static_cast<int>(kept.size());
            kept.push_back(tree_.joints[i]);
        }
        // Followers refer to joints by index, so what moves up takes its followers with it; who follows a joint that is
        // gone follows none.
        for (Joint& j : kept) {
            if (!j.mimic) continue;
            j.mimic->joint = place[static_cast<std::size_t>(j.mimic->joint)];
            if (j.mimic->joint < 0) j.mimic.reset();
        }
        tree_.joints = std::move(kept);
    }

    void join_world(int world)
    {
        for (Joint& j : tree_.joints)
            if (j.parent == world) j.parent = -1;
        for (Shape& s : tree_.shapes)
            if (s.link == world) s.link = -1;
        s_.losses.add({"world-link", Severity::info, LossAction::converted, "kinematics",
                       site_of(tree_.links[static_cast<std::size_t>(world)].place), "link 'world'", "link", "the world",
                       "joints to it have no first body"});
        remove_link(world);
    }

    /// The robot is to float although its file holds it: what is fixed to the world becomes a root.
    void drop_world(int world)
    {
        remove_joints([&](std::size_t i) {
            return tree_.joints[i].parent == world && tree_.joints[i].kind == Joint::Kind::fixed;
        });
        join_world(world);
    }

    void anchor()
    {
        for (std::size_t l = 0; l < tree_.links.size(); ++l) {
            if (std::any_of(tree_.joints.begin(), tree_.joints.end(),
                            [&](const Joint& j) { return j.child == static_cast<int>(l); }))
                continue;
            Joint made;
            made.name  = s_.unique(joint_names_, "world_joint", root_, "joint", false);
            made.child = static_cast<int>(l);
            made.X_PJ  = tree_.links[l].X_WL;
            made.place = tree_.links[l].place;
            // The anchor goes in front, for parents come first. Followers refer to joints by index.
            for (Joint& j : tree_.joints)
                if (j.mimic) ++j.mimic->joint;
            tree_.joints.insert(tree_.joints.begin(), made);
        }
    }

    void remove_link(int gone)
    {
        tree_.links.erase(tree_.links.begin() + gone);
        // Links behind the one that goes move up; -1, the world, stays.
        const auto shift = [&](int& l) { l -= l > gone ? 1 : 0; };
        for (Joint& j : tree_.joints) shift(j.parent), shift(j.child);
        for (Shape& s : tree_.shapes) shift(s.link);
    }
};

}  // namespace

void read_urdf(const XmlElement& root, const std::string& file, Source& source)
{
    source.tree.format = "URDF";
    Urdf(root, file, source).read();
    source.report_leftovers(root);
}

}  // namespace mechane::sourceformats

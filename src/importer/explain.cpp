// `mechane explain`: for a prim or a field, the value in the model, its unit, who gave it (ledger, resolvers, schema),
// what was authored and lost, and why two shapes do not meet. Reads the import result and stage; changes nothing.
// Rows of fields are in explain_fields.cpp.

#include "mechane/importer/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "explain_fields.h"
#include "ledger.h"
#include "mechane/core/nearest.h"
#include "mechane/importer/codes.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/opinions.h"
#include "property_units.h"

namespace mechane::importer {
namespace {

using model::Model;

/// What a prim became.
struct Entity {
    usd::Prim                  prim;
    std::string                label;
    std::optional<std::size_t> body, joint, shape;
    bool                       scene = false, articulation = false;
};

bool is_below(const std::string& path, const std::string& root)
{ return path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/'; }

std::optional<std::size_t> index_in(const std::map<std::string, std::int32_t>& map, const std::string& path)
{
    const auto there = map.find(path);
    return there == map.end() || there->second < 0 ? std::nullopt
                                                   : std::optional(static_cast<std::size_t>(there->second));
}

/// Name of a degree of freedom as resolvers and PhysicsLimitAPI spell it.
/// Of the axis by its largest component: axes of D6 joints are unit vectors.
std::string dof_name(const Model& m, std::size_t joint, std::size_t dof)
{
    const auto first  = static_cast<std::size_t>(m.joint_qd_start[joint]);
    const bool linear = dof - first < static_cast<std::size_t>(m.joint_dof_dim[joint][0]);
    if (m.joint_type[joint] == model::JointType::revolute) return "angular";
    if (m.joint_type[joint] == model::JointType::prismatic) return "linear";
    const Vec3& a      = m.joint_axis[dof];
    const char  letter = std::abs(a.x) >= std::abs(a.y) && std::abs(a.x) >= std::abs(a.z) ? 'X'
                         : std::abs(a.y) >= std::abs(a.z)                                 ? 'Y'
                                                                                          : 'Z';
    return (linear ? std::string("trans") : std::string("rot")) + letter;
}

/// Whether a key for one axis only is that of another axis: "joint_limit_rot_x_ke" for the axis rotY.
bool is_of_other_axis(resolve::Key key, const std::string& dof)
{
    struct Axis {
        std::string_view part, dof;
    };
    constexpr Axis         kAxes[] = {{"_linear_", "linear"},  {"_angular_", "angular"}, {"_trans_x_", "transX"},
                                      {"_trans_y_", "transY"}, {"_trans_z_", "transZ"},  {"_rot_x_", "rotX"},
                                      {"_rot_y_", "rotY"},     {"_rot_z_", "rotZ"}};
    const std::string_view name    = resolve::to_string(key);
    return std::any_of(std::begin(kAxes), std::end(kAxes), [&](const Axis& axis) {
        return name.find(axis.part) != std::string_view::npos && axis.dof != dof;
    });
}

class Explainer {
  public:
    explicit Explainer(const ExplainInput& input) : in_(input), where_(input.stage)
    {
        for (const LedgerEntry& entry : in_.imported.ledger) ledger_[entry.prim][entry.property] = &entry;
        // Resolvers that are not listed come last: what they would have read is worth a line.
        for (const std::string& name : in_.imported.resolvers)
            if (auto one = resolve::resolvers_named(std::vector{name}, {}, in_.options.own_resolvers))
                resolvers_.push_back(one->resolvers().front());
        listed_ = resolvers_.size();
        // Values for resolvers that are not listed are shown as lost.
        for (const char* name : {"newton", "physx", "mjc"})
            if (std::none_of(resolvers_.begin(), resolvers_.end(), [&](const auto& r) { return r.name == name; }))
                resolvers_.push_back(resolve::resolvers_named(std::vector<std::string>{name})->resolvers().front());
    }

    [[nodiscard]] std::optional<Entity> entity_at(const std::string& path) const
    {
        Entity e;
        e.label = path;
        e.prim  = in_.stage.prim_at(usd::Path(path));
        e.body  = index_in(in_.imported.path_body_map, path);
        e.joint = index_in(in_.imported.path_joint_map, path);
        e.shape = index_in(in_.imported.path_shape_map, path);
        // Joints that the importer made have a label and no prim.
        if (!e.joint)
            for (std::size_t j = 0; j < in_.model.joint_count() && !e.prim; ++j)
                if (in_.model.joint_label[j] == path) e.joint = j;
        e.scene          = std::any_of(in_.imported.scenes.begin(), in_.imported.scenes.end(),
                                       [&](const ImportedScene& scene) { return scene.path == path; });
        e.articulation   = in_.imported.path_self_collision.count(path) != 0;
        const bool known = e.body || e.joint || e.shape || e.scene || e.articulation || ledger_.count(path) != 0;
        return known ? std::optional(e) : std::nullopt;
    }

    std::vector<Explanation> all(const Entity& e)
    {
        std::vector<Explanation> out;
        for (const FieldRow& row : explain_fields())
            for (Explanation& x : of_row(e, row)) out.push_back(std::move(x));
        std::set<std::string> said;
        for (const Explanation& x : out)
            for (const auto* list : {&x.won, &x.lost})
                for (const Candidate& c : *list)
                    if (c.prim == e.label) said.insert(c.property);
        // Properties that no number of the model is made of.
        if (const auto rows = ledger_.find(e.label); rows != ledger_.end())
            for (const auto& [name, entry] : rows->second)
                if (said.count(name) == 0) out.push_back(of_property(e, *entry));
        return out;
    }

    std::vector<Explanation> of_field(const Entity& e, const std::string& field)
    {
        std::vector<Explanation> out;
        // A field may be asked for by its name, its array, or a key of resolvers.
        for (const FieldRow& row : explain_fields())
            if (row.field == field || (!row.array.empty() && row.array == field) || has_key(row, field))
                for (Explanation& x : of_row(e, row)) out.push_back(std::move(x));
        if (!out.empty()) return out;
        // By a property: every number that it has, or could have had, a say in.
        for (const FieldRow& row : explain_fields())
            for (Explanation& x : of_row(e, row)) {
                const auto speaks = [&](const Candidate& c) { return c.property == field && c.prim == e.label; };
                if (std::any_of(x.won.begin(), x.won.end(), speaks) ||
                    std::any_of(x.lost.begin(), x.lost.end(), speaks) ||
                    std::find(x.absent.begin(), x.absent.end(), field) != x.absent.end())
                    out.push_back(std::move(x));
            }
        if (!out.empty()) return out;
        if (const auto rows = ledger_.find(e.label); rows != ledger_.end())
            if (const auto entry = rows->second.find(field); entry != rows->second.end())
                out.push_back(of_property(e, *entry->second));
        return out;
    }

    [[nodiscard]] std::vector<std::string> fields_of(const Entity& e) const
    {
        std::vector<std::string> names;
        for (const FieldRow& row : explain_fields())
            if (applies(e, row)) names.emplace_back(row.field);
        return names;
    }

    /// "Did you mean ...?" of what the model and the ledger know.
    [[nodiscard]] std::string near_labels(const std::string& path) const
    {
        std::vector<std::string> known;
        for (const auto* labels : {&in_.model.joint_label, &in_.model.body_label, &in_.model.shape_label})
            known.insert(known.end(), labels->begin(), labels->end());
        for (const ImportedScene& scene : in_.imported.scenes) known.push_back(scene.path);
        for (const auto& [prim, unused] : ledger_) known.push_back(prim);
        return did_you_mean(path, known);
    }

  private:
    static bool has_key(const FieldRow& row, const std::string& name)
    {
        return std::any_of(row.keys.begin(), row.keys.end(),
                           [&](resolve::Key k) { return resolve::to_string(k) == name; });
    }
    static bool applies(const Entity& e, const FieldRow& row)
    {
        switch (row.kind) {
            case EntityKind::body:
                return e.body.has_value();
            case EntityKind::joint:
            case EntityKind::dof:
                return e.joint.has_value();
            case EntityKind::shape:
                return e.shape.has_value();
            case EntityKind::scene:
                return e.scene;
            case EntityKind::articulation:
                return e.articulation;
        }
        return false;
    }

    std::vector<Explanation> of_row(const Entity& e, const FieldRow& row)
    {
        std::vector<Explanation> out;
        if (!applies(e, row)) return out;
        if (row.kind != EntityKind::dof) {
            const std::size_t i = row.kind == EntityKind::body    ? *e.body
                                  : row.kind == EntityKind::joint ? *e.joint
                                  : row.kind == EntityKind::shape ? *e.shape
                                                                  : 0;
            out.push_back(one(e, row, i, 0, ""));
            return out;
        }
        const Model& m = in_.model;
        for (auto d = m.joint_qd_start[*e.joint]; d < m.joint_qd_start[*e.joint + 1]; ++d)
            out.push_back(
                one(e, row, *e.joint, static_cast<std::size_t>(d), dof_name(m, *e.joint, static_cast<std::size_t>(d))));
        return out;
    }

    Explanation one(const Entity& e, const FieldRow& row, std::size_t index, std::size_t dof, const std::string& name)
    {
        Explanation x;
        x.subject        = e.label;
        x.field          = row.field;
        x.array          = row.array;
        x.dof            = name;
        x.value          = row.of_import ? row.of_import(in_.imported, e.label) : row.value(in_.model, index, dof);
        const bool turns = name == "angular" || name.starts_with("rot");
        x.unit           = row.unit.empty() ? unit_of(row, turns) : std::string(row.unit);
        if (row.kind == EntityKind::dof && in_.model.joint_drive_type[dof] == model::DriveType::acceleration) {
            if (row.field == "drive_stiffness") x.unit = "1/s^2";  // whatever it moves weighs
            if (row.field == "drive_damping") x.unit = "1/s";
        }
        if (x.value == "none") x.unit.clear();  // a word has no unit
        x.resolver_count       = static_cast<int>(listed_);
        const usd::Prim source = row.on_material ? material_of(e.prim) : usd::Prim{};
        if (e.prim) {
            for (std::size_t r = 0; r < resolvers_.size(); ++r)
                for (const resolve::Row& attribute : resolvers_[r].rows) {
                    if (std::find(row.keys.begin(), row.keys.end(), attribute.key) == row.keys.end()) continue;
                    if (is_of_other_axis(attribute.key, name)) continue;
                    const bool       material = resolve::prim_kind(attribute.key) == resolve::PrimKind::material;
                    const usd::Prim& prim     = material ? source : e.prim;
                    if (!prim) continue;
                    for (const std::string& p : attribute.attributes) {
                        // What is said of this axis alone goes first.
                        const bool axis = name.starts_with("trans") || name.starts_with("rot");
                        if (const std::string own = axis ? resolve::axis_attribute(p, name) : std::string();
                            axis && prim.attribute(own).authored())
                            consider(x, prim, own, r);
                        consider(x, prim, p, r);
                    }
                }
            for (const std::string_view pattern : row.properties) {
                const usd::Prim& prim = row.on_material ? source : e.prim;
                if (prim) consider(x, prim, filled(pattern, name), std::nullopt);
            }
            if (row.below) consider_below(x, e, row);
        }
        x.source = source_of(e, row, x, source);
        return x;
    }

    /// "drive:{drive}:..." and "limit:{}:..." of this degree of freedom.
    static std::string filled(std::string_view pattern, const std::string& dof)
    {
        std::string text(pattern);
        for (const std::string_view hole : {"{drive}", "{}"})
            if (const auto at = text.find(hole); at != std::string::npos) text.replace(at, hole.size(), dof);
        return text;
    }

    void consider(Explanation& x, const usd::Prim& prim, const std::string& property,
                  std::optional<std::size_t> resolver)
    {
        const std::string path = prim.path().text();
        // One property may stand under several keys.
        const auto same = [&](const Candidate& c) { return c.prim == path && c.property == property; };
        if (std::any_of(x.won.begin(), x.won.end(), same) || std::any_of(x.lost.begin(), x.lost.end(), same)) return;
        const auto rows = ledger_.find(path);
        const auto entry =
            rows == ledger_.end() ? decltype(rows->second.find(property)){} : rows->second.find(property);
        if (rows == ledger_.end() || entry == rows->second.end()) {
            if (const usd::Attribute outside = prim.attribute(property);
                outside.authored() && !is_physics_property(property)) {
                // Geometry and looks, of which no ledger is kept.
                Candidate c;
                c.prim     = path;
                c.property = property;
                c.value    = shortened(outside.authored_value().to_text());
                c.verdict  = Verdict::used;
                c.site     = outside.site();
                x.won.push_back(std::move(c));
                return;
            }
            // Alternatives of other schemas are no omission.
            // Only what the import could have read counts as absent.
            if (resolver && *resolver >= listed_) return;
            if (!resolver && property.starts_with("physics:") && !prim.attribute(property)) return;
            if (!resolver && !property.starts_with("physics:") && !prim.attribute(property)) return;
            if (std::find(x.absent.begin(), x.absent.end(), property) == x.absent.end()) x.absent.push_back(property);
            return;
        }
        Candidate c = candidate(prim, *entry->second);
        if (resolver) {
            c.resolver = resolvers_[*resolver].name;
            c.rank     = *resolver < listed_ ? static_cast<int>(*resolver) + 1 : 0;
        }
        const bool won = c.verdict == Verdict::used || c.verdict == Verdict::converted;
        (won ? x.won : x.lost).push_back(std::move(c));
    }

    /// Masses and densities of what hangs below a body, and of the materials bound there.
    void consider_below(Explanation& x, const Entity& e, const FieldRow& row)
    {
        for (const LedgerEntry& entry : in_.imported.ledger) {
            if (!is_below(entry.prim, e.label)) continue;
            const bool speaks =
                std::find(row.properties.begin(), row.properties.end(), entry.property) != row.properties.end();
            if (speaks) consider(x, in_.stage.prim_at(usd::Path(entry.prim)), entry.property, std::nullopt);
        }
        if (row.field == "com") return;
        // A density, or a mass of this body alone, may stand on a prim above it.
        for (usd::Prim p = e.prim.parent(); p && !p.path().is_root(); p = p.parent())
            if (p.has_api("PhysicsMassAPI") && !p.has_api("PhysicsRigidBodyAPI"))
                for (const char* property : {"physics:mass", "physics:density"})
                    if (const auto rows = ledger_.find(p.path().text());
                        rows != ledger_.end() && rows->second.count(property) != 0)
                        consider(x, p, property, std::nullopt);
        for (const std::int32_t s : in_.model.body_shapes[*e.body]) {
            const usd::Prim collider = in_.stage.prim_at(usd::Path(in_.model.shape_label[static_cast<std::size_t>(s)]));
            if (const usd::Prim material = material_of(collider);
                material && ledger_.count(material.path().text()) != 0 &&
                ledger_.at(material.path().text()).count("physics:density") != 0)
                consider(x, material, "physics:density", std::nullopt);
        }
    }

    Candidate candidate(const usd::Prim& prim, const LedgerEntry& entry)
    {
        Candidate c;
        c.prim                        = entry.prim;
        c.property                    = entry.property;
        c.value                       = entry.value;
        c.verdict                     = entry.verdict;
        c.note                        = entry.note;
        c.site                        = entry.site;
        const std::vector<Site> sites = where_.opinions(prim, entry.property);
        if (sites.size() > 1) c.weaker.assign(sites.begin() + 1, sites.end());
        return c;
    }

    Explanation of_property(const Entity& e, const LedgerEntry& entry)
    {
        Explanation x;
        x.subject        = e.label;
        x.field          = entry.property;
        x.value          = entry.value;
        x.resolver_count = static_cast<int>(listed_);
        x.source         = std::string(to_string(entry.verdict));
        Candidate  c     = candidate(e.prim, entry);
        const bool won   = c.verdict == Verdict::used || c.verdict == Verdict::converted;
        (won ? x.won : x.lost).push_back(std::move(c));
        return x;
    }

    [[nodiscard]] usd::Prim material_of(const usd::Prim& collider) const
    { return collider ? in_.stage.bound_material(collider, "physics") : usd::Prim{}; }

    static std::string unit_of(const FieldRow& row, bool turns)
    {
        std::string unit(si_unit(turns ? row.angular : row.linear));
        const bool  rate = row.field == "velocity" || row.field == "angular_velocity" || row.field == "qd" ||
                           row.field == "target_qd" || row.field == "velocity_limit";
        return rate && !unit.empty() ? unit + "/s" : unit;
    }

    [[nodiscard]] std::string source_of(const Entity& e, const FieldRow& row, const Explanation& x,
                                        const usd::Prim& material) const
    {
        if (row.kind == EntityKind::body && (row.field == "mass" || row.field == "inertia" || row.field == "com")) {
            const auto rule = in_.imported.mass_rules.find(e.label);
            const auto name = rule == in_.imported.mass_rules.end() ? std::string_view("shapes") : rule->second;
            if (row.field == "inertia") return fmt::format("rule of the mass ladder: {}", name);
            return x.won.empty() ? "computed from the shapes" : "authored";
        }
        if (!x.won.empty()) return "authored";
        if (!e.prim) return "the importer made this joint";
        if (row.field == "q") return "the authored poses of the two bodies";
        if (row.on_material && !material) return "default of the importer: no physics material is bound";
        if (row.field == "type" || row.field == "articulation") return "the prim itself";
        if (row.field == "pose") return "the transforms of the prim and of what it stands in";
        if (row.field == "body" || row.field == "world") return "what the prim belongs to";
        if (row.field == "color" || row.field == "opacity")
            return in_.stage.bound_material(e.prim, "") ? "the bound material" : "default of the importer";
        if (row.field == "physics_dt") return "default of the importer; a run takes 1/60 s where nothing is authored";
        if (row.keys.empty() && !x.absent.empty()) return "fallback of the schema";
        return "default of the importer";
    }

    const ExplainInput&                                              in_;
    usd::OpinionIndex                                                where_;
    std::map<std::string, std::map<std::string, const LedgerEntry*>> ledger_;
    std::vector<resolve::Resolver>                                   resolvers_;
    std::size_t                                                      listed_ = 0;
};

/// Shapes of the model that a path names: its own, its pieces, those below it; colliding ones if there are any.
std::vector<std::size_t> shapes_at(const Model& m, const std::string& path)
{
    std::vector<std::size_t> all, colliding;
    for (std::size_t i = 0; i < m.shape_count(); ++i) {
        const std::string& label = m.shape_label[i];
        if (label != path && !is_below(label, path) && !label.starts_with(path + "_convex_")) continue;
        // Visual pieces are of no interest if something collides.
        all.push_back(i);
        if ((m.shape_flags[i] & model::shape_flag::collide_shapes) != 0) colliding.push_back(i);
    }
    return colliding.empty() ? all : colliding;
}

/// Newton's rule for numbers of collision groups: zero meets nothing, positive ones meet themselves and negative ones,
/// negative ones everything but themselves.
bool groups_meet(std::int32_t a, std::int32_t b)
{
    if (a == 0 || b == 0) return false;
    if (a > 0 && b > 0) return a == b;
    return a != b;
}

/// Why nothing pushes a shape, or nothing where something may.
std::string_view immovable(const Model& m, std::int32_t body)
{
    if (body < 0) return "belongs to the world";
    const bool dynamic = (m.body_flags[static_cast<std::size_t>(body)] & model::body_flag::dynamic) != 0;
    return dynamic ? "" : "belongs to a kinematic body";
}

/// A filter that seems to name the pair and does not: it stands on, or names, a prim that is neither body nor collider
/// nor articulation.
void idle_filters(const ExplainInput& in, PairExplanation& x)
{
    static const usd::Token kFiltered("physics:filteredPairs");
    const auto              counts = [](const usd::Prim& prim) {
        return prim.has_api("PhysicsRigidBodyAPI") || prim.has_api("PhysicsCollisionAPI") ||
               prim.has_api("PhysicsArticulationRootAPI");
    };
    for (const auto& [from, to] :
         {std::pair(usd::Path(x.a), usd::Path(x.b)), std::pair(usd::Path(x.b), usd::Path(x.a))})
        for (usd::Prim prim = in.stage.prim_at(from); prim && !prim.path().is_root(); prim = prim.parent())
            for (const usd::Path& target : prim.relationship(kFiltered).targets()) {
                if (!to.has_prefix(target) || target.is_root()) continue;
                const usd::Prim named = in.stage.prim_at(target);
                for (const usd::Prim& idle : {prim, named})
                    if (idle && !counts(idle)) {
                        x.remarks.push_back(
                            fmt::format("physics:filteredPairs of <{}> names <{}> and has no effect: <{}> is neither a "
                                        "body nor a collider nor an articulation",
                                        prim.path().text(), target.text(), idle.path().text()));
                        break;
                    }
            }
}

PairExplanation pair_of(const ExplainInput& in, std::size_t a, std::size_t b)
{
    const Model&    m = in.model;
    PairExplanation x;
    x.a            = m.shape_label[a];
    x.b            = m.shape_label[b];
    const auto say = [&](std::string reason) { x.reasons.push_back(std::move(reason)); };
    for (const std::size_t s : {a, b})
        if ((m.shape_flags[s] & model::shape_flag::collide_shapes) == 0)
            say(fmt::format("<{}> does not collide (physics:collisionEnabled is false, or it is only drawn)",
                            m.shape_label[s]));
    const std::int32_t body_a = m.shape_body[a], body_b = m.shape_body[b];
    if (body_a == body_b && body_a >= 0)
        say(fmt::format("both belong to the body <{}>", m.body_label[static_cast<std::size_t>(body_a)]));
    const std::string_view why_a = immovable(m, body_a), why_b = immovable(m, body_b);
    if (body_a < 0 && body_b < 0) say("neither can move");
    // Two kinematic bodies, or one and the world.
    else if (!why_a.empty() && !why_b.empty())
        say(fmt::format("no force moves either: <{}> {}, <{}> {}", x.a, why_a, x.b, why_b));
    if (m.shape_world[a] != m.shape_world[b] && m.shape_world[a] >= 0 && m.shape_world[b] >= 0)
        say(fmt::format("they are in the worlds {} and {}", m.shape_world[a], m.shape_world[b]));
    if (!groups_meet(m.shape_collision_group[a], m.shape_collision_group[b]))
        say(fmt::format("their collision groups {} and {} do not collide", m.shape_collision_group[a],
                        m.shape_collision_group[b]));
    const auto pair = std::pair(static_cast<std::int32_t>(std::min(a, b)), static_cast<std::int32_t>(std::max(a, b)));
    if (std::binary_search(m.shape_collision_filter_pairs.begin(), m.shape_collision_filter_pairs.end(), pair)) {
        const auto known  = in.imported.filter_reasons.find(pair);
        bool       joined = false;
        // A joint that lets its bodies touch is no reason, nor is the one that only says that a body floats.
        const bool by_joint = known == in.imported.filter_reasons.end() ||
                              std::ranges::find(known->second, kFilteredByJoint) != known->second.end();
        for (std::size_t j = 0; j < m.joint_count() && body_a != body_b && by_joint; ++j)
            if (m.joint_type[j] != model::JointType::free &&
                std::minmax(m.joint_parent[j], m.joint_child[j]) == std::minmax(body_a, body_b)) {
                joined = true;
                say(fmt::format("joined by <{}>, whose physics:collisionEnabled is false", m.joint_label[j]));
            }
        if (known != in.imported.filter_reasons.end())
            for (const std::string& reason : known->second)
                if (!joined || reason != kFilteredByJoint) say(reason);
        if (!joined && known == in.imported.filter_reasons.end() && (body_a != body_b || body_a < 0))
            say("the pair is filtered");
    }
    for (const std::size_t s : {a, b})
        if (const auto groups = in.imported.path_shape_groups.find(m.shape_label[s]);
            groups != in.imported.path_shape_groups.end())
            x.remarks.push_back(
                fmt::format("<{}> is in the groups {}", m.shape_label[s], fmt::join(groups->second, ", ")));
    idle_filters(in, x);
    std::sort(x.reasons.begin(), x.reasons.end());
    x.reasons.erase(std::unique(x.reasons.begin(), x.reasons.end()), x.reasons.end());
    x.collide = x.reasons.empty();
    return x;
}

Diagnostic unknown(const std::string& path, std::string hint)
{
    return make_diagnostic(codes::kExplainUnknown, Site{.layer = {}, .prim = path, .property = {}},
                           fmt::format("nothing of the model is called {}", path), std::move(hint));
}

}  // namespace

Result<std::vector<Explanation>> explain(const ExplainInput& input, std::string_view text)
{
    Explainer         explainer(input);
    const std::string whole(text);
    if (const auto entity = explainer.entity_at(whole)) return explainer.all(*entity);
    const std::size_t dot = whole.rfind('.');
    if (dot == std::string::npos) return unknown(whole, explainer.near_labels(whole));
    const std::string path   = whole.substr(0, dot);
    const auto        entity = explainer.entity_at(path);
    if (!entity) return unknown(path, explainer.near_labels(path));
    std::vector<Explanation> found = explainer.of_field(*entity, whole.substr(dot + 1));
    if (found.empty()) {
        const std::vector<std::string> fields = explainer.fields_of(*entity);
        const std::string              near   = did_you_mean(whole.substr(dot + 1), fields);
        return unknown(whole, fmt::format("{}{}<{}> has the fields {}.", near, near.empty() ? "" : " ", path,
                                          fmt::join(fields, ", ")));
    }
    return found;
}

Result<std::vector<PairExplanation>> explain_pair(const ExplainInput& input, std::string_view a, std::string_view b)
{
    const auto first = shapes_at(input.model, std::string(a)), second = shapes_at(input.model, std::string(b));
    for (const auto& [shapes, path] : {std::pair(&first, a), std::pair(&second, b)})
        if (shapes->empty()) return unknown(std::string(path), did_you_mean(path, input.model.shape_label));
    std::vector<PairExplanation> out;
    for (const std::size_t i : first)
        for (const std::size_t j : second)
            if (i != j) out.push_back(pair_of(input, i, j));
    return out;
}

std::vector<std::string> filter_reason(const ExplainInput& input, std::int32_t a, std::int32_t b)
{
    const auto& pairs = input.model.shape_collision_filter_pairs;
    if (!std::binary_search(pairs.begin(), pairs.end(), std::pair<std::int32_t, std::int32_t>(std::minmax(a, b))))
        return {};
    return pair_of(input, static_cast<std::size_t>(a), static_cast<std::size_t>(b)).reasons;
}

ShapeFilters filters_of(const model::Model& model, std::int32_t shape)
{
    ShapeFilters out;
    out.all = (model.shape_flags[static_cast<std::size_t>(shape)] & model::shape_flag::collide_shapes) == 0;
    for (const auto& [a, b] : model.shape_collision_filter_pairs)
        if (a == shape || b == shape) out.others.push_back(a == shape ? b : a);
    std::sort(out.others.begin(), out.others.end());
    return out;
}

}  // namespace mechane::importer

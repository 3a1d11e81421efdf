// Called by import_usd after all joints, shapes and collapses, because rows hold indices of the finished builder.
// Values are in SI and follow MuJoCo's conventions (solref, solimp, gainprm as in mjModel); references to joints,
// shapes and bodies are declared as such (CustomFrequency), so that add_builder and replicate shift them.

#include "mujoco_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "import.h"
#include "mechane/model/custom_rows.h"
#include "mechane/model/joint_table.h"
#include "mechane/physics/solid_size.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/mujoco_units.h"
#include "mujoco_attributes.h"
#include "shape_frames.h"

// MuJoCo's actuators, tendons and equalities, and its settings of more than four numbers, as rows of custom attributes
// under the names that Newton 1.8 registers. The solver `mujoco` reads them there. What an actuator acts on is an index
// of its own for each kind of target, so that copies of the model find theirs.

namespace mechane::importer {
namespace {

using model::CustomFrequency;
using model::CustomType;
using model::CustomValue;
using model::RowKind;
using model::rows_of;

struct RowAttribute {
    std::string_view               name;
    RowKind                        kind;
    int                            columns   = 1;
    CustomType                     type      = CustomType::float32;
    double                         otherwise = 0;
    std::optional<CustomFrequency> references{};
    model::CustomAssignment        assignment = model::CustomAssignment::model;
};

constexpr auto kInt = CustomType::int32;

/// The table fixes name, frequency, number of columns, type and default of every row. A default is MuJoCo's own unless
/// Newton registers another: limited is 2 (auto), springlength -1 (computed).
constexpr RowAttribute kRows[] = {
    {"geom_solimp", RowKind::shape, 5},
    {"solimplimit", RowKind::joint_dof, 5},
    {"solimpfriction", RowKind::joint_dof, 5},
    {"actuator_world", RowKind::actuator, 1, kInt, -1, CustomFrequency::world},
    {"ctrl_source", RowKind::actuator, 1, kInt, 1},
    {"ctrl", RowKind::actuator, 1, CustomType::float32, 0, {}, model::CustomAssignment::control},
    {"actuator_trntype", RowKind::actuator, 1, kInt},
    {"actuator_target_dof", RowKind::actuator, 1, kInt, -1, CustomFrequency::joint_dof},
    {"actuator_target_tendon", RowKind::actuator, 1, kInt, -1, rows_of(RowKind::tendon)},
    {"actuator_target_body", RowKind::actuator, 1, kInt, -1, CustomFrequency::body},
    {"actuator_target_site", RowKind::actuator, 1, kInt, -1, CustomFrequency::shape},
    {"actuator_target_refsite", RowKind::actuator, 1, kInt, -1, CustomFrequency::shape},
    {"actuator_gaintype", RowKind::actuator, 1, kInt},
    {"actuator_biastype", RowKind::actuator, 1, kInt},
    {"actuator_dyntype", RowKind::actuator, 1, kInt},
    {"actuator_gainprm", RowKind::actuator, 10},
    {"actuator_biasprm", RowKind::actuator, 10},
    {"actuator_dynprm", RowKind::actuator, 10},
    {"actuator_gear", RowKind::actuator, 6},
    {"actuator_ctrlrange", RowKind::actuator, 2},
    {"actuator_forcerange", RowKind::actuator, 2},
    {"actuator_actrange", RowKind::actuator, 2},
    {"actuator_lengthrange", RowKind::actuator, 2},
    {"actuator_ctrllimited", RowKind::actuator, 1, kInt, 2},
    {"actuator_forcelimited", RowKind::actuator, 1, kInt, 2},
    {"actuator_actlimited", RowKind::actuator, 1, kInt, 2},
    {"actuator_actdim", RowKind::actuator, 1, kInt, -1},
    {"actuator_actearly", RowKind::actuator, 1, kInt},
    {"actuator_cranklength", RowKind::actuator},
    {"tendon_world", RowKind::tendon, 1, kInt, -1, CustomFrequency::world},
    {"tendon_type", RowKind::tendon, 1, kInt},
    {"tendon_joint_adr", RowKind::tendon, 1, kInt, 0, rows_of(RowKind::tendon_joint)},
    {"tendon_joint_num", RowKind::tendon, 1, kInt},
    {"tendon_wrap_adr", RowKind::tendon, 1, kInt, 0, rows_of(RowKind::tendon_wrap)},
    {"tendon_wrap_num", RowKind::tendon, 1, kInt},
    {"tendon_stiffness", RowKind::tendon},
    {"tendon_damping", RowKind::tendon},
    {"tendon_frictionloss", RowKind::tendon},
    {"tendon_armature", RowKind::tendon},
    {"tendon_margin", RowKind::tendon},
    {"tendon_limited", RowKind::tendon, 1, kInt, 2},
    {"tendon_range", RowKind::tendon, 2},
    {"tendon_springlength", RowKind::tendon, 2, CustomType::float32, -1},
    {"tendon_solref_limit", RowKind::tendon, 2},
    {"tendon_solimp_limit", RowKind::tendon, 5},
    {"tendon_solref_friction", RowKind::tendon, 2},
    {"tendon_solimp_friction", RowKind::tendon, 5},
    {"tendon_actuator_force_range", RowKind::tendon, 2},
    {"tendon_actuator_force_limited", RowKind::tendon, 1, kInt, 2},
    {"tendon_joint", RowKind::tendon_joint, 1, kInt, -1, CustomFrequency::joint},
    {"tendon_joint_dof", RowKind::tendon_joint, 1, kInt, -1, CustomFrequency::joint_dof},
    {"tendon_coef", RowKind::tendon_joint},
    {"tendon_wrap_type", RowKind::tendon_wrap, 1, kInt},
    {"tendon_wrap_shape", RowKind::tendon_wrap, 1, kInt, -1, CustomFrequency::shape},
    {"tendon_wrap_sidesite", RowKind::tendon_wrap, 1, kInt, -1, CustomFrequency::shape},
    {"tendon_wrap_prm", RowKind::tendon_wrap},
    {"equality_constraint_world", RowKind::equality_constraint, 1, kInt, -1, CustomFrequency::world},
    {"equality_constraint_type", RowKind::equality_constraint, 1, kInt, -1},
    {"equality_constraint_joint1", RowKind::equality_constraint, 1, kInt, -1, CustomFrequency::joint},
    {"equality_constraint_joint2", RowKind::equality_constraint, 1, kInt, -1, CustomFrequency::joint},
    {"equality_constraint_polycoef", RowKind::equality_constraint, 5},
    {"equality_constraint_torquescale", RowKind::equality_constraint, 1, CustomType::float32, 1},
    {"equality_constraint_target_kind", RowKind::equality_constraint, 1, kInt},
    {"equality_constraint_target", RowKind::equality_constraint, 1, kInt, -1, CustomFrequency::joint},
    {"eq_solref", RowKind::equality_constraint, 2},
    {"eq_solimp", RowKind::equality_constraint, 5},
};

/// Shorter names of attributes that authors write, in the order of mjtGain, mjtBias, mjtDyn and mjtLimited.
constexpr std::string_view kGains[]    = {"fixed", "affine", "muscle", "dcmotor", "user"};
constexpr std::string_view kBiases[]   = {"none", "affine", "muscle", "dcmotor", "user"};
constexpr std::string_view kDynamics[] = {"none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user"};
constexpr std::string_view kLimited[]  = {"false", "true", "auto"};

constexpr double kSiteRadius = 0.005;  ///< MuJoCo's [m]
constexpr double kSolref[] = {0.02, 1}, kSolimp[] = {0.9, 0.95, 0.001, 0.5, 2};

class Rows {
  public:
    // Newton takes the numbers as they stand.
    explicit Rows(Import& run)
        : run_(run), scale_(run.conventions.servo_force_range_unread ? physics::UnitScale{} : run.context.scale)
    {
        std::int32_t dofs = 0;
        for (const model::BuilderJoint& j : run.builder.joints) {
            first_dof_.push_back(dofs);
            const auto& info = model::joint_type_info(j.type);
            dofs +=
                info.dofs >= 0 ? info.dofs : static_cast<std::int32_t>(j.linear_axes.size() + j.angular_axes.size());
        }
        // A builder that has rows already, from an earlier import, is continued behind its last row. Rows of shapes and
        // dofs are indexed by those and need no count.
        for (const RowAttribute& row : kRows) {
            model::CustomAttribute* at = run.builder.custom_attribute(key(row.name));
            if (at != nullptr && model::is_rows(at->frequency) && row.kind < RowKind::shape && !at->values.empty())
                count_[static_cast<std::size_t>(row.kind)] =
                    std::max(count_[static_cast<std::size_t>(row.kind)],
                             at->values.rbegin()->first / model::row_columns(at->frequency) + 1);
        }
    }

    // Called last: rows hold indices of joints and shapes as they are after merging.
    void read()
    {
        settings();
        // Tendons first: actuators name them.
        std::vector<usd::Prim> actuators;
        // Rows follow the order of the stage.
        for (const usd::Prim& prim : run_.stage.traverse()) {
            if (run_.ignored(prim.path())) continue;
            if (prim.type_name() == usd::Token("MjcTendon")) tendon(prim);
            if (prim.type_name() == usd::Token("MjcActuator")) actuators.push_back(prim);
            if (prim.has_api("MjcEqualityJointAPI") || prim.has_api("MjcEqualityConnectAPI") ||
                prim.has_api("MjcEqualityWeldAPI"))
                equality(prim);
        }
        for (const usd::Prim& prim : actuators) actuator(prim);
    }

  private:
    static std::string key(std::string_view name) { return std::string(kMujocoSpace) + ":" + std::string(name); }

    /// The attribute of a name, declared when it is first wanted; null where the caller has another of that name.
    /// A caller may have registered an attribute of the same name that is not rows: it is left alone and the value is
    /// dropped.
    model::CustomAttribute* wanted(std::string_view name)
    {
        const auto row =
            std::find_if(std::begin(kRows), std::end(kRows), [&](const RowAttribute& r) { return r.name == name; });
        if (run_.builder.custom_attribute(key(name)) == nullptr) {
            model::CustomAttribute attribute;
            attribute.name       = row->name;
            attribute.space      = kMujocoSpace;
            attribute.type       = row->type;
            attribute.frequency  = rows_of(row->kind, row->columns);
            attribute.references = row->references;
            attribute.otherwise  = {row->otherwise};
            attribute.assignment = row->assignment;
            if (!run_.builder.add_custom_attribute(std::move(attribute))) return nullptr;
        }
        model::CustomAttribute* at = run_.builder.custom_attribute(key(name));
        return model::is_rows(at->frequency) ? at : nullptr;
    }
    // Columns of a row lie beside each other.
    void put(std::string_view name, std::int32_t row, double value, int column = 0)
    {
        if (model::CustomAttribute* at = wanted(name); at != nullptr && row >= 0)
            at->values[row * model::row_columns(at->frequency) + column] = {value};
    }
    template <class List>
    void put_all(std::string_view name, std::int32_t row, const List& values)
    {
        int c = 0;
        for (const double v : values) put(name, row, v, c++);
    }
    std::int32_t& count(RowKind kind) { return count_[static_cast<std::size_t>(kind)]; }

    // -- what a prim authors
    [[nodiscard]] double number(const usd::Prim& prim, const char* name, double otherwise) const
    {
        const auto attribute = prim.attribute(name);
        if (!attribute.authored()) return otherwise;
        run_.took(prim, name, physics::Use::read, "for the solver mujoco");
        const double value = attribute.get_or<double>(otherwise);
        return std::isfinite(value) ? value : otherwise;
    }
    [[nodiscard]] std::string word(const usd::Prim& prim, const char* name, const char* otherwise) const
    {
        if (prim.attribute(name).authored()) run_.took(prim, name, physics::Use::read, "for the solver mujoco");
        return prim.attribute(name).get_or<std::string>(otherwise);
    }
    /// As many numbers as `otherwise` has, which fills what is not authored.
    /// MJCF fills short lists with defaults in the same way.
    template <class List>
    [[nodiscard]] std::vector<double> list(const usd::Prim& prim, const char* name, const List& otherwise) const
    {
        std::vector<double> out(std::begin(otherwise), std::end(otherwise));
        if (!prim.attribute(name).authored()) return out;
        run_.took(prim, name, physics::Use::read, "for the solver mujoco");
        const auto given = prim.attribute(name).get_or<std::vector<double>>({});
        for (std::size_t i = 0; i < std::min(given.size(), out.size()); ++i)
            if (std::isfinite(given[i])) out[i] = given[i];
        return out;
    }
    /// The same in SI. What is not authored is MuJoCo's and in SI already.
    template <class List>
    [[nodiscard]] std::vector<double> list(const usd::Prim& prim, const char* name, const List& otherwise,
                                           const resolve::MujocoUnits& units) const
    {
        auto       out   = list(prim, name, otherwise);
        const auto given = prim.attribute(name).get_or<std::vector<double>>({});
        for (std::size_t i = 0; i < std::min(given.size(), out.size()); ++i)
            if (std::isfinite(given[i])) out[i] *= units.factor(scale_, name, i);
        return out;
    }
    [[nodiscard]] std::vector<int> whole(const usd::Prim& prim, const char* name) const
    {
        if (prim.attribute(name).authored()) run_.took(prim, name, physics::Use::read, "for the solver mujoco");
        std::vector<int> out;
        if (const auto ints = prim.attribute(name).authored_value().get<std::vector<int>>()) return *ints;
        for (const double v : prim.attribute(name).get_or<std::vector<double>>({})) out.push_back(static_cast<int>(v));
        return out;
    }
    template <std::size_t n>
    [[nodiscard]] double index_of(const std::string_view (&words)[n], const std::string& word, double otherwise) const
    {
        const auto at = std::find(std::begin(words), std::end(words), word);
        return at == std::end(words) ? otherwise : static_cast<double>(at - std::begin(words));
    }
    static std::int32_t found(const std::map<std::string, std::int32_t>& map, const std::string& path)
    {
        const auto at = map.find(path);
        return at == map.end() ? -1 : at->second;
    }
    void range(std::string_view name, std::int32_t row, const usd::Prim& prim, const std::string& authored,
               const resolve::MujocoUnits& units)
    {
        const std::string low = authored + ":min", high = authored + ":max";
        if (!prim.attribute(low).authored() && !prim.attribute(high).authored()) return;
        const double unit = units.factor(scale_, low);
        put(name, row, unit * number(prim, low.c_str(), 0), 0);
        put(name, row, unit * number(prim, high.c_str(), 0), 1);
    }
    [[nodiscard]] std::int32_t world_of(std::int32_t joint, std::int32_t shape, std::int32_t body) const
    {
        if (joint >= 0) return run_.builder.joints[static_cast<std::size_t>(joint)].world;
        if (shape >= 0) return run_.builder.shapes[static_cast<std::size_t>(shape)].world;
        return body >= 0 ? run_.builder.bodies[static_cast<std::size_t>(body)].world : model::kGlobalWorld;
    }

    // -- geoms and joints
    void settings()
    {
        const auto& names = run_.physics.authored_names;
        if (names.contains(usd::Token("mjc:solimp")))
            for (std::size_t i = 0; i < run_.physics.colliders.size(); ++i) {
                const usd::Prim prim = run_.physics.colliders[i].prim;
                const auto      at   = run_.result.path_shape_map.find(prim.path().text());
                if (at != run_.result.path_shape_map.end() && prim.attribute("mjc:solimp").authored())
                    put_all("geom_solimp", at->second,
                            list(prim, "mjc:solimp", kSolimp, resolve::MujocoUnits(run_.stage, prim)));
            }
        for (const auto& [authored, name] :
             {std::pair{"mjc:solimplimit", "solimplimit"}, std::pair{"mjc:solimpfriction", "solimpfriction"}}) {
            for (const auto& [index, axes] : run_.axis_names)
                for (std::size_t k = 0; k < axes.size(); ++k) of_axis(index, k, axes[k], authored, name);
            if (!names.contains(usd::Token(authored))) continue;
            for (const physics::Joint& joint : run_.physics.joints) {
                const std::int32_t j = found(run_.result.path_joint_map, joint.path.text());
                if (j < 0 || !joint.prim.attribute(authored).authored()) continue;
                const model::BuilderJoint& made = run_.builder.joints[static_cast<std::size_t>(j)];
                const auto axes = static_cast<std::int32_t>(made.linear_axes.size() + made.angular_axes.size());
                const auto own  = run_.result.path_joint_axis.find(joint.path.text());
                for (std::int32_t k = 0; k < axes; ++k) {
                    const std::int32_t dof = first_dof_[static_cast<std::size_t>(j)] + k;
                    if (own != run_.result.path_joint_axis.end() && own->second != k) continue;
                    if (of_axis_.count({name, dof}) != 0) continue;
                    const resolve::MujocoUnits units(run_.stage, joint.prim, is_angular(j, dof));
                    put_all(name, dof, list(joint.prim, authored, kSolimp, units));
                }
            }
        }
    }
    /// What a joint with several axes says of one of them.
    void of_axis(physics::Index index, std::size_t k, const std::string& axis, const char* authored, const char* name)
    {
        const std::int32_t joint    = run_.joint_of[static_cast<std::size_t>(index)];
        const usd::Prim    prim     = run_.joint(index).prim;
        const std::string  property = resolve::axis_attribute(authored, axis);
        if (run_.axis_resolvers.empty() || joint < 0 || !prim.attribute(property).authored()) return;
        const std::int32_t         row = first_dof_[static_cast<std::size_t>(joint)] + static_cast<std::int32_t>(k);
        const resolve::MujocoUnits units(run_.stage, prim, is_angular(joint, row));
        std::vector<double>        values = list(prim, property.c_str(), kSolimp);
        const std::size_t          given  = prim.attribute(property).get_or<std::vector<double>>({}).size();
        for (std::size_t i = 0; i < std::min(given, values.size()); ++i) values[i] *= units.factor(scale_, authored, i);
        put_all(name, row, values);
        of_axis_.emplace(name, row);
    }

    /// The shape of a path. A site that is a frame without a size has none yet: it becomes a point of its body.
    /// Tendons and actuators need sites as shapes. The nearest body above the site carries it; after a collapse its
    /// frame is that of the survivor.
    std::int32_t shape_at(const usd::Path& path)
    {
        // Sites without geometry are made when something names them, and what tendons wrap where neither contacts nor
        // pictures need it.
        const std::int32_t known = found(run_.result.path_shape_map, path.text());
        const usd::Prim    prim  = run_.stage.prim_at(path);
        if (known >= 0 || !prim || !prim.defined()) return known;
        const bool is_site = prim.has_api("MjcSiteAPI") || prim.has_api("NewtonSiteAPI");
        const auto round   = is_site ? std::nullopt : physics::solid_size(prim);
        using Kind         = physics::SolidSize::Kind;
        if (!is_site && (!round || round->two_radii || (round->kind != Kind::sphere && round->kind != Kind::cylinder)))
            return known;
        const auto placed = [&](const usd::Matrix4d& m) {
            const usd::Decomposition at = usd::decompose(m);
            return run_.scaled(Posed{at.translation, at.rotation});
        };
        model::BuilderShape site;
        site.label          = path.text();
        site.type           = model::GeoType::sphere;
        site.scale          = {kSiteRadius, 0, 0};
        site.config.is_site = is_site;
        Posed X_WS          = placed(run_.stage.world_matrix(prim));
        if (round) {
            const Vec3d  s      = abs(usd::decompose(run_.stage.world_matrix(prim)).scale);
            const auto   a      = static_cast<std::size_t>(round->axis);
            const bool   ball   = round->kind == Kind::sphere;
            const double around = ball ? max_component(s) : std::max(s[(a + 1) % 3], s[(a + 2) % 3]);
            if (!ball) X_WS.q = turned_onto(X_WS.q, static_cast<physics::Axis>(round->axis), false);
            site.type   = ball ? model::GeoType::sphere : model::GeoType::cylinder;
            site.scale  = {run_.length() * round->bottom * around, ball ? 0 : run_.length() * round->half_height * s[a],
                           0};
            site.config = run_.builder.default_shape;
            site.config.density                = 0;
            site.config.has_shape_collision    = false;
            site.config.has_particle_collision = false;
            site.config.is_visible             = false;
        }
        site.xform = run_.X_WS * X_WS;
        for (usd::Path above = path.parent(); !above.empty() && !above.is_root(); above = above.parent()) {
            const std::int32_t body = found(run_.result.path_body_map, above.text());
            if (body < 0) continue;
            site.body  = body;
            site.xform = inverse(placed(run_.stage.world_matrix(run_.stage.prim_at(above)))) * X_WS;
            if (const auto merged = run_.result.path_body_relative_transform.find(above.text());
                merged != run_.result.path_body_relative_transform.end())
                site.xform = merged->second * site.xform;
            break;
        }
        const std::int32_t world =
            site.body >= 0 ? run_.builder.bodies[static_cast<std::size_t>(site.body)].world : model::kGlobalWorld;
        const std::int32_t index                = run_.builder.add_shape(std::move(site));
        run_.builder.shapes.back().world        = world;
        run_.result.path_shape_map[path.text()] = index;
        return index;
    }

    // -- tendons
    void tendon(const usd::Prim& prim)
    {
        const bool                   fixed   = word(prim, "mjc:type", "spatial") == "fixed";
        const std::vector<usd::Path> targets = prim.relationship("mjc:path").targets();
        const resolve::MujocoUnits   units(run_.stage, prim);
        run_.took(prim, "mjc:path", physics::Use::read, "for the solver mujoco");
        std::vector<int> order = whole(prim, "mjc:path:indices");
        if (order.empty())
            for (std::size_t i = 0; i < targets.size(); ++i) order.push_back(static_cast<int>(i));
        // Fixed tendons are sums over joints, spatial ones paths over sites and geoms.
        const RowKind      part  = fixed ? RowKind::tendon_joint : RowKind::tendon_wrap;
        const std::int32_t first = count(part);
        const std::int32_t world =
            fixed ? path_over_joints(prim, targets, order, units) : path_over_shapes(prim, targets, order);
        const std::int32_t parts = count(part) - first;
        // A tendon with nothing on its path would be an error of MuJoCo's compiler.
        if (parts == 0) return;
        const std::int32_t row       = count(RowKind::tendon)++;
        tendons_[prim.path().text()] = row;
        put("tendon_world", row, world);
        put("tendon_type", row, fixed ? 0 : 1);
        put(fixed ? "tendon_joint_adr" : "tendon_wrap_adr", row, first);
        put(fixed ? "tendon_joint_num" : "tendon_wrap_num", row, parts);
        // Each tendon has entries in both lists; the list that it has no part in gets a length of zero.
        put(fixed ? "tendon_wrap_adr" : "tendon_joint_adr", row, 0);
        put(fixed ? "tendon_wrap_num" : "tendon_joint_num", row, 0);
        for (const auto& [name, authored] :
             {std::pair{"tendon_stiffness", "mjc:stiffness"}, std::pair{"tendon_damping", "mjc:damping"},
              std::pair{"tendon_frictionloss", "mjc:frictionloss"}, std::pair{"tendon_armature", "mjc:armature"},
              std::pair{"tendon_margin", "mjc:margin"}})
            put(name, row, number(prim, authored, 0) * units.factor(scale_, authored));
        put("tendon_limited", row, index_of(kLimited, word(prim, "mjc:limited", "auto"), 2));
        put("tendon_actuator_force_limited", row, index_of(kLimited, word(prim, "mjc:actuatorfrclimited", "auto"), 2));
        range("tendon_range", row, prim, "mjc:range", units);
        range("tendon_actuator_force_range", row, prim, "mjc:actuatorfrcrange", units);
        put_all("tendon_springlength", row, list(prim, "mjc:springlength", std::array{-1.0, -1.0}, units));
        put_all("tendon_solref_limit", row, list(prim, "mjc:solreflimit", kSolref));
        put_all("tendon_solimp_limit", row, list(prim, "mjc:solimplimit", kSolimp, units));
        put_all("tendon_solref_friction", row, list(prim, "mjc:solreffriction", kSolref));
        put_all("tendon_solimp_friction", row, list(prim, "mjc:solimpfriction", kSolimp, units));
    }
    std::int32_t path_over_joints(const usd::Prim& prim, const std::vector<usd::Path>& targets,
                                  const std::vector<int>& order, const resolve::MujocoUnits& units)
    {
        std::int32_t world        = model::kGlobalWorld;
        const auto   coefficients = prim.attribute("mjc:path:coef").get_or<std::vector<double>>({});
        const auto   axes         = prim.attribute("mechane:source:dof").get_or<std::vector<std::string>>({});
        run_.took(prim, "mjc:path:coef", physics::Use::read, "for the solver mujoco");
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (order[k] < 0 || static_cast<std::size_t>(order[k]) >= targets.size()) continue;
            const std::int32_t joint =
                found(run_.result.path_joint_map, targets[static_cast<std::size_t>(order[k])].text());
            if (joint < 0) continue;
            world                    = world_of(joint, -1, -1);
            const std::int32_t row   = count(RowKind::tendon_joint)++;
            bool               flips = false;
            const usd::Path&   path  = targets[static_cast<std::size_t>(order[k])];
            const std::int32_t dof   = dof_of(joint, k < axes.size() ? axes[k] : std::string(), path, flips);
            put("tendon_joint", row, joint);
            put("tendon_joint_dof", row, dof);
            const double coefficient = k < coefficients.size() ? coefficients[k] : 1;
            put("tendon_coef", row, (flips ? -1 : 1) * coefficient * units.factor(scale_, "mjc:path:coef", k));
        }
        return world;
    }
    std::int32_t path_over_shapes(const usd::Prim& prim, const std::vector<usd::Path>& targets,
                                  const std::vector<int>& order)
    {
        std::int32_t                 world = model::kGlobalWorld;
        const std::vector<usd::Path> sides = prim.relationship("mjc:sideSites").targets();
        // A rise of the segment number stands for a pulley of MuJoCo: type 2 with the divisor of the branch that
        // follows.
        const auto segments = whole(prim, "mjc:path:segments"), beside = whole(prim, "mjc:sideSites:indices");
        const auto divisors = prim.attribute("mjc:path:divisors").get_or<std::vector<double>>({});
        int        segment  = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (order[k] < 0 || static_cast<std::size_t>(order[k]) >= targets.size()) continue;
            const std::int32_t shape = shape_at(targets[static_cast<std::size_t>(order[k])]);
            if (shape < 0) continue;
            if (k < segments.size() && segments[k] > segment) {
                segment                = segments[k];
                const std::int32_t row = count(RowKind::tendon_wrap)++;
                // mjtWrap: 2 is a pulley, which begins each further segment.
                put("tendon_wrap_type", row, 2);
                put("tendon_wrap_shape", row, -1);
                put("tendon_wrap_prm", row,
                    static_cast<std::size_t>(segment) < divisors.size() ? divisors[static_cast<std::size_t>(segment)]
                                                                        : 1);
            }
            const model::BuilderShape& made = run_.builder.shapes[static_cast<std::size_t>(shape)];
            if (made.world >= 0) world = made.world;
            const std::int32_t row  = count(RowKind::tendon_wrap)++;
            const bool         site = (made.flags & model::shape_flag::site) != 0;
            put("tendon_wrap_type", row, site ? 0 : 1);
            put("tendon_wrap_shape", row, shape);
            const int side = k < beside.size() ? beside[k] : -1;
            // A side site tells on which side of a wrapping geom the tendon runs; at a site it means nothing.
            put("tendon_wrap_sidesite", row,
                !site && side >= 0 && static_cast<std::size_t>(side) < sides.size()
                    ? shape_at(sides[static_cast<std::size_t>(side)])
                    : -1);
            put("tendon_wrap_prm", row, 0);
        }
        return world;
    }

    // -- equalities
    void equality(const usd::Prim& prim)
    {
        const std::int32_t joint = found(run_.result.path_joint_map, prim.path().text());
        if (joint < 0) return;
        const model::BuilderJoint& made    = run_.builder.joints[static_cast<std::size_t>(joint)];
        const bool                 couples = prim.has_api("MjcEqualityJointAPI");
        // Without a leader there is no second joint that the row could name.
        if (couples && made.mimic_joint < 0) return;
        const std::int32_t row = count(RowKind::equality_constraint)++;
        put("equality_constraint_world", row, made.world);
        // mjtEq: connect 0, weld 1, joint 2.
        put("equality_constraint_type", row, couples ? 2 : prim.has_api("MjcEqualityWeldAPI") ? 1 : 0);
        put("equality_constraint_target_kind", row, couples ? 2 : 1);
        put("equality_constraint_target", row, joint);
        put("equality_constraint_joint1", row, couples ? joint : -1);
        put("equality_constraint_joint2", row, couples ? made.mimic_joint : -1);
        put("equality_constraint_torquescale", row, number(prim, "mjc:torqueScale", 1));
        // q1 = c0 + c1 q2 + c2 q2^2 + ...: the first two are those of the mimic, the others only MuJoCo knows.
        for (int c = 0; couples && c < 5; ++c)
            put("equality_constraint_polycoef", row,
                c < 2 ? made.mimic_coeffs[static_cast<std::size_t>(c)]
                      : number(prim, ("mjc:coef" + std::to_string(c)).c_str(), 0),
                c);
        put_all("eq_solref", row, list(prim, "mjc:solref", kSolref));
        put_all("eq_solimp", row, list(prim, "mjc:solimp", kSolimp, resolve::MujocoUnits(run_.stage, prim)));
    }

    // -- actuators
    /// The dof of a joint that an actuator means: that of the prim, or of the axis with the name it has beside it.
    /// `flips` becomes true where the axis has the other sign.
    /// The dof of a joint that an actuator or a tendon means.
    /// @param name   of the axis, where the joint stands for several of MuJoCo's (`mechane:source:dof`)
    /// @param flips  set where that axis is the opposite of the model's
    std::int32_t dof_of(std::int32_t joint, const std::string& name, const usd::Path& target, bool& flips) const
    {
        const model::BuilderJoint& made = run_.builder.joints[static_cast<std::size_t>(joint)];
        const auto                 axes = static_cast<std::int32_t>(made.linear_axes.size() + made.angular_axes.size());
        const std::int32_t         first = first_dof_[static_cast<std::size_t>(joint)];
        if (const auto axis = run_.result.path_joint_axis.find(target.text());
            axis != run_.result.path_joint_axis.end())
            return first + axis->second;
        if (axes <= 1 || made.type != model::JointType::d6) return first;
        // A joint that stands for several of MuJoCo's says which axis has which name.
        const auto names = run_.stage.prim_at(target)
                               .metadata(usd::Token("customData:mechane:source:dofs"))
                               .get<std::vector<std::string>>();
        for (std::size_t k = 0; names && k < names->size(); ++k) {
            const std::string& text = (*names)[k];
            if (text.find(':') == std::string::npos || text.substr(text.find(':') + 1) != name) continue;
            flips = text.starts_with("-");
            return first + axis_at(made, text);
        }
        return -1;
    }
    /// Place among a D6 joint's axes of "rotX:name".
    static std::int32_t axis_at(const model::BuilderJoint& joint, const std::string& text)
    {
        const std::size_t sign    = text.starts_with("-") ? 1 : 0;
        const bool        angular = text.substr(sign, 3) == "rot";
        const auto&       axes    = angular ? joint.angular_axes : joint.linear_axes;
        const std::size_t letter  = text.find(':') - 1;
        const int         which   = text[letter] - 'X';
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const Vec3d  a    = axes[k].axis;
            const double c[3] = {std::abs(a.x), std::abs(a.y), std::abs(a.z)};
            if (which >= 0 && which < 3 && c[which] > 0.5)
                return static_cast<std::int32_t>((angular ? joint.linear_axes.size() : 0) + k);
        }
        return 0;
    }
    [[nodiscard]] bool is_angular(std::int32_t joint, std::int32_t dof) const
    {
        const auto& made = run_.builder.joints[static_cast<std::size_t>(joint)];
        return static_cast<std::size_t>(dof - first_dof_[static_cast<std::size_t>(joint)]) >= made.linear_axes.size();
    }
    /// Whether the drive of a dof is the law of the actuator: force = ke (gear u - q) - kd qd.
    /// With MuJoCo's force gear (gain u + b0 + b1 gear q + b2 gear qd) the drive has ke = -b1 gear^2 and kd = -b2
    /// gear^2. If both agree the solver may take the targets of the drive for the control.
    bool is_drive(std::int32_t joint, std::int32_t dof, const std::vector<double>& gain,
                  const std::vector<double>& bias, const std::vector<double>& gear) const
    {
        const model::BuilderJoint& made   = run_.builder.joints[static_cast<std::size_t>(joint)];
        const auto                 k      = static_cast<std::size_t>(dof - first_dof_[static_cast<std::size_t>(joint)]);
        const bool                 linear = k < made.linear_axes.size();
        if (k >= made.linear_axes.size() + made.angular_axes.size()) return false;
        const model::JointDofConfig& axis =
            linear ? made.linear_axes[k] : made.angular_axes[k - made.linear_axes.size()];
        const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-6 * (std::abs(a) + std::abs(b)); };
        // A positive number is a ratio of damping, which MuJoCo's compiler works out; the drive has none then.
        const bool ratio = bias[2] > 0 && bias[1] < 0;
        // Through a gear g a servo acts with g^2 of its gains.
        const double ke = -bias[1] * gear[0] * gear[0], kd = ratio ? 0 : -bias[2] * gear[0] * gear[0];
        if (!(ke > 0 || kd > 0) || bias[0] != 0) return false;
        // What it is told is a position, a rate, or something else.
        if (ke > 0 ? !close(gain[0], -bias[1]) : !close(gain[0], -bias[2])) return false;
        return close(axis.target_ke, ke) && close(axis.target_kd, kd);
    }
    /// The limits of the joint, scaled about their middle, are the range of what an actuator is told, unless it has its
    /// own. Limits are from the authored pose on, MuJoCo's controls are its own angles.
    void inherit(std::int32_t row, const usd::Prim& prim, std::int32_t joint, std::int32_t dof, const std::string& what)
    {
        const double factor = number(prim, "mjc:inheritRange", 0);
        if (!(factor > 0) || prim.attribute("mjc:" + what + "Range:min").authored() ||
            prim.attribute("mjc:" + what + "Range:max").authored())
            return;
        const model::BuilderJoint& made = run_.builder.joints[static_cast<std::size_t>(joint)];
        const auto                 k    = static_cast<std::size_t>(dof - first_dof_[static_cast<std::size_t>(joint)]);
        if (k >= made.linear_axes.size() + made.angular_axes.size()) return;
        const model::JointDofConfig& axis =
            k < made.linear_axes.size() ? made.linear_axes[k] : made.angular_axes[k - made.linear_axes.size()];
        if (!(axis.limit_lower > -model::kMaxValue && axis.limit_upper < model::kMaxValue)) return;
        double ref = 0;
        if (const model::CustomAttribute* const at = run_.builder.custom_attribute(key("dof_ref")); at != nullptr)
            if (const auto found = at->values.find(dof); found != at->values.end()) ref = found->second[0];
        const double middle = (axis.limit_lower + axis.limit_upper) / 2 + ref,
                     half   = (axis.limit_upper - axis.limit_lower) / 2 * factor;
        if (!(half > 0)) return;
        put("actuator_" + what + "range", row, middle - half, 0);
        put("actuator_" + what + "range", row, middle + half, 1);
        put("actuator_" + what + "limited", row, 1);
        inherits_.insert({row, "actuator_" + what + "limited"});
    }
    /// The axis of a joint with several that a prim means: an attribute that conversions write.
    static std::string axis_name(const usd::Prim& prim)
    { return prim.attribute("mechane:source:dof").get_or<std::string>(""); }
    void acts_on_nothing(const usd::Prim& prim, Site site, const std::string& why) const
    {
        run_.found.add(codes::kMjcActTarget, std::move(site),
                       fmt::format("the actuator {}: {}", prim.path().text(), why));
    }

    void actuator(const usd::Prim& prim)
    {
        static constexpr double      kOne[10] = {1}, kNone[10] = {}, kGear[6] = {1};
        const std::vector<usd::Path> targets = prim.relationship("mjc:target").targets();
        run_.took(prim, "mjc:target", physics::Use::read, "for the solver mujoco");
        if (targets.empty()) return acts_on_nothing(prim, prim.site(), "it names nothing");
        const std::string  path   = targets.front().text();
        const std::int32_t joint  = found(run_.result.path_joint_map, path),
                           body   = found(run_.result.path_body_map, path),
                           shape  = joint < 0 && body < 0 ? shape_at(targets.front()) : -1,
                           tendon = found(tendons_, path);
        bool               flips  = false;
        const std::int32_t dof    = joint >= 0 ? dof_of(joint, axis_name(prim), targets.front(), flips) : -1;
        // What a force of MuJoCo is in the stage's units: of a hinge, else along a slide, a tendon or an axis.
        const resolve::MujocoUnits units(run_.stage, prim, dof >= 0 && is_angular(joint, dof));
        const auto gain = list(prim, "mjc:gainPrm", kOne, units), bias = list(prim, "mjc:biasPrm", kNone, units);
        auto       gear = list(prim, "mjc:gear", kGear, units);
        if (flips) gear[0] = -gear[0];
        if (dof < 0 && tendon < 0 && body < 0 && shape < 0)
            return acts_on_nothing(prim, prim.relationship("mjc:target").site(),
                                   fmt::format("{} is none that was imported", path));
        const std::string  gains = word(prim, "mjc:gainType", "fixed"), biases = word(prim, "mjc:biasType", "none"),
                           dynamics = word(prim, "mjc:dynType", "none");
        const std::int32_t row      = count(RowKind::actuator)++;
        const bool         servo =
            (run_.servos.contains(prim.path()) && !run_.conventions.servos_replace_each_other) || (dof >= 0 && gains == "fixed" && biases == "affine" &&
                                                  dynamics == "none" && is_drive(joint, dof, gain, bias, gear));
        put("actuator_world", row, tendon >= 0 ? world_of_tendon(tendon) : world_of(joint, shape, body));
        // 0: MuJoCo takes targets of the drive, 1: its own controls.
        put("ctrl_source", row, servo ? 0 : 1);
        put("ctrl", row, 0);
        const bool in_parent = word(prim, "mjc:jointInParent", "false") == "true";
        // mjtTrn: joint 0, jointinparent 1, tendon 2, site 3, body 4 in Newton's numbering.
        put("actuator_trntype", row, dof >= 0 ? (in_parent ? 1 : 0) : tendon >= 0 ? 2 : shape >= 0 ? 3 : 4);
        put("actuator_target_dof", row, dof);
        put("actuator_target_tendon", row, tendon);
        put("actuator_target_body", row, body);
        put("actuator_target_site", row, shape);
        const std::vector<usd::Path> ref = prim.relationship("mjc:refSite").targets();
        put("actuator_target_refsite", row, ref.empty() ? -1 : shape_at(ref.front()));
        put("actuator_gaintype", row, index_of(kGains, gains, 0));
        put("actuator_biastype", row, index_of(kBiases, biases, 0));
        put("actuator_dyntype", row, index_of(kDynamics, dynamics, 0));
        put_all("actuator_gainprm", row, gain);
        put_all("actuator_biasprm", row, bias);
        put_all("actuator_dynprm", row, list(prim, "mjc:dynPrm", kOne));
        put_all("actuator_gear", row, gear);
        range("actuator_ctrlrange", row, prim, "mjc:ctrlRange", units);
        range("actuator_forcerange", row, prim, "mjc:forceRange", units);
        range("actuator_actrange", row, prim, "mjc:actRange", units);
        range("actuator_lengthrange", row, prim, "mjc:lengthRange", units);
        if (dof >= 0) inherit(row, prim, joint, dof, dynamics == "integrator" ? "act" : "ctrl");
        for (const auto& [name, authored] : {std::pair{"actuator_ctrllimited", "mjc:ctrlLimited"},
                                             std::pair{"actuator_forcelimited", "mjc:forceLimited"},
                                             std::pair{"actuator_actlimited", "mjc:actLimited"}})
            if (prim.attribute(authored).authored() || !inherits_.contains({row, name}))
                put(name, row, index_of(kLimited, word(prim, authored, "auto"), 2));
        put("actuator_actdim", row, number(prim, "mjc:actDim", -1));
        put("actuator_actearly", row, prim.attribute("mjc:actEarly").get_or<bool>(false) ? 1 : 0);
    }
    std::int32_t world_of_tendon(std::int32_t tendon)
    {
        const model::CustomAttribute* at = run_.builder.custom_attribute(key("tendon_world"));
        return static_cast<std::int32_t>(at->values.at(tendon)[0]);
    }

    Import&                             run_;
    physics::UnitScale                  scale_;
    std::vector<std::int32_t>           first_dof_;
    std::array<std::int32_t, 8>         count_{};
    std::map<std::string, std::int32_t> tendons_;
    /// Attribute and dof where an axis of a joint has its own value.
    std::set<std::pair<std::string, std::int32_t>> of_axis_;
    /// Actuators whose range is that of their joint, with the name of the flag that says so.
    std::set<std::pair<std::int32_t, std::string>> inherits_;
};

}  // namespace

void add_mujoco_rows(Import& run)
{
    if (!run.resolvers.has("mjc") || !run.options.register_mujoco || !run.options.parse_mujoco_options) return;
    Rows(run).read();
}

}  // namespace mechane::importer

// Custom attributes of a stage: declarations as newton: properties of the scene with metadata (assignment, frequency),
// values on bodies, shapes, joints. MuJoCo's own attributes come in by a table (mujoco_attributes.cpp).
// Faults refuse the import with newton-1.8 and are findings otherwise.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "import.h"
#include "ledger_reasons.h"
#include "mechane/model/codes.h"
#include "mechane/model/custom_rows.h"
#include "mechane/model/joint_table.h"
#include "mechane/physics/value_fault.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/usd/key_times.h"
#include "mujoco_attributes.h"

namespace mechane::importer {
namespace {

using model::CustomAttribute;
using model::CustomFrequency;
using model::CustomType;
using model::CustomValue;
using physics::Use;

constexpr std::string_view kNamespace = "newton:";

/// Type of a declaration by the type of its default; nothing for what no array holds.
std::optional<CustomType> type_of(const std::string& usd)
{
    if (usd.empty()) return CustomType::float32;
    // Arrays and matrices have no column of numbers.
    if (usd.find("[]") != std::string::npos || usd.starts_with("matrix") || usd.starts_with("frame"))
        return std::nullopt;
    if (usd == "bool") return CustomType::boolean;
    if (usd == "int" || usd == "uint" || usd == "int64" || usd == "uint64" || usd == "uchar") return CustomType::int32;
    if (usd == "float" || usd == "double" || usd == "half") return CustomType::float32;
    if (usd.starts_with("quat")) return CustomType::quat;
    // float2, vector3f, color4h, texCoord2d, ...
    // The first digit of the type's name is its size.
    for (const char c : usd) {
        if (c == '2') return CustomType::vec2;
        if (c == '3') return CustomType::vec3;
        if (c == '4') return CustomType::vec4;
    }
    return std::nullopt;
}

/// The value in the declared type; nothing when it cannot be one.
std::optional<CustomValue> value_of(const usd::Value& value, CustomType type)
{
    switch (type) {
        case CustomType::boolean:
        case CustomType::int32:
        case CustomType::float32: {
            if (value.type_name() == "bool") return CustomValue{value.get<bool>().value_or(false) ? 1.0 : 0.0};
            const auto x = value.get<double>();
            if (!x) return std::nullopt;
            if (type == CustomType::boolean) return CustomValue{*x != 0 ? 1.0 : 0.0};
            // Beyond 32 bits a conversion would be undefined.
            if (type == CustomType::int32 && !(std::abs(*x) < 2147483648.0)) return std::nullopt;
            return CustomValue{type == CustomType::int32 ? std::trunc(*x) : *x};
        }
        case CustomType::vec2:
            if (const auto v = value.get<Vec2d>()) return CustomValue{v->x, v->y};
            return std::nullopt;
        case CustomType::vec3:
            if (const auto v = value.get<Vec3d>()) return CustomValue{v->x, v->y, v->z};
            return std::nullopt;
        case CustomType::vec4:
            if (const auto v = value.get<std::array<double, 4>>()) return *v;
            return std::nullopt;
        case CustomType::quat: {
            const auto q = value.get<Quatd>();
            if (!q || !(dot(*q, *q) > 0)) return std::nullopt;
            const Quatd unit = normalized(*q);
            return CustomValue{unit.x, unit.y, unit.z, unit.w};
        }
    }
    return std::nullopt;
}

/// True when some resolver of this build reads the attribute: then it is a value, not a declaration that forgot its
/// metadata.
bool is_vendor_attribute(const Import& run, const usd::Token& name)
{
    return name == usd::Token("newton:joint_drive_gains_scaling") ||
           name == usd::Token("newton:collapse_fixed_joints") ||
           std::any_of(run.resolvers.resolvers().begin(), run.resolvers.resolvers().end(),
                       [&](const resolve::Resolver& r) {
                           return std::any_of(r.rows.begin(), r.rows.end(), [&](const resolve::Row& row) {
                               return std::find(row.attributes.begin(), row.attributes.end(), name.text()) !=
                                      row.attributes.end();
                           });
                       });
}

void declare(Import& run, const usd::Token& name)
{
    const usd::Attribute attribute = run.scene.attribute(name);
    const std::string    key       = name.text().substr(kNamespace.size());
    const auto           colons    = std::count(key.begin(), key.end(), ':');
    if (colons > 1 || run.scene.relationship(name).authored()) return;  // other shapes of names declare nothing
    const auto assignment = attribute.metadata("customData:assignment").get<std::string>();
    const auto frequency  = attribute.metadata("customData:frequency").get<std::string>();
    const auto skip       = [&](const Code& code, std::string message) {
        run.took(run.scene, name.text(), Use::ignored, message);
        run.found.add(code, attribute.site(), std::move(message));
    };
    if (!assignment || !frequency) {
        if (!assignment && !frequency && (is_vendor_attribute(run, name) || !attribute.custom())) return;
        return skip(codes::kCustomMeta,
                    fmt::format("{} declares no {}", name.text(), assignment ? "frequency" : "assignment"));
    }
    CustomAttribute declared;
    declared.space  = colons == 1 ? key.substr(0, key.find(':')) : "";
    declared.name   = colons == 1 ? key.substr(key.find(':') + 1) : key;
    const auto to   = model::custom_assignment(*assignment);
    const auto each = model::custom_frequency(*frequency);
    if (each == CustomFrequency::contact && to != model::CustomAssignment::contact)
        return run.refuse(model::kCustomContact, attribute.site(),
                          fmt::format("{} has a value for each contact", name.text()));
    if (!to || !each)
        return skip(codes::kCustomEnum, fmt::format("{} has the {} '{}', which is none", name.text(),
                                                    to ? "frequency" : "assignment", to ? *frequency : *assignment));
    const usd::Value otherwise = attribute.authored_value();
    const auto       type      = type_of(otherwise.empty() ? attribute.type_name() : otherwise.type_name());
    if (!type) {
        run.took(run.scene, name.text(), Use::ignored, "no array holds values of this type");
        return run.refuse(codes::kCustomType, attribute.site(),
                          fmt::format("{} is of type {}, which no array holds", name.text(), attribute.type_name()));
    }
    declared.type       = *type;
    declared.assignment = *to;
    declared.frequency  = *each;
    // A declaration without a default gets zero, rotations the identity.
    declared.otherwise =
        value_of(otherwise, *type).value_or(*type == CustomType::quat ? CustomValue{0, 0, 0, 1} : CustomValue{});
    run.took(run.scene, name.text(), Use::used,
             fmt::format("declares {} of the {} for each {}", declared.key(), to_string(declared.assignment),
                         to_string(declared.frequency)));
    if (auto ok = run.builder.add_custom_attribute(std::move(declared)); !ok) {
        if (run.log) run.log->correct(run.scene, name, Use::ignored, ok.error().message);
        Diagnostic error = ok.error();
        error.site       = attribute.site();
        if (run.conventions.faults_refuse_import && !run.fatal)
            run.fatal = std::move(error);
        else
            run.found.add(std::move(error));
    }
}

/// Reads the values of one attribute from the prims that its frequency is about.
class ValueReader {
  public:
    ValueReader(Import& run, CustomAttribute& attribute, std::set<std::uint32_t>& read)
        : run_(run),
          attribute_(attribute),
          mujoco_(run.resolvers.has("mjc") ? mujoco_attribute(attribute) : nullptr),
          name_(mujoco_ != nullptr ? std::string(mujoco_->authored) : std::string(kNamespace) + attribute.key()),
          read_(read)
    {
    }

    void read()
    {
        if (model::is_rows(attribute_.frequency)) return;  // mujoco_rows.cpp
        const bool of_axes = mujoco_ != nullptr && !run_.axis_resolvers.empty();
        if (is_skipped_setting() || (!of_axes && !run_.physics.authored_names.contains(name_))) return;
        switch (attribute_.frequency) {
            case CustomFrequency::once:
                if (const auto v = value(run_.scene)) set(0, *v);
                return;
            case CustomFrequency::world:
                return read_worlds();
            case CustomFrequency::body:
                for (std::size_t i = 0; i < run_.physics.bodies.size(); ++i)
                    if (run_.body_of[i] >= 0)
                        if (const auto v = value(run_.physics.bodies[i].prim)) set(run_.body_of[i], *v);
                return;
            case CustomFrequency::shape:
                for (std::size_t i = 0; i < run_.physics.colliders.size(); ++i)
                    if (run_.shape_of[i] >= 0)
                        if (const auto v = value(run_.physics.colliders[i].prim)) {
                            set(run_.shape_of[i], *v);
                            if (const auto more = run_.further_shapes.find(static_cast<physics::Index>(i));
                                more != run_.further_shapes.end())
                                for (const std::int32_t s : more->second) set(s, *v);
                            if (const auto twin = run_.twin_shapes.find(static_cast<physics::Index>(i));
                                twin != run_.twin_shapes.end())
                                set(twin->second, *v);
                        }
                return;
            case CustomFrequency::joint:
            case CustomFrequency::joint_dof:
            case CustomFrequency::joint_coord:
            case CustomFrequency::joint_constraint:
                return read_joints();
            case CustomFrequency::articulation:
                return read_articulations();
            case CustomFrequency::constraint_mimic:
            case CustomFrequency::particle:
            case CustomFrequency::edge:
            case CustomFrequency::triangle:
            case CustomFrequency::tetrahedron:
            case CustomFrequency::spring:
            case CustomFrequency::contact:
                return;  // not read from stages
        }
    }

  private:
    /// A setting of MuJoCo on the scene that the caller does not want.
    [[nodiscard]] bool is_skipped_setting() const
    {
        const bool of_scene =
            attribute_.frequency == CustomFrequency::once || attribute_.frequency == CustomFrequency::world;
        return of_scene && !run_.options.parse_mujoco_options && attribute_.space == kMujocoSpace;
    }

    std::optional<CustomValue> value(const usd::Prim& prim)
    {
        if (!prim) return std::nullopt;
        const usd::Value authored = usd::start_authored(prim.attribute(name_));
        if (authored.empty()) return std::nullopt;
        read_.insert(prim.index());
        if (physics::value_fault(prim, name_)) return std::nullopt;
        if (mujoco_ != nullptr) return mujoco_value(prim, name_, authored, prim.is_a("PhysicsRevoluteJoint"));
        auto v = value_of(authored, attribute_.type);
        // A declaration on the scene is no value of it, except for attributes of the whole model.
        if (prim == run_.scene && attribute_.frequency != CustomFrequency::once &&
            attribute_.frequency != CustomFrequency::world)
            return v;
        run_.took(prim, name_.text(), v ? Use::used : Use::ignored,
                  v ? fmt::format("custom attribute {} of the {}", attribute_.key(), to_string(attribute_.assignment))
                    : fmt::format("{} is no {}", authored.type_name(), to_string(attribute_.type)));
        return v;
    }
    /// MuJoCo's attributes reach the model for whoever reads them there; simulated is only what a resolver took.
    std::optional<CustomValue> mujoco_value(const usd::Prim& prim, const usd::Token& name, const usd::Value& authored,
                                            bool turns)
    {
        std::optional<CustomValue> v;
        if (const auto token = authored.get<std::string>(); token && !mujoco_->tokens.empty()) {
            for (const MujocoToken& t : mujoco_->tokens)
                if (t.name == *token) v = CustomValue{t.value};
        } else if (const auto list = authored.get<std::vector<double>>();
                   list && attribute_.type == CustomType::vec2 && list->size() >= 2) {
            v = CustomValue{(*list)[0], (*list)[1]};
        } else {
            v = value_of(authored, attribute_.type);
        }
        // MuJoCo's angles on stages are degrees.
        if (v && mujoco_->angle && turns) (*v)[0] *= kPi / 180;
        // Those of a slide are lengths; Newton takes the number as it stands.
        const bool slides = prim.is_a("PhysicsPrismaticJoint") || name.text().find(":trans") != std::string::npos;
        if (v && slides && (mujoco_->angle || attribute_.name == "limit_margin") &&
            !run_.conventions.servo_force_range_unread)
            (*v)[0] *= run_.length();
        if (run_.log != nullptr && run_.log->find(prim, name) == nullptr) {
            const std::string reason = reason_not_read(prim, name.text(), run_.resolvers);
            run_.took(prim, name.text(), Use::ignored,
                      v ? fmt::format("kept as custom attribute {}; {}", attribute_.key(), reason) : reason);
        }
        return v;
    }
    void set(std::int32_t index, const CustomValue& v) { attribute_.values[index] = v; }

    void read_worlds()
    {
        const auto v = value(run_.scene);
        if (!v) return;
        // Several scenes are worlds: each has its own value.
        if (run_.result.scenes.size() > 1 && run_.result.scenes.front().world >= 0) {
            for (const ImportedScene& scene : run_.result.scenes)
                if (const auto own = value(run_.stage.prim_at(usd::Path(scene.path)))) set(scene.world, *own);
            return;
        }
        set(std::max(run_.builder.current_world(), 0), *v);
    }

    [[nodiscard]] static std::int32_t dofs(const model::BuilderJoint& j)
    {
        const auto& info = model::joint_type_info(j.type);
        return info.dofs >= 0 ? info.dofs : static_cast<std::int32_t>(j.linear_axes.size() + j.angular_axes.size());
    }
    /// Entries of a joint in arrays of this frequency.
    [[nodiscard]] std::int32_t extent(const model::BuilderJoint& j) const
    {
        const auto& info = model::joint_type_info(j.type);
        if (attribute_.frequency == CustomFrequency::joint) return 1;
        if (attribute_.frequency == CustomFrequency::joint_coord) return info.coords >= 0 ? info.coords : dofs(j);
        if (attribute_.frequency == CustomFrequency::joint_constraint) return 6 - dofs(j);
        return dofs(j);
    }

    void read_joints()
    {
        std::vector<std::int32_t> starts{0};
        for (const model::BuilderJoint& j : run_.builder.joints) starts.push_back(starts.back() + extent(j));
        for (std::size_t i = 0; i < run_.physics.joints.size(); ++i) {
            const std::int32_t joint = run_.joint_of[i];
            if (joint < 0) continue;
            const auto slot     = static_cast<std::size_t>(joint);
            const auto merged   = run_.merged_axis.find(static_cast<physics::Index>(i));
            const bool per_axis = attribute_.frequency == CustomFrequency::joint_dof ||
                                  attribute_.frequency == CustomFrequency::joint_coord;
            if (merged != run_.merged_axis.end() && !per_axis &&
                run_.builder.joints[slot].label != run_.physics.joints[i].path.text())
                continue;  // of joints merged into one the first speaks
            const auto v = value(run_.physics.joints[i].prim);
            if (per_axis) read_axes(static_cast<physics::Index>(i), starts[slot]);
            if (!v) continue;
            if (merged != run_.merged_axis.end() && per_axis) {
                const auto linear = run_.builder.joints[slot].linear_axes.size();
                set(starts[slot] +
                        static_cast<std::int32_t>(merged->second.second + (merged->second.first ? linear : 0)),
                    *v);
                continue;
            }
            for (std::int32_t k = starts[slot]; k < starts[slot + 1]; ++k)
                if (of_axis_.count(k) == 0) set(k, *v);
        }
    }
    /// What a joint with several axes says of one of them.
    void read_axes(physics::Index index, std::int32_t start)
    {
        const auto names = run_.axis_names.find(index);
        if (mujoco_ == nullptr || run_.axis_resolvers.empty() || names == run_.axis_names.end()) return;
        const usd::Prim prim = run_.joint(index).prim;
        for (std::size_t k = 0; k < names->second.size(); ++k) {
            const std::string& axis = names->second[k];
            const usd::Token   name(resolve::axis_attribute(name_.text(), axis));
            const usd::Value   authored = usd::start_authored(prim.attribute(name));
            if (authored.empty()) continue;
            const auto v = mujoco_value(prim, name, authored, axis.starts_with("rot"));
            if (!v) continue;
            const std::int32_t at = start + static_cast<std::int32_t>(k);
            set(at, *v);
            of_axis_.insert(at);
        }
    }

    void read_articulations()
    {
        for (const physics::Articulation& root : run_.physics.articulations) {
            auto v = value(root.prim);
            // Newton looks at the parent of the root too.
            if (!v) v = value(root.prim.parent());
            if (!v) continue;
            const std::string path = root.path.text();
            // Newton leaves out lone bodies, whose articulations follow those of trees under the same label.
            auto trees = std::count_if(run_.plan.trees.begin(), run_.plan.trees.end(),
                                       [&](const PlannedTree& tree) { return tree.label == path; });
            for (std::size_t a = run_.first_articulation; a < run_.builder.articulations.size(); ++a) {
                const std::string& label = run_.builder.articulations[a].label;
                if (label != path && !label.starts_with(path + "#")) continue;
                if (!run_.conventions.first_tree_takes_root_values || trees-- > 0)
                    set(static_cast<std::int32_t>(a), *v);
            }
        }
    }

    Import&                  run_;
    CustomAttribute&         attribute_;
    const MujocoAttribute*   mujoco_;  ///< null for attributes that users declare
    usd::Token               name_;
    std::set<std::uint32_t>& read_;
    std::set<std::int32_t>   of_axis_;  ///< entries that an axis of a joint has for itself
};

/// What a prim is, for people.
std::string kind_of(const usd::Prim& prim)
{
    if (prim.is_a("PhysicsJoint")) return "joint";
    if (prim.is_a("PhysicsScene")) return "scene";
    if (prim.has_api("PhysicsRigidBodyAPI")) return "body";
    if (prim.has_api("PhysicsCollisionAPI")) return "shape";
    if (prim.has_api("PhysicsArticulationRootAPI")) return "articulation";
    return prim.type_name().empty() ? "prim without a type" : prim.type_name().text();
}

}  // namespace

void declare_custom_attributes(Import& run)
{
    if (run.resolvers.has("mjc") && run.options.register_mujoco)
        if (auto ok = register_mujoco_attributes(run.builder); !ok) run.fatal = ok.error();
    if (!run.scene || run.resolvers.empty() || run.fatal) return;
    for (const usd::Token& name : run.scene.authored_property_names())
        if (name.text().starts_with(kNamespace)) declare(run, name);
}

void read_custom_values(Import& run)
{
    if (run.builder.custom_attributes.empty() || run.resolvers.empty()) return;
    std::map<std::string, std::pair<const CustomAttribute*, std::set<std::uint32_t>>> read;
    for (CustomAttribute& attribute : run.builder.custom_attributes) {
        auto& [declared, prims] = read[std::string(kNamespace) + attribute.key()];
        declared                = &attribute;
        ValueReader(run, attribute, prims).read();
    }
    // The same names on prims of other kinds would be lost without a word.
    for (const usd::Prim& prim : run.stage.traverse()) {
        if (prim == run.scene) continue;
        for (const usd::Token& name : prim.authored_property_names()) {
            if (!name.text().starts_with(kNamespace)) continue;
            const auto known = read.find(name.text());
            if (known == read.end() || known->second.second.count(prim.index()) != 0) continue;
            if (!prim.attribute(name).authored()) continue;
            const std::string reason =
                fmt::format("{} has a value for each {}, this prim is a {}", known->second.first->key(),
                            to_string(known->second.first->frequency), kind_of(prim));
            run.took(prim, name.text(), Use::ignored, reason);
            run.found.add(codes::kCustomPlacement, prim.attribute(name).site(), reason);
        }
    }
}

}  // namespace mechane::importer

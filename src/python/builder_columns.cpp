// Columns of the builder: the list of structs seen as the arrays of the finished model (`builder.joint_q[3]`).
// Newton's builder keeps parallel lists and lets programs read and write single entries before finalize. Mechane's
// keeps structs, so each array is a column with three functions: its size, an entry's value, and its change. The facade
// makes list-like objects of them by the column's number.
// Names, order of entries and units are those of model::Model. Coordinates [joint_coord_count] and dofs
// [joint_dof_count] are counted through the joints each time, because joints may be added between two accesses; an
// access is linear in the number of joints.
// A column with a null `set` is read only: it follows from others (starts of joints and articulations).

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <typeinfo>

#include "mechane/model/builder.h"
#include "mechane/model/joint_table.h"
#include "python/enums.h"
#include "python/module.h"
#include "python/values.h"

/// The builder's structs seen as the arrays they will become: `builder.body_mass[3]`. One visible table of columns; the
/// facade makes lists of them.
namespace mechane::python {

namespace {

using model::BuilderArticulation;
using model::BuilderAttachment;
using model::BuilderBody;
using model::BuilderEdge;
using model::BuilderJoint;
using model::BuilderParticle;
using model::BuilderShape;
using model::BuilderSpring;
using model::BuilderTet;
using model::BuilderTriangle;
using model::JointDofConfig;
using model::ModelBuilder;

struct Column {
    const char* name;
    // The facade makes objects of vectors and poses, so it has to know what an element is.
    const char* kind;  ///< what the facade makes of an element
    std::size_t (*size)(const ModelBuilder&);
    nb::object (*get)(ModelBuilder&, std::size_t);
    void (*set)(ModelBuilder&, std::size_t, nb::handle);  ///< null: read only
};

template <class T>
struct KindOf;
template <>
struct KindOf<double> {
    static constexpr const char* name = "float";
};
template <>
struct KindOf<bool> {
    static constexpr const char* name = "bool";
};
template <>
struct KindOf<std::int32_t> {
    static constexpr const char* name = "int";
};
template <>
struct KindOf<std::string> {
    static constexpr const char* name = "str";
};
template <>
struct KindOf<Vec3d> {
    static constexpr const char* name = "vec3";
};
template <>
struct KindOf<Posed> {
    static constexpr const char* name = "transform";
};
template <>
struct KindOf<Spatiald> {
    static constexpr const char* name = "spatial_vector";
};
template <>
struct KindOf<Mat33d> {
    static constexpr const char* name = "mat33";
};
template <>
struct KindOf<std::array<double, 2>> {
    static constexpr const char* name = "vec2";
};
template <>
struct KindOf<std::optional<double>> {
    static constexpr const char* name = "float";
};

/// Rows of numbers are tuples outside.
template <class T, std::size_t n>
struct KindOf<std::array<T, n>> {
    static constexpr const char* name = "row";
};
using python::from_python;
using python::to_python;
template <class T, std::size_t n>
nb::object to_python(const std::array<T, n>& v)
{
    nb::list out;
    for (const T& x : v) out.append(nb::cast(x));
    return nb::tuple(out);
}
template <class T, std::size_t n>
void from_python(nb::handle h, std::array<T, n>& v)
{ v = nb::cast<std::array<T, n>>(h); }

/// A field of each entity of one list. `List` and `Field` are stateless lambdas.
/// List and Field are types, not values: a lambda without captures can be made again inside a plain function pointer,
/// so that the table needs no closures.
template <class List, class Field>
Column field_of(const char* name, List, Field)
{
    using Value = std::remove_reference_t<decltype(Field{}(List{}(std::declval<ModelBuilder&>()).front()))>;
    return {name, KindOf<Value>::name,
            [](const ModelBuilder& b) { return List{}(const_cast<ModelBuilder&>(b)).size(); },
            [](ModelBuilder& b, std::size_t i) { return to_python(Field{}(List{}(b)[i])); },
            [](ModelBuilder& b, std::size_t i, nb::handle v) { from_python(v, Field{}(List{}(b)[i])); }};
}

/// Enumerations are integers outside.
template <class List, class Field>
Column enum_of(const char* name, List, Field)
{
    return {name, "int", [](const ModelBuilder& b) { return List{}(const_cast<ModelBuilder&>(b)).size(); },
            [](ModelBuilder& b, std::size_t i) { return to_python(static_cast<std::int32_t>(Field{}(List{}(b)[i]))); },
            [](ModelBuilder& b, std::size_t i, nb::handle v) {
                auto& field = Field{}(List{}(b)[i]);
                field       = enum_from<std::remove_reference_t<decltype(field)>>(v);
            }};
}

// Linear in the joints, as joints may be added at any time.
std::size_t dof_count(const ModelBuilder& b)
{
    std::size_t count = 0;
    for (const BuilderJoint& joint : b.joints) count += joint.linear_axes.size() + joint.angular_axes.size();
    return count;
}

/// Order of dofs within a joint: linear axes, then angular axes, as model::finalize lays them out.
JointDofConfig& dof_at(ModelBuilder& b, std::size_t i)
{
    for (BuilderJoint& joint : b.joints)
        for (std::vector<JointDofConfig>* axes : {&joint.linear_axes, &joint.angular_axes}) {
            if (i < axes->size()) return (*axes)[i];
            i -= axes->size();
        }
    throw nb::index_error("dof out of range");
}

template <class Field>
Column dof(const char* name, Field)
{
    using Value = std::remove_reference_t<decltype(Field{}(std::declval<JointDofConfig&>()))>;
    return {name, KindOf<Value>::name, &dof_count,
            [](ModelBuilder& b, std::size_t i) { return to_python(Field{}(dof_at(b, i))); },
            [](ModelBuilder& b, std::size_t i, nb::handle v) { from_python(v, Field{}(dof_at(b, i))); }};
}

// A D6 has as many coordinates as axes.
std::size_t coords_of(const BuilderJoint& joint)
{
    const std::int32_t coords = model::joint_type_info(joint.type).coords;
    return coords >= 0 ? static_cast<std::size_t>(coords) : joint.linear_axes.size() + joint.angular_axes.size();
}
std::size_t dofs_of(const BuilderJoint& joint) { return joint.linear_axes.size() + joint.angular_axes.size(); }

std::size_t coord_count(const ModelBuilder& b)
{
    std::size_t count = 0;
    for (const BuilderJoint& joint : b.joints) count += coords_of(joint);
    return count;
}

// A joint and the place of a coordinate or dof within it.
struct Place {
    BuilderJoint* joint;
    std::size_t   within;
};
template <class Count>
Place place_of(ModelBuilder& b, std::size_t i, Count count)
{
    for (BuilderJoint& joint : b.joints) {
        if (i < count(joint)) return {&joint, i};
        i -= count(joint);
    }
    throw nb::index_error("coordinate out of range");
}

/// Where the body stands: what finalize gives a FREE-like joint whose coordinates were left to it.
/// q of a free joint is the pose of the child's joint frame seen from the parent's: X_PJ^-1 X_WP^-1 X_WC X_CJ.
std::vector<double> free_coordinates(const ModelBuilder& b, const BuilderJoint& joint)
{
    const Posed X_WC = b.bodies[static_cast<std::size_t>(joint.child)].q;
    const Posed X_WP = joint.parent >= 0 ? b.bodies[static_cast<std::size_t>(joint.parent)].q : Posed{};
    const Posed X    = inverse(X_WP * joint.parent_xform) * X_WC * joint.child_xform;
    return {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
}

/// A joint whose q was never given has no coordinates yet, so what finalize would take is computed on demand. The
/// reference stays valid until the next call in the same thread.
const std::vector<double>& coordinates(ModelBuilder& b, BuilderJoint& joint)
{
    static thread_local std::vector<double> of_body;
    if (joint.q.size() == coords_of(joint)) return joint.q;
    of_body =
        joint.child >= 0 && coords_of(joint) == 7 ? free_coordinates(b, joint) : std::vector<double>(coords_of(joint));
    return of_body;
}

Column joint_q()
{
    // Writing one of seven coordinates first makes all of them explicit: from then on the joint no longer follows its
    // body.
    return {"joint_q", "float", &coord_count,
            [](ModelBuilder& b, std::size_t i) {
                const Place at = place_of(b, i, coords_of);
                return to_python(coordinates(b, *at.joint)[at.within]);
            },
            [](ModelBuilder& b, std::size_t i, nb::handle v) {
                const Place at = place_of(b, i, coords_of);
                at.joint->q    = std::vector<double>(coordinates(b, *at.joint));
                from_python(v, at.joint->q[at.within]);
            }};
}

Column joint_qd()
{
    return {"joint_qd", "float", &dof_count,
            [](ModelBuilder& b, std::size_t i) {
                const Place at = place_of(b, i, dofs_of);
                return to_python(at.within < at.joint->qd.size() ? at.joint->qd[at.within] : 0.0);
            },
            [](ModelBuilder& b, std::size_t i, nb::handle v) {
                const Place at = place_of(b, i, dofs_of);
                // Rates that were never given are zero.
                at.joint->qd.resize(dofs_of(*at.joint));
                from_python(v, at.joint->qd[at.within]);
            }};
}

/// Targets and rest values of scalar coordinates are kept with their dof; those of quaternions are fixed.
template <class Field>
Column coordinate_of_dof(const char* name, Field)
{
    // Joints with as many coordinates as dofs keep the value with the axis. Others contain a quaternion: they answer
    // the identity (last entry 1) and ignore writes, because a target per component has no meaning there.
    return {name, "float", &coord_count,
            [](ModelBuilder& b, std::size_t i) {
                const Place at = place_of(b, i, coords_of);
                if (coords_of(*at.joint) != dofs_of(*at.joint))
                    return to_python(at.within + 1 == coords_of(*at.joint) ? 1.0 : 0.0);
                auto& axes = at.within < at.joint->linear_axes.size() ? at.joint->linear_axes : at.joint->angular_axes;
                const std::size_t k =
                    at.within < at.joint->linear_axes.size() ? at.within : at.within - at.joint->linear_axes.size();
                const std::optional<double> value = Field{}(axes[k]);
                return to_python(value.value_or(0));
            },
            [](ModelBuilder& b, std::size_t i, nb::handle v) {
                const Place at = place_of(b, i, coords_of);
                if (coords_of(*at.joint) != dofs_of(*at.joint)) return;
                auto& axes = at.within < at.joint->linear_axes.size() ? at.joint->linear_axes : at.joint->angular_axes;
                const std::size_t k =
                    at.within < at.joint->linear_axes.size() ? at.within : at.within - at.joint->linear_axes.size();
                Field{}(axes[k]) = nb::cast<double>(v);
            }};
}

/// The rest of a ball or a rod, and which of its four numbers an entry is; null for other joints.
std::optional<Quatd>* rest_rotation_of(ModelBuilder& b, std::size_t i, std::size_t& entry)
{
    const Place at = place_of(b, i, coords_of);
    entry          = at.within;
    return coords_of(*at.joint) == 4 && dofs_of(*at.joint) == 3 ? &at.joint->rest_rotation : nullptr;
}

/// Rest values; those of balls and rods are a rotation x y z w.
Column rest_coordinates()
{
    static const Column scalars =
        coordinate_of_dof("joint_rest_q", [](JointDofConfig& d) -> auto& { return d.rest_q; });
    return {"joint_rest_q", "float", &coord_count,
            [](ModelBuilder& b, std::size_t i) {
                std::size_t                 entry = 0;
                const std::optional<Quatd>* rest  = rest_rotation_of(b, i, entry);
                if (rest == nullptr) return scalars.get(b, i);
                const Quatd  q      = rest->value_or(Quatd{});
                const double part[] = {q.x, q.y, q.z, q.w};
                return to_python(part[entry]);
            },
            [](ModelBuilder& b, std::size_t i, nb::handle v) {
                std::size_t           entry = 0;
                std::optional<Quatd>* rest  = rest_rotation_of(b, i, entry);
                if (rest == nullptr) return scalars.set(b, i, v);
                if (!*rest) *rest = Quatd{};
                double* const part[] = {&(*rest)->x, &(*rest)->y, &(*rest)->z, &(*rest)->w};
                *part[entry]         = nb::cast<double>(v);
            }};
}

template <class Count>
Column starts(const char* name, Count)
{
    return {name, "int", [](const ModelBuilder& b) { return b.joints.size(); },
            [](ModelBuilder& b, std::size_t i) {
                std::size_t sum = 0;
                for (std::size_t j = 0; j < i; ++j) sum += Count{}(b.joints[j]);
                return to_python(static_cast<std::int32_t>(sum));
            },
            nullptr};
}

constexpr auto kBodies    = [](ModelBuilder& b) -> auto& { return b.bodies; };
constexpr auto kJoints    = [](ModelBuilder& b) -> auto& { return b.joints; };
constexpr auto kShapes    = [](ModelBuilder& b) -> auto& { return b.shapes; };
constexpr auto kTrees     = [](ModelBuilder& b) -> auto& { return b.articulations; };
constexpr auto kParticles = [](ModelBuilder& b) -> auto& { return b.particles; };
constexpr auto kSprings   = [](ModelBuilder& b) -> auto& { return b.springs; };
constexpr auto kTriangles = [](ModelBuilder& b) -> auto& { return b.tri_elements; };
constexpr auto kEdges     = [](ModelBuilder& b) -> auto& { return b.edge_elements; };
constexpr auto kTets      = [](ModelBuilder& b) -> auto& { return b.tets; };
constexpr auto kHeld      = [](ModelBuilder& b) -> auto& { return b.attachments; };
constexpr auto kItself    = [](auto& v) -> auto& { return v; };

const Column* columns(std::size_t& count)
{
    static const Column all[] = {
        field_of("body_q", kBodies, [](BuilderBody& b) -> auto& { return b.q; }),
        field_of("body_qd", kBodies, [](BuilderBody& b) -> auto& { return b.qd; }),
        field_of("body_mass", kBodies, [](BuilderBody& b) -> auto& { return b.mass; }),
        field_of("body_com", kBodies, [](BuilderBody& b) -> auto& { return b.com; }),
        field_of("body_inertia", kBodies, [](BuilderBody& b) -> auto& { return b.inertia; }),
        field_of("body_flags", kBodies, [](BuilderBody& b) -> auto& { return b.flags; }),
        field_of("body_label", kBodies, [](BuilderBody& b) -> auto& { return b.label; }),
        field_of("body_world", kBodies, [](BuilderBody& b) -> auto& { return b.world; }),
        field_of("body_lock_inertia", kBodies, [](BuilderBody& b) -> auto& { return b.lock_inertia; }),

        enum_of("joint_type", kJoints, [](BuilderJoint& j) -> auto& { return j.type; }),
        field_of("joint_parent", kJoints, [](BuilderJoint& j) -> auto& { return j.parent; }),
        field_of("joint_child", kJoints, [](BuilderJoint& j) -> auto& { return j.child; }),
        field_of("joint_X_p", kJoints, [](BuilderJoint& j) -> auto& { return j.parent_xform; }),
        field_of("joint_X_c", kJoints, [](BuilderJoint& j) -> auto& { return j.child_xform; }),
        field_of("joint_enabled", kJoints, [](BuilderJoint& j) -> auto& { return j.enabled; }),
        field_of("joint_label", kJoints, [](BuilderJoint& j) -> auto& { return j.label; }),
        field_of("joint_world", kJoints, [](BuilderJoint& j) -> auto& { return j.world; }),
        field_of("joint_articulation", kJoints, [](BuilderJoint& j) -> auto& { return j.articulation; }),
        field_of("joint_mimic_joint", kJoints, [](BuilderJoint& j) -> auto& { return j.mimic_joint; }),
        field_of("joint_mimic_coeffs", kJoints, [](BuilderJoint& j) -> auto& { return j.mimic_coeffs; }),
        field_of("joint_collision_filter_parent", kJoints,
                 [](BuilderJoint& j) -> auto& { return j.collision_filter_parent; }),
        starts("joint_q_start", [](const BuilderJoint& j) { return coords_of(j); }),
        starts("joint_qd_start", [](const BuilderJoint& j) { return dofs_of(j); }),
        joint_q(),
        joint_qd(),
        coordinate_of_dof("joint_target_q", [](JointDofConfig& d) -> auto& { return d.target_q; }),
        rest_coordinates(),

        dof("joint_axis", [](JointDofConfig& d) -> auto& { return d.axis; }),
        dof("joint_target_qd", [](JointDofConfig& d) -> auto& { return d.target_qd; }),
        dof("joint_armature", [](JointDofConfig& d) -> auto& { return d.armature; }),
        dof("joint_friction", [](JointDofConfig& d) -> auto& { return d.friction; }),
        dof("joint_damping", [](JointDofConfig& d) -> auto& { return d.damping; }),
        dof("joint_stiffness", [](JointDofConfig& d) -> auto& { return d.stiffness; }),
        dof("joint_target_ke", [](JointDofConfig& d) -> auto& { return d.target_ke; }),
        dof("joint_target_kd", [](JointDofConfig& d) -> auto& { return d.target_kd; }),
        dof("joint_limit_lower", [](JointDofConfig& d) -> auto& { return d.limit_lower; }),
        dof("joint_limit_upper", [](JointDofConfig& d) -> auto& { return d.limit_upper; }),
        dof("joint_limit_ke", [](JointDofConfig& d) -> auto& { return d.limit_ke; }),
        dof("joint_limit_kd", [](JointDofConfig& d) -> auto& { return d.limit_kd; }),
        dof("joint_effort_limit", [](JointDofConfig& d) -> auto& { return d.effort_limit; }),
        dof("joint_velocity_limit", [](JointDofConfig& d) -> auto& { return d.velocity_limit; }),
        {"joint_target_mode", "int", &dof_count,
         [](ModelBuilder& b, std::size_t i) {
             return to_python(static_cast<std::int32_t>(model::target_mode(dof_at(b, i))));
         },
         [](ModelBuilder& b, std::size_t i, nb::handle v) {
             dof_at(b, i).actuator_mode = enum_from<model::TargetMode>(v);
         }},

        enum_of("shape_type", kShapes, [](BuilderShape& s) -> auto& { return s.type; }),
        field_of("shape_body", kShapes, [](BuilderShape& s) -> auto& { return s.body; }),
        field_of("shape_transform", kShapes, [](BuilderShape& s) -> auto& { return s.xform; }),
        field_of("shape_scale", kShapes, [](BuilderShape& s) -> auto& { return s.scale; }),
        field_of("shape_flags", kShapes, [](BuilderShape& s) -> auto& { return s.flags; }),
        field_of("shape_color", kShapes, [](BuilderShape& s) -> auto& { return s.color; }),
        field_of("shape_opacity", kShapes, [](BuilderShape& s) -> auto& { return s.opacity; }),
        field_of("shape_label", kShapes, [](BuilderShape& s) -> auto& { return s.label; }),
        field_of("shape_world", kShapes, [](BuilderShape& s) -> auto& { return s.world; }),
        field_of("shape_is_solid", kShapes, [](BuilderShape& s) -> auto& { return s.config.is_solid; }),
        field_of("shape_margin", kShapes, [](BuilderShape& s) -> auto& { return s.config.margin; }),
        {"shape_gap", "float", [](const ModelBuilder& b) { return b.shapes.size(); },
         [](ModelBuilder& b, std::size_t i) { return to_python(b.shapes[i].config.gap.value_or(b.rigid_gap)); },
         [](ModelBuilder& b, std::size_t i, nb::handle v) { b.shapes[i].config.gap = nb::cast<double>(v); }},
        field_of("shape_collision_group", kShapes, [](BuilderShape& s) -> auto& { return s.config.collision_group; }),
        field_of("shape_material_ke", kShapes, [](BuilderShape& s) -> auto& { return s.config.ke; }),
        field_of("shape_material_kd", kShapes, [](BuilderShape& s) -> auto& { return s.config.kd; }),
        field_of("shape_material_kf", kShapes, [](BuilderShape& s) -> auto& { return s.config.kf; }),
        field_of("shape_material_ka", kShapes, [](BuilderShape& s) -> auto& { return s.config.ka; }),
        field_of("shape_material_kh", kShapes, [](BuilderShape& s) -> auto& { return s.config.kh; }),
        field_of("shape_material_mu", kShapes, [](BuilderShape& s) -> auto& { return s.config.mu; }),
        field_of("shape_material_mu_torsional", kShapes,
                 [](BuilderShape& s) -> auto& { return s.config.mu_torsional; }),
        field_of("shape_material_mu_rolling", kShapes, [](BuilderShape& s) -> auto& { return s.config.mu_rolling; }),
        field_of("shape_material_restitution", kShapes, [](BuilderShape& s) -> auto& { return s.config.restitution; }),

        field_of("articulation_label", kTrees, [](BuilderArticulation& a) -> auto& { return a.label; }),
        field_of("articulation_world", kTrees, [](BuilderArticulation& a) -> auto& { return a.world; }),
        field_of("particle_q", kParticles, [](BuilderParticle& p) -> auto& { return p.q; }),
        field_of("particle_qd", kParticles, [](BuilderParticle& p) -> auto& { return p.qd; }),
        field_of("particle_mass", kParticles, [](BuilderParticle& p) -> auto& { return p.mass; }),
        field_of("particle_radius", kParticles, [](BuilderParticle& p) -> auto& { return p.radius; }),
        field_of("particle_flags", kParticles, [](BuilderParticle& p) -> auto& { return p.flags; }),
        field_of("particle_world", kParticles, [](BuilderParticle& p) -> auto& { return p.world; }),

        {"spring_indices", "int", [](const ModelBuilder& b) { return 2 * b.springs.size(); },
         [](ModelBuilder& b, std::size_t i) { return to_python(i % 2 == 0 ? b.springs[i / 2].i : b.springs[i / 2].j); },
         [](ModelBuilder& b, std::size_t i, nb::handle v) {
             (i % 2 == 0 ? b.springs[i / 2].i : b.springs[i / 2].j) = nb::cast<std::int32_t>(v);
         }},
        field_of("spring_rest_length", kSprings, [](BuilderSpring& s) -> auto& { return s.rest_length; }),
        field_of("spring_stiffness", kSprings, [](BuilderSpring& s) -> auto& { return s.ke; }),
        field_of("spring_damping", kSprings, [](BuilderSpring& s) -> auto& { return s.kd; }),
        field_of("spring_control", kSprings, [](BuilderSpring& s) -> auto& { return s.control; }),
        field_of(
            "tri_indices", [](ModelBuilder& b) -> auto& { return b.tri_indices; }, kItself),
        {"tri_poses", "mat22", [](const ModelBuilder& b) { return b.tri_elements.size(); },
         [](ModelBuilder& b, std::size_t i) -> nb::object {
             const auto& p = b.tri_elements[i].pose;
             return nb::make_tuple(nb::make_tuple(p[0], p[1]), nb::make_tuple(p[2], p[3]));
         },
         [](ModelBuilder& b, std::size_t i, nb::handle v) {
             const auto rows        = nb::cast<std::array<std::array<double, 2>, 2>>(v);
             b.tri_elements[i].pose = {rows[0][0], rows[0][1], rows[1][0], rows[1][1]};
         }},
        field_of("tri_areas", kTriangles, [](BuilderTriangle& t) -> auto& { return t.area; }),
        field_of("tri_materials", kTriangles, [](BuilderTriangle& t) -> auto& { return t.material; }),
        field_of("tri_activations", kTriangles, [](BuilderTriangle& t) -> auto& { return t.activation; }),
        field_of("tri_color", kTriangles, [](BuilderTriangle& t) -> auto& { return t.color; }),
        field_of("tri_opacity", kTriangles, [](BuilderTriangle& t) -> auto& { return t.opacity; }),
        field_of(
            "edge_indices", [](ModelBuilder& b) -> auto& { return b.edge_indices; }, kItself),
        field_of("edge_rest_angle", kEdges, [](BuilderEdge& e) -> auto& { return e.rest_angle; }),
        field_of("edge_rest_length", kEdges, [](BuilderEdge& e) -> auto& { return e.rest_length; }),
        field_of("edge_bending_properties", kEdges, [](BuilderEdge& e) -> auto& { return e.bending; }),
        field_of("tet_indices", kTets, [](BuilderTet& t) -> auto& { return t.indices; }),
        {"tet_poses", "mat33rows", [](const ModelBuilder& b) { return b.tets.size(); },
         [](ModelBuilder& b, std::size_t i) -> nb::object {
             const Mat33d& p = b.tets[i].pose;
             return nb::make_tuple(to_python(p.r0), to_python(p.r1), to_python(p.r2));
         },
         [](ModelBuilder& b, std::size_t i, nb::handle v) {
             const auto rows = nb::cast<std::array<Numbers3, 3>>(v);
             b.tets[i].pose  = {vec3(rows[0]), vec3(rows[1]), vec3(rows[2])};
         }},
        field_of("tet_materials", kTets, [](BuilderTet& t) -> auto& { return t.material; }),
        field_of("tet_activations", kTets, [](BuilderTet& t) -> auto& { return t.activation; }),
        field_of("attachment_particle_body_body", kHeld, [](BuilderAttachment& a) -> auto& { return a.body; }),
        field_of("attachment_particle_body_particle", kHeld, [](BuilderAttachment& a) -> auto& { return a.particle; }),
        field_of("attachment_particle_body_body_point", kHeld,
                 [](BuilderAttachment& a) -> auto& { return a.body_point; }),
        field_of("attachment_particle_body_stiffness", kHeld,
                 [](BuilderAttachment& a) -> auto& { return a.stiffness; }),
        field_of("attachment_particle_body_damping", kHeld, [](BuilderAttachment& a) -> auto& { return a.damping; }),
        field_of("attachment_particle_body_enabled", kHeld, [](BuilderAttachment& a) -> auto& { return a.enabled; }),
        field_of("attachment_particle_body_world", kHeld, [](BuilderAttachment& a) -> auto& { return a.world; }),

        {"articulation_start", "int", [](const ModelBuilder& b) { return b.articulations.size(); },
         [](ModelBuilder& b, std::size_t i) { return to_python(b.articulations[i].joints.front()); }, nullptr},
        {"articulation_end", "int", [](const ModelBuilder& b) { return b.articulations.size(); },
         [](ModelBuilder& b, std::size_t i) { return to_python(b.articulations[i].joints.back() + 1); }, nullptr},
    };
    count = std::size(all);
    return all;
}

const Column& column(std::size_t index)
{
    std::size_t         count = 0;
    const Column* const all   = columns(count);
    if (index >= count) throw nb::index_error("no such column");
    return all[index];
}

/// IndexError, not ValueError: Python's iteration over a list-like object ends with it.
std::size_t within(const Column& c, const ModelBuilder& b, std::size_t i)
{
    if (i >= c.size(b)) throw nb::index_error((std::string(c.name) + " index out of range").c_str());
    return i;
}

}  // namespace

void bind_builder_columns(nb::module_& m)
{
    // name -> (number, kind, writable)
    m.def("builder_columns", [] {
        std::size_t         count = 0;
        const Column* const all   = columns(count);
        nb::dict            out;
        for (std::size_t i = 0; i < count; ++i)
            out[all[i].name] = nb::make_tuple(i, all[i].kind, all[i].set != nullptr);
        return out;
    });
    m.def("column_size", [](const ModelBuilder& b, std::size_t c) { return column(c).size(b); });
    m.def("column_get",
          [](ModelBuilder& b, std::size_t c, std::size_t i) { return column(c).get(b, within(column(c), b, i)); });
    m.def("column_set", [](ModelBuilder& b, std::size_t c, std::size_t i, nb::handle v) {
        const Column& at = column(c);
        if (at.set == nullptr)
            throw nb::type_error((std::string(at.name) + " follows from the joints and cannot be set").c_str());
        try {
            at.set(b, within(at, b, i), v);
        } catch (const std::bad_cast&) {  // numbers of another count or type: 2.9 is no index
            const std::string given = nb::str(nb::repr(v)).c_str();
            throw nb::value_error((std::string(at.name) + "[" + std::to_string(i) + "] is " + given +
                                   ", expected numbers of the same count and type (integer indices of 32 bits, or "
                                   "finite numbers) as the entry has")
                                      .c_str());
        }
    });
    m.def("builder_counts", [](const ModelBuilder& b) {
        return nb::make_tuple(b.bodies.size(), b.joints.size(), b.shapes.size(), b.articulations.size(), dof_count(b),
                              coord_count(b), b.world_gravity.size(), b.particles.size());
    });
}

}  // namespace mechane::python

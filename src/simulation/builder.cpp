// mechane::ModelBuilder, the builder of the public C++ interface, over model::ModelBuilder: typed ids, one struct of
// options a call, and checks. Poses in the world frame for bodies, in the body's frame for shapes, in anchors for
// joints; metres, kilograms, radians.
// A mistake never throws: it is kept, the call returns an invalid id, and `finalize` fails with the first of them.
// The builder knows nothing of files. What it makes goes through model::ModelBuilder::finalize like an imported
// stage.

#include "mechane/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/model_parts.h"
#include "simulation/require.h"

namespace mechane {

namespace {

/// As many as the command line makes.
constexpr int kMostWorlds = 1 << 20;

/// Whether every index fits 32 bits when `count` copies are added.
/// Finalize counts with 32-bit indices. A count beyond them would wrap without a word.
bool indices_suffice(const model::ModelBuilder& to, const model::ModelBuilder& scene, int count)
{
    const auto fits = [&](std::size_t there, std::size_t each) {
        return there + each * static_cast<std::size_t>(count) <=
               static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    };
    // A joint has at most seven coordinates.
    // The narrowest index is that of coordinates.
    return fits(to.bodies.size(), scene.bodies.size()) && fits(7 * to.joints.size(), 7 * scene.joints.size()) &&
           fits(to.shapes.size(), scene.shapes.size()) && fits(to.particles.size(), scene.particles.size());
}

}  // namespace

struct ModelBuilder::Impl {
    model::ModelBuilder   builder;
    Diagnostics           mistakes;
    std::set<std::string> body_labels, joint_labels, shape_labels;  ///< of the world that is shared

    // Mistakes name what was being added and the number of the call, since a program has no line numbers here.
    std::string subject;    ///< the label of what is being added
    int         calls = 0;  ///< of functions that add something

    /// A call begins that adds something.
    void begin(const std::string& label)
    {
        subject = label;
        ++calls;
    }
    /// Keeps a mistake. @return whether all is well
    /// `call` and `argument` name the place in the diagnostic as the program wrote it.
    bool check(bool good, const char* call, const char* argument, const std::string& expected)
    {
        if (!good)
            mistakes.add(simulation::kBuild, {.property = fmt::format("ModelBuilder::{}({})", call, argument)},
                         fmt::format("{}: expected {} (call {} of the builder{})", argument, expected, calls,
                                     subject.empty() ? "" : ", for '" + subject + "'"));
        return good;
    }
    // Labels are unique among their kind in the shared world; replicas repeat them by world.
    bool label(std::set<std::string>& taken, const std::string& label, const char* call)
    {
        return check(label.empty() || taken.insert(label).second, call, "label",
                     fmt::format("a label that nothing of its kind has; '{}' is taken", label));
    }
    /// Of something without a label: the number that the builder gives it, unless something has that already.
    /// Generated labels are unique too, so that find_body and the like are never ambiguous.
    static void make_unique(std::set<std::string>& taken, std::string& label)
    {
        while (!taken.insert(label).second) label += '_';
    }
    // Ids are plain numbers: those of another builder are in range by luck only.
    bool body(BodyId body, const char* call, const char* argument)
    {
        return check(body.value >= model::kWorldBody && body.value < std::ssize(builder.bodies), call, argument,
                     fmt::format("kWorld or one of {} bodies, not {}", builder.bodies.size(), body.value));
    }
    // Placements of bodies and shapes; rotations are made unit quaternions later.
    bool place(const Vec3d& position, const Quatd& rotation, const char* call)
    {
        return check(is_finite(position), call, "position", "a finite point") &&
               check(is_finite(rotation) && dot(rotation, rotation) > 0, call, "rotation",
                     "a finite rotation that is not zero");
    }
    /// @param inner  how far a surface may be offset inwards before nothing of the shape is left [m]
    // Density in kg/m^3; margin and gap in m.
    bool surface(const Surface& s, double inner, const char* call)
    {
        const auto positive = [](double x) { return x >= 0 && std::isfinite(x); };
        return check(positive(s.density), call, "surface.density", "a finite number that is not negative") &&
               check(positive(s.friction), call, "surface.friction", "a finite number that is not negative") &&
               check(s.restitution >= 0 && s.restitution <= 1, call, "surface.restitution", "a number from 0 to 1") &&
               check(std::isfinite(s.margin), call, "surface.margin", "a finite length") &&
               check(s.margin > -inner, call, "surface.margin",
                     "a length above minus the smallest half size of the shape, of which nothing is left else") &&
               check(!s.gap || positive(*s.gap), call, "surface.gap", "a finite length that is not negative");
    }
    /// A length that is one in the numbers of the model too.
    bool length(double value, const char* call, const char* argument)
    {
        // A length that is positive in double may be zero or infinite as Real.
        const Real kept = static_cast<Real>(value);
        return check(kept > 0 && std::isfinite(kept), call, argument, "a positive finite length");
    }

    static model::ShapeConfig config(const Surface& s)
    {
        model::ShapeConfig c;
        c.density     = s.density;
        c.mu          = s.friction;
        c.restitution = s.restitution;
        // Margins may be negative, which shrinks the shape.
        c.margin = s.margin;
        c.gap    = s.gap;
        // Without collision flags a shape would weigh nothing; group 0 meets nobody. `finalize` makes flags of it.
        // Every shape of the builder is in group 1: all meet all.
        c.collision_group        = s.collides ? 1 : 0;
        c.has_particle_collision = s.collides;
        return c;
    }

    // `free` gives the body a joint to the world of its own, with a robot around it.
    BodyId add(const BodyOptions& o, const char* call, bool free)
    {
        begin(o.label);
        // The checks stop at the first that fails, so one call makes one mistake.
        const bool good = place(o.position, o.rotation, call) &&
                          check(is_finite(o.velocity), call, "velocity", "a finite velocity") &&
                          check(is_finite(o.angular_velocity), call, "angular_velocity", "a finite velocity") &&
                          check(o.mass >= 0 && std::isfinite(o.mass), call, "mass",
                                "a finite number of kilograms that is not negative") &&
                          check(is_finite(o.com), call, "com", "a finite point") &&
                          check(is_finite(o.inertia), call, "inertia", "finite numbers") &&
                          check(o.label != "world", call, "label", "another label than that of kWorld, 'world'") &&
                          label(body_labels, o.label, call);
        if (!good) return {};
        const Posed         pose{o.position, normalized(o.rotation)};
        const std::int32_t  body = free ? builder.add_body(pose, o.label, o.mass, o.com, o.inertia)
                                        : builder.add_link(pose, o.label, o.mass, o.com, o.inertia);
        model::BuilderBody& made = builder.bodies[static_cast<std::size_t>(body)];
        // Linear velocity is that of the centre of mass, in world axes.
        made.qd = {o.velocity, o.angular_velocity};
        // Flags are either kinematic or dynamic, not both.
        if (o.kinematic) made.flags = model::body_flag::kinematic;
        if (o.label.empty()) make_unique(body_labels, made.label);
        if (free) make_unique(joint_labels, builder.joints.back().label);
        return BodyId(body);
    }

    /// The joint that `add_body` gave a body, -1: none.
    std::int32_t free_joint(std::int32_t body) const
    {
        for (std::size_t j = 0; j < builder.joints.size(); ++j)
            if (builder.joints[j].child == body && builder.joints[j].parent < 0 &&
                builder.joints[j].type == model::JointType::free)
                return static_cast<std::int32_t>(j);
        return -1;
    }
    /// A free joint that is a robot by itself, as `add_body` makes it.
    bool is_alone(std::int32_t joint) const
    {
        const model::BuilderJoint& j = builder.joints[static_cast<std::size_t>(joint)];
        return j.type == model::JointType::free && j.articulation >= 0 &&
               builder.articulations[static_cast<std::size_t>(j.articulation)].joints.size() == 1;
    }
    /// Takes such a joint out of its robot, which then is none.
    void release(std::int32_t joint)
    {
        // Only the robot of the free joint alone is taken apart; `add_robot` puts it into another.
        const std::int32_t gone = builder.joints[static_cast<std::size_t>(joint)].articulation;
        if (gone < 0) return;
        builder.articulations.erase(builder.articulations.begin() + gone);
        // Robots behind the one that is gone move up by one.
        for (model::BuilderJoint& j : builder.joints) {
            if (j.articulation == gone) j.articulation = -1;
            if (j.articulation > gone) --j.articulation;
        }
    }

    // What all shapes have in common: checks, pose, surface, label.
    template <class Add>
    ShapeId add(BodyId of, const Vec3d& position, const Quatd& rotation, const std::string& name, const Surface& s,
                double inner, const char* call, Add&& make)
    {
        if (!body(of, call, "body") || !place(position, rotation, call) || !surface(s, inner, call) ||
            !label(shape_labels, name, call))
            return {};
        const auto shape = static_cast<std::int32_t>(make(Posed{position, normalized(rotation)}, config(s)));
        if (name.empty()) make_unique(shape_labels, builder.shapes[static_cast<std::size_t>(shape)].label);
        return ShapeId(shape);
    }

    /// What a joint without a coordinate of its own would leave without effect.
    /// A default-made struct shows which options were given.
    bool only_for_axes(const JointOptions& o, const char* call)
    {
        const JointOptions plain;
        const char* const  expected =
            "no value: ball and fixed joints have no axis, so neither drive, limits, start nor "
            "friction of one";
        bool good = true;
        // All of them are listed, not the first alone.
        for (const auto& [name, set] : {std::pair{"lower", o.lower != plain.lower},
                                        {"upper", o.upper != plain.upper},
                                        {"stiffness", o.stiffness != plain.stiffness},
                                        {"damping", o.damping != plain.damping},
                                        {"target", o.target != plain.target},
                                        {"effort_limit", o.effort_limit != plain.effort_limit},
                                        {"velocity_limit", o.velocity_limit != plain.velocity_limit},
                                        {"friction", o.friction != plain.friction},
                                        {"armature", o.armature != plain.armature},
                                        {"position", o.position != plain.position},
                                        {"velocity", o.velocity != plain.velocity}})
            good = check(!set, call, name, expected) && good;
        return good;
    }

    JointId add(BodyId parent, BodyId child, const JointOptions& o, model::JointType type, const char* call)
    {
        begin(o.label);
        const bool scalar = type == model::JointType::revolute || type == model::JointType::prismatic;
        // Angles are in radians, lengths in metres, gains in N/m or N m/rad.
        const bool good =
            body(parent, call, "parent") && body(child, call, "child") &&
            check(child != kWorld, call, "child", "a body, not kWorld") &&
            check(parent != child, call, "child", "another body than the parent") &&
            check(is_finite(o.parent_anchor) && is_finite(o.child_anchor), call, "anchor", "finite points") &&
            check(is_finite(o.parent_rotation) && dot(o.parent_rotation, o.parent_rotation) > 0 &&
                      is_finite(o.child_rotation) && dot(o.child_rotation, o.child_rotation) > 0,
                  call, "rotation", "finite rotations that are not zero") &&
            check(is_finite(o.axis) && length_squared(o.axis) > 0, call, "axis", "a finite axis that is not zero") &&
            check(o.lower <= o.upper, call, "upper", "a limit that is not below the lower one") &&
            check(o.stiffness >= 0 && std::isfinite(o.stiffness), call, "stiffness", "a finite number, not negative") &&
            check(o.damping >= 0 && std::isfinite(o.damping), call, "damping", "a finite number, not negative") &&
            check(std::isfinite(o.target), call, "target", "a finite number") &&
            check(o.effort_limit >= 0, call, "effort_limit", "a number that is not negative") &&
            check(static_cast<Real>(o.velocity_limit) > 0, call, "velocity_limit", "a positive number") &&
            check(o.friction >= 0 && std::isfinite(o.friction), call, "friction", "a finite number, not negative") &&
            check(o.armature >= 0 && std::isfinite(o.armature), call, "armature", "a finite number, not negative") &&
            check(std::isfinite(o.position) && std::isfinite(o.velocity), call, "position", "finite numbers") &&
            (scalar || only_for_axes(o, call)) && label(joint_labels, o.label, call);
        if (!good) return {};
        model::BuilderJoint joint;
        joint.label        = o.label;
        joint.type         = type;
        joint.parent       = parent.value;
        joint.child        = child.value;
        joint.parent_xform = {o.parent_anchor, normalized(o.parent_rotation)};
        joint.child_xform  = {o.child_anchor, normalized(o.child_rotation)};
        model::JointDofConfig dof;
        // Infinity of the interface is kMaxValue of the arrays, as in Newton.
        const auto bounded = [](double x) { return std::clamp(x, -model::kMaxValue, model::kMaxValue); };
        dof.axis           = o.axis;
        dof.limit_lower    = bounded(o.lower);
        dof.limit_upper    = bounded(o.upper);
        dof.target_q       = o.target;
        dof.target_ke      = o.stiffness;
        dof.target_kd      = o.damping;
        // An unlimited drive is one with the largest number.
        dof.effort_limit = bounded(o.effort_limit);
        // The builder's own number stands for no limit, so larger ones become it.
        dof.velocity_limit = std::min(o.velocity_limit, dof.velocity_limit);
        dof.friction       = o.friction;
        dof.armature       = o.armature;
        dof.initial_q      = o.position;
        dof.initial_qd     = o.velocity;
        // A ball or fixed joint has no axes to give.
        if (type == model::JointType::revolute) joint.angular_axes = {dof};
        if (type == model::JointType::prismatic) joint.linear_axes = {dof};
        const JointId made(builder.add_joint(std::move(joint)));
        if (o.label.empty()) make_unique(joint_labels, builder.joints.back().label);
        return made;
    }
};

ModelBuilder::ModelBuilder() : impl_(std::make_unique<Impl>()) {}
ModelBuilder::~ModelBuilder() = default;
// A deep copy: both builders can go on by themselves.
ModelBuilder::ModelBuilder(const ModelBuilder& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
ModelBuilder& ModelBuilder::operator=(const ModelBuilder& other)
{
    *impl_ = *other.impl_;
    return *this;
}
/// A moved-from builder is an empty one and stays usable.
ModelBuilder::ModelBuilder(ModelBuilder&& other) noexcept : impl_(std::make_unique<Impl>())
{ std::swap(impl_, other.impl_); }
ModelBuilder& ModelBuilder::operator=(ModelBuilder&& other) noexcept
{
    auto taken = std::exchange(other.impl_, std::make_unique<Impl>());
    impl_      = std::move(taken);
    return *this;
}

void ModelBuilder::set_gravity(const Vec3d& gravity)
{
    impl_->begin({});
    if (impl_->check(is_finite(gravity), "set_gravity", "gravity", "a finite vector")) impl_->builder.gravity = gravity;
}

BodyId ModelBuilder::add_body(const BodyOptions& options) { return impl_->add(options, "add_body", true); }
BodyId ModelBuilder::add_link(const BodyOptions& options) { return impl_->add(options, "add_link", false); }

// Half sizes, along the axes of the shape's frame.
ShapeId ModelBuilder::add_box(BodyId body, const BoxOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.half.x, "add_box", "half.x") || !impl_->length(o.half.y, "add_box", "half.y") ||
        !impl_->length(o.half.z, "add_box", "half.z"))
        return {};
    return impl_->add(
        body, o.position, o.rotation, o.label, o.surface, std::min({o.half.x, o.half.y, o.half.z}), "add_box",
        [&](const Posed& X, const auto& c) { return impl_->builder.add_shape_box(body.value, X, o.half, c, o.label); });
}
ShapeId ModelBuilder::add_sphere(BodyId body, const SphereOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.radius, "add_sphere", "radius")) return {};
    return impl_->add(body, o.position, {}, o.label, o.surface, o.radius, "add_sphere",
                      [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_sphere(body.value, X, o.radius, c, o.label);
                      });
}
// The axis is z, and the half height is that of the cylinder between the caps.
ShapeId ModelBuilder::add_capsule(BodyId body, const CapsuleOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.radius, "add_capsule", "radius") ||
        !impl_->length(o.half_height, "add_capsule", "half_height"))
        return {};
    return impl_->add(body, o.position, o.rotation, o.label, o.surface, o.radius, "add_capsule",
                      [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_capsule(body.value, X, o.radius, o.half_height, c, o.label);
                      });
}
ShapeId ModelBuilder::add_cylinder(BodyId body, const CapsuleOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.radius, "add_cylinder", "radius") ||
        !impl_->length(o.half_height, "add_cylinder", "half_height"))
        return {};
    return impl_->add(body, o.position, o.rotation, o.label, o.surface, std::min(o.radius, o.half_height),
                      "add_cylinder", [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_cylinder(body.value, X, o.radius, o.half_height, c, o.label);
                      });
}
// The axis is z.
ShapeId ModelBuilder::add_cone(BodyId body, const CapsuleOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.radius, "add_cone", "radius") || !impl_->length(o.half_height, "add_cone", "half_height"))
        return {};
    return impl_->add(body, o.position, o.rotation, o.label, o.surface, std::min(o.radius, o.half_height), "add_cone",
                      [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_cone(body.value, X, o.radius, o.half_height, c, o.label);
                      });
}

ShapeId ModelBuilder::add_mesh(BodyId body, const MeshOptions& o)
{
    impl_->begin(o.label);
    // Points may be off the origin: the mesh is not centred.
    geometry::Mesh mesh;
    mesh.points.assign(o.points.begin(), o.points.end());
    if (!impl_->check(!mesh.points.empty() && geometry::is_finite(mesh), "add_mesh", "points", "finite points") ||
        !impl_->check(!o.triangles.empty() && o.triangles.size() % 3 == 0, "add_mesh", "triangles",
                      "three indices for each triangle"))
        return {};
    for (std::size_t i = 0; i + 2 < o.triangles.size(); i += 3)
        mesh.triangles.push_back({o.triangles[i], o.triangles[i + 1], o.triangles[i + 2]});
    if (!impl_->check(geometry::has_valid_indices(mesh), "add_mesh", "triangles", "indices of points")) return {};
    // A hull takes the place of the mesh; a plane set of points has none.
    if (o.convex) {
        auto hull = geometry::build_hull(mesh.points);
        if (!impl_->check(hull.has_value(), "add_mesh", "points",
                          hull.has_value() ? "" : "points that span a volume: " + hull.error().message))
            return {};
        mesh = *std::move(hull);
    }
    // Replicas share the mesh; it is never written to again.
    const auto shared = std::make_shared<const geometry::Mesh>(std::move(mesh));
    return impl_->add(body, o.position, o.rotation, o.label, o.surface, kInfinity, "add_mesh",
                      [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_mesh(body.value, X, {1, 1, 1}, shared, c, o.label);
                      });
}

ShapeId ModelBuilder::add_ground(const GroundOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->check(std::isfinite(o.height), "add_ground", "height", "a finite height")) return {};
    return impl_->add(kWorld, {}, {}, o.label, o.surface, kInfinity, "add_ground", [&](const Posed&, const auto& c) {
        // The plane at that height along the up axis of the builder.
        const std::int32_t shape = impl_->builder.add_ground_plane(o.height, o.label.empty() ? "ground" : o.label);
        auto&              made  = impl_->builder.shapes[static_cast<std::size_t>(shape)].config;
        // The ground weighs nothing: density of the surface is not taken over.
        const double density = made.density;
        made                 = c;
        made.density         = density;
        return shape;
    });
}

ShapeId ModelBuilder::add_heightfield(const HeightfieldOptions& o)
{
    impl_->begin(o.label);
    if (!impl_->length(o.half_x, "add_heightfield", "half_x") || !impl_->length(o.half_y, "add_heightfield", "half_y"))
        return {};
    // Row by row, as heightfield_mesh takes them.
    const bool fits = o.rows >= 2 && o.columns >= 2 &&
                      static_cast<std::size_t>(o.rows) * static_cast<std::size_t>(o.columns) == o.elevations.size();
    if (!impl_->check(fits, "add_heightfield", "elevations",
                      fmt::format("{} rows of {} columns, at least 2 each, not {} numbers", o.rows, o.columns,
                                  o.elevations.size())))
        return {};
    const std::vector<double> heights(o.elevations.begin(), o.elevations.end());
    for (std::size_t i = 0; i < heights.size(); ++i)
        if (!impl_->check(std::isfinite(heights[i]), "add_heightfield", "elevations",
                          fmt::format("finite numbers, not {} at {}", heights[i], i)))
            return {};
    auto surface = geometry::heightfield_mesh({o.rows, o.columns, o.half_x, o.half_y, heights, std::nullopt});
    if (!impl_->check(surface.has_value(), "add_heightfield", "elevations",
                      surface.has_value() ? "" : surface.error().message))
        return {};
    const auto shared = std::make_shared<const geometry::Mesh>(*std::move(surface));
    return impl_->add(kWorld, o.position, o.rotation, o.label, o.surface, kInfinity, "add_heightfield",
                      [&](const Posed& X, const auto& c) {
                          return impl_->builder.add_shape_heightfield(X, {1, 1, 1}, shared, c, o.label);
                      });
}

JointId ModelBuilder::add_revolute(BodyId parent, BodyId child, const JointOptions& options)
{ return impl_->add(parent, child, options, model::JointType::revolute, "add_revolute"); }
JointId ModelBuilder::add_prismatic(BodyId parent, BodyId child, const JointOptions& options)
{ return impl_->add(parent, child, options, model::JointType::prismatic, "add_prismatic"); }
JointId ModelBuilder::add_ball(BodyId parent, BodyId child, const JointOptions& options)
{ return impl_->add(parent, child, options, model::JointType::ball, "add_ball"); }
JointId ModelBuilder::add_fixed(BodyId parent, BodyId child, const JointOptions& options)
{ return impl_->add(parent, child, options, model::JointType::fixed, "add_fixed"); }

// The joint that add_body made, for add_robot and for coordinates of a base.
JointId ModelBuilder::free_joint(BodyId body)
{
    impl_->begin({});
    const std::int32_t joint = impl_->free_joint(body.value);
    if (!impl_->check(joint >= 0, "free_joint", "body", fmt::format("a body of add_body, not {}", body.value)))
        return {};
    return JointId(joint);
}

void ModelBuilder::add_robot(std::span<const JointId> joints, std::string label)
{
    impl_->begin(label);
    std::vector<std::int32_t> tree;
    // An id is checked against the number of joints; that it came from this builder cannot be seen.
    for (const JointId joint : joints) {
        const bool known =
            joint.valid() && static_cast<std::ptrdiff_t>(joint.index()) < std::ssize(impl_->builder.joints);
        if (!impl_->check(known, "add_robot", "joints",
                          fmt::format("some of {} joints, not {}", impl_->builder.joints.size(), joint.value)))
            return;
        const model::BuilderJoint& made = impl_->builder.joints[joint.index()];
        // The base of the robot moves freely: its joint comes first, also where it is not named.
        if (tree.empty() && made.parent >= 0)
            if (const std::int32_t base = impl_->free_joint(made.parent); base >= 0 && impl_->is_alone(base))
                tree.push_back(base);
        if (!impl_->check(made.articulation < 0 || impl_->is_alone(joint.value), "add_robot", "joints",
                          fmt::format("joints of no other robot, not {} ('{}')", joint.value, made.label)))
            return;
        tree.push_back(joint.value);
    }
    if (!impl_->check(!tree.empty(), "add_robot", "joints", "at least one joint")) return;
    for (const std::int32_t joint : tree) impl_->release(joint);
    impl_->builder.add_articulation(std::move(tree), std::move(label));
}

void ModelBuilder::disable_contacts(ShapeId a, ShapeId b)
{
    impl_->begin({});
    for (const ShapeId shape : {a, b})
        if (!impl_->check(
                shape.valid() && static_cast<std::ptrdiff_t>(shape.index()) < std::ssize(impl_->builder.shapes),
                "disable_contacts", "shape", "a shape of this builder"))
            return;
    // The pair stays filtered whatever the collision groups of the two are.
    impl_->builder.add_shape_collision_filter_pair(a.value, b.value);
}

Replicas ModelBuilder::replicate(const ModelBuilder& scene, int count)
{
    // All limits are checked before anything is added: a failed call leaves the builder as it was.
    Replicas                   made;
    const model::ModelBuilder& source = scene.impl_->builder;
    impl_->begin({});
    // A builder between begin_world and end_world cannot take worlds in.
    const bool open =
        impl_->builder.current_world() != model::kGlobalWorld || source.current_world() != model::kGlobalWorld;
    if (!impl_->check(count > 0, "replicate", "count", fmt::format("a positive number of copies, not {}", count)) ||
        !impl_->check(count <= kMostWorlds, "replicate", "count",
                      fmt::format("at most {} copies, not {}", kMostWorlds, count)) ||
        !impl_->check(&scene != this, "replicate", "scene", "another builder than this one") ||
        // Worlds do not nest.
        !impl_->check(source.world_gravity.empty(), "replicate", "scene",
                      fmt::format("a scene without worlds of its own, not one with {}", source.world_gravity.size())) ||
        !impl_->check(indices_suffice(impl_->builder, source, count), "replicate", "count",
                      fmt::format("so few copies that 32 bits number all that they hold, not {}", count)) ||
        !impl_->check(!open, "replicate", "this", "builders without an open world") ||
        !impl_->check(
            scene.impl_->mistakes.empty(), "replicate", "scene",
            scene.impl_->mistakes.empty() ? "" : "a scene without mistakes: " + scene.impl_->mistakes.begin()->message))
        return made;
    // All copies have the same numbers of bodies, joints and shapes, so that at() needs no table.
    // Copies lie behind what is there, one after the other: ids of a copy are found by arithmetic (Replicas::at).
    made.first_world_ = static_cast<std::int32_t>(impl_->builder.world_gravity.size());
    made.body_        = static_cast<std::int32_t>(impl_->builder.bodies.size());
    made.joint_       = static_cast<std::int32_t>(impl_->builder.joints.size());
    made.shape_       = static_cast<std::int32_t>(impl_->builder.shapes.size());
    const auto done   = impl_->builder.replicate(source, count);
    if (!done) {  // it says in whole sentences what it expects
        impl_->mistakes.add(simulation::kBuild, {.property = "ModelBuilder::replicate(scene)"},
                            "scene: " + done.error().message);
        return {};
    }
    made.count_  = count;
    made.bodies_ = static_cast<std::int32_t>(source.bodies.size());
    made.joints_ = static_cast<std::int32_t>(source.joints.size());
    made.shapes_ = static_cast<std::int32_t>(source.shapes.size());
    return made;
}

WorldId Replicas::world(int copy) const
{
    MCH_REQUIRE(copy >= 0 && copy < count_, "Replicas::world", "copy", "one of the copies");
    return WorldId(first_world_ + copy);
}

// first + copy * size + index.
std::int32_t Replicas::at(WorldId world, std::int32_t index, std::int32_t first, std::int32_t size) const
{
    // Compared before it is subtracted: any number may stand in an id.
    MCH_REQUIRE(world.value >= first_world_ && world.value - first_world_ < count_, "Replicas", "world",
                "the world of a copy");
    MCH_REQUIRE(index >= 0 && index < size, "Replicas", "of_scene", "an id of the scene that was copied");
    return first + (world.value - first_world_) * size + index;
}
BodyId Replicas::body(WorldId world, BodyId of_scene) const
{ return of_scene == kWorld ? kWorld : BodyId(at(world, of_scene.value, body_, bodies_)); }
JointId Replicas::joint(WorldId world, JointId of_scene) const
{ return JointId(at(world, of_scene.value, joint_, joints_)); }
ShapeId Replicas::shape(WorldId world, ShapeId of_scene) const
{ return ShapeId(at(world, of_scene.value, shape_, shapes_)); }

Result<std::shared_ptr<const Model>> ModelBuilder::finalize(Diagnostics& notes) const
{
    // The first mistake: later ones are often its consequences.
    if (!impl_->mistakes.empty()) return *impl_->mistakes.begin();
    auto arrays = impl_->builder.finalize({}, notes);
    if (!arrays) return arrays.error();
    // What does not collide weighs by its flags, and then loses them: no query sees it, and an edit may give them back.
    for (std::size_t s = 0; s < arrays->shape_count(); ++s)
        if (arrays->shape_collision_group[s] == 0) {
            arrays->shape_flags[s] &= ~(model::shape_flag::collide_shapes | model::shape_flag::collide_particles);
            arrays->shape_collision_group[s] = 1;
        }
    return Model::make({.arrays = *std::move(arrays)});
}

Result<std::shared_ptr<const Model>> ModelBuilder::finalize() const
{
    Diagnostics notes;
    return finalize(notes);
}

const Diagnostics&         ModelBuilder::mistakes() const noexcept { return impl_->mistakes; }
model::ModelBuilder&       ModelBuilder::arrays() noexcept { return impl_->builder; }
const model::ModelBuilder& ModelBuilder::arrays() const noexcept { return impl_->builder; }

}  // namespace mechane

// Finds what is animated on a stage: attributes with samples, or transforms, of scenes, joints, bodies, colliders,
// surfaces and masses; each becomes a track with its unit. Called at the end of an import; animation.cpp follows the
// tracks.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "animated_masses.h"
#include "import.h"
#include "joint_values.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/usd/key_times.h"
#include "mechane/usd/transform_ops.h"
#include "surface_velocities.h"

namespace mechane::importer {
namespace {

using physics::Dimension;
using physics::JointKind;

class Finder {
  public:
    explicit Finder(Import& run) : run_(run), tracks_(run.result.animation) {}

    void find()
    {
        tracks_.X_WS              = run_.X_WS;
        tracks_.length            = run_.length();
        tracks_.position_velocity = run_.options.force_position_velocity_actuation;
        for (std::size_t i = 0; i < run_.physics.scenes.size(); ++i) find_gravity(run_.physics.scenes[i]);
        for (std::size_t i = 0; i < run_.physics.joints.size(); ++i) find_joint(static_cast<physics::Index>(i));
        const bool anything_moves = usd::has_animation(run_.stage);
        for (std::size_t i = 0; i < run_.physics.bodies.size(); ++i)
            find_body(static_cast<physics::Index>(i), anything_moves);
        for (std::size_t i = 0; i < run_.physics.colliders.size(); ++i)
            find_collider(static_cast<physics::Index>(i), anything_moves);
        for (const auto& [shape, surface] : run_.surfaces) find_surface(shape, surface);
        find_animated_masses(run_);
        if (const std::size_t n = started_.size(); n > 0)
            run_.found.add(
                codes::kAnimationStart, started_.front().site(),
                fmt::format("the animated place of <{}> counts at the start only{}", started_.front().path().text(),
                            n > 1 ? fmt::format(", and of {} more bodies", n - 1) : ""));
    }

  private:
    /// Whether the attribute has samples; notes that they are followed.
    bool follow(const usd::Prim& prim, const usd::Token& property, physics::Use use = physics::Use::used)
    {
        if (!prim || !run_.physics.authored_names.contains(property)) return false;
        if (!prim.attribute(property).varying()) return false;
        if (run_.log) run_.log->correct(prim, property, use, kFollowed);
        if (!tracks_.follows(prim.path(), property)) tracks_.followed.emplace_back(prim.path(), property);
        return true;
    }

    void find_gravity(const physics::Scene& scene)
    {
        static const usd::Token kDirection("physics:gravityDirection"), kMagnitude("physics:gravityMagnitude");
        const auto imported = std::find_if(run_.result.scenes.begin(), run_.result.scenes.end(),
                                           [&](const ImportedScene& s) { return s.path == scene.path.text(); });
        if (!scene.prim || imported == run_.result.scenes.end()) return;
        // Gravity that the scene switches off is zero and stays so.
        const auto on =
            run_.resolvers.get(scene.prim, resolve::Key::scene_gravity_enabled, run_.context, resolve::Value(true));
        // The resolver's answer is not animated.
        if (!on.flag_or(true)) return;
        const bool turns = follow(scene.prim, kDirection),
                   grows = follow(scene.prim, kMagnitude, physics::Use::converted);
        if (!turns && !grows) return;
        const int       up = run_.stage.metadata().up_axis - 'X';
        AnimatedGravity track;
        track.scene = scene.path;
        if (run_.result.scenes.size() > 1)
            track.world = imported->world;
        else if (run_.world != model::kGlobalWorld)
            track.world = run_.world;
        track.down = -axis_vector<double>(up);
        // Gravity turns with the root transform unless the caller overrides it.
        track.turn = run_.options.override_root_xform ? run_.up_rotation : run_.X_WS.q;
        track.unit = run_.length();
        if (run_.options.units == Units::stage) track.earth = 9.81 / run_.result.linear_unit;
        tracks_.gravity.push_back(track);
    }

    // -- joints

    /// An axis of a joint in the model, and what its numbers are in.
    struct Place {
        bool        angular = false;
        std::size_t axis    = 0;
        double      shift   = 0;          ///< of the limits
        double      largest = kInfinity;  ///< force of the drive
    };

    void add(const physics::Joint& joint, std::int32_t built, Animated what, const Place& place,
             const std::string& property, double unit)
    {
        const usd::Token name(property);
        if (!follow(joint.prim, name, unit == 1 ? physics::Use::used : physics::Use::converted)) return;
        const bool limit = what == Animated::limit_lower || what == Animated::limit_upper;
        tracks_.values.push_back({.what     = what,
                                  .labels   = {run_.builder.joints[static_cast<std::size_t>(built)].label},
                                  .angular  = place.angular,
                                  .axis     = place.axis,
                                  .prim     = joint.prim.path(),
                                  .property = name,
                                  .unit     = unit,
                                  .offset   = limit ? place.shift : 0,
                                  .largest  = place.largest,
                                  .filtered = {}});
    }

    void add_drive(const physics::Joint& joint, std::int32_t built, const physics::Drive& drive, const Place& place,
                   std::string_view instance, bool of_d6)
    {
        if (!drive.enabled) return;
        const auto units = drive_units(run_, drive.acceleration,
                                       place.angular ? resolve::Motion::angular : resolve::Motion::linear, of_d6);
        const auto name  = [&](const char* what) { return fmt::format("drive:{}:physics:{}", instance, what); };
        add(joint, built, Animated::target_position, place, name("targetPosition"), units.target);
        add(joint, built, Animated::target_velocity, place, name("targetVelocity"), units.target);
        add(joint, built, Animated::drive_stiffness, place, name("stiffness"), units.ke);
        add(joint, built, Animated::drive_damping, place, name("damping"), units.kd);
        add(joint, built, Animated::drive_force, place, name("maxForce"), units.force);
    }

    void add_limits(const physics::Joint& joint, std::int32_t built, const Place& place, const std::string& lower,
                    const std::string& upper)
    {
        const double unit = run_.si(1, place.angular ? Dimension::angle : Dimension::length);
        add(joint, built, Animated::limit_lower, place, lower, unit);
        add(joint, built, Animated::limit_upper, place, upper, unit);
    }

    void find_joint(physics::Index index)
    {
        static const usd::Token kEnabled("physics:jointEnabled");
        const physics::Joint&   source = run_.joint(index);
        const std::int32_t      built  = run_.joint_of[static_cast<std::size_t>(index)];
        if (built < 0) return;
        model::BuilderJoint& joint  = run_.builder.joints[static_cast<std::size_t>(built)];
        const auto           merged = run_.merged_axis.find(index);
        if (merged == run_.merged_axis.end() && follow(source.prim, kEnabled)) {
            AnimatedValue track{.what     = Animated::joint_enabled,
                                .labels   = {joint.label},
                                .prim     = source.prim.path(),
                                .property = kEnabled,
                                .filtered = {}};
            if (const auto pairs = run_.filters_of_joint.find(index); pairs != run_.filters_of_joint.end())
                for (const auto& [a, b] : pairs->second) track.filtered.emplace_back(shape_label(a), shape_label(b));
            // The import has taken it as enabled, so that it has a place in the model.
            if (source.starts_disabled) switch_off(index, joint);
            tracks_.values.push_back(std::move(track));
        }
        if (!run_.conventions.no_cones_and_breaks && merged == run_.merged_axis.end())
            for (const auto& [what, name, dimension] :
                 {std::tuple{Animated::break_force, "physics:breakForce", Dimension::force},
                  std::tuple{Animated::break_torque, "physics:breakTorque", Dimension::torque}})
                add(source, built, what, {}, name, run_.si(1, dimension));
        switch (source.kind) {
            case JointKind::revolute:
            case JointKind::prismatic: {
                if (joint.type == model::JointType::fixed) return;
                Place place;
                place.angular = source.kind == JointKind::revolute;
                if (merged != run_.merged_axis.end()) place.axis = merged->second.second;
                resolve::Context context = run_.context;
                context.motion           = place.angular ? resolve::Motion::angular : resolve::Motion::linear;
                // Limits count from MuJoCo's reference position.
                place.shift   = -resolve::joint_spring(run_.resolvers, source.prim, run_.scene, context).ref;
                place.largest = run_.resolvers.get(source.prim, resolve::Key::joint_effort_limit, context)
                                    .number()
                                    .value_or(kInfinity);
                add_drive(source, built, source.drive, place, place.angular ? "angular" : "linear", false);
                add_limits(source, built, place, "physics:lowerLimit", "physics:upperLimit");
                return;
            }
            case JointKind::spherical:
                if (joint.type != model::JointType::ball) return;
                for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
                    add(source, built, Animated::cone, {.angular = true, .axis = i},
                        fmt::format("physics:coneAngle{}Limit", i), run_.si(1, Dimension::angle));
                return;
            case JointKind::distance:
                add_limits(source, built, {}, "physics:minDistance", "physics:maxDistance");
                return;
            case JointKind::d6:
                if (joint.type == model::JointType::d6) find_d6(source, built);
                if (joint.type == model::JointType::distance)
                    add_limits(source, built, {}, "limit:distance:physics:low", "limit:distance:physics:high");
                return;
            case JointKind::fixed:
            case JointKind::custom:
                return;
        }
    }

    /// The axes that are not locked, in the order in which the joint got them.
    void find_d6(const physics::Joint& source, std::int32_t built)
    {
        using physics::Dof;
        std::size_t linear = 0, angular = 0;
        // The order of the importer's axes: linear ones first.
        for (const Dof dof : {Dof::trans_x, Dof::trans_y, Dof::trans_z, Dof::rot_x, Dof::rot_y, Dof::rot_z}) {
            if (std::any_of(source.limits.begin(), source.limits.end(),
                            [&](const physics::Limit& l) { return l.dof == dof && l.locked; }))
                continue;
            Place place;
            place.angular          = physics::is_rotation(dof);
            place.axis             = place.angular ? angular++ : linear++;
            const std::string name = std::string(physics::to_string(dof));
            for (const physics::Drive& drive : source.drives)
                if (drive.dof == dof) add_drive(source, built, drive, place, name, true);
            add_limits(source, built, place, "limit:" + name + ":physics:low", "limit:" + name + ":physics:high");
        }
    }

    [[nodiscard]] std::string shape_label(std::int32_t shape) const
    { return run_.builder.shapes[static_cast<std::size_t>(shape)].label; }

    /// A joint that begins disabled neither holds nor filters at first.
    void switch_off(physics::Index index, model::BuilderJoint& joint)
    {
        joint.enabled = false;
        auto& pairs   = run_.builder.shape_collision_filter_pairs;
        if (const auto own = run_.filters_of_joint.find(index); own != run_.filters_of_joint.end())
            std::erase_if(pairs, [&](const auto& pair) {
                return std::find(own->second.begin(), own->second.end(), pair) != own->second.end();
            });
    }

    // -- bodies and colliders

    void find_body(physics::Index index, bool anything_moves)
    {
        static const usd::Token kEnabled("physics:rigidBodyEnabled"), kKinematic("physics:kinematicEnabled");
        const physics::Body&    body  = run_.body(index);
        const std::int32_t      built = run_.body_of[static_cast<std::size_t>(index)];
        if (built < 0) return;
        AnimatedBody track;
        track.enabled   = follow(body.prim, kEnabled);
        track.kinematic = follow(body.prim, kKinematic);
        track.moves     = (body.kinematic || track.kinematic) && moves(body.prim);
        if (anything_moves && body.enabled && !body.kinematic && !track.kinematic && moves(body.prim))
            started_.push_back(body.prim);
        if (!track.enabled && !track.kinematic && !track.moves) return;
        model::BuilderBody& added = run_.builder.bodies[static_cast<std::size_t>(built)];
        track.label               = added.label;
        track.prim                = body.prim.path();
        // Disabled bodies come in as kinematic ones that rest.
        if (body.starts_disabled) {
            added.flags = model::body_flag::kinematic;
            added.qd    = {};
        }
        tracks_.bodies.push_back(std::move(track));
    }

    void find_collider(physics::Index index, bool anything_moves)
    {
        static const usd::Token kEnabled("physics:collisionEnabled"), kFriction("physics:dynamicFriction"),
            kStatic("physics:staticFriction"), kRestitution("physics:restitution");
        const physics::Collider& collider = run_.collider(index);
        if (run_.shape_of[static_cast<std::size_t>(index)] < 0) return;
        const auto value = [&](const usd::Prim& prim, const usd::Token& property, Animated what) {
            if (!follow(prim, property)) return;
            std::vector<std::string> labels;
            for (const std::int32_t s : shapes_of_collider(run_, index)) labels.push_back(shape_label(s));
            tracks_.values.push_back(
                {.what = what, .labels = std::move(labels), .prim = prim.path(), .property = property, .filtered = {}});
        };
        value(collider.prim, kEnabled, Animated::shape_enabled);
        if (collider.starts_disabled)
            for (const std::int32_t s : shapes_of_collider(run_, index))
                run_.builder.shapes[static_cast<std::size_t>(s)].flags &=
                    ~(model::shape_flag::collide_shapes | model::shape_flag::collide_particles);
        // Shapes by face have materials of their own.
        const bool several = run_.options.per_face_materials && collider.materials.size() > 1;
        if (const physics::Material* material = several ? nullptr : material_of(run_, collider)) {
            value(material->prim, kFriction, Animated::friction);
            value(material->prim, kStatic, Animated::static_friction);
            value(material->prim, kRestitution, Animated::restitution);
        }
        if (anything_moves) find_motion(collider, index);
    }

    void find_surface(std::int32_t shape, const Import::Surface& surface)
    {
        for (const usd::Token& name : surface_attributes()) follow(surface.prim, name, physics::Use::converted);
        tracks_.surfaces.push_back({shape_label(shape), surface.prim.path(), surface.frame});
    }

    void find_motion(const physics::Collider& collider, physics::Index index)
    {
        const physics::Body* body = collider.body == physics::kNone ? nullptr : &run_.body(collider.body);
        if (body != nullptr && run_.body_index(collider.body) < 0) return;
        if (!moves(collider.prim, body != nullptr ? body->prim : usd::Prim())) return;
        const Posed X_BS = body != nullptr ? run_.scaled(collider.X_BS) : run_.placed(collider.X_BS);
        // The authored mesh is drawn beside what collides.
        const std::string twin = collider.path.text() + "_visual";
        for (const model::BuilderShape& shape : run_.builder.shapes) {
            const auto shapes = shapes_of_collider(run_, index);
            const bool own    = std::any_of(shapes.begin(), shapes.end(), [&](std::int32_t s) {
                return &run_.builder.shapes[static_cast<std::size_t>(s)] == &shape;
            });
            if (!own && shape.label != twin) continue;
            tracks_.shapes.push_back({.label      = shape.label,
                                      .prim       = collider.path,
                                      .body       = body != nullptr ? body->path : usd::Path(),
                                      .body_scale = body != nullptr ? body->scale : Vec3d{1, 1, 1},
                                      .X_BS       = collider.X_BS,
                                      // From the collider's frame to that of the shape, constant over time.
                                      .X_SG = inverse(X_BS) * shape.xform});
        }
    }

    std::vector<usd::Prim> started_;  ///< bodies that forces move, with an animated place
    Import&                run_;
    AnimationTracks&       tracks_;
};

}  // namespace

bool moves(const usd::Prim& prim, const usd::Prim& stop)
{
    static const usd::Token kOrder("xformOpOrder");
    for (usd::Prim at = prim; at && !at.path().is_root() && !(at == stop); at = at.parent()) {
        for (const usd::Token& op : at.attribute(kOrder).get_or<std::vector<usd::Token>>({}))
            if (at.attribute(usd::attribute_of_op(op)).varying()) return true;
        if (at.stage().resets_transform(at)) return false;
    }
    return false;
}

void find_animation(Import& run)
{
    if (run.conventions.animation_unread || !run.options.animation) return;
    run.result.animation.kinematic_rests = run.kinematic_rests();
    Finder(run).find();
}

}  // namespace mechane::importer

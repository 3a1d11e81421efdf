// Animation of a stage while it is simulated: drives, limits, materials, gravity, poses of kinematic bodies and
// colliders, read at the time of each step and written into model and controls.
// Times are seconds of the run; time codes begin at the stage's start. Values that are not finite are passed by. Every
// world's copy of an entity is written, found by label.

#include "mechane/importer/animation.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "animated_masses.h"
#include "mechane/model/model.h"
#include "surface_velocities.h"

namespace mechane::importer {
namespace {

using Places = std::vector<std::int32_t>;

constexpr std::int32_t kColliding = model::shape_flag::collide_shapes | model::shape_flag::collide_particles;

/// Where each label stands in the arrays of a model: once in every world.
class LabelIndex {
  public:
    explicit LabelIndex(const std::vector<std::string>& labels)
    {
        for (std::size_t i = 0; i < labels.size(); ++i) places_[labels[i]].push_back(static_cast<std::int32_t>(i));
    }
    [[nodiscard]] const Places& operator[](const std::string& label) const
    {
        static const Places kNone;
        const auto          found = places_.find(label);
        return found == places_.end() ? kNone : found->second;
    }

  private:
    std::unordered_map<std::string, Places> places_;  ///< never iterated
};

/// Says whether something changed, so that solvers reread only then.
template <class T>
bool write(std::vector<T>& array, std::int32_t place, T value)
{
    T& at = array[static_cast<std::size_t>(place)];
    if (at == value) return false;
    at = value;
    return true;
}

Real real(double value) { return static_cast<Real>(value); }

/// A limit as the model holds it: what no axis can reach is none.
double bound(double authored, double unit, double offset)
{
    // Exporters write large floats for infinity.
    if (std::isinf(authored) || std::abs(authored) > 0.5e38) return std::copysign(model::kMaxValue, authored);
    return unit * authored + offset;
}

bool bounds(Real limit) { return std::abs(static_cast<double>(limit)) < model::kMaxValue; }

void set_mass(model::Model& model, std::int32_t body, const resolve::BodyMassProperties& mass,
              AnimationChanges& changes)
{
    const Mat33d inverted = inverse(mass.inertia);
    if (!(mass.mass > 0) || !std::isfinite(mass.mass) || !is_finite(mass.com) || !is_finite(mass.inertia) ||
        !is_finite(inverted))
        return;
    changes.inertia |= write(model.body_mass, body, real(mass.mass));
    changes.inertia |= write(model.body_inv_mass, body, real(1 / mass.mass));
    changes.inertia |= write(model.body_com, body, static_cast<Vec3>(mass.com));
    changes.inertia |= write(model.body_inertia, body, static_cast<Mat33>(mass.inertia));
    changes.inertia |= write(model.body_inv_inertia, body, static_cast<Mat33>(0.5 * (inverted + transpose(inverted))));
}

}  // namespace

struct Animation::Bound {
    struct Value {
        const AnimatedValue*                               track;
        usd::Attribute                                     attribute;
        Places                                             places, coords;  ///< dofs, joints or shapes; coordinates
        std::vector<std::pair<std::int32_t, std::int32_t>> filtered;
    };
    struct Body {
        const AnimatedBody* track;
        usd::Prim           prim;
        Places              places;
    };
    struct Shape {
        const AnimatedShape* track;
        // The model's shape may be in another frame (merged bodies): what lies between is found at the start and stays.
        Posed                X_MB;  ///< the frame that `collider_pose` speaks of, in that of the model's shape
        Places               places;
    };

    struct Surface {
        const AnimatedSurface* track;
        usd::Prim              prim;
        Places                 places;
    };

    Bound(const usd::Stage& s, AnimationTracks t, const model::Model& model)
        : stage(s), tracks(std::move(t)), body_index(model.body_label)
    {
        const LabelIndex joints(model.joint_label), shape_index(model.shape_label);
        for (const AnimatedValue& track : tracks.values) {
            Value value{&track, stage.prim_at(track.prim).attribute(track.property), {}, {}, {}};
            if (track.what <= Animated::limit_upper)
                bind_axes(track, model, joints, value);
            else
                for (const std::string& label : track.labels)
                    for (const std::int32_t i : (track.what <= Animated::joint_enabled ? joints : shape_index)[label])
                        value.places.push_back(i);
            for (const auto& [a, b] : track.filtered) bind_pairs(shape_index[a], shape_index[b], model, value);
            values.push_back(std::move(value));
        }
        for (const AnimatedBody& track : tracks.bodies)
            bodies.push_back({&track, stage.prim_at(track.prim), body_index[track.label]});
        for (const AnimatedSurface& track : tracks.surfaces)
            surfaces.push_back({&track, stage.prim_at(track.prim), shape_index[track.label]});
        for (const AnimatedShape& track : tracks.shapes) {
            const Places& places = shape_index[track.label];
            if (places.empty()) continue;
            // The start pose in the model over the start pose on the stage.
            const Posed X_0 = static_cast<Posed>(model.shape_transform[static_cast<std::size_t>(places.front())]);
            const Posed X_BS{tracks.length * track.X_BS.p, track.X_BS.q};
            shapes.push_back({&track, X_0 * inverse(X_BS * track.X_SG), places});
        }
    }

    static void bind_axes(const AnimatedValue& track, const model::Model& model, const LabelIndex& joints, Value& out)
    {
        for (const std::int32_t joint : joints[track.labels.front()]) {
            const auto j                 = static_cast<std::size_t>(joint);
            const auto [linear, angular] = model.joint_dof_dim[j];
            const auto axis              = static_cast<std::int32_t>(track.axis) + (track.angular ? linear : 0);
            if (axis >= linear + angular) continue;
            out.places.push_back(model.joint_qd_start[j] + axis);
            out.coords.push_back(model.joint_q_start[j] + axis);
        }
    }

    /// Pairs of one world; a static shape of no world meets those of every world.
    static void bind_pairs(const Places& a, const Places& b, const model::Model& model, Value& out)
    {
        for (const std::int32_t i : a)
            for (const std::int32_t j : b) {
                const std::int32_t u = model.shape_world[static_cast<std::size_t>(i)],
                                   v = model.shape_world[static_cast<std::size_t>(j)];
                if (u == v || u == model::kGlobalWorld || v == model::kGlobalWorld)
                    out.filtered.emplace_back(std::minmax(i, j));
            }
    }

    void set_number(const Value& value, double authored, model::Model& model, model::Control& control,
                    AnimationChanges& changes) const;
    void set_values(usd::TimeCode time, model::Model& model, model::Control& control, AnimationChanges& changes) const;
    void set_gravity(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const;
    void move_shapes(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const;
    void move_surfaces(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const;
    void set_masses(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const;
    void lead_bodies(usd::TimeCode begin, usd::TimeCode end, const model::State& state, model::Model& model,
                     model::Control& control, AnimationChanges& changes) const;

    [[nodiscard]] usd::TimeCode time_code(double seconds) const
    {
        const usd::StageMetadata& meta = stage.metadata();
        return meta.start_time_code + seconds * meta.time_codes_per_second;
    }

    const usd::Stage&    stage;
    AnimationTracks      tracks;
    LabelIndex           body_index;
    std::vector<Value>   values;
    std::vector<Body>    bodies;
    std::vector<Shape>   shapes;
    std::vector<Surface> surfaces;
};

bool AnimationTracks::follows(const usd::Path& prim, const usd::Token& property) const
{
    return std::any_of(followed.begin(), followed.end(),
                       [&](const auto& f) { return f.second == property && f.first == prim; });
}

namespace {

/// Adds or removes pairs of the sorted list of those that do not collide.
bool set_filtered(std::vector<std::pair<std::int32_t, std::int32_t>>&       all,
                  const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs, bool filtered)
{
    bool changed = false;
    for (const auto& pair : pairs) {
        const auto place = std::lower_bound(all.begin(), all.end(), pair);
        const bool there = place != all.end() && *place == pair;
        if (there == filtered) continue;
        changed = true;
        if (filtered)
            all.insert(place, pair);
        else
            all.erase(place);
    }
    return changed;
}

/// The mode of a dof whose gains have changed.
void set_mode(model::Model& model, std::int32_t dof, bool both)
{
    using model::TargetMode;
    const auto d  = static_cast<std::size_t>(dof);
    const Real ke = model.joint_target_ke[d], kd = model.joint_target_kd[d];
    // As the importer chose modes at the start.
    model.joint_target_mode[d] = ke != 0   ? both && kd != 0 ? TargetMode::position_velocity : TargetMode::position
                                 : kd != 0 ? TargetMode::velocity
                                           : TargetMode::effort;
}

}  // namespace

Animation::Animation(const usd::Stage& stage, AnimationTracks tracks, const model::Model& model)
    : bound_(std::make_shared<const Bound>(stage, std::move(tracks), model))
{
}

void Animation::Bound::set_number(const Value& v, double authored, model::Model& model, model::Control& control,
                                  AnimationChanges& changes) const
{
    const AnimatedValue& track    = *v.track;
    const Real           value    = real(track.unit * authored);
    const Real           positive = std::max(value, Real(0));
    for (std::size_t k = 0; k < v.places.size(); ++k) {
        const std::int32_t i = v.places[k];
        switch (track.what) {
            case Animated::target_position:
                control.joint_target_q[static_cast<std::size_t>(v.coords[k])] = value;
                break;
            case Animated::target_velocity:
                control.joint_target_qd[static_cast<std::size_t>(i)] = value;
                break;
            case Animated::drive_stiffness:
                changes.numbers |= write(model.joint_target_ke, i, positive);
                set_mode(model, i, tracks.position_velocity);
                break;
            case Animated::drive_damping:
                changes.numbers |= write(model.joint_target_kd, i, positive);
                set_mode(model, i, tracks.position_velocity);
                break;
            case Animated::drive_force:
                changes.numbers |=
                    write(model.joint_effort_limit, i, real(std::min(std::abs(track.unit * authored), track.largest)));
                break;
            case Animated::limit_lower:
            case Animated::limit_upper: {
                auto& limits = track.what == Animated::limit_lower ? model.joint_limit_lower : model.joint_limit_upper;
                const bool before = bounds(limits[static_cast<std::size_t>(i)]);
                changes.numbers |= write(limits, i, real(bound(authored, track.unit, track.offset)));
                // A limit that comes or goes changes the rows of the solver.
                changes.structure |= before != bounds(limits[static_cast<std::size_t>(i)]);
                break;
            }
            case Animated::cone: {
                auto&      cone   = model.joint_cone_limit[static_cast<std::size_t>(i)];
                const auto closed = [&] { return cone[0] >= 0 && cone[1] >= 0; };
                const bool before = closed();
                changes.numbers |= cone[track.axis] != value;
                cone[track.axis] = value;
                changes.structure |= before != closed();
                break;
            }
            case Animated::break_force:
            case Animated::break_torque: {
                auto& strengths =
                    track.what == Animated::break_force ? model.joint_break_force : model.joint_break_torque;
                // As at import: what is as good as infinite never breaks, and nothing negative can be meant.
                const bool never = authored < 0 || authored > 0.5e38;
                changes.numbers |= write(strengths, i, never ? real(kInfinity) : value);
                break;
            }
            case Animated::friction:
                changes.numbers |= write(model.shape_material_mu, i, positive);
                break;
            case Animated::static_friction:
                changes.numbers |= write(model.shape_material_mu_static, i, positive);
                break;
            case Animated::restitution:
                changes.numbers |= write(model.shape_material_restitution, i, std::min(positive, Real(1)));
                break;
            case Animated::joint_enabled:
            case Animated::shape_enabled:
                break;
        }
    }
}

void Animation::Bound::set_values(usd::TimeCode time, model::Model& model, model::Control& control,
                                  AnimationChanges& changes) const
{
    for (const Value& v : values) {
        const Animated what = v.track->what;
        if (what != Animated::joint_enabled && what != Animated::shape_enabled) {
            const auto number          = v.attribute.get<double>(time);
            const bool may_be_infinite = what == Animated::drive_force || what == Animated::limit_lower ||
                                         what == Animated::limit_upper || what == Animated::break_force ||
                                         what == Animated::break_torque;
            if (number && !std::isnan(*number) && (std::isfinite(*number) || may_be_infinite))
                set_number(v, *number, model, control, changes);
            continue;
        }
        const auto on = v.attribute.get<bool>(time);
        if (!on) continue;
        for (const std::int32_t i : v.places) {
            if (what == Animated::joint_enabled) {
                changes.structure |= write(model.joint_enabled, i, static_cast<std::uint8_t>(*on));
                continue;
            }
            const std::int32_t flags = model.shape_flags[static_cast<std::size_t>(i)];
            // Switching a collider changes which pairs exist.
            changes.pairs |= write(model.shape_flags, i, *on ? flags | kColliding : flags & ~kColliding);
        }
        changes.pairs |= set_filtered(model.shape_collision_filter_pairs, v.filtered, *on);
    }
}

void Animation::Bound::set_gravity(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const
{
    static const usd::Token kDirection("physics:gravityDirection"), kMagnitude("physics:gravityMagnitude");
    for (const AnimatedGravity& track : tracks.gravity) {
        const usd::Prim scene     = stage.prim_at(track.scene);
        const Vec3d     authored  = scene.attribute(kDirection).get<Vec3d>(time).value_or(Vec3d{});
        const auto      magnitude = scene.attribute(kMagnitude).get<double>(time);
        if (!is_finite(authored)) continue;
        // Negative magnitude means earth's gravity (PhysicsScene).
        const bool earth = !magnitude || !std::isfinite(*magnitude) || *magnitude < 0;
        const Vec3 g     = static_cast<Vec3>((earth ? track.earth : track.unit * *magnitude) *
                                             rotate(track.turn, normalized(authored, track.down)));
        for (std::size_t w = 0; w < model.gravity.size(); ++w)
            if (!track.world || static_cast<std::int32_t>(w) == *track.world)
                changes.numbers |= write(model.gravity, static_cast<std::int32_t>(w), g);
    }
}

void Animation::Bound::move_shapes(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const
{
    for (const Shape& shape : shapes) {
        const Posed at  = collider_pose(stage, *shape.track, time);
        const Posed X_M = shape.X_MB * Posed{tracks.length * at.p, at.q} * shape.track->X_SG;
        if (!is_finite(X_M)) continue;
        for (const std::int32_t s : shape.places)
            changes.shapes |= write(model.shape_transform, s, static_cast<Pose>(X_M));
    }
}

void Animation::Bound::move_surfaces(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const
{
    for (const Surface& surface : surfaces) {
        const Spatiald said = surface_velocity(surface.prim, tracks.length, time);
        if (!is_finite(said)) continue;
        const auto velocity = static_cast<Spatial>(surface.track->frame.of(said));
        for (const std::int32_t s : surface.places) changes.numbers |= write(model.shape_surface_velocity, s, velocity);
    }
}

void Animation::Bound::set_masses(usd::TimeCode time, model::Model& model, AnimationChanges& changes) const
{
    if (!tracks.masses) return;
    for (const AnimatedMasses::Row& row : tracks.masses->at(stage, time))
        for (const std::int32_t body : body_index[row.label]) set_mass(model, body, row.mass, changes);
}

void Animation::Bound::lead_bodies(usd::TimeCode begin, usd::TimeCode end, const model::State& state,
                                   model::Model& model, model::Control& control, AnimationChanges& changes) const
{
    static const usd::Token kEnabled("physics:rigidBodyEnabled"), kKinematic("physics:kinematicEnabled");
    if (bodies.empty()) return;
    // Bodies without a track have no target: what a caller gives a kinematic one as its velocity moves it.
    // Infinity in the first number means no target.
    control.body_target_q.assign(model.body_count(), Pose{{Real(kInfinity), 0, 0}, {}});
    for (const Body& body : bodies) {
        // What a body is is read at the beginning of the step, where it goes at its end.
        const bool enabled   = body.prim.attribute(kEnabled).get<bool>(begin).value_or(true);
        const bool kinematic = body.prim.attribute(kKinematic).get<bool>(begin).value_or(false);
        Posed      X_WB;
        if (body.track->moves) {
            const usd::Decomposition at = usd::decompose(stage.world_matrix(body.prim, end));
            X_WB                        = tracks.X_WS * Posed{tracks.length * at.translation, at.rotation};
        }
        for (const std::int32_t b : body.places) {
            changes.structure |= write(model.body_flags, b,
                                       kinematic || !enabled ? model::body_flag::kinematic : model::body_flag::dynamic);
            Pose& target = control.body_target_q[static_cast<std::size_t>(b)];
            // Kinematic bodies without animation rest where they are.
            if (!enabled || (kinematic && !body.track->moves && tracks.kinematic_rests))
                target = state.body_q[static_cast<std::size_t>(b)];
            else if (body.track->moves && is_finite(X_WB))
                target = static_cast<Pose>(X_WB);
        }
    }
}

AnimationChanges Animation::apply(double begin, double end, const model::State& state, model::Model& model,
                                  model::Control& control) const
{
    const usd::TimeCode now = bound_->time_code(begin);
    AnimationChanges    changes;
    bound_->set_values(now, model, control, changes);
    bound_->set_gravity(now, model, changes);
    bound_->move_shapes(now, model, changes);
    bound_->move_surfaces(now, model, changes);
    bound_->set_masses(now, model, changes);
    bound_->lead_bodies(now, bound_->time_code(end), state, model, control, changes);
    return changes;
}

}  // namespace mechane::importer

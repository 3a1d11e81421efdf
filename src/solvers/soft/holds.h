#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "solvers/soft/laws.h"

/// What particles have to do with bodies within one step: contacts with shapes and attachments. Bodies are where they
/// would be at the end of the step without the particles. Both yield: with K a stiffness and w the inverse of the mass
/// that moves at the point, the body's own motion under the force makes K softer, 1 / (1/K + h^2 w n), where the n
/// contacts of a body share its mass (mass splitting: Tonge, Benevolenski, Voroshilov 2012, "Mass splitting for
/// jitter-free parallel rigid body simulation"). The force of each contact acts on both sides, once.
namespace mechane::solvers::soft {

/// Where a body is during the step.
struct BodyMotion {
    Posed  before, after;  ///< of the body frame
    Vec3d  com;            ///< at the end [m]
    Vec3d  v, w;           ///< of the centre of mass, angular
    double inv_mass = 0;   ///< 0: nothing moves it
    Mat33d inv_inertia{};  ///< about the centre of mass, world axes
};

struct Hold {
    std::array<std::int32_t, 3> particles{-1, -1, -1};
    Vec3d                       weights;           ///< of those; the held point is their weighted mean
    std::int32_t                body = -1;         ///< -1: the world
    Vec3d                       point, moved;      ///< of the body at the end of the step; its way since the start [m]
    Vec3d                       normal;            ///< of contacts: from the shape to the particle
    double                      reach = 0;         ///< radius and margin [m]
    double                      ke = 0, kd = 0;    ///< effective [N/m]; kd divided by the step's time
    double                      yield = 0;         ///< h^2 w n [m/N]
    double                      mu = 0, slip = 0;  ///< friction, and the way below which it grows [m]
    Vec3d                       preload;           ///< of attachments: what held it at the last step [N]
    bool                        attachment = false;
};

struct HoldOptions {
    double dt = 0, friction_epsilon = 0;
};

/// Where bodies will be; `targets` as in Control.
std::vector<BodyMotion> body_motions(const model::Model& model, const model::State& state,
                                     std::span<const Pose> targets, double dt);
/// Contacts of the buffer as holds. Rows that a smaller feature has too are left out.
void add_contacts(const model::Model& model, const model::Contacts& contacts, const std::vector<BodyMotion>& bodies,
                  const HoldOptions& options, std::vector<Hold>& out);
/// Attachments that are enabled. @param preloads  [attachment_particle_body_count]
void add_attachments(const model::Model& model, const std::vector<BodyMotion>& bodies,
                     const std::vector<Vec3d>& preloads, const HoldOptions& options, std::vector<Hold>& out);
/// How a point (world) of a body gives way: its velocity for a unit impulse at it, column by column [1/kg].
using PointResponse = std::function<Mat33d(std::int32_t body, const Vec3d& p_W)>;
/// That of a body that nothing else holds.
Mat33d free_response(const BodyMotion& body, const Vec3d& p_W);
/// Shares the masses of bodies among those holds that act at the positions `x`.
void share_masses(const std::vector<BodyMotion>& bodies, const PointResponse& response, const std::vector<Vec3d>& x,
                  double dt, std::vector<Hold>& holds);

/// Force on the held point and its Hessian with respect to it.
Block hold_block(const Hold& hold, const std::vector<Vec3d>& x, const std::vector<Vec3d>& before);

}  // namespace mechane::solvers::soft

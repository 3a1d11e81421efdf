#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mechane/math/pose.h"

// A model in MuJoCo's terms, without MuJoCo's headers: what conversion makes of model::Model, and what the adapter of a
// version turns into an mjSpec. SI units, radians, quaternions x y z w; indices are those of the lists below, -1: the
// world or none. Numbers of enumerations are MuJoCo's own, which 3.17 and 4.0 share.

namespace mechane::solvers::mujoco {

using Solref = std::array<double, 2>;
using Solimp = std::array<double, 5>;

inline constexpr Solref kSolref{0.02, 1};
inline constexpr Solimp kSolimp{0.9, 0.95, 0.001, 0.5, 2};

/// mjtLimited.
enum class Limited : std::int32_t { no = 0, yes = 1, by_range = 2 };

struct EngineOptions {
    Vec3d        gravity{0, 0, -9.81}, wind{}, magnetic{0, -0.5, 0};
    double       impratio = 1, tolerance = 1e-8, ls_tolerance = 0.01, ccd_tolerance = 1e-6, density = 0, viscosity = 0;
    std::int32_t iterations = 100, ls_iterations = 50, ccd_iterations = 35, sdf_iterations = 10, sdf_initpoints = 40;
    std::int32_t integrator = 3, solver = 2, cone = 0, jacobian = 2;
    std::int32_t disable = 0, enable = 0;  ///< mjtDisableBit, mjtEnableBit
    bool         autolimits                             = true;
    bool         operator==(const EngineOptions&) const = default;
};

struct BodyItem {
    std::string  name;
    std::int32_t parent = -1;  ///< parents come first
    Posed        X;            ///< in the parent, at the reference configuration
    double       mass = 0;     ///< [kg]
    Vec3d        com;
    Mat33d       inertia{};  ///< about the centre of mass, body axes [kg m^2]
    double       gravcomp                          = 0;
    std::int32_t sleep                             = 0;
    bool         led                               = false;  ///< kinematic: so heavy that nothing moves it
    bool         operator==(const BodyItem&) const = default;
};

enum class JointKind : std::int32_t { free = 0, ball = 1, slide = 2, hinge = 3 };  ///< mjtJoint
struct JointItem {
    std::string           name;
    std::int32_t          body = 0;
    JointKind             kind = JointKind::hinge;
    Vec3d                 pos, axis{0, 0, 1};  ///< body frame
    Quatd                 spring_pose{};       ///< of a ball joint: where its spring is at rest
    double                ref = 0, springref = 0, stiffness = 0, damping = 0, armature = 0, friction = 0, margin = 0;
    bool                  limited = false;
    std::array<double, 2> range{0, 0};
    Solref                solref_limit = kSolref, solref_friction = kSolref;
    Solimp                solimp_limit = kSolimp, solimp_friction = kSolimp;
    /// Stiffness [N/m, N m/rad] and damping of the limit, which become `solref_limit` and `solimp_limit` once the
    /// inertia at the joint and the step are known; 0: the two hold.
    double limit_ke = 0, limit_kd = 0;
    bool   limit_as_newton                    = false;  ///< as in Newton 1.8, which keeps `solimp_limit`
    double effort                             = 0;      ///< largest force of actuators [N, N m]; 0: no bound
    bool   actgravcomp                        = false;
    bool   operator==(const JointItem&) const = default;
};

enum class GeomKind : std::int32_t {
    plane     = 0,
    hfield    = 1,
    sphere    = 2,
    capsule   = 3,
    ellipsoid = 4,
    cylinder  = 5,
    box       = 6,
    mesh      = 7
};  ///< mjtGeom
struct GeomItem {
    std::string           name;
    std::int32_t          shape = -1;  ///< of the model
    std::int32_t          body  = -1;
    GeomKind              kind  = GeomKind::sphere;
    Posed                 X;
    Vec3d                 size;
    std::int32_t          asset   = -1;  ///< mesh or height field
    std::int32_t          contype = 1, conaffinity = 1, condim = 3, priority = 0, group = 0;
    std::array<double, 3> friction{1, 0.005, 0.0001};
    double                solmix = 1, margin = 0, gap = 0, adhesion = 0;
    Solref                solref = kSolref;
    Solimp                solimp = kSolimp;
    std::array<double, 6> surface_velocity{};  ///< geom axes: linear [m/s], angular [rad/s]
    bool                  operator==(const GeomItem&) const = default;
};
struct SiteItem {
    std::string  name;
    std::int32_t shape = -1, body = -1;
    GeomKind     kind = GeomKind::sphere;
    Posed        X;
    Vec3d        size{0.01, 0.01, 0.01};
    bool         operator==(const SiteItem&) const = default;
};
/// Surfaces are shared by worlds.
struct MeshItem {
    struct Surface {
        std::vector<float>        points;     ///< 3 a point
        std::vector<std::int32_t> triangles;  ///< 3 corners each
    };
    std::string                    name;
    std::shared_ptr<const Surface> surface;
    bool                           operator==(const MeshItem&) const = default;
};
struct HeightItem {
    struct Grid {
        std::int32_t          rows = 0, columns = 0;
        std::array<double, 4> size{1, 1, 1, 1};  ///< half extents, height, depth of the base
        std::vector<float>    heights;           ///< 0 to 1, row by row, rows along +y
    };
    std::string                 name;
    std::shared_ptr<const Grid> grid;
    bool                        operator==(const HeightItem&) const = default;
};

/// Transmissions, mjtTrn.
enum class Transmission : std::int32_t {
    joint           = 0,
    joint_in_parent = 1,
    slidercrank     = 2,
    tendon          = 3,
    site            = 4,
    body            = 5
};
struct ActuatorItem {
    std::string            name;
    Transmission           transmission = Transmission::joint;
    std::int32_t           target = -1, second = -1;  ///< joint, tendon, site or body; slider site or reference site
    std::array<double, 6>  gear{1, 0, 0, 0, 0, 0};
    std::int32_t           gain_type = 0, bias_type = 1, dyn_type = 0;  ///< mjtGain, mjtBias, mjtDyn
    std::array<double, 10> gain{1}, bias{}, dyn{1};
    std::int32_t           activations     = -1;  ///< -1: by the type
    Limited                control_limited = Limited::by_range, force_limited = Limited::by_range,
                           activation_limited = Limited::by_range;
    std::array<double, 2>  control_range{}, force_range{}, activation_range{}, length_range{};
    double                 damping = 0, armature = 0, crank_length = 0;
    bool                   early                                 = false;
    bool                   operator==(const ActuatorItem&) const = default;
};

enum class EqualityKind : std::int32_t { connect = 0, weld = 1, joint = 2, tendon = 3 };  ///< mjtEq
struct EqualityItem {
    std::string            name;
    EqualityKind           kind  = EqualityKind::connect;
    std::int32_t           first = -1, second = -1;  ///< bodies, joints or tendons
    std::array<double, 11> data{};
    /// Of a connect: data 3 to 5 is the point in the second body; else MuJoCo takes it from the reference
    /// configuration.
    bool   both_points = false;
    bool   active      = true;
    Solref solref      = kSolref;
    Solimp solimp      = kSolimp;
    /// Of the model: row of its equalities, joint that closes a loop, follower; -1: it comes from something else.
    std::int32_t row = -1, loop = -1, follower = -1;
    bool         operator==(const EqualityItem&) const = default;
};

struct WrapItem {
    enum class Kind : std::uint8_t { joint, site, geom, pulley } kind = Kind::joint;
    std::int32_t target = -1, side = -1;                 ///< joint, site or geom; side site
    double       factor                            = 1;  ///< coefficient or divisor
    bool         operator==(const WrapItem&) const = default;
};
struct TendonItem {
    std::string           name;
    double                stiffness = 0, damping = 0, friction = 0, armature = 0, margin = 0;
    std::array<double, 2> spring_length{-1, -1}, range{0, 0}, force_range{0, 0};
    Limited               limited = Limited::by_range, force_limited = Limited::by_range;
    Solref                solref_limit = kSolref, solref_friction = kSolref;
    Solimp                solimp_limit = kSolimp, solimp_friction = kSolimp;
    std::vector<WrapItem> path;
    std::int32_t          row                                 = -1;  ///< of the model's tendons
    bool                  operator==(const TendonItem&) const = default;
};

struct PairItem {
    std::int32_t          first = -1, second = -1;  ///< geoms
    bool                  own    = false;           ///< the rest is given; else MuJoCo mixes what its geoms have
    std::int32_t          condim = 3;
    Solref                solref = kSolref, solref_friction{0, 0};
    Solimp                solimp = kSolimp;
    double                margin = 0, gap = 0;
    std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};
    bool                  operator==(const PairItem&) const = default;
};

struct Description {
    EngineOptions                            option;
    std::vector<BodyItem>                    bodies;
    std::vector<JointItem>                   joints;  ///< in the order of a body's joints
    std::vector<GeomItem>                    geoms;
    std::vector<SiteItem>                    sites;
    std::vector<MeshItem>                    meshes;
    std::vector<HeightItem>                  heights;
    std::vector<TendonItem>                  tendons;
    std::vector<ActuatorItem>                actuators;
    std::vector<EqualityItem>                equalities;
    std::vector<PairItem>                    pairs;
    std::vector<std::array<std::int32_t, 2>> excludes;  ///< bodies whose geoms do not meet
    bool                                     operator==(const Description&) const = default;
};

}  // namespace mechane::solvers::mujoco

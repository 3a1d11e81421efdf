#pragma once
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/math/pose.h"

/// A robot as any of the formats describes it: links, joints, shapes, in SI and radians, each with the place in its
/// file. Readers (URDF, MJCF) make one, the writer makes OpenUSD layers of it.
namespace mechane::sourceformats {

/// Where something stands in its file.
struct Place {
    std::shared_ptr<const std::string> file;  ///< as the user would write it; null for what no file has
    int                                line = 0;
};
Site site_of(const Place& place);

/// A value that USD's own schemas have no word for, as an attribute of a vendor's schema.
struct Extra {
    enum class Layer { newton, mujoco };
    Layer       layer = Layer::newton;
    std::string name;  ///< "newton:armature", "mjc:condim"
    std::string type;  ///< USD's, "float", "double[]"
    std::string text;  ///< the value as usda writes it
    std::string api;   ///< the schema that has the attribute, to be applied; empty for that of a prim's type
    Place       place;
};

/// Something that another prim points at.
struct Ref {
    enum class Kind { link, joint, shape, site, prim, camera };
    Kind        kind  = Kind::link;
    int         index = 0;
    std::string axis  = {};  ///< of a joint of several axes: the name of the one that is meant, where a prim names it
};
struct Relation {
    std::string      name;
    std::vector<Ref> targets;
};

/// Mass, centre of mass and inertia of a link, in the link's frame.
struct Inertial {
    double mass = 0;  ///< [kg]
    Vec3d  com;       ///< [m]
    Mat33d inertia;   ///< about the centre of mass, in the link's axes [kg m^2]
    bool   has_inertia = true;
    Place  place;
};

struct Link {
    std::string             name;
    Posed                   X_WL;  ///< in the robot's frame, all joints at zero
    std::optional<Inertial> inertial;
    std::vector<Extra>      extras;
    Place                   place;
    bool                    kinematic = false;   ///< moved from outside (MuJoCo's mocap bodies)
    std::optional<Inertial> unused;              ///< of a link that nothing moves and that is part of the world
    bool                    frame      = false;  ///< no body of a simulation, only a frame that something holds
    bool                    weightless = false;  ///< the source gives no mass; `inertial` is what a simulation computes
    bool                    falls      = true;   ///< false: the source says that no gravity acts on it
};

/// A drive of one degree of freedom: force = stiffness (target - q) + damping (target velocity - qd), up to the limit.
struct Drive {
    double stiffness = 0;  ///< [N/m] or [N m/rad]
    double damping   = 0;  ///< [N s/m] or [N m s/rad]
    double max_force = std::numeric_limits<double>::infinity();
    double target = 0, target_velocity = 0;
    bool   acceleration = false;  ///< the gains are to be multiplied by the inertia that the drive moves
    Place  place;
};

struct Mimic {
    int    joint      = -1;  ///< that leads; its first degree of freedom
    double multiplier = 1, offset = 0;
    Place  place;
};

/// One degree of freedom.
struct Dof {
    std::string           name;
    bool                  angular = true;
    Vec3d                 axis{1, 0, 0};  ///< unit, in the joint's frame
    double                lower = -std::numeric_limits<double>::infinity();
    double                upper = std::numeric_limits<double>::infinity();
    std::optional<double> velocity_limit, damping, friction, armature;
    /// Of the limits, where somebody chose them [N/m, N s/m] or [N m/rad, N m s/rad].
    std::optional<double> limit_stiffness, limit_damping;
    double limit_inertia = 0;  ///< that they stop in the zero pose, where one of them is told [kg, kg m^2]
    std::optional<Drive> drive;
    std::vector<Extra>   extras;
    Place                place, limit_place;
};

/// A limit of this stiffness does not give way [N/m, N m/rad].
inline constexpr double kHardLimit = 1e8;

struct Joint {
    enum class Kind { fixed, revolute, prismatic, ball, generic, distance };
    std::string                              name;
    Kind                                     kind   = Kind::fixed;
    int                                      parent = -1;  ///< link, or -1: the world
    int                                      child  = 0;
    Posed                                    X_PJ, X_CJ;  ///< the joint's frame in parent and child
    std::vector<Dof>                         dofs;  ///< one of revolute and prismatic joints, several of generic ones
    std::vector<std::pair<std::size_t, Dof>> left_out;  ///< axes that only the source has, with their places among all
    bool as_in_source = false;  ///< all axes are those of the source, and so is where they stand at the start
    std::optional<Mimic> mimic;
    bool                 loop    = false;  ///< closes a loop of the tree
    bool                 collide = false;  ///< the links may touch
    double               initial = 0;      ///< where a joint of one axis stands in the poses of the links [m or rad]
    double               reach   = 0;      ///< most distance of a distance joint [m]
    std::vector<Extra>   extras;
    Place                place;
};

struct Material {
    std::string           name;
    std::array<double, 4> rgba{0.7, 0.7, 0.7, 1};
    std::string           texture;  ///< file; empty for none
    double                metallic = 0, roughness = 0.5;
    std::array<double, 3> emission{};
    Place                 place;
};

/// What touching surfaces do.
struct Contact {
    double                static_friction = 0.5, dynamic_friction = 0.5, restitution = 0;
    std::optional<double> torsional, rolling;  ///< lengths [m]
    bool                  spins = false;       ///< both act whatever MuJoCo's number of dimensions says
    bool                  operator==(const Contact&) const = default;
};

/// Torsional and rolling friction of a surface of which nobody says them [m].
inline constexpr double kPlainTorsional = 0.005, kPlainRolling = 0.0001;

/// How a collider meets others beside the coefficients of its material; each where somebody said it.
struct Response {
    std::optional<double> stiffness, damping;  ///< [N/m], [N s/m]
    std::optional<double> margin, gap;         ///< the surface's offset, and how much earlier a contact is made [m]
    std::optional<double> hydroelastic;        ///< pressure a depth [N/m^3]
    std::optional<double> friction_gain;       ///< of regularised friction [N s/m]
    std::optional<double> adhesion;            ///< how far the surface pulls [m]
};

/// Faces of a mesh file with one material.
struct MeshSubset {
    std::string      name;
    std::vector<int> faces;
    int              material = -1;  ///< of RobotTree::materials
};

/// A mesh file as read, in metres.
struct MeshAsset {
    std::string             name;
    std::string             address;  ///< as the source names the file
    std::vector<Vec3d>      points;
    std::vector<int>        counts, corners;  ///< corners of each face, counter-clockwise; indices into points
    std::vector<Vec3d>      normals;          ///< one a corner, or none
    std::vector<Vec2d>      uvs;              ///< one a corner, or none
    std::vector<MeshSubset> subsets;
    Place                   place;
};

/// What a link gets that moves, has no mass, and nothing that one could be computed from: a ball of this mass and
/// radius [kg, m].
inline constexpr double kStandInMass = 1e-3, kStandInRadius = 0.05;
/// Of each principal axis [kg m^2].
inline constexpr double kStandInMoment = 0.4 * kStandInMass * kStandInRadius * kStandInRadius;

/// Width and length of a plane that has no end, where it is drawn or written as one that has [m].
inline constexpr double kEndlessPlane = 100;

struct Shape {
    enum class Kind { box, sphere, cylinder, capsule, ellipsoid, plane, mesh };
    std::string        name;
    int                link = -1;  ///< or -1: the world
    Posed              X_LS;
    Kind               kind = Kind::box;
    Vec3d              size;  ///< half extents; radius; radius and half height (x, y); semi-axes; half sizes of a plane
    int                mesh = -1;
    Vec3d              scale{1, 1, 1};  ///< of a mesh; negative ones mirror it
    int                material = -1;
    bool               visual = true, collider = false;
    std::string        approximation;  ///< of a mesh that collides; empty: convexHull
    std::optional<int> hull_vertices;  ///< most of that hull, where the source says it
    std::optional<Contact> contact;
    Response               response;
    std::vector<Extra>     extras;
    Place                  place;
};

/// A frame without mass.
struct Frame {
    std::string        name;
    int                link = -1;
    Posed              X_LS;
    bool               published = true;  ///< a frame of ROS's tree; otherwise for the vendor's layer only
    std::vector<Extra> extras;
    Place              place;
};

struct Camera {
    std::string                          name;
    int                                  link = -1;
    Posed                                X_LC;                  ///< looks along -z, y up
    double                               fovy         = 0.785;  ///< vertical field of view [rad]
    bool                                 orthographic = false;
    double                               height       = 0;  ///< of an orthographic picture [m]
    double                               aspect       = 0;  ///< width of the picture through its height; 0: not said
    std::array<double, 2>                pixels{};          ///< across and down; 0: not said
    std::optional<std::array<double, 2>> clip;              ///< nearest and farthest distance that is seen [m]
    Place                                place;
};

struct Light {
    std::string name;
    int         link = -1;
    Posed       X_LL;  ///< shines along -z
    enum class Kind { distant, point, spot } kind = Kind::point;
    std::array<double, 3> color{1, 1, 1};
    double                intensity = 1;  ///< in the unit of its format: brightness without a common unit
    double                cone      = 0;  ///< half angle of a spot [rad]
    Place                 place;
};

/// Links that never touch.
struct Exclusion {
    int   a = -1, b = -1;
    Place place;
};

/// A prim of a vendor's own type (an actuator, a tendon, a keyframe), or a Scope that stands for an element of
/// MJCF (hints::kElement): a sensor.
struct VendorPrim {
    std::string           name, type;
    Extra::Layer          layer = Extra::Layer::mujoco;
    std::vector<Extra>    extras;
    std::vector<Relation> relations;
    Place                 place;
};

/// What one schema says on a joint about others: MuJoCo's equalities.
struct JointRelation {
    int         joint = 0;
    std::string api;
    Relation    relation;
};

/// A topic, service or action of ROS that a link offers.
struct RosInterface {
    std::string           kind;              ///< "topic", "service", "action"
    std::string           role, name, type;  ///< name: resolved, with its namespace
    std::string           frame;             ///< that messages name, where it is told
    std::optional<double> rate;              ///< [Hz]
    std::string           reliability, durability, history;
    int                   depth = 10;
    int                   link  = -1;
    Place                 place;
};

/// Colliders by classes: pairs of groups that do not collide.
struct CollisionGroup {
    std::string      name;
    std::vector<int> shapes;
    std::vector<int> filtered;  ///< groups
};

struct SceneSettings {
    std::optional<Vec3d>  gravity{};  ///< [m/s^2]
    std::optional<double> timestep{};
    std::optional<int>    iterations{};  ///< most of the solver
    std::vector<Extra>    extras{};
    Place                 place{};
};

struct RobotTree {
    std::string                  name = "robot";
    std::string                  format;  ///< "URDF", "MJCF"
    std::vector<Link>            links;
    std::vector<Joint>           joints;  ///< parents before their children
    std::vector<Shape>           shapes;
    std::vector<Material>        materials;
    std::vector<MeshAsset>       meshes;
    std::vector<Frame>           sites;
    std::vector<Camera>          cameras;
    std::vector<Light>           lights;
    std::vector<Exclusion>       exclusions;
    std::vector<VendorPrim>      prims;
    std::vector<JointRelation>   joint_relations;
    std::vector<CollisionGroup>  groups;
    std::vector<RosInterface>    interfaces;
    std::optional<SceneSettings> scene;
    std::string                  package_uri;  ///< package:// address of the source, where it lies in a package
    bool                         self_collision = true;
    bool                         contact        = true;  ///< false: no collider touches another
    Place                        place;
};

/// What pulls on a robot [m/s^2]: the earth where nobody says anything, and nothing where a flag of MuJoCo says so.
Vec3d gravity_of(const RobotTree& tree);

}  // namespace mechane::sourceformats

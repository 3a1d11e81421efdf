#pragma once
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mechane/exporter/export.h"
#include "mechane/geometry/mass.h"
#include "mechane/physics/physics_model.h"
#include "mechane/physics/read_log.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/resolve/resolver.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

/// What the parts of `robot_of_stage` share.
namespace mechane::physics {
struct MimicWords;
}

namespace mechane::exporter {

namespace sf = sourceformats;

inline constexpr double kRadians = std::numbers::pi / 180;  ///< radians in a degree

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

class StageReader {
  public:
    StageReader(const usd::Stage& from, const resolve::MeshSolid& solid, sf::ReadRobot& into);

    const usd::Stage&                  stage;
    const resolve::MeshSolid&          mesh_solid;
    sf::RobotTree&                     tree;
    sf::LossReport&                    losses;
    Diagnostics&                       found;
    physics::PhysicsModel              model;
    resolve::ResolverList              resolvers;
    resolve::Context                   context;
    double                             unit      = 1;  ///< metres of a stage length
    double                             kilograms = 1;  ///< of a stage mass
    Posed                              X_ZS;           ///< the stage, in a world whose z is up
    std::vector<int>                   link_of_body;   ///< by body of the model: link, or -1
    std::unordered_map<usd::Path, int> links;          ///< prim -> link
    std::unordered_map<usd::Path, int> shapes;         ///< prim -> shape
    std::unordered_map<usd::Path, int> idle_shapes;    ///< collider that is switched off -> shape seen in its place
    std::unordered_map<usd::Path, int> sites;          ///< prim -> site
    std::unordered_map<usd::Path, int> joints;         ///< prim -> joint of the tree
    std::unordered_map<usd::Path, std::string> axes;   ///< prim that became an axis of a joint of several -> its name
    std::vector<usd::Path>                     link_paths;
    std::unordered_map<usd::Path, std::string> joint_names;  ///< prim -> joint of the tree, whatever its place there

    /// @param format  for which what its writer has no word for is lost; none: for no writer
    void read(std::optional<Format> format);
    /// Whether the masses of the robot come from the attribute.
    [[nodiscard]] bool is_weighed_by(const usd::Prim& prim, const usd::Token& name) const;

    // -- helpers of all parts
    void lose(std::string code, Severity severity, sf::LossAction action, std::string category, const Site& site,
              std::string what, std::string from, std::string to, std::string reason);
    [[nodiscard]] sf::Place place(const Site& site) const;
    /// A pose in the world of the stage, in metres and with z up.
    [[nodiscard]] Posed in_world(const Posed& X) const { return X_ZS * Posed{unit * X.p, X.q}; }
    [[nodiscard]] Posed in_body(const Posed& X) const { return {unit * X.p, X.q}; }
    /// World pose of a prim, scale and shear left out.
    [[nodiscard]] Posed pose_of(const usd::Prim& prim) const;
    /// The link whose prim is the nearest at or above; -1: none.
    [[nodiscard]] int link_above(const usd::Prim& prim) const;
    /// Authored attributes mjc:... as the reader of MJCF writes them.
    void                     vendor_values(const usd::Prim& prim, std::vector<sf::Extra>& out) const;
    [[nodiscard]] usd::Value in_si(const usd::Prim& prim, const std::string& name, const usd::Value& value) const;
    [[nodiscard]] bool       turns_in_radians(const usd::Prim& prim) const;
    /// SI value = authored value * factor, of a number of MuJoCo that a joint or a shape has; 1: it has no unit of the
    /// stage.
    [[nodiscard]] double joint_or_shape_factor(const usd::Prim& prim, const std::string& name) const;
    /// Cloth, a soft body or a cable.
    [[nodiscard]] bool is_soft(const usd::Prim& prim) const;

  private:
    physics::ReadLog              mass_log_;
    std::unordered_set<usd::Path> told_masses_;  ///< bodies that author mass, centre and inertia

    void scene();
    void report_names();
    void lose_soft();
    void lose_states();
    void lose_surfaces();
    void lose_animations();
    void bodies();
    bool inertial(const physics::Body& body, const resolve::BodyMassProperties& m, sf::Link& link);
    void frames();
    void attach_frames();
    void restore_masses();
    void read_joints();
    void world_side(const physics::Joint& from, sf::Joint& to);
    void joint_values(const physics::Joint& from, sf::Joint& to);
    void single_axis(const physics::Joint& from, sf::Joint& to);
    bool joined(const physics::Joint& from, sf::Joint& axis, bool turned, std::vector<usd::Path>& first_of);
    void generic_axes(const physics::Joint& from, sf::Joint& to);
    /// @param axis  as resolvers name it, "angular" or "transX"; empty: it has no limits of its own
    void                   passive(const usd::Prim& prim, sf::Dof& dof, std::string_view axis);
    static void            told(const usd::Prim& prim, sf::Dof& dof);
    void                   drive(const physics::Drive& from, const physics::Joint& joint, sf::Dof& dof);
    [[nodiscard]] sf::Dof* driven_axis(const std::vector<usd::Path>& targets);
    void                   actuators();
    /// @return followers among axes of joints with several, as equalities of MuJoCo, where the format is MJCF
    std::vector<sf::VendorPrim>            read_mimics(std::optional<Format> format);
    std::optional<sf::VendorPrim>          axis_mimic(const physics::Joint& from, const physics::MimicWords& words);
    void                                   initial_positions();
    void                                   accelerations();
    void                                   filters();
    [[nodiscard]] geometry::MassProperties carried_by(const sf::Joint& joint) const;  ///< in the world
};

/// Colliders, visual shapes, their materials and meshes.
void read_shapes(StageReader& reader);
/// Sites, cameras, lights, and prims of MuJoCo's own types.
void read_extras(StageReader& reader);
/// Entries for attributes of vendors' schemas that the format's writer does not tell.
void lose_vendor_values(StageReader& reader, Format format);
/// Turns and sorts joints so that each runs from the root of its tree outwards, parents first; what closes a loop
/// becomes a loop joint.
/// @param preferred  by link: it is the root of an articulation
void arrange(sf::RobotTree& tree, const std::vector<bool>& preferred);
/// Names that no other has: duplicates get the shortest suffix of their path that is unique (export 1.4).
std::vector<std::string> unique_names(const std::vector<std::string>& wanted, const std::vector<usd::Path>& paths);

}  // namespace mechane::exporter

#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exporter/xml_text.h"
#include "mechane/exporter/export.h"
#include "mechane/geometry/mesh.h"

/// What the writers of all formats share: the order of a robot's links, files of meshes and pictures, losses.
namespace mechane::exporter {

namespace sf = sourceformats;

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Who hangs on whom. Children stand in the order in which the stage names their bodies.
struct Chain {
    explicit Chain(const sf::RobotTree& tree);
    std::vector<int>              above;  ///< by link: joint that holds it; -1: none
    std::vector<std::vector<int>> below;  ///< by link, and of the world at the end: joints
    std::vector<int>              roots;  ///< links that no joint holds
    std::vector<std::size_t>      first;  ///< by link: the first body at or beyond it; frames come after all bodies
};

class Output {
  public:
    Output(const sf::RobotTree& tree, const WriteOptions& options, std::string file, sf::LossReport& losses);

    const sf::RobotTree& tree;
    const WriteOptions&  options;
    sf::LossReport&      losses;
    Chain                chain;
    Written              written;

    void lose(std::string code, Severity severity, sf::LossAction action, std::string category, const sf::Place& place,
              std::string what, std::string from, std::string to, std::string reason);
    /// A loss where the child of a joint of several axes, or of a ball, stands elsewhere in the stage than the file
    /// says.
    /// @param told  where the file has it, seen from the zero of the joint
    void lose_start(const sf::Joint& joint, const Posed& told);
    /// Losses of formats that do not say how stiff a contact is, nor where it begins.
    void lose_response(const sf::Shape& shape);
    /// Losses of meshes that are hulls in the result, and something else in the stage.
    void lose_approximation(const sf::Shape& shape);
    /// Losses of all formats: of friction and adhesion that only some solvers have.
    void lose_gains(const sf::Shape& shape);
    /// Losses of formats that have only one coefficient of friction for a surface, where it has more than a reader
    /// takes anyway.
    void lose_spin(const sf::Shape& shape);
    /// Losses of formats whose limits are hard.
    void lose_limit(const sf::Joint& joint, const sf::Dof& dof);
    /// Losses of formats in which a joint keeps its links from touching.
    void lose_touching(const sf::Joint& joint);
    /// Losses of formats that know none of MuJoCo's sensors, actuators, tendons and keyframes, and no gravity of single
    /// links.
    /// @param gravity  the format can say that a link feels no gravity
    void lose_vendor_values(bool gravity);

    /// Triangles as binary STL. @return name relative to the robot's file
    std::string stl(const std::string& name, const geometry::Mesh& mesh);
    /// Faces as OBJ; empty: all. With `materials`, an .mtl file stands beside it.
    std::string obj(int mesh, const Vec3d& scale, const std::vector<int>& faces, const std::string& name,
                    bool materials, int otherwise);
    /// The same picture, relative to the robot's file; empty for none.
    std::string picture(const std::string& file);
    /// The convex hull of a shape's mesh, with as many vertices as the source or the options allow; its triangles where
    /// it has none.
    geometry::Mesh hull(const sf::Shape& shape, const geometry::Mesh& mesh);
    /// The shape as triangles in its frame: a mesh, or what a format has no word for.
    [[nodiscard]] geometry::Mesh triangles(const sf::Shape& shape) const;
    /// Names of materials that are one each.
    std::vector<std::string> material_names;

  private:
    std::string                        file_, folder_;
    std::set<std::string>              taken_;
    std::map<std::string, std::string> pictures_;
    std::map<std::string, std::string> known_;  ///< content -> file
    std::string take(const std::string& wanted, const std::string& suffix, const std::string& folder);
    std::string add(const std::string& name, const std::string& suffix, std::string content);
    friend class MaterialFile;
    std::string mtl();
    std::string mtl_;
};

/// What a joint of one axis is called in formats that name joints and no axes: as its source called the axis, where it
/// is what is left of several.
std::string one_axis_name(const sf::Joint& joint, const sf::Dof& dof);
/// What MuJoCo's layer says of an axis, by the name of the attribute; null: nothing.
const sf::Extra* vendor_value(const sf::Dof& dof, const sf::Joint& joint, std::string_view name);
/// Whether a robot closes loops and starts with joints off their zero. Where a format takes the poses of links as the
/// zero of all joints, loops have to be closed there.
bool stands_at_start(const sf::RobotTree& tree);
/// Roll, pitch and yaw of a rotation about fixed axes x, y, z; |pitch| <= pi/2.
Vec3d to_rpy(const Quatd& q);
/// Moments and axes; axes nearest to the frame's own, moments widened by rounding so that the largest is not more than
/// the other two together.
struct Moments {
    Vec3d values;
    Quatd axes;
    bool  widened = false;
};
Moments moments_of(const Mat33d& inertia);
/// Bits by which shapes tell what they meet: type and affinity, as MuJoCo and SDFormat have them.
struct Bits {
    std::vector<std::pair<unsigned, unsigned>> of_shape;    ///< type, affinity
    bool                                       all = true;  ///< nothing is filtered
    std::string                                lost;        ///< pairs of groups that found no bits
};
Bits group_bits(const sf::RobotTree& tree, unsigned most);

Result<Written> write_urdf(Output& out, const std::string& file);
Result<Written> write_sdformat(Output& out, const std::string& file);
Result<Written> write_mjcf(Output& out, const std::string& file);

}  // namespace mechane::exporter

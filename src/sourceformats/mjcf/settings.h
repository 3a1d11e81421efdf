#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "mechane/geometry/mesh.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {

/// What <compiler> says.
struct MjcfCompiler {
    bool        degrees         = true;
    std::string eulerseq        = "xyz";
    bool        autolimits      = true;
    std::string inertiafromgeom = "auto";
    bool        balanceinertia  = false;
    double      boundmass = 0, boundinertia = 0, settotalmass = -1;
    std::string meshdir, texturedir;
    bool        strippath = false;
    bool        alignfree = false;  ///< bodies that float alone stand in the frame of their inertia
    bool        fitaabb   = false;  ///< shapes that stand for meshes are as large as the box around these
    int         group_min = 0, group_max = 5;
};

/// The constants of an actuator as MuJoCo's <general> has them, whatever shortcut it was written by.
struct MjcfActuator {
    std::string         gain_type = "fixed", bias_type = "none", dyn_type = "none";
    std::vector<double> gain{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, bias = std::vector<double>(10, 0.0),
                                                            dynamics{1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    double              inheritrange = 0;
};
/// What an element says over what its class has.
MjcfActuator mjcf_actuator(const XmlElement& e, MjcfActuator start, Source& source);
/// Whether an attribute of an actuator belongs to its law; the others are shared by all kinds.
bool is_actuator_law(std::string_view attribute);

/// Classes of defaults: an element's own attributes come before those of its class, and these before those of the
/// classes above it.
class MjcfDefaults {
  public:
    /// Reads the <default> elements of a model.
    void               read(const XmlElement& root, Source& source);
    [[nodiscard]] bool has(const std::string& name) const { return classes_.contains(name); }

    /// The element with all that its class says. What a reader takes of it counts as taken of `e` after `settle`.
    [[nodiscard]] XmlElement merged(const XmlElement& e, const std::string& kind, const std::string& childclass,
                                    Source& source) const;
    /// The law that an actuator of this kind starts from in a class.
    [[nodiscard]] MjcfActuator actuator_start(const std::string& name, std::string_view kind) const;
    /// Ranges, gear and all else that a class says for actuators of every kind.
    [[nodiscard]] const std::map<std::string, std::string>& actuator_shared(const std::string& name) const;
    /// Marks in `e` what was read of `merged`, and says which defaults were not read.
    void settle(const XmlElement& e, const XmlElement& merged, const std::string& kind, Source& source);

  private:
    using Attributes = std::map<std::string, std::string>;
    struct Actuators {
        MjcfActuator law;
        std::string  last;  ///< kind that the class says last, none where it says nothing of its own
        Attributes   shared;
    };
    std::map<std::string, std::map<std::string, Attributes>> classes_;  ///< class -> kind -> values, inherited ones too
    std::map<std::string, std::string>                       above_;    ///< class -> the one that holds it
    std::map<std::string, Actuators>                         actuators_;  ///< by class
    std::set<std::string>                                    told_;
    void read_actuator(const XmlElement& c, const std::string& name, Source& source);
    void read_class(const XmlElement& e, const std::string& name, const std::map<std::string, Attributes>& above,
                    Source& source);
};

/// The orientation of an element by any of MJCF's ways: quat, axisangle, xyaxes, zaxis, euler.
Quatd mjcf_orientation(const XmlElement& e, const MjcfCompiler& compiler, Source& source);
/// Three turns by these angles, in the file's unit and order.
Quatd mjcf_euler(const Vec3d& angles, const MjcfCompiler& compiler);
Posed mjcf_pose(const XmlElement& e, const MjcfCompiler& compiler, Source& source);
/// The shortest rotation that takes z to `v`.
Quatd z_to(const Vec3d& v);

/// Puts included files where they are named.
void resolve_includes(XmlElement& root, const std::string& file, Source& source);

/// The elements that are actuators.
std::span<const std::string_view> actuator_kinds();
bool                              is_actuator(std::string_view element);

/// A joint whose spring and damper follow from the inertia that it moves: a time constant [s] and a damping ratio.
struct SpringDamper {
    int         joint = 0;
    std::size_t first = 0, count = 1;  ///< its degrees of freedom
    double      time = 0, ratio = 0;
};
/// Sets stiffness and damping of joints with a time constant T and a damping ratio z as MuJoCo's compiler does:
/// stiffness = m / (T z)^2, damping = 2 m / T, with m the inverse of the mean diagonal of the inverse of the
/// joint-space inertia (armature included) where all joints are at their reference (mujoco.readthedocs.io, XML
/// reference, body/joint/springdamper).
/// @param floating  links with a free joint, and its armature [kg, kg m^2]
void compute_spring_dampers(RobotTree& tree, const std::vector<SpringDamper>& wanted,
                            const std::map<int, double>& floating, LossReport& losses);

/// The convex hull with all of its corners, as MuJoCo's compiler makes it; none where the points are flat.
std::optional<geometry::Mesh> mjcf_hull(const std::vector<Vec3d>& points);

/// Mass of a shape of MuJoCo: the mass it is given, else its density times its volume, or area where it is a shell.
/// The result lies in the shape's frame.
struct MjcfMass {
    double mass = 0;
    Vec3d  com;
    Mat33d inertia;
};
/// Principal moments in falling order and their axes, which MuJoCo's compiler finds for an inertia.
struct MjcfAxes {
    Vec3d values;
    Quatd q;
};
MjcfAxes mjcf_axes(const Mat33d& inertia);

MjcfMass mjcf_mass(const Shape& shape, const RobotTree& tree, std::optional<double> mass, double density, bool shell,
                   const std::string& mesh_inertia);

}  // namespace mechane::sourceformats

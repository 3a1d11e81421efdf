#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/forms.h"
#include "exporter/output.h"

namespace mechane::exporter::mjcf {

/// A rotation as MJCF writes it: w first.
std::string quat_text(const Quatd& q);
/// A value of usda as MJCF writes it: "[1, 2]" is "1 2", "\"a\"" is "a".
std::string plain(const std::string& text);
/// "true" or "1".
bool is_true(const sf::Extra& e);
/// Null where there is none of the name.
const sf::Extra* find(const std::vector<sf::Extra>& extras, std::string_view name);

/// Writes a robot as MJCF: one object for one file. The parts stand in files of their own, by what they write.
class MjcfWriter {
  public:
    struct AxisPlace {
        Vec3d  axis, pivot;
        double ref = 0;
    };
    /// Where the source has one of several axes of a joint, in the frame of its body.
    static std::optional<AxisPlace> told_place(const sf::Dof& d);

    /// The force is the command: what MJCF calls a motor.
    static bool is_motor(const std::vector<sf::Extra>& extras);

    MjcfWriter(Output& out, const std::string& file) : out_(out), tree_(out.tree), file_(file), root_("mujoco") {}
    Result<Written> write();

  private:
    Output&                               out_;
    const sf::RobotTree&                  tree_;
    std::string                           file_;
    XmlNode                               root_;
    Bits                                  bits_;
    std::vector<std::string>              body_names_, geom_names_, site_names_, camera_names_;
    std::vector<std::vector<std::string>> dof_names_;  ///< by joint
    std::vector<bool>                     has_collider_;
    std::map<std::string, std::string>    meshes_;  ///< vertices of the hull and file -> asset
    std::set<std::string>                 taken_meshes_, taken_textures_;
    std::set<std::string> taken_bodies_, taken_joints_, taken_geoms_, taken_sites_, taken_actuators_, taken_tendons_;
    XmlNode*              option_ = nullptr;
    bool damped_ = false, integrator_ = false;  ///< drives have damping; the source chooses how to integrate
    int  nq_ = 0, nv_ = 0, nu_ = 0, na_ = 0, nmocap_ = 0;
    std::vector<std::string>              prim_names_;  ///< of tendons and actuators; empty: left out
    std::set<std::pair<int, std::size_t>> driven_;
    std::set<std::string>                 taken_lights_, taken_sensors_;
    struct AddedSite {
        int         link = -1;
        Vec3d       at;  ///< in the link
        std::string name;
    };
    std::vector<AddedSite>                                     added_sites_;
    std::map<std::string, std::pair<std::string, std::string>> point_sites_;  ///< of connects, by their name

    // -- model.cpp

    static std::string take(std::set<std::string>& taken, const std::string& wanted);
    void               names();
    /// The extras of a prim that MJCF has the same words for.
    static void                copy(XmlNode& node, const std::vector<sf::Extra>& extras,
                                    std::initializer_list<std::pair<const char*, const char*>> words);
    static void                copy_range(XmlNode& node, const std::vector<sf::Extra>& extras, const std::string& name,
                                          const char* attribute);
    void                       option();
    void                       materials(XmlNode& asset);
    static std::vector<double> numbers(const sf::Extra* e);
    static const std::vector<sf::Ref>* targets(const sf::VendorPrim& p, std::string_view name);

    // -- bodies.cpp

    static void        pose(XmlNode& node, const Posed& X);
    [[nodiscard]] bool has_joint(int j) const;
    static bool        locked(const sf::Dof& d) { return d.lower >= d.upper; }
    /// What the free joint of a floating link is called.
    static std::string free_name(const sf::Link& link);
    void               body(XmlNode& above, XmlNode& asset, int l, int j);
    void               inertial(XmlNode& node, const sf::Link& link, int l, int j);
    /// The frame of a joint of several axes in its child without the references that it took up from the last of them
    /// (sourceformats/mjcf/bodies.cpp).
    static Posed child_frame(const sf::Joint& joint);
    /// Where the source has one of several axes of a joint, in the body's frame: they may have pivots of their own, and
    /// other angles than right ones. Nothing where the stage has turned or moved the joint since.
    static std::optional<AxisPlace> place_of(const sf::Joint& joint, const sf::Dof& dof);
    void                            joint(XmlNode& node, int j);
    /// How far a limit gives way, by the inertia that it stops.
    void yielding_limit(XmlNode& inner, const sf::Joint& joint, const sf::Dof& dof);
    void range(XmlNode& inner, const sf::Joint& joint, const sf::Dof& dof, bool ball);
    void things(XmlNode& node, XmlNode& asset, int link);

    // -- shapes.cpp

    std::string mesh_asset(XmlNode& asset, const std::string& file, const std::string& wanted, bool shell,
                           std::optional<int> hull_vertices);
    /// MuJoCo wants four points that are not in one plane of what collides, and a volume of what is solid.
    static bool is_thin(const geometry::Mesh& mesh);
    /// Whether its hull is another shape: what MuJoCo would collide with instead of it.
    static bool is_concave(const geometry::Mesh& mesh);
    /// One element, or one for each material of a mesh.
    void geom(XmlNode& node, XmlNode& asset, std::size_t s, int link);
    void element(XmlNode& node, XmlNode& asset, std::size_t s, int link, const std::vector<int>& faces, int material,
                 const std::string& name);
    [[nodiscard]] bool moves(int link) const;
    std::string        mesh_of(XmlNode& asset, const sf::Shape& shape, const std::vector<int>& faces);
    void               contact(XmlNode& inner, const sf::Shape& shape, std::size_t s);
    /// Where a contact begins and how stiff it is, where MuJoCo's own layer does not say it.
    void response(XmlNode& inner, const sf::Shape& shape);

    // -- contacts.cpp

    /// The first of the links that are welded to this one, which MuJoCo takes as one body.
    [[nodiscard]] int welded_to(int link) const;
    /// Whether MuJoCo leaves a pair out by itself, for one of the two is welded to another body.
    [[nodiscard]] bool is_implied(int a, int b) const;
    void               exclusions(XmlNode& contact);
    /// Pairs of a robot whose links never touch each other become exclusions. Where they may touch and MuJoCo keeps
    /// them apart all the same, the report says so: links that are welded to each other are one body there, and a body
    /// does not touch the one that it hangs on.
    void apart(std::set<std::pair<int, int>>& pairs);
    /// Whether one hangs on the other by a joint, which MuJoCo takes as reason enough where the other one moves.
    [[nodiscard]] bool filtered(int a, int b) const;
    [[nodiscard]] bool excluded(int a, int b) const;
    /// Whether the groups let a collider of one link meet one of the other.
    [[nodiscard]] bool meet(int a, int b) const;

    // -- relations.cpp

    [[nodiscard]] std::string body_name(int link) const { return link < 0 ? "world" : body_names_[index(link)]; }
    void                      equalities(XmlNode& equality, XmlNode& tendon);
    void                      loop(XmlNode& equality, XmlNode& tendon, const sf::Joint& j);
    /// A point that a connect holds, in the joint's frames.
    struct HeldPoint {
        std::string name;
        Vec3d       at;
    };
    /// Empty where the joint closes no loop, or is held by something else.
    static std::vector<HeldPoint> held_points(const sf::Joint& j);
    /// Names the sites of connects whose points do not meet where the robot starts.
    void name_point_sites();
    /// The element of MJCF that a reference names: attribute and name; empty when it names nothing.
    [[nodiscard]] std::string joint_name(const sf::Ref& ref, const std::vector<sf::Extra>& extras) const;
    void                      tendons(XmlNode& tendon);
    bool                      fixed_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path);
    /// The k-th name of a list as the extra of one actuator.
    static std::vector<sf::Extra> tendon_dof(const std::string& dofs, std::size_t k);
    bool spatial_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path);

    // -- actuators.cpp

    void actuators(XmlNode& actuator);
    void inherited_range(XmlNode& node, const sf::Ref& ref, const std::vector<sf::Extra>& extras);
    void drives_told(const sf::Ref& ref, const std::vector<sf::Extra>& extras, bool motor);
    bool aim(XmlNode& node, const sf::VendorPrim& p, const sf::Ref& ref, const std::vector<sf::Ref>* ref_site);
    void drive(XmlNode& actuator, std::size_t j, std::size_t d);

    // -- sensors.cpp

    /// Attributes of an element of MJCF that a prim keeps (hints::kElement).
    static void attributes(XmlNode& node, const std::vector<sf::Extra>& extras);
    /// Sensors, and equalities of tendons.
    void elements(XmlNode& sensor, XmlNode& equality);
    void keyframes(XmlNode& keys);
    /// What an axis is called in the file, by its name in the robot; empty: it is not there.
    [[nodiscard]] std::string axis_called(const std::string& name) const;
    /// What a reference is called in the file; empty: it is not there.
    [[nodiscard]] std::string name_of(const sf::Ref& ref, const std::vector<sf::Extra>& extras) const;
};

}  // namespace mechane::exporter::mjcf

#pragma once
#include <array>
#include <cmath>
#include <list>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/geometry/mass.h"
#include "sourceformats/mjcf/settings.h"

namespace mechane::sourceformats {

/// Reads a model of MJCF (mujoco.readthedocs.io/en/stable/XMLreference.html) into a tree of bodies, with the rules of
/// MuJoCo's compiler: classes of defaults, includes, frames, replication, masses from shapes. One pass over the bodies
/// comes first, then what refers to them by name.
class MjcfReader {
  public:
    MjcfReader(const std::string& file, Source& source)
        : file_(file), folder_(folder_of(file)), s_(source), tree_(source.tree)
    {
    }
    void read(XmlElement& root);

  private:
    static constexpr double kDegrees = 180 / std::numbers::pi;

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    struct GeomMass {
        MjcfMass mass;
        Posed    X_LS;
        bool     of_mesh = false;
    };

    // -- models that are attached: read in the same pass, with the settings, defaults and folder of their own file

    struct Settings {
        std::string  file, folder;
        MjcfCompiler compiler;
        MjcfDefaults defaults;
    };

    struct Attached {
        XmlElement root;
        Settings   settings;
    };

    /// Names within a <replicate>, as they were, and what each copy has behind them.
    struct Copies {
        std::set<std::string>    names;
        std::vector<std::string> suffixes;
    };

    std::string                          file_, folder_;
    Source&                              s_;
    RobotTree&                           tree_;
    MjcfCompiler                         compiler_;
    MjcfDefaults                         defaults_;
    std::set<std::string>                body_names_, joint_names_, site_names_;
    std::map<std::string, int>           bodies_, joints_, sites_, geoms_, meshes_, materials_, hfields_;
    std::map<std::string, int>           cameras_, actuators_;
    std::map<std::string, std::string>   textures_;
    std::map<std::string, Vec3d>         mesh_scales_;
    std::map<std::string, std::string>   mesh_inertias_, mesh_looks_;
    std::map<std::string, int>           mesh_hulls_;  ///< most vertices of a hull
    std::map<int, std::vector<GeomMass>> geom_masses_;
    std::map<int, double>                floating_;       ///< links with a free joint -> its armature
    std::map<int, MjcfCompiler>          own_compilers_;  ///< by link of an attached model: what its file says
    std::map<int, bool>  aligned_;  ///< by link that floats in the frame of its inertia: whether shapes may tell that
    std::map<int, Quatd> inertial_turns_;                      ///< by link: axes of the inertia that the file says
    std::map<std::string, std::pair<int, std::size_t>> dofs_;  ///< joint name -> joint, degree of freedom
    std::map<std::string, double>                      refs_;  ///< joint name -> where it stands in the file [m or rad]
    std::map<int, Posed>
        stands_;  ///< by link: its authored pose in its parent, where its joints are at their reference
    std::vector<std::pair<int, int>>                     classes_;  ///< contype, conaffinity by shape
    std::map<std::string, int>                           tendons_;
    std::vector<SpringDamper>                            spring_dampers_;
    std::map<std::string, bool, std::less<>>             flags_;  ///< what <flag> turns on and off
    int                                                  unnamed_ = 0, depth_ = 0;
    std::map<std::string, std::pair<std::string, Place>> models_;  ///< name -> file
    std::list<Attached>                                  attached_;
    std::vector<std::string>                             attaching_;     ///< files, from the outermost
    std::vector<Copies>                                  replications_;  ///< inner ones before those around them
    std::string                                          copy_suffix_;
    std::size_t                                          copies_ = 0;
    std::list<XmlElement>                                replicated_;

    double angle() const { return compiler_.degrees ? 1 / kDegrees : 1; }
    template <class F>
    void each(const XmlElement& root, std::string_view name, const F& f)
    {
        for (const XmlElement& e : root.children)
            if (e.name == name) e.used = true, f(e);
    }
    static Extra mj(std::string name, std::string type, std::string text, std::string api, const Place& place)
    { return {Extra::Layer::mujoco, std::move(name), std::move(type), std::move(text), std::move(api), place}; }
    /// Calls `f` with every attribute that refers to something by its name.
    template <class F>
    static void references(XmlElement& e, const F& f)
    {
        static const std::set<std::string, std::less<>> kNames{
            "joint",   "joint1",        "joint2",    "body",       "body1",   "body2",    "site",
            "site1",   "site2",         "geom",      "geom1",      "geom2",   "tendon",   "tendon1",
            "tendon2", "jointinparent", "cranksite", "slidersite", "refsite", "sidesite", "objname",
            "refname", "subtree1",      "subtree2",  "camera",     "actuator"};
        for (XmlAttribute& a : e.attributes)
            if (kNames.contains(a.name)) f(a);
        for (XmlElement& c : e.children) references(c, f);
    }
    static int byte(double v) { return static_cast<int>(std::lround(255 * v)); }

    // -- model.cpp

    /// Whether an element of this name stands anywhere below.
    static bool has_below(const XmlElement& e, std::string_view name);
    bool        flag(const XmlElement& e, std::string_view name, bool otherwise);
    void        compiler(const XmlElement& e);
    int         named(const std::map<std::string, int>& known, const std::string& name, const XmlElement& e,
                      std::string_view what);

    // -- left_out.cpp

    /// Names what no robot of OpenUSD can hold, below an element and in it.
    void leave_out(const XmlElement& e, const std::string& above);

    // -- options.cpp

    void option(const XmlElement& e);
    /// Air and wind push bodies in MuJoCo, and nowhere here.
    void fluid(const XmlElement& e);
    /// True where a flag of <option> turns something off, by itself or with all constraints.
    bool off(std::string_view name) const;
    /// Says what becomes of a flag that differs from MuJoCo's default.
    void flag_told(const XmlElement& flags, const std::string& name, bool on);
    /// What flags turn off is left out of the robot.
    void flag_effects();

    // -- assets.cpp

    std::string asset_path(const std::string& dir, std::string file) const;
    void        assets(const XmlElement& e);
    void        model(const XmlElement& e);
    /// Walls around a grid of points, and a floor below it: a height field is solid down to there.
    static void close_field(MeshAsset& asset, int rows, int columns, double bottom);
    /// The surface of a height field: heights in rows along x, which MuJoCo takes to 0 and 1 and multiplies by the
    /// third size.
    void height_field(const XmlElement& e);
    void texture(const XmlElement& e);
    void material(const XmlElement& e);
    /// A mesh of the tree; without triangles it is the hull of the points.
    /// @return its index, -1 with a finding where it has no face
    int add_mesh(std::vector<Vec3d> points, std::vector<std::array<int, 3>> triangles, const std::string& name,
                 const Place& place);
    /// A mesh that an element tells itself: by a word and parameters, or by its vertices.
    int mesh_of_numbers(const XmlElement& m, const std::string& builtin, const std::string& name, std::string& inertia);
    void mesh(const XmlElement& e);

    // -- copies.cpp

    static void suffix_names(XmlElement& e, const std::string& suffix);
    void        replicate(const XmlElement& e, int link, const Posed& X, const std::string& childclass);
    static std::vector<std::string> suffixes_of(const XmlElement& e);
    /// Notes the names of copies, and gives those that stand below an element when the copies within it are made.
    std::set<std::string> note_copies(const XmlElement& e);
    /// What refers to something that is copied is copied with it: first what is told once, then copy by copy.
    void replicate_sections(XmlElement& root);

    // -- attached.cpp

    void exchange(Settings& with);
    /// Every name of an attached model, and every reference to one, gets the prefix.
    static void              prefix_names(XmlElement& e, const std::string& prefix);
    static const XmlElement* body_called(const XmlElement& e, const std::string& name);
    void                     attach(const XmlElement& e, int link, const Posed& X);
    /// Whether all that an element names is part of the robot: what belongs to other bodies of an attached model is
    /// not.
    bool is_attached(const XmlElement& e) const;
    /// What attached models say beside their bodies.
    void attached_sections();

    // -- bodies.cpp

    void body_children(const XmlElement& e, int link, const Posed& X, const std::string& childclass);
    /// Joints of a body lie in it or in frames of it.
    void collect_joints(const XmlElement& e, std::vector<std::pair<const XmlElement*, Posed>>& out, const Posed& X,
                        std::vector<std::string>& classes, const std::string& childclass);
    void body(const XmlElement& e, int parent, const Posed& X, const std::string& above);
    void read_inertial(const XmlElement& e, int index);
    void joint_of(const XmlElement& e, int parent, int child, const Posed& X_PC, const std::string& childclass);
    /// What resists a free joint stands beside its body and is told.
    /// @return the armature
    double free_values(const XmlElement& j, const XmlElement& m, std::string what, Link& link);
    /// The first of the numbers of a polynomial; the others are told as lost.
    std::optional<double> first_number(const XmlElement& m, const char* name);
    /// What an actuator resists by itself.
    void resistance(const XmlElement& c, const XmlElement& m, double gear, Joint* joint, std::size_t dof,
                    const std::string& name);
    /// Limits of an axis, where the element has some that hold.
    void range_of(const XmlElement& m, const std::string& name, Dof& dof, double unit);
    void joint_extras(const XmlElement& m, Dof& dof);
    /// Notes a joint's time constant and damping ratio until the masses are known; `tree_.joints.size()` will be its
    /// place.
    void spring_damper(const XmlElement& m, std::size_t first, std::size_t count);

    // -- geoms.cpp

    /// @param otherwise  the material where the element names none
    int look(const XmlElement& m, const std::string* otherwise = nullptr);
    /// Size and pose by the end points of `fromto`.
    bool from_to(const XmlElement& m, const Posed& X, Shape& shape, std::vector<double>& size);
    /// The round or square shape that a mesh stands for: that of the box with the inertia of the mesh, or of the box
    /// around it.
    void fit(Shape& shape, Shape::Kind kind, double scale, const std::string& inertia);
    void geom(const XmlElement& e, int link, const Posed& X, const std::string& childclass);
    void site(const XmlElement& e, int link, const Posed& X, const std::string& childclass);
    void camera(const XmlElement& e, int link, const Posed& X, const std::string& childclass);
    void light(const XmlElement& e, int link, const Posed& X, const std::string& childclass);

    // -- align.cpp

    /// The frame of a link's inertia as MuJoCo's compiler has it, none where the link has no mass.
    std::optional<Posed> inertial_frame(int link);
    void                 align_floating();

    // -- masses.cpp

    /// What geoms of one body weigh together.
    static geometry::MassProperties sum_of(const std::vector<GeomMass>& geoms);
    void                            masses();
    /// A body without joints at the top is part of the world; one that carries moving bodies is their fixed base.
    void static_bodies();
    /// MuJoCo takes bodies that are welded to each other as one where it leaves contacts out: they never touch each
    /// other, nor what hangs on one of them by a joint.
    void welded_pairs();
    void anchor();

    // -- relations.cpp

    void               contacts(const XmlElement& e);
    void               groups();
    std::vector<Extra> softness(const XmlElement& m, const char* api);
    void               equalities(const XmlElement& e);
    void               joint_equality(const XmlElement& c, const XmlElement& m);
    /// An equality that no joint of OpenUSD stands for goes into MuJoCo's layer as it is.
    void joint_equality_kept(const XmlElement& c, const XmlElement& m, const std::string& joint, std::string reason);
    /// False where it names what is not there.
    bool keep_equality(const XmlElement& c, const XmlElement& m);
    void body_equality(const XmlElement& c, const XmlElement& m, const std::string& name);
    void tendons(const XmlElement& e);

    // -- actuators.cpp

    void actuators(const XmlElement& e);
    /// The element with what its class says. MuJoCo keeps one actuator a class: a value that any element of the class
    /// says counts for all kinds of actuators that have it.
    XmlElement actuator_with_defaults(const XmlElement& c);
    void       actuator(const XmlElement& c, const XmlElement& m);
    void       only_mujoco(const XmlElement& c, const std::string& name, std::string why);
    /// Motors, positions and velocities are drives: force = gear (gain ctrl + bias), bias = b0 + b1 gear q + b2 gear
    /// qd. Where the command is zero, b0 moves the target to b0 / (-b1 gear).
    void drive(const XmlElement& c, const MjcfActuator& a, double gear, const std::optional<std::vector<double>>& force,
               Dof& dof, const std::string& name);
    void keyframes(const XmlElement& e);

    // -- sensors.cpp

    void sensors(const XmlElement& e);
    void tendon_equalities(const XmlElement& e);
    void sensor(const XmlElement& c);
    /// What an attribute of a sensor names; nothing where it is no name, or that of the world. An index below zero is
    /// a name that does not exist, which is told.
    std::optional<Ref> measured(const XmlElement& c, std::string_view attribute, const std::string& name);
};

}  // namespace mechane::sourceformats

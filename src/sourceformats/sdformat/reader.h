#pragma once
#include <array>
#include <list>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mechane/geometry/mesh.h"
#include "sourceformats/mjcf/settings.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {

/// Reads SDFormat 1.4 to 1.11 (sdformat.org/spec and its page on pose frame semantics): models, nested or included,
/// links, frames, joints. First all elements with a pose become nodes of one graph of frames, then names are resolved,
/// then poses, and then the tree of links and joints is made.
class SdformatReader {
  public:
    SdformatReader(const std::string& file, Source& source) : file_(file), s_(source), tree_(source.tree) {}
    void                           read(const XmlElement& root);
    std::vector<const XmlElement*> documents() const;

  private:
    static constexpr int    kDeepest = 64;  // of includes and nested models
    static constexpr double kDegree  = std::numbers::pi / 180;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// A frame of the graph.
    struct Node {
        std::string       name;           ///< for messages
        Posed             X;              ///< in `relative`
        int               relative = -1;  ///< node; -1: the world
        int               attached = -1;  ///< node that it moves with
        int               link     = -1;  ///< of the tree; -2: of a static model, which is the world
        int               placed   = -1;  ///< of a model: the frame in it that the pose is of
        const XmlElement* element  = nullptr;
        bool              is_link = false, is_static = false;
        int               state = 0;  ///< 0 not resolved, 1 being resolved, 2 done
        Posed             X_W;
    };

    /// A model, or the world: names that its elements know each other by.
    struct Scope {
        std::string                name;
        int                        parent = -1, model = -1;  ///< scope above; node of the model itself
        int                        canonical = -1;           ///< node of a link
        std::map<std::string, int> names, scopes;            ///< nodes; scopes of nested models
        std::vector<int>           merged;                   ///< scopes whose names count as this one's
        bool                       is_static = false, self_collide = false;
        std::string                prefix, folder;
        double                     version = 1.9;
    };

    struct PendingJoint {
        const XmlElement* e;
        int               scope, node;
    };

    struct PendingShape {
        const XmlElement* e;
        int               scope, node, link_node;
        bool              collider;
    };

    struct PendingThing {
        const XmlElement* e;
        int               node, scope;
    };

    struct Pose {
        Posed             X;
        std::string       relative;
        const XmlElement* element = nullptr;
    };

    struct Override {
        std::string         name;
        const XmlElement*   pose = nullptr;  ///< of an include
        std::string         placement;
        std::optional<bool> is_static;
        bool                merge = false;
    };

    struct ModelPose {
        int               node, above, scope;
        const XmlElement *e, *include_pose;
        std::string       canonical, placement;
    };

    std::string                                    file_;
    Source&                                        s_;
    RobotTree&                                     tree_;
    std::vector<Scope>                             scopes_;
    std::vector<Node>                              nodes_;
    std::vector<int>                               link_nodes_;  ///< by link of the tree
    std::vector<int>                               link_scopes_;
    std::list<XmlElement>                          included_;
    std::vector<std::string>                       open_;  ///< files that are being read
    int                                            includes_ = 0;
    bool                                           single_   = false;
    std::set<std::string>                          link_names_, joint_names_, frame_names_;
    std::vector<PendingJoint>                      joints_;
    std::vector<PendingThing>                      pending_lights_, sensors_, frames_;
    std::vector<PendingShape>                      shapes_;
    std::vector<std::pair<int, const XmlElement*>> auto_masses_;
    std::set<int>                                  by_default_;  ///< links whose mass nobody told
    std::vector<unsigned>                          masks_;       ///< by shape of the tree
    std::vector<double>                            densities_;
    std::map<int, std::pair<double, double>>       cones_;  ///< by mesh of the tree: radius and half height
    std::vector<ModelPose>                         model_poses_;
    std::map<const XmlElement*, int>               read_joints_;
    std::map<std::pair<int, std::string>, int>     joint_of_name_;  ///< scope, name -> joint of the tree

    // -- model.cpp

    void read_world(const XmlElement& e);
    /// What stands in a model or a world.
    void contents(const XmlElement& e, int scope, int depth);
    void model(const XmlElement& e, int above, const Override& with, int depth);
    void link(const XmlElement& e, int scope);
    void light(const XmlElement& c, int scope, int above);
    void sensor(const XmlElement& c, int scope, int above);
    void inertial(const XmlElement& e, Link& link);
    void frame(const XmlElement& e, int scope);

    // -- elements.cpp

    static double                      version_of(const XmlElement& e);
    std::string                        words(const XmlElement& e) const;
    std::optional<std::string>         text(const XmlElement& e, const char* name);
    std::optional<std::vector<double>> numbers_of(const XmlElement& e, std::size_t least, std::size_t most,
                                                  bool endless = false);
    std::optional<double>              number(const XmlElement& e, const char* name, bool endless = false);
    std::optional<Vec3d>               vec3(const XmlElement& e, const char* name);
    bool                               flag(const XmlElement& e, const char* name, bool otherwise);
    Pose                               pose(const XmlElement& e);
    std::string                        named(const XmlElement& e, std::map<std::string, int>& taken);
    std::array<double, 4>              color(const XmlElement& e, const char* name, std::array<double, 4> otherwise);

    // -- include.cpp

    void include(const XmlElement& e, int scope, int depth);
    /// The file of a model: told, or found in the folder that is told.
    std::string included_file(const std::string& uri, const std::string& folder) const;

    // -- frames.cpp

    int add_node(Node node);
    int lookup(int scope, const std::string& name) const;
    /// The node of a name; -1 with a finding. "world" is -1 without one.
    int          frame_named(int scope, const std::string& name, const XmlElement& at_element, bool* world = nullptr);
    void         set_pose(int node, int scope, const Pose& p, int otherwise);
    void         finish_names();
    const Posed& pose_of(int index);
    /// The link that a frame moves with: -1 the world, -3 none, with a finding.
    int   link_of(int index, const XmlElement& e);
    Posed below(int link, int node);

    // -- tree.cpp

    void place();
    void self_collision();
    void apart();
    /// Colliders whose masks share no bit do not meet.
    void            groups();
    static MjcfMass cone_mass(double radius, double half, double density);
    void            automatic_mass(int link, const XmlElement& e);
    void            base();
    /// A tree, parents first; what closes a loop stays as a loop joint. A joint whose child another joint moves already
    /// is turned where its parent is a root.
    void order_joints();

    // -- shapes.cpp

    void shape(const PendingShape& p);
    void submesh(const XmlElement& sub, Shape& shape);
    int  add_mesh(const geometry::Mesh& mesh, const std::string& name, const Place& place);
    int  cone(double radius, double half, const Place& place);
    /// A prism over polygons; the first is its outline, further ones would be holes.
    int      prism(const XmlElement& g);
    void     look(const XmlElement& e, Shape& shape, const std::string& folder);
    unsigned touch(const XmlElement& surface, Shape& shape);

    // -- joints.cpp

    int         joint_end(const PendingJoint& j, const char* which, int& node);
    void        joint(const PendingJoint& j);
    static void turn(Joint& joint);
    Dof         dof(const PendingJoint& j, const Joint& of, const XmlElement* e, bool angular, bool endless,
                    const Vec3d& otherwise);
    void        mimics(const PendingJoint& j);

    // -- sensors.cpp

    void read_sensor(const PendingThing& p);
    void read_light(const PendingThing& p);
};

}  // namespace mechane::sourceformats

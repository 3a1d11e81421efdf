// SDFormat 1.4 to 1.11 (sdformat.org/spec and its page on pose frame semantics): models, nested or included, links,
// frames, joints. Every element with a pose is a node of one graph of frames; what is told relative to another is
// resolved there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <list>
#include <map>
#include <numbers>

#include "mechane/core/nearest.h"
#include "mechane/files/read.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf_settings.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited    = 1e15;  // SDFormat writes 1e16 where there is no limit
constexpr int    kDeepest      = 64;    // of includes and nested models
constexpr int    kMostIncludes = 10'000;
constexpr double kDegree       = std::numbers::pi / 180;
constexpr double kInfinite     = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

class Sdformat {
  public:
    Sdformat(const std::string& file, Source& source) : file_(file), s_(source), tree_(source.tree) {}

    void read(const XmlElement& root)
    {
        root.used   = true;
        tree_.place = root.place;
        Scope world;
        world.folder  = folder_of(file_);
        world.version = version_of(root);
        scopes_.push_back(world);
        std::error_code failed;
        open_.push_back(fs::weakly_canonical(file_, failed).string());
        int models = 0, worlds = 0;
        for (const XmlElement& e : root.children) {
            if (e.name == "world") ++worlds;
            if (e.name == "model") ++models;
        }
        if (worlds > 1)
            s_.error(kUnsupported, root.place, fmt::format("the file has {} worlds; the first is read", worlds));
        if (worlds > 0) {
            read_world(*root.child("world"));
        } else {
            single_ = models == 1;
            for (const XmlElement& e : root.children) {
                if (e.name == "model") model(e, 0, {}, 0);
                if (e.name == "light") light(e, 0, -1);
            }
            if (models == 1) tree_.name = root.child("model")->get("name", tree_.name);
            if (models == 0 && pending_lights_.empty())
                s_.error(kMissing, root.place, "the file has neither a world nor a model");
        }
        finish_names();
        for (std::size_t n = 0; n < nodes_.size(); ++n) pose_of(static_cast<int>(n));
        place();
    }

    std::vector<const XmlElement*> documents() const
    {
        std::vector<const XmlElement*> out;
        for (const XmlElement& d : included_) out.push_back(&d);
        return out;
    }

  private:
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

    // -- words and numbers of elements

    static double version_of(const XmlElement& e)
    {
        const std::string text  = e.get("version", "1.9");
        const std::size_t dot   = text.find('.');
        const auto        major = parse_number(text.substr(0, dot)),
                          minor = dot == std::string::npos ? std::optional(0.0) : parse_number(text.substr(dot + 1));
        return major.value_or(1) + minor.value_or(9) / 100;  // 1.11 lies above 1.9
    }

    std::string words(const XmlElement& e) const { return std::string(trimmed(e.text)); }

    std::optional<std::string> text(const XmlElement& e, const char* name)
    {
        const XmlElement* c = e.child(name);
        if (c == nullptr) return std::nullopt;
        ++s_.losses.kept;
        return words(*c);
    }

    std::optional<std::vector<double>> numbers_of(const XmlElement& e, std::size_t least, std::size_t most,
                                                  bool endless = false)
    {
        auto v = parse_numbers(e.text);
        if (v && v->size() >= least && v->size() <= most &&
            std::all_of(v->begin(), v->end(), [&](double x) { return endless ? !std::isnan(x) : std::isfinite(x); })) {
            ++s_.losses.kept;
            return v;
        }
        s_.error(kNumber, e.place,
                 fmt::format("<{}> is '{}', expected {} numbers", e.name, words(e).substr(0, 120),
                             least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
        return std::nullopt;
    }
    std::optional<double> number(const XmlElement& e, const char* name, bool endless = false)
    {
        const XmlElement* c = e.child(name);
        if (c == nullptr) return std::nullopt;
        const auto v = numbers_of(*c, 1, 1, endless);
        return v ? std::optional(v->front()) : std::nullopt;
    }
    std::optional<Vec3d> vec3(const XmlElement& e, const char* name)
    {
        const XmlElement* c = e.child(name);
        const auto        v = c != nullptr ? numbers_of(*c, 3, 3) : std::nullopt;
        return v ? std::optional(Vec3d{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
    }
    bool flag(const XmlElement& e, const char* name, bool otherwise)
    {
        const XmlElement* c = e.child(name);
        if (c == nullptr) return otherwise;
        const std::string v = words(*c);
        ++s_.losses.kept;
        if (v == "true" || v == "1") return true;
        if (v == "false" || v == "0") return false;
        s_.error(kWord, c->place, fmt::format("<{}> is '{}', expected true or false", name, v));
        return otherwise;
    }

    struct Pose {
        Posed             X;
        std::string       relative;
        const XmlElement* element = nullptr;
    };
    Pose pose(const XmlElement& e)
    {
        Pose out;
        out.element = e.child("pose");
        if (out.element == nullptr) out.element = e.child("origin");  // 1.2 and before
        if (out.element == nullptr) return out;
        const XmlElement& p = *out.element;
        out.relative        = p.get("relative_to", p.get("frame"));
        const bool degrees  = p.get("degrees") == "true" || p.get("degrees") == "1";
        const bool quat     = p.get("rotation_format") == "quat_xyzw";
        if (trimmed(p.text).empty()) return out;
        const auto v = numbers_of(p, quat ? 7 : 6, quat ? 7 : 6);
        if (!v) return out;
        const auto& n  = *v;
        out.X.p        = {n[0], n[1], n[2]};
        const double k = degrees ? kDegree : 1;
        out.X.q        = quat ? normalized(Quatd{n[3], n[4], n[5], n[6]}) : from_rpy(k * n[3], k * n[4], k * n[5]);
        return out;
    }

    std::string named(const XmlElement& e, std::map<std::string, int>& taken)
    {
        std::string name = e.get("name");
        if (name.empty()) {
            s_.error(kMissing, e.place, fmt::format("a <{}> has no name", e.name));
            name = e.name;
        }
        if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
            s_.error(kWord, e.place, fmt::format("the name '{}' is reserved", name));
        if (!taken.contains(name)) return name;
        std::string other;
        for (int i = 1; other.empty() || taken.contains(other); ++i) other = fmt::format("{}_{}", name, i);
        s_.error(kDuplicate, e.place,
                 fmt::format("there is another '{}' in the model; this {} is called '{}'", name, e.name, other));
        return other;
    }

    int add_node(Node node)
    {
        nodes_.push_back(std::move(node));
        return static_cast<int>(nodes_.size()) - 1;
    }

    // -- the elements, before names are known

    void read_world(const XmlElement& e)
    {
        tree_.name = e.get("name", "world");
        SceneSettings scene;
        scene.place   = e.place;
        scene.gravity = vec3(e, "gravity");
        if (!scene.gravity) scene.gravity = Vec3d{0, 0, -9.8};
        if (const XmlElement* physics = e.child("physics")) {
            physics->find("name"), physics->find("type"), physics->find("default");
            if (const auto step = number(*physics, "max_step_size")) scene.timestep = *step;
        }
        tree_.scene = std::move(scene);
        int models  = 0;
        for (const XmlElement& c : e.children) models += c.name == "model" || c.name == "include" ? 1 : 0;
        single_ = models == 1;
        contents(e, 0, 0);
    }

    /// What stands in a model or a world.
    void contents(const XmlElement& e, int scope, int depth)
    {
        for (const XmlElement& c : e.children) {
            if (c.name == "link")
                link(c, scope);
            else if (c.name == "model")
                model(c, scope, {}, depth + 1);
            else if (c.name == "include")
                include(c, scope, depth + 1);
            else if (c.name == "frame")
                frame(c, scope);
            else if (c.name == "joint") {
                c.used = true;
                Node node;
                node.name                                                    = c.get("name");
                node.element                                                 = &c;
                const int index                                              = add_node(std::move(node));
                scopes_[at(scope)].names[named(c, scopes_[at(scope)].names)] = index;
                joints_.push_back({&c, scope, index});
            } else if (c.name == "light") {
                light(c, scope, scopes_[at(scope)].model);
            }
        }
    }

    struct Override {
        std::string         name;
        const XmlElement*   pose = nullptr;  ///< of an include
        std::string         placement;
        std::optional<bool> is_static;
        bool                merge = false;
    };

    void model(const XmlElement& e, int above, const Override& with, int depth)
    {
        e.used = true;
        if (depth > kDeepest)
            return s_.error(kLimit, e.place, fmt::format("models are nested more than {} deep", kDeepest));
        Scope made;
        made.parent  = above;
        made.folder  = scopes_[at(above)].folder;
        made.version = scopes_[at(above)].version;
        Scope& in    = scopes_[at(above)];
        e.find("name");
        made.name = with.name.empty() ? named(e, in.names) : with.name;
        for (int i = 1; !with.name.empty() && in.names.contains(made.name); ++i)
            made.name = fmt::format("{}_{}", with.name, i);
        made.is_static = in.is_static || with.is_static.value_or(flag(e, "static", false));
        if (with.is_static)
            if (const XmlElement* own = e.child("static")) own->use_all();
        made.self_collide = flag(e, "self_collide", false);
        const bool top    = above == 0;
        made.prefix       = (top && single_) || with.merge ? in.prefix : in.prefix + made.name + "_";
        Node self;
        self.name                   = made.name;
        self.element                = &e;
        self.is_static              = made.is_static;
        const int node              = add_node(std::move(self));
        made.model                  = node;
        made.names["__model__"]     = node;
        const std::string canonical = e.get("canonical_link"),
                          placement = with.placement.empty() ? e.get("placement_frame") : with.placement;
        const int         index     = static_cast<int>(scopes_.size());
        if (with.merge) {
            scopes_[at(above)].merged.push_back(index);
            scopes_[at(above)].names[fmt::format("_merged__{}__model__", made.name)] = node;
        } else {
            scopes_[at(above)].names[made.name] = node;
        }
        scopes_[at(above)].scopes[made.name] = index;
        scopes_.push_back(made);
        model_poses_.push_back({node, above, index, &e, with.pose, canonical, placement});
        contents(e, index, depth);
    }

    struct ModelPose {
        int               node, above, scope;
        const XmlElement *e, *include_pose;
        std::string       canonical, placement;
    };
    std::vector<ModelPose> model_poses_;

    void include(const XmlElement& e, int scope, int depth)
    {
        e.used         = true;
        const auto uri = text(e, "uri");
        if (!uri || uri->empty()) return s_.error(kMissing, e.place, "an <include> has no <uri>");
        if (depth > kDeepest || ++includes_ > kMostIncludes)
            return s_.error(kLimit, e.place, "includes are nested too deep, or too many");
        const std::string file = included_file(*uri, scopes_[at(scope)].folder);
        if (file.empty()) return s_.error(kInclude, e.place, fmt::format("{} was not found", *uri));
        std::error_code   failed;
        const std::string real = fs::weakly_canonical(file, failed).string();
        if (std::find(open_.begin(), open_.end(), real) != open_.end())
            return s_.error(kInclude, e.place, fmt::format("{} includes itself", *uri));
        const auto bytes = files::read_given(file);
        if (!bytes) return s_.error(kInclude, e.place, fmt::format("{}: {}", *uri, bytes.error().message));
        auto document = parse_xml(*bytes, file, s_.found);
        if (!document) {
            s_.found.add(document.error());
            return;
        }
        included_.push_back(*std::move(document));
        const XmlElement& root  = included_.back();
        root.used               = true;
        const XmlElement* inner = root.name == "sdf" || root.name == "gazebo" ? root.child("model") : nullptr;
        if (inner == nullptr) return s_.error(kInclude, e.place, fmt::format("{} holds no <model>", *uri));
        Override with;
        with.name      = text(e, "name").value_or(inner->get("name", "model"));
        with.pose      = e.child("pose");
        with.placement = text(e, "placement_frame").value_or("");
        with.merge     = e.get("merge") == "true" || e.get("merge") == "1";
        if (e.child("static") != nullptr) with.is_static = flag(e, "static", false);
        const std::string folder   = scopes_[at(scope)].folder;
        const double      version  = scopes_[at(scope)].version;
        scopes_[at(scope)].folder  = folder_of(file);
        scopes_[at(scope)].version = version_of(root);
        open_.push_back(real);
        model(*inner, scope, with, depth);
        open_.pop_back();
        scopes_[at(scope)].folder  = folder;
        scopes_[at(scope)].version = version;
    }

    /// The file of a model: told, or found in the folder that is told.
    std::string included_file(const std::string& uri, const std::string& folder) const
    {
        if (std::string file = s_.finder.find(uri, folder); !file.empty()) return file;
        std::string at_folder;
        if (uri.starts_with("model://")) {
            const std::string name =
                uri.substr(8, uri.find('/', 8) == std::string::npos ? std::string::npos : uri.find('/', 8) - 8);
            if (uri.size() > 8 + name.size() + 1) return {};
            at_folder = s_.finder.package(name);
        } else if (uri.find("://") == std::string::npos || uri.starts_with("file://")) {
            const std::string path = uri.starts_with("file://") ? uri.substr(7) : uri;
            std::error_code   failed;
            const fs::path    there = fs::path(path).is_absolute() ? fs::path(path) : fs::path(folder) / path;
            if (fs::is_directory(there, failed))
                at_folder = there.string();
            else if (path.find('/') == std::string::npos)
                at_folder = s_.finder.package(path);
        }
        if (at_folder.empty()) return {};
        // model.config names a file for each version; the newest counts.
        if (const std::string config = s_.finder.find("model.config", at_folder); !config.empty())
            if (const auto bytes = files::read_given(config)) {
                Diagnostics quiet;
                const auto  document = parse_xml(*bytes, config, quiet);
                std::string best;
                double      newest = -1;
                if (document)
                    for (const XmlElement& c : document->children)
                        if (c.name == "sdf" && version_of(c) > newest)
                            newest = version_of(c), best = std::string(trimmed(c.text));
                if (!best.empty())
                    if (std::string file = s_.finder.find(best, at_folder); !file.empty()) return file;
            }
        return s_.finder.find("model.sdf", at_folder);
    }

    void link(const XmlElement& e, int scope)
    {
        e.used                 = true;
        Scope&            in   = scopes_[at(scope)];
        const std::string name = named(e, in.names);
        Node              node;
        node.name       = name;
        node.element    = &e;
        node.is_link    = true;
        node.is_static  = in.is_static;
        const int index = add_node(std::move(node));
        in.names[name]  = index;
        if (in.canonical < 0) in.canonical = index;
        nodes_[at(index)].attached = index;
        if (scope == 0)
            s_.error(kUnsupported, e.place, fmt::format("the link '{}' stands in the world and not in a model", name));
        if (in.is_static) {
            nodes_[at(index)].link = -2;
            if (const XmlElement* inertial = e.child("inertial")) inertial->use_all();
        } else {
            Link made;
            made.place = e.place;
            made.name  = s_.unique(link_names_, in.prefix + name, e, "link", false);
            if (made.name != name) s_.losses.names[in.prefix.empty() ? name : in.name + "::" + name] = made.name;
            made.kinematic = flag(e, "kinematic", false);
            if (!flag(e, "gravity", true)) {
                made.extras.push_back({Extra::Layer::mujoco, "mjc:gravcomp", "double", "1", "", e.place});
                s_.losses.add({"gravity", Severity::warning, LossAction::converted, "kinematics", site_of(e.place),
                               fmt::format("link '{}'/gravity", name), "false", "mjc:gravcomp 1",
                               "USD has no word for it; the value stands in the layer of MuJoCo"});
            }
            nodes_[at(index)].link = static_cast<int>(tree_.links.size());
            inertial(e, made);
            link_nodes_.push_back(index);
            link_scopes_.push_back(scope);
            tree_.links.push_back(std::move(made));
        }
        if (const XmlElement* own = e.child("self_collide"))
            own->why = "whether links of one model touch is told for the model";
        for (const XmlElement& c : e.children) {
            if (c.name == "visual" || c.name == "collision") {
                const bool collider = c.name == "collision";
                c.used              = true;
                if (collider && s_.options.visuals_collide) {
                    c.use_all();
                    continue;
                }
                Node part;
                part.name     = c.get("name");
                part.element  = &c;
                part.relative = part.attached = index;
                const int p                   = add_node(std::move(part));
                shapes_.push_back({&c, scope, p, index, collider});
            } else if (c.name == "sensor") {
                sensor(c, scope, index);
            } else if (c.name == "light") {
                light(c, scope, index);
            }
        }
    }

    void light(const XmlElement& c, int scope, int above)
    {
        c.used = true;
        Node part;
        part.name     = c.get("name");
        part.element  = &c;
        part.relative = part.attached = above;
        pending_lights_.push_back({&c, add_node(std::move(part)), scope});
    }

    void sensor(const XmlElement& c, int scope, int above)
    {
        c.used = true;
        Node part;
        part.name     = c.get("name");
        part.element  = &c;
        part.relative = part.attached = above;
        sensors_.push_back({&c, add_node(std::move(part)), scope});
    }

    void inertial(const XmlElement& e, Link& link)
    {
        const XmlElement* in = e.child("inertial");
        if (in == nullptr) {
            if (s_.options.ignore_inertial) return;
            link.inertial = Inertial{1, {}, Mat33d::identity(), true, e.place};
            by_default_.insert(static_cast<int>(tree_.links.size()));
            s_.losses.add({"default-inertial", Severity::info, LossAction::converted, "inertia", site_of(e.place),
                           fmt::format("link '{}'", link.name), "none", "1 kg, 1 kg m^2", "SDFormat's default"});
            return;
        }
        if (s_.options.ignore_inertial) return in->use_all();
        if (const std::string* how = in->find("auto"); how != nullptr && (*how == "true" || *how == "1")) {
            auto_masses_.emplace_back(static_cast<int>(tree_.links.size()), in);
            return;
        }
        const Pose X = pose(*in);
        Inertial   made;
        made.place  = in->place;
        made.mass   = number(*in, "mass").value_or(1);
        made.com    = X.X.p;
        double v[6] = {1, 0, 0, 1, 0, 1};
        if (const XmlElement* I = in->child("inertia")) {
            static constexpr const char* kNames[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
            for (std::size_t i = 0; i < 6; ++i) v[i] = number(*I, kNames[i]).value_or(v[i]);
        }
        if (!X.relative.empty())
            s_.error(kUnsupported, X.element->place, "the pose of an inertial is always relative to its link");
        const Mat33d R = to_matrix(X.X.q);
        made.inertia   = R * Mat33d{{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}} * transpose(R);
        if (!(made.mass > 0))
            return s_.error(kInertia, in->place, fmt::format("the mass of link '{}' is {}", link.name, made.mass));
        if (!is_inertia(made.inertia)) {
            s_.error(
                kInertia, in->place,
                fmt::format("the inertia of link '{}' is that of no body; it is computed from the shapes", link.name));
            made.has_inertia = false;
        }
        link.inertial = made;
    }

    void frame(const XmlElement& e, int scope)
    {
        e.used = true;
        Node node;
        node.name                                                    = e.get("name");
        node.element                                                 = &e;
        const int index                                              = add_node(std::move(node));
        scopes_[at(scope)].names[named(e, scopes_[at(scope)].names)] = index;
        frames_.push_back({&e, index, scope});
    }

    // -- names

    int lookup(int scope, const std::string& name) const
    {
        const std::size_t mark = name.find("::");
        const std::string head = name.substr(0, mark);
        const Scope&      in   = scopes_[at(scope)];
        if (mark == std::string::npos) {
            if (const auto n = in.names.find(name); n != in.names.end()) return n->second;
        } else if (const auto n = in.scopes.find(head); n != in.scopes.end()) {
            if (const int found = lookup(n->second, name.substr(mark + 2)); found >= 0) return found;
        }
        for (const int m : in.merged)
            if (const int found = lookup(m, name); found >= 0 && found != scopes_[at(m)].model) return found;
        return -1;
    }

    /// The node of a name; -1 with a finding. "world" is -1 without one.
    int frame_named(int scope, const std::string& name, const XmlElement& at_element, bool* world = nullptr)
    {
        if (world != nullptr) *world = false;
        int found = lookup(scope, name);
        // What is merged into a model knows that model's names.
        for (int up = scope; found < 0 && up > 0; up = scopes_[at(up)].parent) {
            const auto& merged = scopes_[at(scopes_[at(up)].parent)].merged;
            if (std::find(merged.begin(), merged.end(), up) == merged.end()) break;
            found = lookup(scopes_[at(up)].parent, name);
        }
        if (found >= 0) return found;
        if (name == "world" || name == "__root__") {
            if (world != nullptr) *world = true;
            return -1;
        }
        std::vector<std::string> names;
        for (const auto& [n, index] : scopes_[at(scope)].names) names.push_back(n);
        s_.error(kUnknownName, at_element.place, fmt::format("there is no frame '{}' here", name),
                 did_you_mean(name, names));
        return -1;
    }

    void set_pose(int node, int scope, const Pose& p, int otherwise)
    {
        nodes_[at(node)].X        = p.X;
        nodes_[at(node)].relative = otherwise;
        if (p.relative.empty()) return;
        bool      world = false;
        const int found = frame_named(scope, p.relative, *p.element, &world);
        if (found >= 0 || world) nodes_[at(node)].relative = found;
    }

    void finish_names()
    {
        for (const ModelPose& m : model_poses_) {
            Scope& own = scopes_[at(m.scope)];
            Pose   p;
            if (m.include_pose != nullptr) {
                if (const XmlElement* unread = m.e->child("pose")) unread->use_all();
                XmlElement holder;  // so that the pose of the include is read as one
                holder.children.push_back(*m.include_pose);
                p         = pose(holder);
                p.element = m.include_pose;
                m.include_pose->use_all();
            } else {
                p = pose(*m.e);
            }
            set_pose(m.node, m.above, p, scopes_[at(m.above)].model);
            if (!m.canonical.empty())
                if (const int c = frame_named(m.scope, m.canonical, *m.e); c >= 0) own.canonical = c;
            if (!m.placement.empty()) nodes_[at(m.node)].placed = frame_named(m.scope, m.placement, *m.e);
        }
        // A model without links of its own stands on the first of what is nested in it.
        for (std::size_t i = scopes_.size(); i-- > 1;) {
            Scope& s = scopes_[i];
            if (s.canonical < 0)
                for (const auto& [name, nested] : s.scopes)
                    if (scopes_[at(nested)].canonical >= 0) {
                        s.canonical = scopes_[at(nested)].canonical;
                        break;
                    }
            nodes_[at(s.model)].attached = s.canonical;
        }
        for (std::size_t i = 0; i < scopes_.size(); ++i)
            for (const auto& [name, node] : scopes_[i].names) {
                const Node& n = nodes_[at(node)];
                if (!n.is_link) continue;
                set_pose(node, static_cast<int>(i), pose(*n.element), scopes_[i].model);
            }
        for (const PendingThing& f : frames_) {
            const std::string to = f.e->get("attached_to");
            int               on = scopes_[at(f.scope)].model;
            if (!to.empty()) {
                bool      world = false;
                const int found = frame_named(f.scope, to, *f.e, &world);
                if (found >= 0 || world) on = found;
            }
            nodes_[at(f.node)].attached = on;
            set_pose(f.node, f.scope, pose(*f.e), on);
        }
        for (const PendingJoint& j : joints_) {
            const auto child = text(*j.e, "child");
            int        on    = -1;
            if (child) on = frame_named(j.scope, *child, *j.e->child("child"));
            nodes_[at(j.node)].attached = on;
            set_pose(j.node, j.scope, pose(*j.e), on);
        }
        for (const PendingShape& s : shapes_) set_pose(s.node, s.scope, pose(*s.e), s.link_node);
        for (const auto* list : {&pending_lights_, &sensors_})
            for (const PendingThing& t : *list)
                if (t.node >= 0) set_pose(t.node, t.scope, pose(*t.e), nodes_[at(t.node)].relative);
    }

    // -- the graph

    const Posed& pose_of(int index)
    {
        static const Posed kNone;
        if (index < 0) return kNone;
        if (nodes_[at(index)].state == 2) return nodes_[at(index)].X_W;
        // Down to what is known, without calling itself: graphs may be long.
        std::vector<int> chain;
        for (int n = index; n >= 0 && nodes_[at(n)].state == 0; n = nodes_[at(n)].relative) {
            nodes_[at(n)].state = 1;
            chain.push_back(n);
            if (const int next = nodes_[at(n)].relative; next >= 0 && nodes_[at(next)].state == 1) {
                s_.error(kFrames, nodes_[at(n)].element->place,
                         fmt::format("the pose of '{}' is told relative to itself, by way of '{}'", nodes_[at(n)].name,
                                     nodes_[at(next)].name));
                nodes_[at(n)].relative = -1;
            }
        }
        for (std::size_t i = chain.size(); i-- > 0;) {
            Node& n = nodes_[at(chain[i])];
            Posed X = n.X;
            if (n.placed >= 0) {  // the pose is that of a frame in the model
                Posed inside;
                int   up = n.placed, steps = 0;
                for (; up >= 0 && up != chain[i] && steps <= static_cast<int>(nodes_.size());
                     up = nodes_[at(up)].relative, ++steps)
                    inside = nodes_[at(up)].X * inside;
                if (up == chain[i])
                    X = X * inverse(inside);
                else
                    s_.error(kFrames, n.element->place,
                             fmt::format("the placement frame of '{}' does not stand in the model", n.name));
            }
            n.X_W   = (n.relative >= 0 ? nodes_[at(n.relative)].X_W : Posed{}) * X;
            n.X_W.q = normalized(n.X_W.q);
            if (!is_finite(n.X_W)) {
                s_.error(kNumber, n.element != nullptr ? n.element->place : tree_.place,
                         fmt::format("the pose of '{}' is not finite", n.name));
                n.X_W = {};
            }
            n.state = 2;
        }
        return nodes_[at(index)].X_W;
    }

    /// The link that a frame moves with: -1 the world, -3 none, with a finding.
    int link_of(int index, const XmlElement& e)
    {
        for (std::size_t steps = 0; index >= 0 && steps <= nodes_.size(); ++steps) {
            const Node& n = nodes_[at(index)];
            if (n.is_link) return n.link == -2 ? -1 : n.link;
            if (n.is_static) return -1;
            if (n.attached == index) break;
            index = n.attached;
        }
        if (index < 0) return -1;
        s_.error(kFrames, e.place, fmt::format("'{}' is attached to itself", nodes_[at(index)].name));
        return -3;
    }

    // -- the tree

    void place()
    {
        for (std::size_t l = 0; l < tree_.links.size(); ++l) tree_.links[l].X_WL = pose_of(link_nodes_[l]);
        self_collision();
        for (const PendingShape& s : shapes_) shape(s);
        for (const auto& [link, e] : auto_masses_) automatic_mass(link, *e);
        for (const PendingJoint& j : joints_) joint(j);
        for (const PendingJoint& j : joints_) mimics(j);
        base();
        order_joints();
        // What is fixed to the world and was given no mass is a part of it.
        for (const Joint& j : tree_.joints)
            if (j.parent < 0 && !j.loop && j.kind == Joint::Kind::fixed && by_default_.contains(j.child))
                tree_.links[at(j.child)].inertial.reset();
        for (const PendingThing& f : frames_) {
            const int link = link_of(f.node, *f.e);
            if (link < -1) continue;
            Frame made;
            made.name =
                s_.unique(frame_names_, scopes_[at(f.scope)].prefix + f.e->get("name", "frame"), *f.e, "frame", false);
            made.link  = link;
            made.X_LS  = below(link, f.node);
            made.place = f.e->place;
            tree_.sites.push_back(std::move(made));
        }
        for (const PendingThing& s : sensors_) read_sensor(s);
        for (const PendingThing& l : pending_lights_) read_light(l);
        groups();
    }

    Posed below(int link, int node)
    { return (link >= 0 ? inverse(tree_.links[at(link)].X_WL) : Posed{}) * pose_of(node); }

    void self_collision()
    {
        std::set<int> open, shut;
        for (std::size_t l = 0; l < link_scopes_.size(); ++l) {
            int top = link_scopes_[l];
            while (scopes_[at(top)].parent > 0) top = scopes_[at(top)].parent;
            (scopes_[at(top)].self_collide ? open : shut).insert(top);
        }
        tree_.self_collision = shut.empty();
        if (open.empty() || shut.empty()) return;
        tree_.self_collision = true;
        for (std::size_t a = 0; a < tree_.links.size(); ++a)
            for (std::size_t b = a + 1; b < tree_.links.size(); ++b) {
                const auto top = [&](std::size_t l) {
                    int t = link_scopes_[l];
                    while (scopes_[at(t)].parent > 0) t = scopes_[at(t)].parent;
                    return t;
                };
                if (top(a) == top(b) && shut.contains(top(a)))
                    tree_.exclusions.push_back({static_cast<int>(a), static_cast<int>(b), tree_.links[a].place});
            }
    }

    void shape(const PendingShape& p)
    {
        const XmlElement& e        = *p.e;
        const XmlElement* geometry = e.child("geometry");
        e.find("name");
        Shape made;
        made.place     = e.place;
        made.name      = e.get("name", e.name);
        made.visual    = !p.collider;
        made.collider  = p.collider || s_.options.visuals_collide;
        const int link = nodes_[at(p.link_node)].link;
        made.link      = link == -2 ? -1 : link;
        made.X_LS      = below(made.link, p.node);
        if (geometry == nullptr || geometry->children.empty())
            return s_.error(kMissing, e.place, fmt::format("the {} '{}' has no geometry", e.name, made.name));
        const XmlElement& g = geometry->children.front();
        g.used              = true;
        const auto positive = [&](std::initializer_list<double> sizes) {
            const bool good = std::all_of(sizes.begin(), sizes.end(), [](double v) { return v > 0; });
            if (!good) s_.error(kShape, g.place, fmt::format("the size of a <{}> is not positive", g.name));
            return good;
        };
        if (g.name == "box") {
            const Vec3d size = vec3(g, "size").value_or(Vec3d{1, 1, 1});
            if (!positive({size.x, size.y, size.z})) return;
            made.kind = Shape::Kind::box;
            made.size = 0.5 * size;
        } else if (g.name == "sphere") {
            const double r = number(g, "radius").value_or(1);
            if (!positive({r})) return;
            made.kind = Shape::Kind::sphere;
            made.size = {r, r, r};
        } else if (g.name == "cylinder" || g.name == "capsule" || g.name == "cone") {
            const double r = number(g, "radius").value_or(g.name == "capsule" ? 0.5 : 1),
                         l = number(g, "length").value_or(1);
            if (!positive({r, l})) return;
            made.kind = g.name == "cylinder"  ? Shape::Kind::cylinder
                        : g.name == "capsule" ? Shape::Kind::capsule
                                              : Shape::Kind::mesh;
            made.size = {r, 0.5 * l, 0};
            if (g.name == "cone") made.mesh = cone(r, 0.5 * l, g.place);
        } else if (g.name == "ellipsoid") {
            const Vec3d r = vec3(g, "radii").value_or(Vec3d{1, 1, 1});
            if (!positive({r.x, r.y, r.z})) return;
            made.kind = Shape::Kind::ellipsoid;
            made.size = r;
        } else if (g.name == "plane") {
            const Vec3d n = vec3(g, "normal").value_or(Vec3d{0, 0, 1});
            if (!(length(n) > 1e-9)) return s_.error(kShape, g.place, "the normal of a plane has no direction");
            made.kind              = Shape::Kind::plane;
            made.X_LS.q            = made.X_LS.q * rotation_between(Vec3d{0, 0, 1}, normalized(n));
            const XmlElement* size = g.child("size");
            const auto        v    = size != nullptr ? numbers_of(*size, 2, 2) : std::nullopt;
            // A plane that collides has no end, whatever size it is shown with.
            if (!p.collider) made.size = v ? Vec3d{0.5 * (*v)[0], 0.5 * (*v)[1], 0} : Vec3d{0.5, 0.5, 0};
        } else if (g.name == "mesh") {
            const auto uri = text(g, "uri");
            if (!uri || uri->empty()) return s_.error(kMissing, g.place, "a mesh has no <uri>");
            made.kind = Shape::Kind::mesh;
            if (const auto scale = vec3(g, "scale")) {
                made.scale = *scale;
                if (scale->x == 0 || scale->y == 0 || scale->z == 0)
                    return s_.error(kShape, g.place, "the scale of a mesh is zero");
            }
            made.mesh = s_.mesh(*uri, scopes_[at(p.scope)].folder, g.place);
            if (made.mesh < 0) return;
            if (const XmlElement* sub = g.child("submesh")) submesh(*sub, made);
            if (const std::string how = g.get("optimization"); how == "convex_decomposition")
                made.approximation = "convexDecomposition";
        } else if (g.name == "polyline") {
            made.kind = Shape::Kind::mesh;
            made.mesh = prism(g);
            if (made.mesh < 0) return;
        } else if (g.name == "empty") {
            return;
        } else {
            g.used = false;
            return s_.error(kUnsupported, g.place,
                            fmt::format("<{}> of the {} '{}' has no counterpart here", g.name, e.name, made.name));
        }
        if (!p.collider) look(e, made, scopes_[at(p.scope)].folder);
        unsigned mask = 0xffff;
        if (const XmlElement* surface = e.child("surface"); surface != nullptr && p.collider)
            mask = touch(*surface, made);
        double density = 1000;
        if (p.collider)
            if (const auto d = number(e, "density"); d && *d > 0) density = *d;
        masks_.push_back(mask);
        densities_.push_back(density);
        tree_.shapes.push_back(std::move(made));
    }

    void submesh(const XmlElement& sub, Shape& shape)
    {
        const auto name = text(sub, "name");
        if (!name) return;
        const MeshAsset& whole = tree_.meshes[at(shape.mesh)];
        for (const MeshSubset& s : whole.subsets)
            if (s.name == *name) {
                MeshAsset                part;
                std::vector<int>         now(whole.points.size(), -1);
                std::vector<std::size_t> begin(whole.counts.size() + 1, 0);
                for (std::size_t f = 0; f < whole.counts.size(); ++f) begin[f + 1] = begin[f] + at(whole.counts[f]);
                part.name = *name, part.address = whole.address + "#" + *name, part.place = sub.place;
                for (const int f : s.faces) {
                    part.counts.push_back(whole.counts[at(f)]);
                    for (std::size_t c = begin[at(f)]; c < begin[at(f) + 1]; ++c) {
                        int& p = now[at(whole.corners[c])];
                        if (p < 0)
                            p = static_cast<int>(part.points.size()),
                            part.points.push_back(whole.points[at(whole.corners[c])]);
                        part.corners.push_back(p);
                        if (!whole.normals.empty()) part.normals.push_back(whole.normals[c]);
                        if (!whole.uvs.empty()) part.uvs.push_back(whole.uvs[c]);
                    }
                }
                if (flag(sub, "center", false)) {
                    Vec3d low = part.points[0], high = part.points[0];
                    for (const Vec3d& p : part.points)
                        for (std::size_t k = 0; k < 3; ++k)
                            low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
                    for (Vec3d& p : part.points) p -= 0.5 * (low + high);
                }
                shape.mesh = static_cast<int>(tree_.meshes.size());
                tree_.meshes.push_back(std::move(part));
                return;
            }
        s_.losses.add({"submesh", Severity::warning, LossAction::approximated, "visual", site_of(sub.place), "submesh",
                       *name, "the whole mesh", "parts of a mesh file are told apart by their materials only"});
    }

    int add_mesh(const geometry::Mesh& mesh, const std::string& name, const Place& place)
    {
        MeshAsset made;
        made.name = made.address = name;
        made.points              = mesh.points;
        made.place               = place;
        for (const auto& t : mesh.triangles) {
            made.counts.push_back(3);
            made.corners.insert(made.corners.end(), t.begin(), t.end());
        }
        tree_.meshes.push_back(std::move(made));
        return static_cast<int>(tree_.meshes.size()) - 1;
    }

    int cone(double radius, double half, const Place& place)
    {
        constexpr int  kSides = 32;
        geometry::Mesh mesh;
        mesh.points = {{0, 0, half}, {0, 0, -half}};
        for (int i = 0; i < kSides; ++i) {
            const double a = 2 * std::numbers::pi * i / kSides;
            mesh.points.push_back({radius * std::cos(a), radius * std::sin(a), -half});
        }
        for (int i = 0; i < kSides; ++i) {
            const int a = 2 + i, b = 2 + (i + 1) % kSides;
            mesh.triangles.push_back({a, b, 0});
            mesh.triangles.push_back({b, a, 1});
        }
        return add_mesh(mesh, "cone", place);
    }

    /// A prism over polygons; the first is its outline, further ones would be holes.
    int prism(const XmlElement& g)
    {
        const double       h = number(g, "height").value_or(1);
        std::vector<Vec3d> outline;
        for (const XmlElement& c : g.children)
            if (c.name == "point") {
                c.used       = true;
                const auto v = numbers_of(c, 2, 2);
                if (v) outline.push_back({(*v)[0], (*v)[1], 0});
            }
        if (outline.size() > 1 && outline.front() == outline.back()) outline.pop_back();
        double area = 0;
        for (std::size_t i = 0; i < outline.size(); ++i) {
            const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()];
            area += a.x * b.y - a.y * b.x;
        }
        if (outline.size() < 3 || area == 0 || !(h > 0)) {
            s_.error(kShape, g.place, "a polyline has no area or height");
            return -1;
        }
        if (area < 0) std::reverse(outline.begin(), outline.end());
        const auto         n      = static_cast<std::int32_t>(outline.size());
        std::vector<Vec3d> points = outline;
        for (Vec3d p : outline) p.z = h, points.push_back(p);
        std::vector<std::int32_t> counts, corners;
        counts.push_back(n);
        for (std::int32_t i = n; i-- > 0;) corners.push_back(i);
        counts.push_back(n);
        for (std::int32_t i = 0; i < n; ++i) corners.push_back(n + i);
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t j = (i + 1) % n;
            counts.push_back(4);
            corners.insert(corners.end(), {i, j, n + j, n + i});
        }
        return add_mesh(geometry::triangulate({points, counts, corners, {}}).mesh, "polyline", g.place);
    }

    std::array<double, 4> color(const XmlElement& e, const char* name, std::array<double, 4> otherwise)
    {
        const XmlElement* c = e.child(name);
        if (c == nullptr) return otherwise;
        if (const auto v = numbers_of(*c, 3, 4))
            for (std::size_t i = 0; i < v->size(); ++i) otherwise[i] = std::clamp((*v)[i], 0.0, 1.0);
        return otherwise;
    }

    void look(const XmlElement& e, Shape& shape, const std::string& folder)
    {
        const XmlElement* m    = e.child("material");
        const auto        thin = number(e, "transparency");
        if (m == nullptr && !thin) return;
        Material made;
        made.name  = shape.name + "_material";
        made.place = m != nullptr ? m->place : e.place;
        made.rgba  = {1, 1, 1, 1};
        if (m != nullptr) {
            made.rgba = color(*m, "diffuse", made.rgba);
            // Ambient light of its own is no part of this model of surfaces; where it is the colour it is not lost.
            if (const XmlElement* ambient = m->child("ambient")) {
                const auto a = color(*m, "ambient", {0, 0, 0, 1});
                if (m->child("diffuse") == nullptr)
                    made.rgba = a;
                else if (a != made.rgba)
                    s_.losses.add({"ambient",
                                   Severity::info,
                                   LossAction::dropped,
                                   "material",
                                   site_of(ambient->place),
                                   "ambient",
                                   words(*ambient),
                                   {},
                                   "the surface has one colour"});
            }
            const auto glow = color(*m, "emissive", {0, 0, 0, 1});
            made.emission   = {glow[0], glow[1], glow[2]};
            if (const XmlElement* pbr = m->child("pbr")) {
                if (const XmlElement* metal = pbr->child("metal")) {
                    made.metallic  = std::clamp(number(*metal, "metalness").value_or(0.5), 0.0, 1.0);
                    made.roughness = std::clamp(number(*metal, "roughness").value_or(0.5), 0.0, 1.0);
                    if (const auto map = text(*metal, "albedo_map"); map && !map->empty())
                        made.texture = s_.texture(*map, folder, metal->place);
                } else if (const XmlElement* specular = pbr->child("specular")) {
                    if (const auto map = text(*specular, "albedo_map"); map && !map->empty())
                        made.texture = s_.texture(*map, folder, specular->place);
                    if (const auto gloss = number(*specular, "glossiness"))
                        made.roughness = std::clamp(1 - *gloss, 0.0, 1.0);
                }
            }
        }
        if (thin) made.rgba[3] *= std::clamp(1 - *thin, 0.0, 1.0);
        for (const Material& known : tree_.materials)  // the same look under another name is the same
            if (known.rgba == made.rgba && known.texture == made.texture && known.metallic == made.metallic &&
                known.roughness == made.roughness && known.emission == made.emission)
                made.name = known.name;
        shape.material = s_.material(std::move(made));
    }

    unsigned touch(const XmlElement& surface, Shape& shape)
    {
        Contact contact;
        bool    any             = false;
        contact.static_friction = contact.dynamic_friction = 1;
        if (const XmlElement* friction = surface.child("friction")) {
            std::optional<double> mu, mu2;
            if (const XmlElement* ode = friction->child("ode"))
                mu = number(*ode, "mu", true), mu2 = number(*ode, "mu2", true);
            if (const XmlElement* bullet = friction->child("bullet")) {
                const auto f = number(*bullet, "friction", true), f2 = number(*bullet, "friction2", true),
                           roll = number(*bullet, "rolling_friction");
                if (!mu) mu = f, mu2 = f2;
                if (roll) contact.rolling = *roll;
            }
            if (const XmlElement* torsional = friction->child("torsional")) {
                const auto c = number(*torsional, "coefficient"), patch = number(*torsional, "patch_radius");
                // Torque is 3 pi / 16 of patch radius, coefficient and normal force (Gazebo, "Torsional friction").
                if (c && patch) contact.torsional = 3 * std::numbers::pi / 16 * *c * *patch;
            }
            if (mu) {
                any                      = true;
                const double coefficient = std::isfinite(*mu) ? std::max(*mu, 0.0) : 1e3;
                contact.static_friction = contact.dynamic_friction = coefficient;
                if (mu2 && *mu2 != *mu)
                    s_.losses.add({"two-frictions", Severity::warning, LossAction::approximated, "contact",
                                   site_of(friction->place), fmt::format("collision '{}'", shape.name),
                                   fmt::format("{} and {}", *mu, *mu2), fmt::format("{}", coefficient),
                                   "one coefficient of friction for all directions"});
            }
            any = any || contact.torsional || contact.rolling;
        }
        if (const XmlElement* bounce = surface.child("bounce")) {
            if (const auto r = number(*bounce, "restitution_coefficient"))
                contact.restitution = std::clamp(*r, 0.0, 1.0), any = true;
            if (const auto t = number(*bounce, "threshold", true); t && *t > 0)
                s_.losses.add({"bounce-threshold",
                               Severity::info,
                               LossAction::dropped,
                               "contact",
                               site_of(bounce->place),
                               fmt::format("collision '{}'", shape.name),
                               fmt::format("{}", *t),
                               {},
                               "restitution holds at any speed"});
        }
        if (any) shape.contact = contact;
        unsigned mask = 0xffff;
        if (const XmlElement* c = surface.child("contact")) {
            if (const auto bits = text(*c, "collide_bitmask")) {
                const std::string&  t   = *bits;
                char*               end = nullptr;
                const unsigned long v   = std::strtoul(t.c_str(), &end, 0);  // "0x01" and "1"
                if (!t.empty() && *end == '\0')
                    mask = static_cast<unsigned>(v & 0xffffffffUL);
                else
                    s_.error(kNumber, c->place, fmt::format("<collide_bitmask> is '{}', expected a whole number", t));
            }
            if (flag(*c, "collide_without_contact", false)) {
                mask = 0;
                s_.losses.add({"sensing-collider", Severity::warning, LossAction::approximated, "collision",
                               site_of(c->place), fmt::format("collision '{}'", shape.name), "collide_without_contact",
                               "it touches nothing", "colliders that only sense are no part of UsdPhysics"});
            }
        }
        return mask;
    }

    /// Colliders whose masks share no bit do not meet.
    void groups()
    {
        std::map<unsigned, int> of;
        for (std::size_t s = 0; s < masks_.size(); ++s)
            if (tree_.shapes[s].collider) of.try_emplace(masks_[s], 0);
        if (of.size() < 2 && !of.contains(0)) return;
        for (auto& [mask, index] : of) {
            index = static_cast<int>(tree_.groups.size());
            tree_.groups.push_back({fmt::format("mask_{:x}", mask), {}, {}});
        }
        for (std::size_t s = 0; s < masks_.size(); ++s)
            if (tree_.shapes[s].collider) tree_.groups[at(of[masks_[s]])].shapes.push_back(static_cast<int>(s));
        for (const auto& [a, i] : of)
            for (const auto& [b, j] : of)
                if ((a & b) == 0) tree_.groups[at(i)].filtered.push_back(j);
    }

    void automatic_mass(int link, const XmlElement& e)
    {
        std::optional<geometry::MassProperties> sum;
        double                                  density = 1000;
        if (const auto d = number(e, "density"); d && *d > 0) density = *d;
        for (std::size_t i = 0; i < tree_.shapes.size(); ++i) {
            const Shape& s = tree_.shapes[i];
            if (s.link != link || !s.collider) continue;
            const MjcfMass m =
                mjcf_mass(s, tree_, std::nullopt, densities_[i] != 1000 ? densities_[i] : density, false, "legacy");
            const Mat33d                   R = to_matrix(s.X_LS.q);
            const geometry::MassProperties part{m.mass, s.X_LS * m.com, R * m.inertia * transpose(R)};
            sum = sum ? geometry::combined(*sum, part) : part;
        }
        Link& to = tree_.links[at(link)];
        if (!sum || !(sum->mass > 0))
            return s_.error(
                kMassMissing, e.place,
                fmt::format("the mass of link '{}' is to be computed, and it has no collision with a volume", to.name));
        to.inertial = Inertial{sum->mass, sum->com, sum->inertia, true, e.place};
        s_.losses.add({"computed-inertia", Severity::info, LossAction::converted, "inertia", site_of(e.place),
                       fmt::format("link '{}'", to.name), "auto", fmt::format("{} kg", sum->mass),
                       "computed from the collisions"});
    }

    // -- joints

    std::map<const XmlElement*, int>           read_joints_;
    std::map<std::pair<int, std::string>, int> joint_of_name_;  ///< scope, name -> joint of the tree

    int joint_end(const PendingJoint& j, const char* which, int& node)
    {
        const XmlElement* e = j.e->child(which);
        node                = -1;
        if (e == nullptr) {
            s_.error(kMissing, j.e->place, fmt::format("the joint '{}' has no {}", j.e->get("name"), which));
            return -3;
        }
        bool world = false;
        node       = frame_named(j.scope, words(*e), *e, &world);
        if (node < 0) return world ? -1 : -3;
        return link_of(node, *e);
    }

    void joint(const PendingJoint& j)
    {
        const XmlElement&  e     = *j.e;
        const std::string  name  = e.get("name", "joint");
        const std::string* typed = e.find("type");
        if (typed == nullptr) return s_.error(kMissing, e.place, fmt::format("the joint '{}' has no type", name));
        std::string                       type     = *typed;
        static constexpr std::string_view kTypes[] = {"revolute", "revolute2", "prismatic", "ball",      "universal",
                                                      "screw",    "gearbox",   "fixed",     "continuous"};
        if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
            return s_.error(
                kWord, e.place,
                fmt::format("type of joint '{}' is '{}', expected {}", name, type, fmt::join(kTypes, ", ")));
        int       parent_node = -1, child_node = -1;
        const int parent = joint_end(j, "parent", parent_node), child = joint_end(j, "child", child_node);
        e.why = "this joint cannot be placed in the tree, so nothing else of it is read";
        if (parent < -1 || child < -1) return;
        if (parent == child) {
            const bool both = parent < 0;
            if (!both)
                s_.error(kTree, e.place, fmt::format("the joint '{}' connects a link with itself", name));
            else
                s_.losses.add({"static-joint",
                               Severity::info,
                               LossAction::dropped,
                               "kinematics",
                               site_of(e.place),
                               fmt::format("joint '{}'", name),
                               type,
                               {},
                               "both its ends are part of the world"});
            return;
        }
        if (type == "gearbox") {
            e.why = "a gear couples two joints";
            s_.losses.add({"gearbox",
                           Severity::error,
                           LossAction::dropped,
                           "kinematics",
                           site_of(e.place),
                           fmt::format("joint '{}'", name),
                           "gearbox",
                           {},
                           "USD has no gear between bodies",
                           true});
            return;
        }
        e.why.clear();
        Joint made;
        made.name   = s_.unique(joint_names_, scopes_[at(j.scope)].prefix + name, e, "joint", false);
        made.place  = e.place;
        made.parent = parent, made.child = child;
        made.X_PJ = below(parent, j.node);
        made.X_CJ = below(child, j.node);
        if (type == "screw") {
            s_.losses.add({"screw", Severity::error, LossAction::approximated, "kinematics", site_of(e.place),
                           fmt::format("joint '{}'", name), "screw", "revolute",
                           "USD has no joint whose turning advances it", true});
            for (const char* pitch : {"thread_pitch", "screw_thread_pitch"})
                if (const XmlElement* unread = e.child(pitch))
                    unread->why = "USD has no joint whose turning advances it";
            type = "revolute";
        }
        const XmlElement* axis  = e.child("axis");
        const XmlElement* axis2 = e.child("axis2");
        if (type == "fixed") {
            made.kind = Joint::Kind::fixed;
        } else if (type == "ball") {
            made.kind = Joint::Kind::ball;
            made.dofs.emplace_back();  // as the other readers have it: one of the joint's name
            made.dofs[0].name  = made.name;
            made.dofs[0].place = made.dofs[0].limit_place = e.place;
        } else if (type == "universal" || type == "revolute2") {
            made.kind = Joint::Kind::generic;
            made.dofs.push_back(dof(j, made, axis, true, false, Vec3d{0, 0, 1}));
            made.dofs.push_back(dof(j, made, axis2, true, false, Vec3d{0, 1, 0}));
            made.dofs[1].name += "_2";
        } else {
            made.kind = type == "prismatic" ? Joint::Kind::prismatic : Joint::Kind::revolute;
            made.dofs.push_back(dof(j, made, axis, type != "prismatic", type == "continuous", Vec3d{0, 0, 1}));
        }
        if (made.child < 0) {  // the world is told as the child
            turn(made);
            s_.losses.add({"turned", Severity::info, LossAction::converted, "kinematics", site_of(e.place),
                           fmt::format("joint '{}'", name), "its child is the world", "its parent is",
                           "the world is never moved"});
        }
        const int index                 = static_cast<int>(tree_.joints.size());
        read_joints_[&e]                = index;
        joint_of_name_[{j.scope, name}] = index;
        tree_.joints.push_back(std::move(made));
    }

    static void turn(Joint& joint)
    {
        std::swap(joint.parent, joint.child);
        std::swap(joint.X_PJ, joint.X_CJ);
        for (Dof& d : joint.dofs) d.axis = -d.axis;
        std::reverse(joint.dofs.begin(), joint.dofs.end());
    }

    Dof dof(const PendingJoint& j, const Joint& of, const XmlElement* e, bool angular, bool endless,
            const Vec3d& otherwise)
    {
        Dof out;
        out.name    = of.name;
        out.angular = angular;
        out.axis    = otherwise;
        out.place = out.limit_place = e != nullptr ? e->place : of.place;
        if (e == nullptr) {
            s_.error(kMissing, of.place, fmt::format("the joint '{}' has no axis; z is taken", j.e->get("name")));
            return out;
        }
        if (const XmlElement* xyz = e->child("xyz")) {
            const auto v = numbers_of(*xyz, 3, 3);
            if (v) {
                const Vec3d a{(*v)[0], (*v)[1], (*v)[2]};
                if (length(a) > 1e-9)
                    out.axis = normalized(a);
                else
                    s_.error(kNumber, xyz->place,
                             fmt::format("the axis of joint '{}' has no direction", j.e->get("name")));
            }
            int frame = j.node;
            if (const std::string in = xyz->get("expressed_in"); !in.empty()) {
                bool      world = false;
                const int found = frame_named(j.scope, in, *xyz, &world);
                if (found >= 0 || world) frame = found;
            }
            if (flag(*e, "use_parent_model_frame", false)) frame = scopes_[at(j.scope)].model;
            if (frame != j.node)
                out.axis = normalized(rotate(conjugate(pose_of(j.node).q) * pose_of(frame).q, out.axis));
        }
        if (const XmlElement* limit = e->child("limit")) {
            out.limit_place  = limit->place;
            const auto lower = number(*limit, "lower", true), upper = number(*limit, "upper", true),
                       effort = number(*limit, "effort", true), velocity = number(*limit, "velocity", true);
            if (lower && *lower > -kUnlimited) out.lower = *lower;
            if (upper && *upper < kUnlimited) out.upper = *upper;
            if (endless && (std::isfinite(out.lower) || std::isfinite(out.upper))) {
                s_.losses.add({"continuous-limits",
                               Severity::info,
                               LossAction::dropped,
                               "kinematics",
                               site_of(limit->place),
                               fmt::format("joint '{}'/limit", j.e->get("name")),
                               fmt::format("{} {}", out.lower, out.upper),
                               {},
                               "a continuous joint has no limits of position"});
                out.lower = -kInfinite, out.upper = kInfinite;
            }
            if (out.lower > out.upper)
                s_.error(kLimits, limit->place,
                         fmt::format("the lower limit {} of joint '{}' is above the upper one {}", out.lower,
                                     j.e->get("name"), out.upper));
            if (effort && *effort >= 0 && *effort < kUnlimited) {
                Drive drive;
                drive.max_force = *effort;
                drive.place     = limit->place;
                out.drive       = drive;
            }
            if (velocity && *velocity >= 0 && *velocity < kUnlimited) out.velocity_limit = *velocity;
        }
        if (const XmlElement* dynamics = e->child("dynamics")) {
            const auto damping = number(*dynamics, "damping"), friction = number(*dynamics, "friction"),
                       stiffness = number(*dynamics, "spring_stiffness"),
                       reference = number(*dynamics, "spring_reference");
            if (damping && *damping >= 0) out.damping = *damping;
            if (friction && *friction >= 0) out.friction = *friction;
            if (stiffness && *stiffness > 0) {
                out.extras.push_back({Extra::Layer::mujoco, "mjc:stiffness", "double", usda_number(*stiffness),
                                      "MjcJointAPI", dynamics->place});
                if (reference && *reference != 0)
                    out.extras.push_back({Extra::Layer::mujoco, "mjc:springref", "double",
                                          usda_number(angular ? *reference / kDegree : *reference), "MjcJointAPI",
                                          dynamics->place});
                s_.losses.add({"spring", Severity::warning, LossAction::converted, "kinematics",
                               site_of(dynamics->place), fmt::format("joint '{}'/spring_stiffness", j.e->get("name")),
                               usda_number(*stiffness), "mjc:stiffness",
                               "USD's joints have no springs of their own; the value stands in the layer of MuJoCo"});
            }
        }
        return out;
    }

    void mimics(const PendingJoint& j)
    {
        const auto own = read_joints_.find(j.e);
        if (own == read_joints_.end()) return;
        const XmlElement* axis = j.e->child("axis");
        const XmlElement* m    = axis != nullptr ? axis->child("mimic") : nullptr;
        if (const XmlElement* axis2 = j.e->child("axis2"))
            if (const XmlElement* second = axis2->child("mimic"))
                s_.error(kUnsupported, second->place, "only the first axis of a joint may follow another");
        if (m == nullptr) return;
        const std::string name     = m->get("joint");
        const std::string which    = m->get("axis", "axis");
        const auto        leader   = joint_of_name_.find({j.scope, name});
        Joint&            follower = tree_.joints[at(own->second)];
        if (leader == joint_of_name_.end() || leader->second == own->second) {
            std::vector<std::string> names;
            for (const auto& [key, index] : joint_of_name_)
                if (key.first == j.scope) names.push_back(key.second);
            return s_.error(
                kUnknownName, m->place,
                fmt::format("the mimic of joint '{}' names '{}', which is no other joint", follower.name, name),
                did_you_mean(name, names));
        }
        if (which != "axis" || follower.dofs.size() != 1 || tree_.joints[at(leader->second)].dofs.size() != 1)
            return s_.error(kUnsupported, m->place,
                            fmt::format("the mimic of joint '{}' needs two joints of one axis", follower.name));
        const double multiplier = number(*m, "multiplier").value_or(1), offset = number(*m, "offset").value_or(0),
                     reference = number(*m, "reference").value_or(0);
        // q = multiplier (q_leader - reference) + offset
        follower.mimic = Mimic{leader->second, multiplier, offset - multiplier * reference, m->place};
    }

    void base()
    {
        if (s_.options.base == Base::floating) {
            std::vector<int>   place(tree_.joints.size(), -1);
            std::vector<Joint> kept;
            for (std::size_t i = 0; i < tree_.joints.size(); ++i)
                if (tree_.joints[i].parent >= 0 || tree_.joints[i].kind != Joint::Kind::fixed)
                    place[i] = static_cast<int>(kept.size()), kept.push_back(tree_.joints[i]);
            for (Joint& k : kept)
                if (k.mimic) k.mimic->joint = place[at(k.mimic->joint)];
            tree_.joints = std::move(kept);
        }
        if (s_.options.base == Base::fixed)
            for (std::size_t l = 0; l < tree_.links.size(); ++l) {
                if (std::any_of(tree_.joints.begin(), tree_.joints.end(),
                                [&](const Joint& k) { return k.child == static_cast<int>(l); }))
                    continue;
                Joint made;
                made.name = "world_joint";
                for (int i = 1; !joint_names_.insert(made.name).second; ++i)
                    made.name = fmt::format("world_joint_{}", i);
                made.child = static_cast<int>(l);
                made.X_PJ  = tree_.links[l].X_WL;
                made.place = tree_.links[l].place;
                tree_.joints.push_back(std::move(made));
            }
    }

    /// A tree, parents first; what closes a loop stays as a loop joint. A joint whose child another joint moves already
    /// is turned where its parent is a root.
    void order_joints()
    {
        std::vector<int> above(tree_.links.size(), -1);  // joint
        const auto       root = [&](int link) {
            while (link >= 0 && above[at(link)] >= 0) link = tree_.joints[at(above[at(link)])].parent;
            return link;
        };
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
            Joint&    joint = tree_.joints[j];
            const int a = joint.parent, b = joint.child;
            const int top_a = root(a), top_b = root(b);
            if (a >= 0 && top_a == top_b) {
                joint.loop = true;
            } else if (above[at(b)] < 0) {
                above[at(b)] = static_cast<int>(j);
            } else if (a >= 0 && above[at(a)] < 0 && top_b != a) {
                turn(joint);
                above[at(a)] = static_cast<int>(j);
                s_.losses.add({"turned", Severity::info, LossAction::converted, "kinematics", site_of(joint.place),
                               fmt::format("joint '{}'", joint.name), tree_.links[at(b)].name, tree_.links[at(a)].name,
                               "another joint moves its child already; parent and child change places"});
            } else {
                joint.loop = true;
            }
        }
        std::vector<std::vector<int>> below(tree_.links.size());
        std::vector<int>              order, todo;
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (above[l] >= 0 && tree_.joints[at(above[l])].parent >= 0)
                below[at(tree_.joints[at(above[l])].parent)].push_back(above[l]);
        for (std::size_t l = tree_.links.size(); l-- > 0;)
            if (above[l] < 0 || tree_.joints[at(above[l])].parent < 0) todo.push_back(static_cast<int>(l));
        while (!todo.empty()) {
            const int l = todo.back();
            todo.pop_back();
            if (above[at(l)] >= 0 && tree_.joints[at(above[at(l)])].parent < 0) order.push_back(above[at(l)]);
            for (const int j : below[at(l)]) order.push_back(j);
            for (std::size_t i = below[at(l)].size(); i-- > 0;) todo.push_back(tree_.joints[at(below[at(l)][i])].child);
        }
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (tree_.joints[j].loop) order.push_back(static_cast<int>(j));
        std::vector<int>   place(tree_.joints.size(), -1);
        std::vector<Joint> sorted;
        for (const int j : order) place[at(j)] = static_cast<int>(sorted.size()), sorted.push_back(tree_.joints[at(j)]);
        for (Joint& j : sorted)
            if (j.mimic) {
                j.mimic->joint = place[at(j.mimic->joint)];
                if (j.mimic->joint < 0) j.mimic.reset();
            }
        tree_.joints = std::move(sorted);
    }

    // -- what is seen and senses

    void read_sensor(const PendingThing& p)
    {
        const XmlElement& e    = *p.e;
        const int         link = link_of(p.node, e);
        if (link < -1) return;
        const std::string name = e.get("name", "sensor"), type = e.get("type");
        const XmlElement* camera = e.child("camera");
        if (camera == nullptr) {
            Frame made;
            made.name      = s_.unique(frame_names_, scopes_[at(p.scope)].prefix + name, e, "sensor", false);
            made.link      = link;
            made.X_LS      = below(link, p.node);
            made.published = false;
            made.place     = e.place;
            tree_.sites.push_back(std::move(made));
            s_.losses.add({"sensor", Severity::warning, LossAction::approximated, "ros", site_of(e.place),
                           fmt::format("sensor '{}'", name), type, "its frame",
                           "USD has no word for what the sensor measures"});
            e.why = "USD has no word for what the sensor measures";
            return;
        }
        Posed      X   = below(link, p.node);
        const Pose own = pose(*camera);
        X              = X * own.X;
        // SDFormat looks along x with z up, USD along -z with y up.
        X.q = X.q * from_matrix(Mat33d::from_columns({0, -1, 0}, {0, 0, 1}, {-1, 0, 0}));
        Camera made;
        made.name    = name;
        made.link    = link;
        made.X_LC    = X;
        made.place   = e.place;
        double width = 320, height = 240;
        if (const XmlElement* image = camera->child("image")) {
            width  = number(*image, "width").value_or(width);
            height = number(*image, "height").value_or(height);
        }
        const double across = number(*camera, "horizontal_fov").value_or(1.047);
        if (across > 0 && across < std::numbers::pi && width > 0 && height > 0) {
            made.fovy = 2 * std::atan(std::tan(0.5 * across) * height / width);
        } else {
            s_.error(kNumber, camera->place,
                     fmt::format("the camera '{}' has no field of view between 0 and pi", name));
        }
        if (const XmlElement* clip = camera->child("clip")) {
            number(*clip, "near"), number(*clip, "far");
            clip->why = "";
        }
        tree_.cameras.push_back(std::move(made));
        s_.losses.add({"sensor", Severity::info, LossAction::approximated, "ros", site_of(e.place),
                       fmt::format("sensor '{}'", name), type, "a camera", "its rate, noise and topic are left out"});
    }

    void read_light(const PendingThing& p)
    {
        const XmlElement& e = *p.e;
        e.used              = true;
        const int link      = p.node >= 0 ? link_of(p.node, e) : -1;
        if (link < -1) return;
        const std::string type = e.get("type", "point");
        Light             made;
        made.name  = e.get("name", "light");
        made.link  = link;
        made.place = e.place;
        made.kind  = type == "directional" ? Light::Kind::distant
                     : type == "spot"      ? Light::Kind::spot
                                           : Light::Kind::point;
        made.X_LL  = p.node >= 0 ? below(link, p.node) : Posed{};
        if (const auto d = vec3(e, "direction"); d && length(*d) > 1e-9)
            made.X_LL.q = made.X_LL.q * rotation_between(Vec3d{0, 0, -1}, normalized(*d));
        const auto c = color(e, "diffuse", {1, 1, 1, 1});
        made.color   = {c[0], c[1], c[2]};
        if (const XmlElement* spot = e.child("spot"))
            if (const auto outer = number(*spot, "outer_angle"); outer && *outer > 0)
                made.cone = std::min(0.5 * *outer, 0.5 * std::numbers::pi);
        if (made.kind == Light::Kind::spot && made.cone == 0) made.cone = 0.5;
        tree_.lights.push_back(std::move(made));
    }
};

}  // namespace

void read_sdformat(const XmlElement& root, const std::string& file, Source& source)
{
    source.tree.format = "SDFormat";
    Sdformat reader(file, source);
    reader.read(root);
    source.report_leftovers(root);
    for (const XmlElement* document : reader.documents()) source.report_leftovers(*document);
}

}  // namespace mechane::sourceformats

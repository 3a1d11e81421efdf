// Worlds, models and their links as the file has them, before names are resolved.
//
// node    anything with a pose: model, link, frame, joint, shape, light, sensor
// scope   a model or the world: the names that can be used in it
//
// This first pass makes nodes and scopes in the order of the file. frames.cpp then resolves names and poses.
#include <fmt/format.h>

#include <filesystem>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

constexpr double kOldest = 1.04, kNewest = 1.11;  // 1.4 and 1.11, as version_of() has them
constexpr double kGravityInWorld = 1.06;          // version 1.6, as version_of() has it

}  // namespace

void SdformatReader::read(const XmlElement& root)
{
    root.used   = true;
    tree_.place = root.place;
    Scope world;
    world.folder  = folder_of(file_);
    world.version = version_of(root);
    if (world.version < kOldest || world.version > kNewest)
        s_.error(kUnsupported, root.place,
                 fmt::format("the version of the file is '{}': 1.4 to 1.11 are known, and it is read as {}",
                             root.get("version"), world.version < kOldest ? "1.4" : "1.11"),
                 "Write the version that the file follows.");
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
    // A world goes before models beside it. Of several worlds only the first has a place in one scene.
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
    // Names may refer to what stands further down, so the tree is built in two passes: first all nodes, then poses and
    // the links that they move with.
    finish_names();
    for (std::size_t n = 0; n < nodes_.size(); ++n) pose_of(static_cast<int>(n));
    place();
}

std::vector<const XmlElement*> SdformatReader::documents() const
{
    std::vector<const XmlElement*> out;
    for (const XmlElement& d : included_) out.push_back(&d);
    return out;
}

void SdformatReader::read_world(const XmlElement& e)
{
    tree_.name = e.get("name", "world");
    SceneSettings scene;
    scene.place   = e.place;
    scene.gravity = vec3(e, "gravity");
    // Up to version 1.5 gravity was a value of the engine (libsdformat, 1_5.convert).
    if (const XmlElement* physics = e.child("physics");
        physics != nullptr && !scene.gravity && scopes_[0].version < kGravityInWorld)
        scene.gravity = vec3(*physics, "gravity");
    // SDFormat's default, which is not the 9.81 of USD.
    if (!scene.gravity) scene.gravity = Vec3d{0, 0, -9.8};
    if (const XmlElement* physics = e.child("physics")) {
        physics->find("name"), physics->find("type"), physics->find("default");
        // The step is kept as a hint: engines choose their own.
        if (const auto step = number(*physics, "max_step_size")) scene.timestep = *step;
    }
    tree_.scene = std::move(scene);
    int models  = 0;
    for (const XmlElement& c : e.children) models += c.name == "model" || c.name == "include" ? 1 : 0;
    single_ = models == 1;
    contents(e, 0, 0);
}

void SdformatReader::contents(const XmlElement& e, int scope, int depth)
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

void SdformatReader::model(const XmlElement& e, int above, const Override& with, int depth)
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
    // An included model that is called like another gets a number; one of the file itself is told.
    for (int i = 1; !with.name.empty() && in.names.contains(made.name); ++i)
        made.name = fmt::format("{}_{}", with.name, i);
    // A static model is a part of the world with all that is nested in it.
    made.is_static = in.is_static || with.is_static.value_or(flag(e, "static", false));
    if (with.is_static)
        if (const XmlElement* own = e.child("static")) own->use_all();
    made.self_collide = flag(e, "self_collide", false);
    const bool top    = above == 0;
    // Names of a nested model begin with its own, as ours share one level; a model that stands alone keeps its names.
    made.prefix = (top && single_) || with.merge ? in.prefix : in.prefix + made.name + "_";
    Node self;
    self.name               = made.name;
    self.element            = &e;
    self.is_static          = made.is_static;
    const int node          = add_node(std::move(self));
    made.model              = node;
    made.names["__model__"] = node;
    // The model's frame lies where `placement` says, and it moves with its canonical link.
    const std::string canonical = e.get("canonical_link"),
                      placement = with.placement.empty() ? e.get("placement_frame") : with.placement;
    const int         index     = static_cast<int>(scopes_.size());
    // merge="true" pours the contents of a model into the one that includes it: its names are found there, and it keeps
    // a node for its pose.
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

void SdformatReader::link(const XmlElement& e, int scope)
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
    // The first link is the canonical one unless the model says another: the model moves with it.
    if (in.canonical < 0) in.canonical = index;
    // A link is attached to itself: that ends the search for what a frame moves with.
    nodes_[at(index)].attached = index;
    if (scope == 0)
        s_.error(kUnsupported, e.place, fmt::format("the link '{}' stands in the world and not in a model", name));
    // Links of static models are no bodies. Their shapes become the world's.
    if (in.is_static) {
        nodes_[at(index)].link = -2;
        if (const XmlElement* inertial = e.child("inertial")) inertial->use_all();
    } else {
        Link made;
        made.place = e.place;
        made.name  = s_.unique(link_names_, in.prefix + name, e, "link", false);
        if (made.name != name) s_.losses.names[in.prefix.empty() ? name : in.name + "::" + name] = made.name;
        made.kinematic = flag(e, "kinematic", false);
        // MuJoCo's gravcomp of 1 cancels gravity for the body.
        if (!flag(e, "gravity", true)) {
            made.extras.push_back({Extra::Layer::mujoco, "mjc:gravcomp", "double", "1", "", e.place});
            s_.losses.add({"gravity", Severity::warning, LossAction::converted, "kinematics", site_of(e.place),
                           fmt::format("link '{}'/gravity", name), "false", "mjc:gravcomp 1",
                           "USD cannot express it; the value is kept in MuJoCo's layer"});
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
            part.name    = c.get("name");
            part.element = &c;
            // A shape's pose is relative to its link unless it says another frame.
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

void SdformatReader::light(const XmlElement& c, int scope, int above)
{
    c.used = true;
    Node part;
    part.name     = c.get("name");
    part.element  = &c;
    part.relative = part.attached = above;
    pending_lights_.push_back({&c, add_node(std::move(part)), scope});
}

void SdformatReader::sensor(const XmlElement& c, int scope, int above)
{
    c.used = true;
    Node part;
    part.name     = c.get("name");
    part.element  = &c;
    part.relative = part.attached = above;
    sensors_.push_back({&c, add_node(std::move(part)), scope});
}

void SdformatReader::inertial(const XmlElement& e, Link& link)
{
    const XmlElement* in = e.child("inertial");
    if (in == nullptr) {
        if (s_.options.ignore_inertial) return;
        // A link without <inertial> has 1 kg and unit moments in SDFormat, however large it is.
        link.inertial = Inertial{1, {}, Mat33d::identity(), true, e.place};
        by_default_.insert(static_cast<int>(tree_.links.size()));
        s_.losses.add({"default-inertial", Severity::info, LossAction::converted, "inertia", site_of(e.place),
                       fmt::format("link '{}'", link.name), "none", "1 kg, 1 kg m^2", "SDFormat's default"});
        return;
    }
    if (s_.options.ignore_inertial) return in->use_all();
    // <inertial auto="true">: computed from the collisions, which are read later.
    if (const std::string* how = in->find("auto"); how != nullptr && (*how == "true" || *how == "1")) {
        auto_masses_.emplace_back(static_cast<int>(tree_.links.size()), in);
        return;
    }
    // The pose of the inertial turns its tensor against the link's axes.
    const Pose X = pose(*in);
    Inertial   made;
    made.place = in->place;
    made.mass  = number(*in, "mass").value_or(1);
    made.com   = X.X.p;
    // Moments that are not told are 1, products 0.
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
        s_.error(kInertia, in->place,
                 fmt::format("the inertia of link '{}' is that of no body; {}", link.name, kInertiaOtherwise));
        made.has_inertia = false;
    }
    link.inertial = made;
}

void SdformatReader::frame(const XmlElement& e, int scope)
{
    e.used = true;
    Node node;
    node.name                                                    = e.get("name");
    node.element                                                 = &e;
    const int index                                              = add_node(std::move(node));
    scopes_[at(scope)].names[named(e, scopes_[at(scope)].names)] = index;
    frames_.push_back({&e, index, scope});
}

void read_sdformat(const XmlElement& root, const std::string& file, Source& source)
{
    source.tree.format = "SDFormat";
    SdformatReader reader(file, source);
    reader.read(root);
    source.report_leftovers(root);
    for (const XmlElement* document : reader.documents()) source.report_leftovers(*document);
}

}  // namespace mechane::sourceformats

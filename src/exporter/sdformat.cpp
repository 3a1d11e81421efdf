// masks   SDFormat has one mask a shape; two shapes meet where masks share a bit
// still   shapes of the world: a link that a fixed joint holds
// SDFormat (export 6; sdformat.org/spec). Poses are told relative to the link that holds them, so no pose of the world
// is flattened; a joint's frame is told in its child, as its F1, and its zero pose by the pose of the child relative to
// the parent. SDFormat knows no link without mass: what only is a frame becomes <frame>.
// In: sf::RobotTree in SI with z up. Out: the .sdf file and its meshes. Element order and names follow the
// specification of the version written: 1.9, or 1.11 where a joint follows another.
// What has no word in SDFormat is told as a loss; what only a plug-in of a simulator could say (gains, topics) is a
// loss too, or a <plugin>.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

#include "exporter/output.h"
#include "mechane/files/suffix.h"

namespace mechane::exporter {
namespace {

constexpr double kUnlimited = 1e15;  // SDFormat writes 1e16 where there is no limit

std::string pose_text(const Posed& X) { return numbers_text(X.p) + " " + numbers_text(to_rpy(normalized(X.q))); }

class SdformatWriter {
  public:
    SdformatWriter(Output& out, const std::string& file) : out_(out), tree_(out.tree), file_(file), root_("sdf") {}

    Result<Written> write()
    {
        const bool mimic = std::any_of(tree_.joints.begin(), tree_.joints.end(),
                                       [](const sf::Joint& j) { return j.mimic.has_value(); });
        // <mimic> exists since 1.11. The older version is preferred otherwise, because more simulators read it.
        version_ = !out_.options.sdf_version.empty() ? out_.options.sdf_version : mimic ? "1.11" : "1.9";
        out_.losses.target_version = version_;
        root_.set("version", version_);
        const bool in_world = files::has_suffix(file_, {".world"});
        XmlNode&   model    = (in_world ? world() : root_).add("model").set("name", tree_.name);
        // Decided once: every pose and limit below depends on it.
        at_start_ = stands_at_start(tree_);
        find_masks();
        // Links first: frames and joints refer to them.
        for (std::size_t l = 0; l < tree_.links.size(); ++l) is_link_.push_back(!tree_.links[l].frame || needed(l));
        const bool any = std::find(is_link_.begin(), is_link_.end(), true) != is_link_.end();
        // A model without links stands in the world.
        if (!any)
            model.leaf("static", "true");
        else if (tree_.self_collision && tree_.links.size() + (has_world_shapes() ? 1 : 0) > 1)
            model.leaf("self_collide", "true");  // false unless told, for what stands in the world too: it is a link
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (is_link_[l]) link(model, l);
        still(model);
        hold_frames(model);
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (!is_link_[l]) frame(model, tree_.links[l].name, tree_.links[l].X_WL, out_.chain.above[l]);
        for (const sf::Frame& f : tree_.sites)
            if (f.published) {
                XmlNode& node = model.add("frame").set("name", f.name);
                if (f.link >= 0) node.set("attached_to", tree_.links[index(f.link)].name);
                node.leaf("pose", pose_text(f.X_LS));
            }
        for (const sf::Joint& j : tree_.joints) joint(model, j);
        interfaces(model);
        lost();
        out_.written.files.insert(out_.written.files.begin(), {file_, root_.document()});
        return std::move(out_.written);
    }

  private:
    Output&              out_;
    const sf::RobotTree& tree_;
    std::string          file_, version_;
    bool                 world_    = false;  ///< the model stands in a <world>
    bool                 at_start_ = false;  ///< links are told where they start, and not at the zero of their joints

    /// The coordinate of a joint that the file takes as zero.
    /// Zero is where the joint starts, when the file tells poses of the start.
    [[nodiscard]] double zero_of(const sf::Joint& j) const { return at_start_ && j.dofs.size() == 1 ? j.initial : 0; }
    /// The child of a joint in its parent, where the file has it.
    [[nodiscard]] Posed placed(const sf::Joint& j) const
    {
        const double zero = zero_of(j);
        Posed        X_J;
        if (zero != 0 && j.dofs[0].angular) X_J.q = from_axis_angle(j.dofs[0].axis, zero);
        if (zero != 0 && !j.dofs[0].angular) X_J.p = zero * j.dofs[0].axis;
        // X_PC = X_PJ X_J(zero) X_CJ^-1.
        return j.X_PJ * X_J * inverse(j.X_CJ);
    }

    /// What is around the robot: its gravity, and the lights that no link carries.
    XmlNode& world()
    {
        world_        = true;
        XmlNode& node = root_.add("world").set("name", "default");
        // A world that says nothing has 9.8 m/s^2, and a robot without a scene the earth's 9.81.
        node.leaf("gravity", sf::gravity_of(tree_));
        for (const sf::Light& light : tree_.lights)
            if (light.link < 0) lamp(node, light);
        return node;
    }
    XmlNode               root_;
    std::vector<unsigned> masks_;  ///< by shape; empty: everything meets everything
    std::vector<bool>     is_link_;

    /// A frame that carries shapes or mass, or that a joint moves or hangs on.
    [[nodiscard]] bool needed(std::size_t l) const
    {
        if (tree_.links[l].inertial) return true;
        return std::any_of(tree_.joints.begin(), tree_.joints.end(),
                           [&](const sf::Joint& j) {
                               return (j.parent == static_cast<int>(l) && j.kind != sf::Joint::Kind::fixed) ||
                                      (j.child == static_cast<int>(l) && j.kind != sf::Joint::Kind::fixed);
                           }) ||
               std::any_of(tree_.shapes.begin(), tree_.shapes.end(),
                           [&](const sf::Shape& s) { return s.link == static_cast<int>(l); });
    }

    void frame(XmlNode& model, const std::string& name, const Posed& X_W, int above)
    {
        XmlNode& node = model.add("frame").set("name", name);
        if (above >= 0 && tree_.joints[index(above)].parent >= 0) {
            const sf::Joint& j = tree_.joints[index(above)];
            node.set("attached_to", tree_.links[index(j.parent)].name).leaf("pose", pose_text(placed(j)));
        } else {
            node.leaf("pose", pose_text(X_W));
        }
    }

    void link(XmlNode& model, std::size_t l)
    {
        const sf::Link& link  = tree_.links[l];
        XmlNode&        node  = model.add("link").set("name", link.name);
        const int       above = out_.chain.above[l];
        if (above >= 0 && tree_.joints[index(above)].parent >= 0) {
            const sf::Joint& j = tree_.joints[index(above)];
            // A pose relative to the parent keeps a chain readable and free of accumulated rounding.
            node.add("pose").set("relative_to", tree_.links[index(j.parent)].name).text(pose_text(placed(j)));
        } else if (above >= 0) {
            node.leaf("pose", pose_text(placed(tree_.joints[index(above)])));
        } else {
            node.leaf("pose", pose_text(link.X_WL));
        }
        // Only full compensation has a word: gravity off.
        if (!link.falls || std::any_of(link.extras.begin(), link.extras.end(),
                                       [](const sf::Extra& e) { return e.name == "mjc:gravcomp" && e.text == "1"; }))
            node.leaf("gravity", "false");
        if (link.kinematic) node.leaf("kinematic", "true");
        // What a body could not use is told to SDFormat as well, where it is at least a link's inertial.
        const auto& in = link.inertial ? link.inertial : link.unused;
        if (in) {
            XmlNode& inner = node.add("inertial");
            inner.leaf("pose", pose_text({in->com, {}})).leaf("mass", in->mass);
            XmlNode&      I = inner.add("inertia");
            const Mat33d& m = in->inertia;
            I.leaf("ixx", m(0, 0))
                .leaf("ixy", m(0, 1))
                .leaf("ixz", m(0, 2))
                .leaf("iyy", m(1, 1))
                .leaf("iyz", m(1, 2))
                .leaf("izz", m(2, 2));
        } else {
            out_.lose("missing-mass", link.frame ? Severity::info : Severity::warning, sf::LossAction::approximated,
                      "inertia", link.place, fmt::format("link '{}'", link.name), "none",
                      fmt::format("{} kg", sf::kStandInMass),
                      "SDFormat takes 1 kg where nothing is told, and no link without mass");
            XmlNode& inner = node.add("inertial");
            inner.leaf("mass", sf::kStandInMass);
            XmlNode& I = inner.add("inertia");
            for (const char* name : {"ixx", "iyy", "izz"}) I.leaf(name, sf::kStandInMoment);
            for (const char* name : {"ixy", "ixz", "iyz"}) I.leaf(name, 0.0);
        }
        shapes(node, static_cast<int>(l));
        for (const sf::Light& light : tree_.lights)
            if (light.link == static_cast<int>(l)) lamp(node, light);
        for (const sf::Camera& camera : tree_.cameras)
            if (camera.link == static_cast<int>(l)) sensor(node, camera);
    }

    void lamp(XmlNode& node, const sf::Light& light)
    {
        XmlNode& inner = node.add("light")
                             .set("name", light.name)
                             .set("type", light.kind == sf::Light::Kind::distant ? "directional"
                                          : light.kind == sf::Light::Kind::spot  ? "spot"
                                                                                 : "point");
        inner.leaf("pose", pose_text(light.X_LL));
        inner.leaf("diffuse", fmt::format("{} {} {} 1", number_text(light.color[0]), number_text(light.color[1]),
                                          number_text(light.color[2])));
        if (light.intensity != 1) inner.leaf("intensity", light.intensity);
        inner.leaf("direction", Vec3d{0, 0, -1});
        if (light.kind == sf::Light::Kind::spot)
            inner
                .add("spot")
                // SDFormat has the whole angle, the tree the half.
                .leaf("inner_angle", 2 * light.cone)
                .leaf("outer_angle", 2 * light.cone)
                .leaf("falloff", 0.0);
        out_.lose("light-power", Severity::info, sf::LossAction::approximated, "light", light.place,
                  fmt::format("light '{}'", light.name), {}, {}, "the units of its brightness differ");
    }

    void sensor(XmlNode& node, const sf::Camera& camera)
    {
        if (camera.orthographic)
            return out_.lose("camera", Severity::warning, sf::LossAction::dropped, "visual", camera.place,
                             fmt::format("camera '{}'", camera.name), "orthographic", {},
                             "cameras of SDFormat have a field of view");
        XmlNode& inner = node.add("sensor").set("name", camera.name).set("type", "camera");
        // SDFormat looks along x with z up, the stage's camera along -z with y up.
        const Quatd turn = from_matrix(Mat33d::from_columns({0, -1, 0}, {0, 0, 1}, {-1, 0, 0}));
        inner.leaf("pose", pose_text({camera.X_LC.p, camera.X_LC.q * conjugate(turn)}));
        XmlNode&     lens   = inner.add("camera");
        const double aspect = camera.aspect > 0 ? camera.aspect : 4.0 / 3;
        lens.leaf("horizontal_fov", 2 * std::atan(std::tan(0.5 * camera.fovy) * aspect));
        const bool said   = camera.pixels[0] > 0 && camera.pixels[1] > 0;
        const auto across = static_cast<int>(std::lround(said ? camera.pixels[0] : 240 * aspect)),
                   down   = static_cast<int>(std::lround(said ? camera.pixels[1] : 240));
        lens.add("image").leaf("width", std::to_string(across)).leaf("height", std::to_string(down));
        if (camera.clip) lens.add("clip").leaf("near", (*camera.clip)[0]).leaf("far", (*camera.clip)[1]);
        if (said) return;
        out_.lose("camera", Severity::info, sf::LossAction::approximated, "visual", camera.place,
                  fmt::format("camera '{}'", camera.name), "a picture of any size",
                  fmt::format("{} x {}", across, down), "a sensor has a number of pixels");
    }

    [[nodiscard]] bool has_world_shapes() const
    {
        return std::any_of(tree_.shapes.begin(), tree_.shapes.end(), [](const sf::Shape& s) { return s.link < 0; });
    }

    /// Shapes of the world: a link that a fixed joint holds.
    void still(XmlNode& model)
    {
        if (!has_world_shapes()) return;
        // No link has the name, so that no joint means another one.
        std::string name = "world_shapes";
        while (std::any_of(tree_.links.begin(), tree_.links.end(), [&](const sf::Link& l) { return l.name == name; }))
            name += "_";
        XmlNode& node = model.add("link").set("name", name);
        shapes(node, -1);
        XmlNode& joint = model.add("joint").set("name", name + "_joint").set("type", "fixed");
        joint.leaf("parent", "world").leaf("child", name);
        // Without self_collide links of one model do not touch; what stands in the model is one of them.
        if (tree_.self_collision) return;
        const auto collides = [&](int link) {
            return std::any_of(tree_.shapes.begin(), tree_.shapes.end(),
                               [&](const sf::Shape& s) { return s.link == link && s.collider; });
        };
        for (std::size_t l = 0; collides(-1) && l < tree_.links.size(); ++l)
            if (collides(static_cast<int>(l)))
                out_.lose("collision-pair", Severity::warning, sf::LossAction::approximated, "collision",
                          tree_.links[l].place, fmt::format("pair '{}' and 'the world'", tree_.links[l].name),
                          "may touch", "never touch",
                          "links of the robot touch neither each other nor what stands in their model");
    }

    /// Links that are one piece with a link, itself among them.
    [[nodiscard]] std::vector<bool> piece_of(std::size_t link) const
    {
        std::vector<bool> out(tree_.links.size(), false);
        out[link] = true;
        for (bool more = true; more;) {
            more = false;
            for (const sf::Joint& j : tree_.joints) {
                if (j.kind != sf::Joint::Kind::fixed || j.loop || j.parent < 0 || j.child < 0) continue;
                if (out[index(j.parent)] == out[index(j.child)]) continue;
                out[index(j.parent)] = out[index(j.child)] = more = true;
            }
        }
        return out;
    }

    /// Nothing that is one piece with a link is a body.
    [[nodiscard]] bool stands_still(std::size_t link) const
    {
        const std::vector<bool> piece = piece_of(link);
        for (std::size_t other = 0; other < piece.size(); ++other)
            if (piece[other] && (tree_.links[other].inertial || !tree_.links[other].frame)) return false;
        return true;
    }

    /// What a joint hangs on. A frame that nothing holds moves with the first link of its model, so what hangs on a
    /// frame of the world hangs on the world.
    [[nodiscard]] std::string parent_of(const sf::Joint& j) const
    {
        int link = j.parent;
        while (link >= 0 && !is_link_[index(link)]) {
            const int above = out_.chain.above[index(link)];
            link            = above >= 0 ? tree_.joints[index(above)].parent : -1;
        }
        return j.parent < 0 || (link < 0 && stands_still(index(j.parent))) ? "world"
                                                                           : tree_.links[index(j.parent)].name;
    }

    /// A frame that carries shapes or joints is a link of SDFormat. Where nothing holds it, and it weighs nothing with
    /// all that is fixed to it, it stands still in the stage, and as a link of its own it would fall.
    void hold_frames(XmlNode& model)
    {
        for (std::size_t l = 0; l < tree_.links.size(); ++l) {
            if (!is_link_[l] || !tree_.links[l].frame || out_.chain.above[l] >= 0) continue;
            if (!stands_still(l)) continue;
            std::string name = tree_.links[l].name + "_anchor";
            while (std::any_of(tree_.joints.begin(), tree_.joints.end(),
                               [&](const sf::Joint& j) { return j.name == name; }))
                name += "_";
            XmlNode& joint = model.add("joint").set("name", name).set("type", "fixed");
            joint.leaf("parent", "world").leaf("child", tree_.links[l].name);
        }
    }

    void shapes(XmlNode& node, int link)
    {
        // Visuals and collisions have names of their own, each unique in its link.
        std::set<std::string> taken;
        for (const bool collider : {false, true})
            for (std::size_t i = 0; i < tree_.shapes.size(); ++i) {
                const sf::Shape& s = tree_.shapes[i];
                if (s.link != link || !(collider ? s.collider : s.visual)) continue;
                std::string name = s.name;
                for (int n = 1; !taken.insert((collider ? "c " : "v ") + name).second; ++n)
                    name = fmt::format("{}_{}", s.name, n);
                XmlNode& inner = node.add(collider ? "collision" : "visual").set("name", name);
                inner.leaf("pose", pose_text(s.X_LS));
                geometry_of(inner, s, collider);
                if (collider)
                    surface(inner, s, i);
                else
                    material(inner, s);
            }
    }

    void geometry_of(XmlNode& node, const sf::Shape& s, bool collider)
    {
        XmlNode&     g = node.add("geometry");
        const Vec3d& z = s.size;
        switch (s.kind) {
            case sf::Shape::Kind::box:
                // Sizes of the tree are half extents.
                g.add("box").leaf("size", 2.0 * z);
                return;
            case sf::Shape::Kind::sphere:
                g.add("sphere").leaf("radius", z.x);
                return;
            case sf::Shape::Kind::cylinder:
                g.add("cylinder").leaf("radius", z.x).leaf("length", 2 * z.y);
                return;
            case sf::Shape::Kind::capsule:
                g.add("capsule").leaf("radius", z.x).leaf("length", 2 * z.y);
                return;
            case sf::Shape::Kind::ellipsoid:
                g.add("ellipsoid").leaf("radii", z);
                return;
            case sf::Shape::Kind::plane:
                // SDFormat's plane has a size for its picture; as a collider it is infinite whatever the size.
                g.add("plane")
                    .leaf("normal", Vec3d{0, 0, 1})
                    .leaf("size", fmt::format("{} {}", z.x > 0 ? 2 * z.x : 100, z.y > 0 ? 2 * z.y : 100));
                return;
            case sf::Shape::Kind::mesh: {
                const std::string&   name = tree_.meshes[index(s.mesh)].name;
                const geometry::Mesh mesh = out_.triangles(s);
                // A visual keeps corners and materials (OBJ), a collider needs triangles only (STL); without an
                // approximation "none" it is the hull that collides.
                if (collider && s.approximation != "none") out_.lose_approximation(s);
                const std::string file = !collider ? out_.obj(s.mesh, s.scale, {}, name, true, s.material)
                                         : s.approximation == "none" ? out_.stl(name, mesh)
                                                                     : out_.stl(name + "_hull", out_.hull(s, mesh));
                g.add("mesh").leaf(
                    "uri", out_.options.package.empty() ? file : "package://" + out_.options.package + "/" + file);
                return;
            }
        }
    }

    void surface(XmlNode& node, const sf::Shape& s, std::size_t i)
    {
        out_.lose_response(s);
        if (!s.contact && masks_.empty()) return;
        XmlNode& surface = node.add("surface");
        if (s.contact) {
            const sf::Contact& c        = *s.contact;
            XmlNode&           friction = surface.add("friction");
            // ODE reads two directions of friction; both are the same here.
            friction.add("ode").leaf("mu", c.dynamic_friction).leaf("mu2", c.dynamic_friction);
            if (c.rolling && *c.rolling != sf::kPlainRolling)
                friction.add("bullet")
                    .leaf("friction", c.dynamic_friction)
                    .leaf("friction2", c.dynamic_friction)
                    .leaf("rolling_friction", *c.rolling);
            // The torque is 3 pi / 16 of coefficient, patch radius and normal force; the radius is one metre here.
            if (c.torsional && *c.torsional != sf::kPlainTorsional)
                friction.add("torsional")
                    .leaf("coefficient", *c.torsional * 16 / (3 * std::numbers::pi))
                    .leaf("use_patch_radius", "true")
                    .leaf("patch_radius", 1.0);
            if (s.contact->static_friction != s.contact->dynamic_friction)
                out_.lose("static-friction", Severity::info, sf::LossAction::dropped, "contact", s.place,
                          fmt::format("shape '{}'", s.name), number_text(s.contact->static_friction),
                          number_text(s.contact->dynamic_friction), "one coefficient of friction");
            if (s.contact->restitution > 0)
                surface.add("bounce").leaf("restitution_coefficient", s.contact->restitution).leaf("threshold", 0.0);
        }
        if (!masks_.empty()) surface.add("contact").leaf("collide_bitmask", fmt::format("{}", masks_[i]));
    }

    /// One mask a shape, and two meet where their masks share a bit. A bit stands for classes of colliders that all
    /// meet each other; each pair that meets needs one that both have.
    void find_masks()
    {
        // group_bits() makes masks of two kinds for MuJoCo. One mask for both is harder, hence the search below.
        // Shapes with the same set of groups are one class: the number of classes counts, not that of the shapes.
        std::map<std::vector<int>, std::vector<std::size_t>> members;  // groups of a shape -> shapes
        std::vector<std::vector<int>>                        of(tree_.shapes.size());
        for (std::size_t g = 0; g < tree_.groups.size(); ++g)
            for (const int s : tree_.groups[g].shapes) of[index(s)].push_back(static_cast<int>(g));
        for (std::size_t s = 0; s < tree_.shapes.size(); ++s)
            if (tree_.shapes[s].collider) members[of[s]].push_back(s);
        std::vector<std::vector<int>> classes;
        for (const auto& [groups, shapes] : members) classes.push_back(groups);
        const std::size_t n    = classes.size();
        const auto        meet = [&](std::size_t a, std::size_t b) {
            for (const int x : classes[a])
                for (const int y : classes[b]) {
                    const auto& f = tree_.groups[index(x)].filtered;
                    const auto& g = tree_.groups[index(y)].filtered;
                    if (std::find(f.begin(), f.end(), y) != f.end() || std::find(g.begin(), g.end(), x) != g.end())
                        return false;
                }
            return true;
        };
        const auto told = [&](std::size_t c) {
            std::string text;
            for (const int g : classes[c]) text += (text.empty() ? "" : "+") + tree_.groups[index(g)].name;
            return text.empty() ? std::string("no group") : text;
        };
        // If all meet all, no mask is written: the default does that.
        bool all = true;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a; b < n; ++b) all = all && meet(a, b);
        if (all) return;
        std::vector<unsigned>          mask(n, 0);
        std::vector<std::vector<bool>> done(n, std::vector<bool>(n, false));
        unsigned                       used = 0;
        const auto lost = [&](std::size_t a, std::size_t b, const char* from, const char* to, const char* why) {
            out_.lose("collision-groups", Severity::error, sf::LossAction::approximated, "collision", tree_.place,
                      fmt::format("pair {} and {}", told(a), told(b)), from, to, why);
        };
        // Greedy: each pair that needs a bit brings all classes along that meet everything in it.
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a; b < n; ++b) {
                if (done[a][b] || !meet(a, b)) continue;
                // A bit says that all of its holders meet each other. The pair is the seed, and classes are added as
                // long as they meet all that are in: a greedy cover of the graph of meetings by cliques. The smallest
                // cover is NP-hard, and few classes need few bits.
                std::vector<std::size_t> clique;
                for (const std::size_t c : {a, b})
                    if (meet(c, c) && std::find(clique.begin(), clique.end(), c) == clique.end()) clique.push_back(c);
                // Two classes that meet each other, one of which does not meet itself, cannot share a bit.
                if (clique.size() < (a == b ? 1U : 2U)) {  // a bit of its own makes a class meet itself
                    lost(a, b, "collides, and one of them does not collide with itself", "does not collide",
                         "SDFormat has one mask for what a shape is and what it collides with");
                    continue;
                }
                for (std::size_t c = 0; c < n; ++c)
                    if (c != a && c != b && meet(c, c) &&
                        std::all_of(clique.begin(), clique.end(), [&](std::size_t k) { return meet(c, k); }))
                        clique.push_back(c);
                // Gazebo reads 16 bits.
                if (used == 16) {
                    lost(a, b, "collides", "does not collide", "SDFormat has 16 bits for what collides with what");
                    continue;
                }
                for (const std::size_t x : clique) {
                    mask[x] |= 1U << used;
                    for (const std::size_t y : clique) done[x][y] = true;
                }
                ++used;
            }
        masks_.assign(tree_.shapes.size(), 0);
        std::size_t c = 0;
        for (const auto& [groups, shapes] : members) {
            for (const std::size_t s : shapes) masks_[s] = mask[c];
            ++c;
        }
    }

    /// Interfaces of ROS as plug-ins: names are told with their namespaces (export 6).
    void interfaces(XmlNode& model)
    {
        if (out_.options.ros_plugin.empty()) return;
        for (const sf::RosInterface& i : tree_.interfaces) {
            XmlNode& plugin =
                model.add("plugin").set("filename", out_.options.ros_plugin).set("name", out_.options.ros_plugin);
            plugin.leaf("kind", i.kind);
            if (!i.role.empty()) plugin.leaf("role", i.role);
            plugin.leaf("name", i.name);
            if (!i.type.empty()) plugin.leaf("type", i.type);
            if (i.rate) plugin.leaf("rate", *i.rate);
            XmlNode& qos = plugin.add("qos");
            qos.leaf("reliability", i.reliability)
                .leaf("durability", i.durability)
                .leaf("history", i.history)
                .leaf("depth", fmt::format("{}", i.depth));
            if (!i.frame.empty()) plugin.leaf("frame_id", i.frame);
            if (i.link >= 0) plugin.leaf("link", tree_.links[index(i.link)].name);
        }
        if (!tree_.interfaces.empty())
            out_.lose("ros-interfaces", Severity::info, sf::LossAction::converted, "ros",
                      tree_.interfaces.front().place, "topics, services and actions",
                      fmt::format("{} interfaces", tree_.interfaces.size()), "plug-ins",
                      "a simulator needs a plug-in of that name");
    }

    void material(XmlNode& node, const sf::Shape& s)
    {
        if (s.material < 0) return;
        const sf::Material& m     = tree_.materials[index(s.material)];
        const std::string   color = fmt::format("{} {} {} {}", number_text(m.rgba[0]), number_text(m.rgba[1]),
                                                number_text(m.rgba[2]), number_text(m.rgba[3]));
        XmlNode&            inner = node.add("material");
        inner.leaf("ambient", color).leaf("diffuse", color);
        inner.leaf("emissive", fmt::format("{} {} {} 1", number_text(m.emission[0]), number_text(m.emission[1]),
                                           number_text(m.emission[2])));
        XmlNode& metal = inner.add("pbr").add("metal");
        if (const std::string p = out_.picture(m.texture); !p.empty()) metal.leaf("albedo_map", p);
        metal.leaf("metalness", m.metallic).leaf("roughness", m.roughness);
    }

    void joint(XmlNode& model, const sf::Joint& j)
    {
        if (j.child < 0 || !is_link_[index(j.child)]) return;  // a frame
        // A joint of the world without an axis that is not fixed holds nothing.
        if (j.parent < 0 && j.kind != sf::Joint::Kind::fixed && j.dofs.empty()) return;
        std::vector<const sf::Dof*> dofs;
        // A ball has no limits that could lock it.
        for (const sf::Dof& d : j.dofs)
            // UsdPhysics locks a dof by a lower limit above the upper one.
            if (j.kind == sf::Joint::Kind::ball || d.lower <= d.upper) dofs.push_back(&d);
        // Two rotations become SDFormat's universal joint.
        const bool  universal = dofs.size() == 2 && dofs[0]->angular && dofs[1]->angular;
        const char* type      = "fixed";
        if (j.kind == sf::Joint::Kind::ball)
            type = "ball", dofs.clear();
        else if (universal)
            type = "universal";
        else if (dofs.size() == 1)
            type = !dofs[0]->angular                                                ? "prismatic"
                   : std::isfinite(dofs[0]->lower) || std::isfinite(dofs[0]->upper) ? "revolute"
                                                                                    : "continuous";
        else if (!dofs.empty() || j.kind == sf::Joint::Kind::distance)
            return out_.lose("several-axes", Severity::error, sf::LossAction::dropped, "kinematics", j.place,
                             fmt::format("joint '{}'", j.name), fmt::format("{} axes", dofs.size()), {},
                             "SDFormat has no such joint");
        if (j.kind == sf::Joint::Kind::ball && !j.dofs.empty()) lost_ball(j);
        if (universal)
            for (const sf::Dof* d : dofs)
                out_.lose("several-axes", Severity::info, sf::LossAction::converted, "kinematics", j.place,
                          fmt::format("joint '{}' of joint '{}'", d->name, j.name), "an axis with a name",
                          fmt::format("an axis of joint '{}'", j.name), "axes of SDFormat have no names");
        XmlNode& node =
            model.add("joint").set("name", dofs.size() == 1 ? one_axis_name(j, *dofs[0]) : j.name).set("type", type);
        out_.lose_touching(j);
        // SDFormat tells a joint in its child.
        node.leaf("pose", pose_text(j.X_CJ));  // in the child
        node.leaf("parent", parent_of(j)).leaf("child", tree_.links[index(j.child)].name);
        for (std::size_t d = 0; d < dofs.size(); ++d) axis(node.add(d == 0 ? "axis" : "axis2"), *dofs[d], j);
    }

    void axis(XmlNode& node, const sf::Dof& dof, const sf::Joint& j)
    {
        // In the joint's frame, which is where SDFormat expects it (expressed_in is not written).
        node.leaf("xyz", dof.axis);
        XmlNode&     limit = node.add("limit");
        const double zero  = zero_of(j);
        if (zero != 0) {
            out_.lose("zero-position", Severity::warning, sf::LossAction::converted, "kinematics", j.place,
                      fmt::format("joint '{}'", j.name), fmt::format("{:.9g} {}", zero, dof.angular ? "rad" : "m"), "0",
                      "SDFormat closes loops where all joints are at zero: they count from where they start");
            out_.losses.entries.back().motion = true;
        }
        for (const auto& [name, bound] : {std::pair{"lower", dof.lower}, std::pair{"upper", dof.upper}}) {
            if (!std::isfinite(bound)) continue;
            if (std::abs(bound) < kUnlimited)
                limit.leaf(name, bound - zero);
            else
                out_.lose("one-sided-limit", Severity::info, sf::LossAction::converted, "kinematics", dof.limit_place,
                          fmt::format("joint '{}'", j.name), number_text(bound), "none",
                          "so large a number is no limit in SDFormat");
        }
        if (dof.drive && std::isfinite(dof.drive->max_force)) limit.leaf("effort", dof.drive->max_force);
        if (dof.velocity_limit) limit.leaf("velocity", *dof.velocity_limit);
        // 1e8 and more is what SDFormat takes where nothing is told: a limit that does not give way.
        if (dof.limit_stiffness && *dof.limit_stiffness < sf::kHardLimit) limit.leaf("stiffness", *dof.limit_stiffness);
        if (dof.limit_damping) limit.leaf("dissipation", *dof.limit_damping);
        if (dof.limit_stiffness && *dof.limit_stiffness >= sf::kHardLimit) out_.lose_limit(j, dof);
        // A spring of the joint stands in MuJoCo's words, its reference in degrees.
        const auto spring = [&](const char* name) -> std::optional<double> {
            const sf::Extra* e = vendor_value(dof, j, name);
            return e != nullptr ? std::optional(std::strtod(e->text.c_str(), nullptr)) : std::nullopt;
        };
        const auto stiffness = spring("mjc:stiffness"), reference = spring("mjc:springref");
        if (dof.damping || dof.friction || stiffness) {
            XmlNode& dynamics = node.add("dynamics");
            if (dof.damping) dynamics.leaf("damping", *dof.damping);
            if (dof.friction) dynamics.leaf("friction", *dof.friction);
            if (stiffness)
                dynamics
                    // zero_of() moves the reference like a limit.
                    .leaf("spring_reference", reference.value_or(0) * (dof.angular ? std::numbers::pi / 180 : 1) - zero)
                    .leaf("spring_stiffness", *stiffness);
        }
        if (dof.drive && (dof.drive->stiffness != 0 || dof.drive->damping != 0))
            out_.lose("drive", Severity::warning, sf::LossAction::dropped, "actuation", j.place,
                      fmt::format("drive of '{}'", dof.name),
                      fmt::format("stiffness {}, damping {}", dof.drive->stiffness, dof.drive->damping), {},
                      "SDFormat leaves gains to plug-ins");
        if (dof.armature) lost_armature(dof);
        if (!j.mimic) return;
        if (version_ != "1.11") {
            out_.lose("mimic", Severity::error, sf::LossAction::dropped, "kinematics", j.place,
                      fmt::format("joint '{}'", j.name), tree_.joints[index(j.mimic->joint)].name, {},
                      "SDFormat knows joints that follow others since 1.11");
            return;
        }
        const sf::Joint& leader = tree_.joints[index(j.mimic->joint)];
        XmlNode&         mimic  = node.add("mimic").set("joint", one_axis_name(leader, leader.dofs[0]));
        mimic
            .leaf("multiplier", j.mimic->multiplier)
            // q1 = m q2 + o, counted from the zeros that the file has.
            .leaf("offset", j.mimic->offset + j.mimic->multiplier * zero_of(leader) - zero)
            .leaf("reference", 0.0);
    }

    /// A ball has no <axis>, and with it no limits and no dynamics.
    void lost_ball(const sf::Joint& j)
    {
        const sf::Dof& dof  = j.dofs[0];
        const auto     lose = [&](const char* code, const char* category, const std::string& from) {
            out_.lose(code, Severity::warning, sf::LossAction::dropped, category, j.place,
                      fmt::format("joint '{}'", j.name), from, {},
                      "joints of type ball have no axis, so no such value");
        };
        if (std::isfinite(dof.upper)) lose("cone", "kinematics", fmt::format("{} rad", dof.upper));
        if (dof.damping) lose("ball-damping", "kinematics", number_text(*dof.damping));
        if (dof.friction) lose("ball-friction", "kinematics", number_text(*dof.friction));
        if (dof.velocity_limit) lose("velocity-limit", "kinematics", number_text(*dof.velocity_limit));
        if (dof.drive) lose("drive", "actuation", fmt::format("stiffness {}", dof.drive->stiffness));
        if (dof.armature) lost_armature(dof);
    }

    void lost_armature(const sf::Dof& dof)
    {
        out_.lose("armature", Severity::warning, sf::LossAction::dropped, "kinematics", dof.place,
                  fmt::format("joint '{}'", dof.name), number_text(*dof.armature), {},
                  "SDFormat has no inertia of motors");
    }

    /// What stands elsewhere when the joints of a robot count from where it starts: each link with all that is on it.
    void lost_zero()
    {
        for (std::size_t l = 0; l < tree_.links.size() && at_start_; ++l) {
            std::string what  = fmt::format("link '{}'", tree_.links[l].name);
            const int   above = out_.chain.above[l];
            if (above < 0) continue;
            what += fmt::format(" on joint '{}'", tree_.joints[index(above)].name);
            for (const sf::Shape& s : tree_.shapes)
                if (s.link == static_cast<int>(l)) what += fmt::format(", shape '{}'", s.name);
            out_.lose("zero-position", Severity::info, sf::LossAction::converted, "kinematics", tree_.links[l].place,
                      what, "at the zero of all joints", "where it starts",
                      "SDFormat closes loops where all joints are at zero");
        }
    }

    void lost()
    {
        lost_zero();
        for (const sf::Frame& f : tree_.sites)
            if (!f.published)
                out_.lose("site", Severity::info, sf::LossAction::dropped, "metadata", f.place,
                          fmt::format("site '{}'", f.name), {}, {}, "only frames of ROS are written to SDFormat");
        for (const sf::Exclusion& e : tree_.exclusions) {
            if (!tree_.self_collision && e.a >= 0 && e.b >= 0) continue;  // links of one model
            const auto name = [&](int link) {
                return link >= 0 ? tree_.links[index(link)].name : std::string("world");
            };
            out_.lose("collision-pair", Severity::warning, sf::LossAction::dropped, "collision", e.place,
                      fmt::format("pair '{}' and '{}'", name(e.a), name(e.b)), "never touch", {},
                      "SDFormat cannot express pairs of links");
        }
        const auto count = [&](const char* what, std::size_t n, const char* category) {
            if (n > 0)
                out_.lose("no-word", Severity::warning, sf::LossAction::dropped, category, tree_.place,
                          fmt::format("{} {}", n, what), {}, {}, "it is not written to SDFormat");
        };
        const auto of_world = [](const auto& list) {
            return static_cast<std::size_t>(
                std::count_if(list.begin(), list.end(), [](const auto& one) { return one.link < 0; }));
        };
        count("cameras of the world", of_world(tree_.cameras), "visual");
        if (!world_) count("lights of the world", of_world(tree_.lights), "light");
        out_.lose_vendor_values(true);
    }
};

}  // namespace

Result<Written> write_sdformat(Output& out, const std::string& file) { return SdformatWriter(out, file).write(); }

}  // namespace mechane::exporter

// S      shift of a link's frame: to where its joint turns
// told   where the source's own floating joint held a root (hints::kFloating): it is written again
// URDF (export 5; wiki.ros.org/urdf/XML). A joint's frame is the origin of its child link, so a link whose joint turns
// about another point is told in a frame that is moved there: with S the frame of a link in URDF, seen from its own,
// every pose in the link is S^-1 X, and the joint's origin S_parent^-1 F0 F1^-1 S_child. Fixed and prismatic joints
// need no S, because where their axis lies changes nothing.
// In: sf::RobotTree in SI with z up. Out: the .urdf file and its meshes; the name of package:// if wanted.
// URDF has one tree, one axis a joint and no pose of the robot itself: joints of several axes are split through
// massless links, loops are lost, several trees hang on a link `world`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "exporter/output.h"
#include "mechane/exporter/codes.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter {
namespace {

constexpr double kPlateThickness = 0.001;  ///< of the box that stands for a plane [m]

class UrdfWriter {
  public:
    UrdfWriter(Output& out, const std::string& file) : out_(out), tree_(out.tree), file_(file), root_("robot") {}

    Result<Written> write()
    {
        // Names of the source are taken before any is made.
        root_.set("name", tree_.name);
        for (const sf::Link& l : tree_.links) taken_links_.insert(l.name);
        for (const sf::Joint& j : tree_.joints) taken_joints_.insert(j.name);
        shifts();
        joint_of_dof_.resize(tree_.joints.size());
        // The base decides what stands in for the world, before links and joints name it.
        const std::string world = base();
        for (std::size_t l = 0; l < tree_.links.size(); ++l) link(l);
        for (const int l : out_.chain.roots) {
            const auto told = floats(l);
            if (told && told->second >= 0) {
                hang(l, *told);
                continue;
            }
            if (world.empty() || tree_.links[index(l)].name == world) continue;
            XmlNode& node =
                root_.add("joint")
                    .set("name", take(taken_joints_, told ? told->first : tree_.links[index(l)].name + "_to_world"))
                    .set("type", tree_.links[index(l)].frame ? "fixed" : "floating");
            origin(node, tree_.links[index(l)].X_WL * shift_[index(l)]);
            node.add("parent").set("link", world);
            node.add("child").set("link", tree_.links[index(l)].name);
        }
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) joint(j, world);
        lost(world);
        // The robot's own file comes first in the list; write_files() writes it last.
        out_.written.files.insert(out_.written.files.begin(), {file_, root_.document()});
        return std::move(out_.written);
    }

  private:
    Output&                               out_;
    const sf::RobotTree&                  tree_;
    std::string                           file_;
    XmlNode                               root_;
    std::vector<Posed>                    shift_;  ///< by link: S
    std::set<std::string>                 taken_links_, taken_joints_, told_materials_;
    std::vector<std::vector<std::string>> joint_of_dof_;           ///< by joint: name of each axis
    bool                                  world_written_ = false;  ///< a link holds the shapes of the world

    static std::string take(std::set<std::string>& taken, const std::string& wanted)
    {
        std::string name = wanted;
        for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
        return name;
    }

    // Whether the place of a joint's axis matters. A locked axis does not turn.
    [[nodiscard]] static bool turns(const sf::Joint& j)
    {
        return j.kind == sf::Joint::Kind::ball || std::any_of(j.dofs.begin(), j.dofs.end(), [](const sf::Dof& d) {
                   return d.angular && d.lower <= d.upper;
               });
    }

    void shifts()
    {
        shift_.assign(tree_.links.size(), {});
        if (out_.options.keep_frames) return;
        for (const sf::Joint& j : tree_.joints) {
            // Shorter than 1e-9 m is rounding: the frames agree.
            if (j.loop || !turns(j) || length(j.X_CJ.p) < 1e-9) continue;
            shift_[index(j.child)].p = j.X_CJ.p;
            out_.lose("frame-shift", Severity::info, sf::LossAction::converted, "kinematics", j.place,
                      fmt::format("link '{}'", tree_.links[index(j.child)].name), "its own frame",
                      numbers_text(j.X_CJ.p),
                      "URDF puts a link's frame where its joint turns; --keep-frames keeps it on a further link");
        }
    }

    static void origin(XmlNode& node, const Posed& X)
    {
        const Quatd q = normalized(X.q);
        // An origin of nothing is left out: it is the default.
        if (length(X.p) == 0 && length(q.xyz()) < 1e-15) return;
        XmlNode& inner = node.add("origin").set("xyz", X.p);
        inner.set("rpy", to_rpy(q));
    }

    /// The floating joint that a root had in its source, and the link that it hung on, -1: the world. Nothing where
    /// that link is gone, or hangs on the root itself now.
    [[nodiscard]] std::optional<std::pair<std::string, int>> floats(int root) const
    {
        for (const sf::Extra& e : tree_.links[index(root)].extras) {
            const std::size_t bar = e.name == sf::hints::kFloating ? e.text.find('|') : std::string::npos;
            if (bar == std::string::npos || bar == 0) continue;
            const std::string name = e.text.substr(bar + 1);
            for (std::size_t l = 0; l < tree_.links.size(); ++l) {
                if (tree_.links[l].name != name) continue;
                return root_of(static_cast<int>(l)) == root
                           ? std::nullopt
                           : std::optional(std::pair(e.text.substr(0, bar), static_cast<int>(l)));
            }
            if (name == "world") return std::pair(e.text.substr(0, bar), -1);
        }
        return std::nullopt;
    }

    /// The root of the tree that holds a link, across the floating joints of the source.
    [[nodiscard]] int root_of(int link) const
    {
        for (std::size_t steps = 0; steps <= tree_.links.size(); ++steps) {
            const int j = out_.chain.above[index(link)];
            if (j < 0) break;
            if (tree_.joints[index(j)].parent < 0) return -1;
            link = tree_.joints[index(j)].parent;
        }
        return link;
    }

    /// A root by the floating joint of the source.
    void hang(int root, const std::pair<std::string, int>& told)
    {
        XmlNode& node = root_.add("joint").set("name", take(taken_joints_, told.first)).set("type", "floating");
        origin(node, inverse(tree_.links[index(told.second)].X_WL * shift_[index(told.second)]) *
                         tree_.links[index(root)].X_WL * shift_[index(root)]);
        node.add("parent").set("link", tree_.links[index(told.second)].name);
        node.add("child").set("link", tree_.links[index(root)].name);
    }

    /// The link that stands for the world: made where something is anchored or there are several trees; empty: none.
    std::string base()
    {
        std::vector<int> roots;  // without those that hang on another link as in their source
        bool             named = false;
        for (const int l : out_.chain.roots) {
            const auto told = floats(l);
            if (!told || told->second < 0) roots.push_back(l);
            named = named || (told && told->second < 0);
        }
        const bool anchored = !out_.chain.below.back().empty() || named;
        for (const int l : roots)  // one that the source had
            if (tree_.links[index(l)].frame && tree_.links[index(l)].name == "world" &&
                length(tree_.links[index(l)].X_WL.p) < 1e-9)
                return "world";
        // One floating tree needs no world: URDF's root link floats by convention.
        if (!anchored && roots.size() == 1) {
            const Posed& X = tree_.links[index(roots[0])].X_WL;
            if (length(X.p) > 1e-9 || length(X.q.xyz()) > 1e-9)
                out_.lose("root-pose", Severity::info, sf::LossAction::dropped, "kinematics",
                          tree_.links[index(roots[0])].place,
                          fmt::format("link '{}'", tree_.links[index(roots[0])].name), numbers_text(X.p), {},
                          "URDF does not say where a robot stands");
            return {};
        }
        // A single fixed joint to the world may be left out: the consumer decides where the robot is bolted.
        if (anchored && roots.empty() && out_.chain.below.back().size() == 1 && !out_.options.world_link &&
            tree_.joints[index(out_.chain.below.back()[0])].kind == sf::Joint::Kind::fixed)
            return {};
        const std::string name = take(taken_links_, "world");
        if (name != "world")
            out_.lose("world-name", Severity::warning, sf::LossAction::renamed, "kinematics", tree_.place, "the world",
                      "world", name, "a link has the name 'world'");
        XmlNode& node  = root_.add("link").set("name", name);
        world_written_ = true;
        shapes(node, -1, {});
        if (roots.size() + out_.chain.below.back().size() > 1)
            out_.lose("several-trees", Severity::info, sf::LossAction::converted, "kinematics", tree_.place,
                      fmt::format("{} trees", roots.size() + out_.chain.below.back().size()), {},
                      "all hang on the link 'world'", "URDF holds one tree");
        return name;
    }

    void link(std::size_t l)
    {
        const sf::Link& link = tree_.links[l];
        XmlNode&        node = root_.add("link").set("name", link.name);
        const Posed     S    = inverse(shift_[l]);
        // A stand-in mass goes no further than the simulation; what the source said and nobody could use comes back.
        const auto& in = link.inertial && !link.weightless ? link.inertial : link.unused;
        if (in) {
            XmlNode& inner = node.add("inertial");
            // S only moves the origin; the inertia is about the centre of mass, and a frame that is moved without
            // turning keeps its axes.
            inner.add("origin").set("xyz", S * in->com).set("rpy", "0 0 0");
            inner.add("mass").set("value", in->mass);
            const Mat33d& I = in->inertia;
            inner.add("inertia")
                .set("ixx", I(0, 0))
                .set("ixy", I(0, 1))
                .set("ixz", I(0, 2))
                .set("iyy", I(1, 1))
                .set("iyz", I(1, 2))
                .set("izz", I(2, 2));
        }
        shapes(node, static_cast<int>(l), S);
    }

    void shapes(XmlNode& node, int link, const Posed& S)
    {
        for (const bool collider : {false, true})
            for (const sf::Shape& s : tree_.shapes) {
                if (s.link != link || !(collider ? s.collider : s.visual)) continue;
                XmlNode inner(collider ? "collision" : "visual");
                inner.set("name", s.name);
                // The top of the box that stands for a plane is where the plane is.
                // Planes look along z; the box lies below.
                origin(inner,
                       S * s.X_LS *
                           (s.kind == sf::Shape::Kind::plane ? Posed{{0, 0, -kPlateThickness / 2}, {}} : Posed{}));
                if (!geometry_of(inner, s, collider)) continue;
                if (!collider) material(inner, s);
                node.add("") = std::move(inner);
            }
    }

    bool geometry_of(XmlNode& node, const sf::Shape& s, bool collider)
    {
        XmlNode      geometry("geometry");
        const Vec3d& z     = s.size;
        const auto   other = [&](const char* from, const char* to) {
            out_.lose("shape-kind", collider ? Severity::warning : Severity::info, sf::LossAction::approximated,
                      collider ? "collision" : "visual", s.place, fmt::format("shape '{}'", s.name), from, to,
                      "URDF has boxes, cylinders, spheres and meshes");
        };
        std::string file;
        switch (s.kind) {
            case sf::Shape::Kind::box:
                geometry.add("box").set("size", 2.0 * z);
                break;
            case sf::Shape::Kind::sphere:
                geometry.add("sphere").set("radius", z.x);
                break;
            case sf::Shape::Kind::cylinder:
                geometry.add("cylinder").set("radius", z.x).set("length", 2 * z.y);
                break;
            case sf::Shape::Kind::plane:
                other("plane", "a thin box");
                // A plane collides without an end, whatever is drawn of it.
                geometry.add("box").set("size",
                                        Vec3d{z.x > 0 && !collider ? 2 * z.x : sf::kEndlessPlane,
                                              z.y > 0 && !collider ? 2 * z.y : sf::kEndlessPlane, kPlateThickness});
                break;
            case sf::Shape::Kind::capsule:
            case sf::Shape::Kind::ellipsoid:
                other(s.kind == sf::Shape::Kind::capsule ? "capsule" : "ellipsoid", "a mesh of 32 sides");
                file = out_.stl(s.name, out_.triangles(s));
                break;
            case sf::Shape::Kind::mesh:
                file = collider ? collider_mesh(s)
                                : out_.obj(s.mesh, s.scale, {}, tree_.meshes[index(s.mesh)].name, true, s.material);
                break;
        }
        if (!file.empty())
            geometry.add("mesh").set(
                "filename", out_.options.package.empty() ? file : "package://" + out_.options.package + "/" + file);
        if (geometry.childless()) return false;
        node.add("") = std::move(geometry);
        return true;
    }

    std::string collider_mesh(const sf::Shape& s)
    {
        const std::string&   name = tree_.meshes[index(s.mesh)].name;
        const geometry::Mesh mesh = out_.triangles(s);
        // "none" asks for the triangles themselves; whatever else is asked for is a hull in URDF's engines.
        if (s.approximation == "none") return out_.stl(name, mesh);
        out_.lose_approximation(s);
        return out_.stl(name + "_hull", out_.hull(s, mesh));
    }

    void material(XmlNode& node, const sf::Shape& s)
    {
        if (s.material < 0) return;
        const sf::Material& m     = tree_.materials[index(s.material)];
        XmlNode&            inner = node.add("material").set("name", out_.material_names[index(s.material)]);
        inner.add("color").set("rgba", fmt::format("{} {} {} {}", number_text(m.rgba[0]), number_text(m.rgba[1]),
                                                   number_text(m.rgba[2]), number_text(m.rgba[3])));
        if (const std::string p = out_.picture(m.texture); !p.empty())
            inner.add("texture").set("filename",
                                     out_.options.package.empty() ? p : "package://" + out_.options.package + "/" + p);
    }

    // -- joints

    void joint(std::size_t j, const std::string& world)
    {
        const sf::Joint& joint = tree_.joints[j];
        if (joint.loop)
            return out_.lose("loop-joint", Severity::error, sf::LossAction::dropped, "kinematics", joint.place,
                             fmt::format("joint '{}'", joint.name), {}, {}, "URDF holds trees only");
        if (joint.parent < 0 && world.empty()) return;
        const std::string parent = joint.parent >= 0 ? tree_.links[index(joint.parent)].name : world;
        const std::string child  = tree_.links[index(joint.child)].name;
        // Poses between links are told in shifted frames: S_P^-1 X_PJ X_CJ^-1 S_C.
        const Posed          S_P = joint.parent >= 0 ? inverse(shift_[index(joint.parent)]) : Posed{};
        std::vector<sf::Dof> dofs;
        // URDF has no ball: three hinges about x, y, z in a row, with links between them that weigh nothing.
        if (joint.kind == sf::Joint::Kind::ball) {
            for (int a = 0; a < 3; ++a) {
                sf::Dof one = joint.dofs.empty() ? sf::Dof{} : joint.dofs[0];
                // Three revolute joints about x, y, z in turn, through two massless links. The cone becomes a range of
                // each angle, which is wider at its corners.
                one.axis  = axis_vector<double>(a);
                one.lower = std::isfinite(one.upper) ? -one.upper : one.lower;
                one.name  = fmt::format("{}_{}", joint.name, "xyz"[a]);
                dofs.push_back(one);
            }
            out_.lose("ball-joint", Severity::warning, sf::LossAction::approximated, "kinematics", joint.place,
                      fmt::format("joint '{}'", joint.name), "ball", "three joints", "URDF has joints of one axis");
        } else {
            dofs = joint.dofs;
        }
        // A lower limit above the upper one locks an axis in UsdPhysics.
        std::erase_if(dofs, [&](const sf::Dof& d) {
            if (d.lower <= d.upper) return false;
            out_.lose("locked-joint", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                      fmt::format("joint '{}'", d.name), fmt::format("{} {}", d.lower, d.upper), "fixed",
                      "limits that lock the joint");
            return true;
        });
        const Posed X_PC = S_P * joint.X_PJ * inverse(joint.X_CJ) * shift_[index(joint.child)];
        const bool  keep = out_.options.keep_frames && turns(joint) && length(joint.X_CJ.p) >= 1e-9;
        if (dofs.size() <= 1 && !keep)
            return element(dofs.empty() ? joint.name : one_axis_name(joint, dofs[0]), parent, child, X_PC,
                           dofs.empty() ? nullptr : &dofs[0],
                           rotate(joint.X_CJ.q, dofs.empty() ? Vec3d{} : dofs[0].axis), joint);
        if (const sf::Dof* normal = is_planar(dofs); normal != nullptr && !keep) {
            out_.lose("planar", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                      fmt::format("joint '{}'", joint.name), "three axes", "planar",
                      "URDF says which way the plane looks, and not which way the axes in it run");
            return element(joint.name, parent, child, X_PC, normal, rotate(joint.X_CJ.q, normal->axis), joint,
                           "planar");
        }
        if (dofs.size() > 1)
            out_.lose("several-axes", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                      fmt::format("joint '{}'", joint.name), fmt::format("{} axes", dofs.size()),
                      "a chain of links without mass", "URDF has joints of one axis");
        std::string above = parent;
        bool        named = false;  // one of them has the name of the joint
        for (std::size_t d = 0; d < dofs.size();
             ++d) {  // links without mass at the joint's frame, the last one is the child
            const bool        last = d + 1 == dofs.size() && !keep;
            const std::string below =
                last ? child
                     : take(taken_links_,
                            fmt::format("{}_{}", joint.name,
                                        keep && d + 1 == dofs.size() ? "joint_frame" : fmt::format("{}", d)));
            if (!last) root_.add("link").set("name", below);
            Posed X;
            // The first joint of the chain carries the place in the parent, the last one that in the child; all
            // between lie in one point.
            if (d == 0) X = S_P * joint.X_PJ;
            if (last) X = X * inverse(joint.X_CJ) * shift_[index(joint.child)];
            const bool        own  = dofs.size() == 1 || (dofs[d].name == joint.name && !std::exchange(named, true));
            const std::string name = own ? joint.name : take(taken_joints_, dofs[d].name);
            element(name, above, below, X, &dofs[d], last ? rotate(joint.X_CJ.q, dofs[d].axis) : dofs[d].axis, joint);
            above = below;
        }
        if (keep)
            element(take(taken_joints_, joint.name + "_frame"), above, child, inverse(joint.X_CJ), nullptr, {}, joint);
    }

    /// The rotation of a joint that moves freely in the plane across it; null for others.
    /// URDF's planar: two slides and one rotation about their common normal, all without limits.
    static const sf::Dof* is_planar(const std::vector<sf::Dof>& dofs)
    {
        const sf::Dof* normal = nullptr;
        for (const sf::Dof& d : dofs)
            if (d.angular) normal = &d;
        if (dofs.size() != 3 || normal == nullptr) return nullptr;
        for (const sf::Dof& d : dofs)
            if (std::isfinite(d.lower) || std::isfinite(d.upper) || (d.angular && &d != normal) ||
                (!d.angular && std::abs(dot(d.axis, normal->axis)) > 1e-6))
                return nullptr;
        return normal;
    }

    void element(const std::string& name, const std::string& parent, const std::string& child, const Posed& X,
                 const sf::Dof* dof, const Vec3d& axis, const sf::Joint& joint, const char* type = nullptr)
    {
        // URDF's types follow from limits: a rotation without any is continuous.
        const bool bounded = dof != nullptr && (std::isfinite(dof->lower) || std::isfinite(dof->upper));
        XmlNode&   node    = root_.add("joint")
                                 .set("name", name)
                                 .set("type", type != nullptr  ? type
                                              : dof == nullptr ? "fixed"
                                              : !dof->angular  ? "prismatic"
                                              : bounded        ? "revolute"
                                                               : "continuous");
        origin(node, X);
        node.add("parent").set("link", parent);
        node.add("child").set("link", child);
        if (dof == nullptr) return;
        node.add("axis").set("xyz", normalized(axis));
        limit(node, name, *dof, bounded, joint);
        if (dof->damping || dof->friction) {
            XmlNode& dynamics = node.add("dynamics");
            if (dof->damping) dynamics.set("damping", *dof->damping);
            if (dof->friction) dynamics.set("friction", *dof->friction);
        }
        if (joint.mimic)
            // mjc:stiffness is the spring of a joint; nothing else in the tree says one.
            node.add("mimic")
                .set("joint", one_axis_name(tree_.joints[index(joint.mimic->joint)],
                                            tree_.joints[index(joint.mimic->joint)].dofs[0]))
                .set("multiplier", joint.mimic->multiplier)
                .set("offset", joint.mimic->offset);
        if (const sf::Extra* stiffness = vendor_value(*dof, joint, "mjc:stiffness");
            stiffness != nullptr && stiffness->text != "0")
            out_.lose("spring", Severity::warning, sf::LossAction::dropped, "kinematics", joint.place,
                      fmt::format("joint '{}'", name), stiffness->text, {}, "URDF has no springs of joints");
        if (dof->armature)
            out_.lose("armature", Severity::warning, sf::LossAction::dropped, "kinematics", joint.place,
                      fmt::format("joint '{}'", name), number_text(*dof->armature), {},
                      "URDF has no inertia of motors");
        if (dof->drive && (dof->drive->stiffness != 0 || dof->drive->damping != 0))
            out_.lose("drive", Severity::warning, sf::LossAction::dropped, "actuation", joint.place,
                      fmt::format("drive of '{}'", name),
                      fmt::format("stiffness {}, damping {}", dof->drive->stiffness, dof->drive->damping), {},
                      "URDF has no gains");
        out_.lose_limit(joint, *dof);
    }

    // <limit> is required for revolute and prismatic joints, with effort and velocity.
    void limit(XmlNode& node, const std::string& name, const sf::Dof& dof, bool bounded, const sf::Joint& joint)
    {
        const bool effort   = dof.drive && std::isfinite(dof.drive->max_force),
                   velocity = dof.velocity_limit && std::isfinite(*dof.velocity_limit);
        if (dof.angular && !bounded && !effort && !velocity) return;
        XmlNode& inner = node.add("limit");
        if (bounded || !dof.angular) {
            // An infinite side as a number far beyond any robot: readers compute with it.
            const double low  = std::isfinite(dof.lower) ? dof.lower : -1e6,
                         high = std::isfinite(dof.upper) ? dof.upper : 1e6;
            if (!std::isfinite(dof.lower) || !std::isfinite(dof.upper))
                out_.lose("one-sided-limit", Severity::info, sf::LossAction::approximated, "kinematics", joint.place,
                          fmt::format("joint '{}'", name), "infinite", "1e6", "both limits are told");
            inner.set("lower", low).set("upper", high);
        }
        inner.set("effort", effort ? dof.drive->max_force : out_.options.default_effort);
        inner.set("velocity", velocity ? *dof.velocity_limit : out_.options.default_velocity);
        if (!effort || !velocity)
            out_.lose("limit-default", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                      fmt::format("joint '{}'", name), "none",
                      fmt::format("effort {}, velocity {}", effort ? dof.drive->max_force : out_.options.default_effort,
                                  velocity ? *dof.velocity_limit : out_.options.default_velocity),
                      "URDF asks for both");
    }

    /// What a collider's material says and the file does not, where it is not what a reader takes anyway.
    /// 1 and 0 are what this program reads where a URDF says nothing; only other values are lost.
    void lost_contact(const sf::Shape& s)
    {
        out_.lose_response(s);
        out_.lose_spin(s);
        if (!s.contact) return;
        const sf::Contact& c    = *s.contact;
        const std::string  what = fmt::format("shape '{}'", s.name);
        if (c.static_friction != 1 || c.dynamic_friction != 1)
            out_.lose("friction", Severity::warning, sf::LossAction::dropped, "contact", s.place, what,
                      fmt::format("{} {}", c.static_friction, c.dynamic_friction), {}, "URDF cannot express friction");
        if (c.restitution != 0)
            out_.lose("restitution", Severity::warning, sf::LossAction::dropped, "contact", s.place, what,
                      number_text(c.restitution), {}, "URDF cannot express restitution");
    }

    void lost(const std::string& world)
    {
        for (const sf::Shape& s : tree_.shapes) {
            if (s.link < 0 && !world_written_)
                out_.lose("world-shapes", s.collider ? Severity::warning : Severity::info, sf::LossAction::dropped,
                          s.collider ? "collision" : "visual", s.place, fmt::format("shape '{}'", s.name),
                          "of the world", {},
                          "URDF holds the robot; the world is a link of it only where the robot is anchored");
            else if (s.collider)
                lost_contact(s);
        }
        for (const sf::Link& l : tree_.links)
            if (l.kinematic)
                out_.lose("kinematic", Severity::warning, sf::LossAction::dropped, "kinematics", l.place,
                          fmt::format("link '{}'", l.name), "moved by others", "moved by forces",
                          "URDF has no links that something else moves");
        for (const sf::Joint& j : tree_.joints)
            if (!j.loop) out_.lose_touching(j);
        for (const sf::Frame& f : tree_.sites)
            out_.lose("site", Severity::info, sf::LossAction::dropped, "metadata", f.place,
                      fmt::format("site '{}'", f.name), {}, {}, "URDF has no frames without a link");
        for (const sf::Exclusion& e : tree_.exclusions) {
            const auto name = [&](int link) { return link >= 0 ? tree_.links[index(link)].name : std::string(world); };
            out_.lose("collision-pair", Severity::warning, sf::LossAction::dropped, "collision", e.place,
                      fmt::format("pair '{}' and '{}'", name(e.a), name(e.b)), "never touch", {},
                      "URDF cannot express pairs of links");
        }
        if (!tree_.self_collision)
            out_.lose("self-collision", Severity::warning, sf::LossAction::dropped, "collision", tree_.place,
                      "links of the robot", "never touch each other", {}, "URDF cannot express it");
        if (!tree_.groups.empty())
            out_.lose("collision-groups", Severity::warning, sf::LossAction::dropped, "collision", tree_.place,
                      fmt::format("{} collision groups", tree_.groups.size()), {}, {},
                      "URDF cannot express groups of colliders");

        const auto count = [&](const char* what, std::size_t n, const char* category, Severity severity) {
            if (n > 0)
                out_.lose("no-word", severity, sf::LossAction::dropped, category, tree_.place,
                          fmt::format("{} {}", n, what), {}, {}, "URDF cannot express it");
        };
        count("cameras", tree_.cameras.size(), "visual", Severity::info);
        count("lights", tree_.lights.size(), "light", Severity::info);
        out_.lose_vendor_values(false);
    }
};

}  // namespace

Result<Written> write_urdf(Output& out, const std::string& file) { return UrdfWriter(out, file).write(); }

}  // namespace mechane::exporter

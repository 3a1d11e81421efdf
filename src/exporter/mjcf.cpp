// MJCF (export 7; mujoco.readthedocs.io/en/stable/XMLreference.html). Every mass and inertia is explicit, every name is
// told, angles are radians. A link without mass is a body without mass: MuJoCo takes it where nothing moves it against
// what has mass.
// In: sf::RobotTree in SI with z up (links, joints, shapes, vendor extras) and Output, which names files and takes
// losses. Out: the .xml file and its meshes; called by write_robot for the format mjcf.
// MuJoCo's rules that shape this file: bodies nest, so the tree is written depth first; a joint stands inside the body
// that it moves, with anchor and axis in that body's frame; parent and child do not collide unless the parent is the
// world; what a body needs must have a mass. Values of mjc: attributes pass through as text where MJCF has the same
// words, so that a model that came from MJCF returns without a change.
// Every difference that MJCF cannot say becomes a loss with code, place and reason.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exporter/forms.h"
#include "exporter/output.h"
#include "mechane/exporter/codes.h"
#include "mechane/geometry/hull.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

std::string quat_text(const Quatd& q)
{ return fmt::format("{} {} {} {}", number_text(q.w), number_text(q.x), number_text(q.y), number_text(q.z)); }

/// A value of usda as MJCF writes it: "[1, 2]" is "1 2", "\"a\"" is "a".
std::string plain(const std::string& text)
{
    std::string out;
    for (const char c : text)
        if (c != '[' && c != ']' && c != '(' && c != ')' && c != '"' && c != ',') out += c;
    return out;
}

/// The schema has all words in small letters, MJCF has not.
std::string keyword(const std::string& word)
{
    for (const auto& [small, own] : {std::pair{"euler", "Euler"}, std::pair{"rk4", "RK4"}, std::pair{"pgs", "PGS"},
                                     std::pair{"cg", "CG"}, std::pair{"newton", "Newton"}})
        if (word == small) return own;
    return word;
}

const sf::Extra* find(const std::vector<sf::Extra>& extras, std::string_view name)
{
    for (const sf::Extra& e : extras)
        if (e.name == name) return &e;
    return nullptr;
}

class MjcfWriter {
  public:
    MjcfWriter(Output& out, const std::string& file) : out_(out), tree_(out.tree), file_(file), root_("mujoco") {}

    Result<Written> write()
    {
        root_.set("model", tree_.name);
        // Radians and own inertias: MuJoCo's defaults (degrees, inertia from geoms, balance) would change numbers that
        // stand in the file.
        root_.add("compiler")
            .set("angle", "radian")
            .set("autolimits", "true")
            .set("inertiafromgeom", "false")
            .set("balanceinertia", "false");
        option();
        names();
        // contype and conaffinity are 32 bits, the sign bit is left out.
        bits_ = group_bits(tree_, 31);
        if (!bits_.lost.empty())
            out_.lose("collision-groups", Severity::error, sf::LossAction::approximated, "collision", tree_.place,
                      "collision groups", bits_.lost, "31 classes", "MuJoCo has 31 bits for what meets what");
        XmlNode& asset = root_.add("asset");
        materials(asset);
        XmlNode& world = root_.add("worldbody");
        things(world, asset, -1);
        for (const int l : out_.chain.roots) body(world, asset, l, -1);
        // The last entry of `below` lists the joints to the world: their children are welded or jointed to worldbody
        // without a body above.
        for (const int j : out_.chain.below.back()) body(world, asset, tree_.joints[index(j)].child, j);
        XmlNode& contact = root_.add("contact");
        exclusions(contact);
        XmlNode& equality = root_.add("equality");
        XmlNode& tendon   = root_.add("tendon");
        equalities(equality, tendon);
        tendons(tendon);
        XmlNode& actuator = root_.add("actuator");
        actuators(actuator);
        XmlNode& keys = root_.add("keyframe");
        keyframes(keys);
        // Sections were made in the order of the schema; those without content go.
        root_.drop_empty();
        out_.written.files.insert(out_.written.files.begin(), {file_, root_.document()});
        return std::move(out_.written);
    }

  private:
    Output&                               out_;
    const sf::RobotTree&                  tree_;
    std::string                           file_;
    XmlNode                               root_;
    Bits                                  bits_;
    std::vector<std::string>              body_names_, geom_names_, site_names_, mesh_names_;
    std::vector<std::vector<std::string>> dof_names_;  ///< by joint
    std::vector<bool>                     has_collider_;
    std::map<std::string, std::string>    meshes_;  ///< file -> asset
    std::set<std::string>                 taken_meshes_, taken_textures_;
    std::set<std::string>    taken_bodies_, taken_joints_, taken_geoms_, taken_sites_, taken_actuators_, taken_tendons_;
    std::vector<int>         qpos_count_;
    int                      nq_ = 0, nv_ = 0, nu_ = 0, nmocap_ = 0;
    std::vector<std::string> prim_names_;
    std::set<std::pair<int, std::size_t>> driven_;

    // Names are unique within a kind of element in MuJoCo; a counter is appended where the tree has the same name
    // twice.
    static std::string take(std::set<std::string>& taken, const std::string& wanted)
    {
        std::string name = wanted;
        for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
        return name;
    }

    void names()
    {
        // MuJoCo calls the root body `world` itself.
        taken_bodies_.insert("world");
        for (const sf::Link& l : tree_.links) body_names_.push_back(take(taken_bodies_, l.name));
        for (const sf::Joint& j : tree_.joints) {
            dof_names_.emplace_back();
            for (const sf::Dof& d : j.dofs)
                dof_names_.back().push_back(take(taken_joints_, d.name.empty() ? j.name : d.name));
        }
        for (const sf::Shape& s : tree_.shapes) geom_names_.push_back(take(taken_geoms_, s.name));
        for (const sf::Frame& s : tree_.sites) site_names_.push_back(take(taken_sites_, s.name));
        has_collider_.assign(tree_.links.size(), false);
        for (const sf::Shape& s : tree_.shapes)
            if (s.collider && s.link >= 0) has_collider_[index(s.link)] = true;
    }

    /// The extras of a prim that MJCF has the same words for.
    static void copy(XmlNode& node, const std::vector<sf::Extra>& extras,
                     std::initializer_list<std::pair<const char*, const char*>> words)
    {
        for (const auto& [name, attribute] : words)
            if (const sf::Extra* e = find(extras, name)) node.set(attribute, plain(e->text));
    }
    static void copy_range(XmlNode& node, const std::vector<sf::Extra>& extras, const std::string& name,
                           const char* attribute)
    {
        const sf::Extra *low = find(extras, name + ":min"), *high = find(extras, name + ":max");
        if (low != nullptr && high != nullptr) node.set(attribute, plain(low->text) + " " + plain(high->text));
    }

    void option()
    {
        if (!tree_.scene) return;
        const sf::SceneSettings& s    = *tree_.scene;
        XmlNode&                 node = root_.add("option");
        if (s.gravity) node.set("gravity", *s.gravity);
        XmlNode flags("flag");
        for (const sf::Extra& e : s.extras) {
            if (e.name.starts_with("mjc:option:")) node.set(e.name.substr(11), keyword(plain(e.text)));
            if (e.name.starts_with("mjc:flag:"))
                flags.set(e.name.substr(9), plain(e.text) == "true" || plain(e.text) == "1" ? "enable" : "disable");
        }
        if (!flags.empty()) node.add("flag") = flags;
    }

    void materials(XmlNode& asset)
    {
        for (std::size_t m = 0; m < tree_.materials.size(); ++m) {
            const sf::Material& one = tree_.materials[m];
            std::string         texture;
            if (const std::string p = out_.picture(one.texture); !p.empty()) {
                texture = take(taken_textures_, out_.material_names[m]);
                asset.add("texture").set("name", texture).set("type", "2d").set("file", p);
            }
            XmlNode& node = asset.add("material").set("name", out_.material_names[m]);
            if (!texture.empty()) node.set("texture", texture);
            node.set("rgba", fmt::format("{} {} {} {}", number_text(one.rgba[0]), number_text(one.rgba[1]),
                                         number_text(one.rgba[2]), number_text(one.rgba[3])));
            const double most = std::max({one.emission[0], one.emission[1], one.emission[2]}),
                         of   = std::max({one.rgba[0], one.rgba[1], one.rgba[2]});
            // MuJoCo's emission is a factor of the colour, the tree's is a colour: the factor that reproduces the
            // brightest channel, at most 1.
            if (most > 0) node.set("emission", of > 0 ? std::min(1.0, most / of) : 1.0);
            node.set("metallic", one.metallic).set("roughness", one.roughness);
        }
    }

    static void pose(XmlNode& node, const Posed& X)
    {
        node.set("pos", X.p);
        const Quatd q = normalized(X.q);
        // A rotation that is nothing but rounding is left out.
        if (length(q.xyz()) > 1e-12) node.set("quat", quat_text(q));
    }

    [[nodiscard]] bool has_joint(int j) const
    {
        if (j < 0) return false;
        const sf::Joint& joint = tree_.joints[index(j)];
        return std::any_of(joint.dofs.begin(), joint.dofs.end(), [](const sf::Dof& d) { return !locked(d); });
    }
    static bool locked(const sf::Dof& d) { return d.lower >= d.upper; }

    void body(XmlNode& above, XmlNode& asset, int l, int j)
    {
        const sf::Link& link = tree_.links[index(l)];
        XmlNode&        node = above.add("body").set("name", body_names_[index(l)]);
        if (j < 0) {
            pose(node, link.X_WL);
            if (link.kinematic) node.set("mocap", "true"), ++nmocap_;
        } else {
            const sf::Joint& joint = tree_.joints[index(j)];
            // MuJoCo's body pose is the pose at qpos0, and `ref` is the coordinate there. The stage's bodies may stand
            // at another angle than the zero of their joint, so the pose contains the initial coordinate and `ref`
            // tells it.
            Posed at_start;
            // The body stands where the stage has it, and `ref` says which coordinate that is.
            if (joint.initial != 0 && joint.dofs.size() == 1) {
                const sf::Dof& d = joint.dofs[0];
                at_start =
                    d.angular ? Posed{{}, from_axis_angle(d.axis, joint.initial)} : Posed{joint.initial * d.axis, {}};
            }
            // Several joints of one body act in the order in which they are written; the poses are multiplied in the
            // same order.
            if (joint.dofs.size() > 1)
                for (const sf::Dof& d : joint.dofs)
                    if (const auto own = place_of(joint, d); own && !locked(d))
                        at_start = at_start * (d.angular ? Posed{{}, from_axis_angle(d.axis, own->ref)}
                                                         : Posed{own->ref * d.axis, {}});
            pose(node, joint.X_PJ * at_start * inverse(joint.X_CJ));
            if (link.kinematic && joint.parent < 0 && joint.kind == sf::Joint::Kind::fixed)
                node.set("mocap", "true"), ++nmocap_;  // a child of the world without a joint
            else if (link.kinematic)
                out_.lose("kinematic", Severity::warning, sf::LossAction::dropped, "kinematics", link.place,
                          fmt::format("link '{}'", link.name), "moved by others", "moved by its joint",
                          "MuJoCo's mocap bodies hang on nothing");
        }
        if (const sf::Extra* e = find(link.extras, "mjc:gravcomp")) node.set("gravcomp", plain(e->text));
        inertial(node, link, l, j);
        // A root that is no frame floats, as bodies of a stage without a joint do.
        if (j < 0 && !link.frame && !link.kinematic) {
            const auto resists = numbers(find(link.extras, sf::hints::kPassive));
            // `freejoint` knows no damping, armature or friction: where the source had some, the long form is written.
            XmlNode& free = node.add(resists.size() == 4 ? "joint" : "freejoint")
                                .set("name", take(taken_joints_, link.name + "_free"));
            if (resists.size() == 4)
                free.set("type", "free")
                    .set("damping", resists[0])
                    .set("armature", resists[1])
                    .set("frictionloss", resists[2]);
            nq_ += 7, nv_ += 6;
        }
        if (j >= 0) joint(node, j);
        things(node, asset, l);
        for (const int below : out_.chain.below[index(l)]) body(node, asset, tree_.joints[index(below)].child, below);
    }

    void inertial(XmlNode& node, const sf::Link& link, int l, int j)
    {
        const std::optional<sf::Inertial>& in = link.inertial ? link.inertial : link.unused;
        if (!in || !(in->mass > 0)) {
            if (has_joint(j) || (j < 0 && !link.frame && !link.kinematic)) {
                const auto& below = out_.chain.below[index(l)];
                // A child with mass that is welded to the link makes it heavy enough: MuJoCo's compiler accepts that.
                const bool carried = std::any_of(below.begin(), below.end(), [&](int b) {
                    return !has_joint(b) && tree_.links[index(tree_.joints[index(b)].child)].inertial;
                });
                if (!carried)
                    out_.lose("missing-mass", Severity::error, sf::LossAction::kept, "inertia", link.place,
                              fmt::format("link '{}'", link.name), {}, {},
                              "it moves and has no mass; MuJoCo refuses such a body");
            }
            return;
        }
        XmlNode& inner = node.add("inertial").set("pos", in->com).set("mass", in->mass);
        // Principal moments and axes: fullinertia would be decomposed by MuJoCo with other rounding. Moments that no
        // body can have (one above the sum of the others) are widened, because MuJoCo refuses them.
        const Moments m = moments_of(in->inertia);
        if (length(m.axes.xyz()) > 1e-12) inner.set("quat", quat_text(m.axes));
        inner.set("diaginertia", m.values);
        if (m.widened)
            out_.lose("inertia-widened", Severity::warning, sf::LossAction::approximated, "inertia", link.place,
                      fmt::format("link '{}'", link.name), {}, numbers_text(m.values),
                      "one moment was more than the other two together");
    }

    struct AxisPlace {
        Vec3d  axis, pivot;
        double ref = 0;
    };
    static std::optional<AxisPlace> told_place(const sf::Dof& d)
    {
        const auto v = numbers(find(d.extras, sf::hints::kPlace));
        if (v.size() != 7) return std::nullopt;
        return AxisPlace{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, v[6]};
    }

    /// The frame of a joint of several axes in its child without the references that it took up from the last of them
    /// (sourceformats/mjcf/bodies.cpp).
    static Posed child_frame(const sf::Joint& joint)
    {
        const auto& dofs = joint.dofs;
        std::size_t lead = 0, tail = dofs.size();
        while (lead < dofs.size() && !dofs[lead].angular) ++lead;
        if (lead == 0 && !dofs.empty()) lead = 1;
        while (tail > lead && !dofs[tail - 1].angular) --tail;
        if (tail == dofs.size() && tail > lead) --tail;
        Posed after;
        for (std::size_t i = tail; i < dofs.size(); ++i)
            if (const auto own = told_place(dofs[i]); own && own->ref != 0)
                after = after * (dofs[i].angular ? Posed{{}, from_axis_angle(dofs[i].axis, -own->ref)}
                                                 : Posed{-own->ref * dofs[i].axis, {}});
        return joint.X_CJ * after;
    }

    /// Where the source has one of several axes of a joint, in the body's frame: they may have pivots of their own, and
    /// other angles than right ones. Nothing where the stage has turned or moved the joint since.
    static std::optional<AxisPlace> place_of(const sf::Joint& joint, const sf::Dof& dof)
    {
        const auto  read  = told_place;
        const Posed frame = child_frame(joint);
        for (const sf::Dof& d : joint.dofs)
            if (d.angular) {  // the joint's frame lies at the first pivot
                const auto first = read(d);
                // The hint was written for the joint as it stood in the source; it holds no longer if the frame has
                // moved by more than 1e-5 of its distance.
                if (!first || length(first->pivot - frame.p) > 1e-5 * std::max(1.0, length(frame.p)))
                    return std::nullopt;
                break;
            }
        const auto own = read(dof);
        // An axis more than some 70 degrees from the stage's one means another axis or a turned joint.
        if (!own || dot(own->axis, rotate(frame.q, dof.axis)) < 0.3) return std::nullopt;
        return own;
    }

    void joint(XmlNode& node, int j)
    {
        const sf::Joint& joint = tree_.joints[index(j)];
        for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
            const sf::Dof& dof = joint.dofs[d];
            // A dof with equal limits does not exist in MJCF terms: without a joint element the bodies are welded.
            if (locked(dof) && joint.kind != sf::Joint::Kind::ball) {
                out_.lose("locked-joint", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                          fmt::format("joint '{}'", dof.name), fmt::format("{} {}", dof.lower, dof.upper), "welded",
                          "limits that lock the joint");
                continue;
            }
            const bool ball  = joint.kind == sf::Joint::Kind::ball;
            XmlNode&   inner = node.add("joint").set("name", dof_names_[index(j)][d]);
            if (ball)
                inner.set("type", "ball");
            else if (!dof.angular)
                inner.set("type", "slide");
            nq_ += ball ? 4 : 1, nv_ += ball ? 3 : 1;
            const auto own = joint.dofs.size() > 1 ? place_of(joint, dof) : std::nullopt;
            // The anchor and the axis are in the child body's frame, so X_CJ gives both.
            inner.set("pos", own ? own->pivot : joint.X_CJ.p);
            const Vec3d axis = rotate(joint.X_CJ.q, dof.axis);
            if (!ball) inner.set("axis", own ? own->axis : axis);
            if (own && (length(own->axis - axis) > 1e-6 || length(own->pivot - joint.X_CJ.p) > 1e-6))
                out_.lose("joint-pivots", Severity::info, sf::LossAction::converted, "kinematics", joint.place,
                          fmt::format("joint '{}'", dof.name), "axes at right angles through one point",
                          "axis and pivot of the source", "the stage still agrees with what its source says");
            if (own && own->ref != 0) inner.set("ref", own->ref);
            range(inner, joint, dof, ball);
            if (joint.initial != 0 && joint.dofs.size() == 1) inner.set("ref", joint.initial);
            if (dof.damping) inner.set("damping", *dof.damping);
            if (dof.armature) inner.set("armature", *dof.armature);
            if (dof.friction) inner.set("frictionloss", *dof.friction);
            if (dof.velocity_limit)
                out_.lose("velocity-limit", Severity::warning, sf::LossAction::dropped, "kinematics", dof.limit_place,
                          fmt::format("joint '{}'", dof.name), number_text(*dof.velocity_limit), {},
                          "MuJoCo has no limit of speed");
            const auto& extras = !dof.extras.empty() || d > 0 ? dof.extras : joint.extras;
            copy(inner, extras,
                 {{"mjc:stiffness", "stiffness"},
                  {"mjc:margin", "margin"},
                  {"mjc:springdamper", "springdamper"},
                  {"mjc:solreflimit", "solreflimit"},
                  {"mjc:solimplimit", "solimplimit"},
                  {"mjc:solreffriction", "solreffriction"},
                  {"mjc:solimpfriction", "solimpfriction"},
                  {"mjc:actuatorfrclimited", "actuatorfrclimited"},
                  {"mjc:actuatorgravcomp", "actuatorgravcomp"},
                  {"mjc:group", "group"}});
            copy_range(inner, extras, "mjc:actuatorfrcrange", "actuatorfrcrange");
            if (const sf::Extra* e = find(extras, "mjc:springref")) {
                const double v = std::strtod(plain(e->text).c_str(), nullptr);
                inner.set("springref", dof.angular ? v / kDegrees : v);
            }
        }
    }

    void range(XmlNode& inner, const sf::Joint& joint, const sf::Dof& dof, bool ball)
    {
        if (ball) {
            // A ball's range is a cone: zero to the largest angle.
            if (std::isfinite(dof.upper)) inner.set("range", "0 " + number_text(dof.upper));
            return;
        }
        if (!std::isfinite(dof.lower) && !std::isfinite(dof.upper)) return;
        if (!std::isfinite(dof.lower) || !std::isfinite(dof.upper))
            out_.lose("one-sided-limit", Severity::info, sf::LossAction::approximated, "kinematics", joint.place,
                      fmt::format("joint '{}'", dof.name), "infinite", "1e6", "both sides of a range are told");
        // MJCF has both sides of a range or none; 1e6 rad or m is out of reach.
        inner.set("range", number_text(std::max(dof.lower, -1e6)) + " " + number_text(std::min(dof.upper, 1e6)));
    }

    // -- what bodies carry

    void things(XmlNode& node, XmlNode& asset, int link)
    {
        for (std::size_t s = 0; s < tree_.shapes.size(); ++s)
            if (tree_.shapes[s].link == link) geom(node, asset, s, link);
        for (std::size_t s = 0; s < tree_.sites.size(); ++s) {
            const sf::Frame& f = tree_.sites[s];
            if (f.link != link) continue;
            XmlNode& inner = node.add("site").set("name", site_names_[s]);
            pose(inner, f.X_LS);
            copy(inner, f.extras, {{"mjc:group", "group"}});
        }
        for (const sf::Camera& c : tree_.cameras) {
            if (c.link != link) continue;
            XmlNode& inner = node.add("camera").set("name", take(taken_cameras_, c.name));
            pose(inner, c.X_LC);
            if (c.orthographic)
                inner.set("orthographic", "true").set("fovy", c.height);
            else
                inner.set("fovy", c.fovy * kDegrees);
        }
        for (const sf::Light& l : tree_.lights) {
            if (l.link != link) continue;
            XmlNode& inner = node.add("light")
                                 .set("name", take(taken_lights_, l.name))
                                 .set("pos", l.X_LL.p)
                                 // Lights of USD shine along -z.
                                 .set("dir", rotate(l.X_LL.q, Vec3d{0, 0, -1}));
            inner.set("type", l.kind == sf::Light::Kind::distant ? "directional"
                              : l.kind == sf::Light::Kind::spot  ? "spot"
                                                                 : "point");
            // The half angle of the cone, which MuJoCo bounds by 90 degrees.
            if (l.kind == sf::Light::Kind::spot) inner.set("cutoff", std::min(90.0, l.cone * kDegrees));
            inner.set("diffuse", Vec3d{l.color[0], l.color[1], l.color[2]});
        }
    }
    std::set<std::string> taken_cameras_, taken_lights_;

    std::string mesh_asset(XmlNode& asset, const std::string& file, const std::string& wanted, bool shell)
    {
        const auto [slot, fresh] = meshes_.try_emplace(file);
        if (fresh) {
            slot->second  = take(taken_meshes_, wanted);
            XmlNode& node = asset.add("mesh").set("name", slot->second).set("file", file);
            if (shell) node.set("inertia", "shell");
        }
        return slot->second;
    }

    /// MuJoCo wants four points that are not in one plane of what collides, and a volume of what is solid.
    static bool is_thin(const geometry::Mesh& mesh)
    {
        double volume = 0, area = 0;
        for (const auto& t : mesh.triangles) {
            const Vec3d a = mesh.points[index(t[0])], b = mesh.points[index(t[1])], c = mesh.points[index(t[2])];
            // Signed volume by tetrahedra from the origin. The bound compares with area^1.5, which scales with the
            // mesh: a sheet is thin at any size.
            volume += dot(a, cross(b, c)) / 6;
            area += 0.5 * length(cross(b - a, c - a));
        }
        // Less volume than a thousandth part of what a body with this surface may have counts as flat.
        return !geometry::is_closed(mesh) || volume < 1e-9 || volume < 1e-4 * std::pow(area, 1.5);
    }

    /// Whether its hull is another shape: what MuJoCo would collide with instead of it.
    static bool is_concave(const geometry::Mesh& mesh)
    {
        const auto volume = [](const geometry::Mesh& m) {
            double sum = 0;
            for (const auto& t : m.triangles)
                sum += dot(m.points[index(t[0])], cross(m.points[index(t[1])], m.points[index(t[2])])) / 6;
            return std::abs(sum);
        };
        geometry::HullOptions all;
        all.max_vertices = static_cast<int>(std::max<std::size_t>(mesh.points.size(), 4));
        const auto hull  = geometry::build_hull(mesh.points, all);
        // More than a thousandth of the volume missing in the mesh counts as concave.
        return !geometry::is_closed(mesh) || (hull && volume(mesh) < (1 - 1e-3) * volume(*hull));
    }

    /// One element, or one for each material of a mesh.
    void geom(XmlNode& node, XmlNode& asset, std::size_t s, int link)
    {
        const sf::Shape& shape = tree_.shapes[s];
        if (shape.kind != sf::Shape::Kind::mesh)
            return element(node, asset, s, link, {}, shape.material, geom_names_[s]);
        const sf::MeshAsset& mesh = tree_.meshes[index(shape.mesh)];
        if (shape.collider || mesh.subsets.empty() || shape.material >= 0)
            return element(node, asset, s, link, {}, shape.material, geom_names_[s]);
        // A geom has one material. A mesh with subsets becomes one geom for each, and the faces of no subset one more.
        std::vector<bool> taken(mesh.counts.size(), false);
        for (std::size_t i = 0; i < mesh.subsets.size(); ++i) {
            for (const int f : mesh.subsets[i].faces) taken[index(f)] = true;
            const std::string name =
                i == 0 ? geom_names_[s] : take(taken_geoms_, fmt::format("{}_{}", geom_names_[s], i));
            element(node, asset, s, link,
                    mesh.subsets[i].faces.size() == mesh.counts.size() ? std::vector<int>() : mesh.subsets[i].faces,
                    mesh.subsets[i].material, name);
        }
        std::vector<int> rest;
        for (std::size_t f = 0; f < taken.size(); ++f)
            if (!taken[f]) rest.push_back(static_cast<int>(f));
        if (!rest.empty()) element(node, asset, s, link, rest, -1, take(taken_geoms_, geom_names_[s] + "_rest"));
    }

    void element(XmlNode& node, XmlNode& asset, std::size_t s, int link, const std::vector<int>& faces, int material,
                 const std::string& name)
    {
        const sf::Shape& shape = tree_.shapes[s];
        const Vec3d&     z     = shape.size;
        const auto       two   = [&] { return number_text(z.x) + " " + number_text(z.y); };
        std::string      type, size, mesh;
        Posed            X_shape = shape.X_LS;
        switch (shape.kind) {
            case sf::Shape::Kind::box:
                type = "box", size = numbers_text(z);
                break;
            case sf::Shape::Kind::sphere:
                type = "sphere", size = number_text(z.x);
                break;
            case sf::Shape::Kind::ellipsoid:
                type = "ellipsoid", size = numbers_text(z);
                break;
            case sf::Shape::Kind::capsule:
                type = z.y > 0 ? "capsule" : "sphere", size = z.y > 0 ? two() : number_text(z.x);
                break;
            case sf::Shape::Kind::cylinder:
                type = "cylinder", size = two();
                break;
            case sf::Shape::Kind::plane:
                if (moves(link)) {
                    out_.lose("plane", Severity::warning, sf::LossAction::approximated, "collision", shape.place,
                              fmt::format("shape '{}'", shape.name), "plane", "a thin box",
                              "planes lie in what does not move");
                    type = "box", size = fmt::format("{} {} 0.0005", z.x > 0 ? z.x : 50.0, z.y > 0 ? z.y : 50.0);
                    X_shape = X_shape * Posed{{0, 0, -0.0005}, {}};  // its top is where the plane is
                } else {
                    type = "plane", size = fmt::format("{} {} 0.1", number_text(z.x), number_text(z.y));
                }
                break;
            case sf::Shape::Kind::mesh:
                type = shape.collider && shape.approximation == "none" && out_.options.mjcf_sdf ? "sdf" : "mesh";
                mesh = mesh_of(asset, shape, faces);
                if (mesh.empty()) return;
                break;
        }
        XmlNode& inner = node.add("geom").set("name", name).set("type", type);
        if (mesh.empty())
            inner.set("size", size);
        else
            inner.set("mesh", mesh);
        pose(inner, X_shape);
        if (material >= 0) inner.set("material", out_.material_names[index(material)]);
        contact(inner, shape, s);
    }

    [[nodiscard]] bool moves(int link) const
    {
        // The bound ends the walk on a tree with a cycle, which the reader has reported.
        for (std::size_t steps = 0; link >= 0 && steps < tree_.links.size(); ++steps) {
            const int j = out_.chain.above[index(link)];
            if (j < 0) return !tree_.links[index(link)].frame;
            if (has_joint(j)) return true;
            link = tree_.joints[index(j)].parent;
        }
        return false;
    }

    std::string mesh_of(XmlNode& asset, const sf::Shape& shape, const std::vector<int>& faces)
    {
        const sf::MeshAsset& mesh  = tree_.meshes[index(shape.mesh)];
        const geometry::Mesh parts = triangles_of(mesh, shape.scale);
        // In single precision, as MuJoCo reads meshes: points that differ in double only are one point there.
        std::set<std::array<float, 3>> distinct;
        for (const auto& t : parts.triangles)
            for (const int p : t)
                distinct.insert({static_cast<float>(parts.points[index(p)].x),
                                 static_cast<float>(parts.points[index(p)].y),
                                 static_cast<float>(parts.points[index(p)].z)});
        if (distinct.size() < 4) {
            out_.lose("small-mesh", shape.collider ? Severity::error : Severity::info, sf::LossAction::dropped,
                      shape.collider ? "collision" : "visual", shape.place, fmt::format("shape '{}'", shape.name),
                      fmt::format("{} points", distinct.size()), {}, "MuJoCo wants four points of a mesh");
            return {};
        }
        if (shape.collider && shape.approximation == "none" && !out_.options.mjcf_sdf && is_concave(parts))
            out_.lose("concave", Severity::error, sf::LossAction::approximated, "collision", shape.place,
                      fmt::format("shape '{}'", shape.name), "triangles", "their convex hull",
                      "MuJoCo collides meshes by their hulls; --mjcf-sdf writes a field of distances");
        return mesh_asset(asset, out_.obj(shape.mesh, shape.scale, faces, mesh.name, false, -1), mesh.name,
                          !faces.empty() || is_thin(parts));
    }

    void contact(XmlNode& inner, const sf::Shape& shape, std::size_t s)
    {
        const sf::Extra* group = find(shape.extras, "mjc:group");
        if (!shape.collider)
            inner.set("contype", "0").set("conaffinity", "0");
        else if (!bits_.all)
            inner.set("contype", fmt::format("{}", bits_.of_shape[s].first))
                .set("conaffinity", fmt::format("{}", bits_.of_shape[s].second));
        // Groups are layers of visibility: by MuJoCo's habit 2 holds visual geoms and 3 collision geoms.
        if (group != nullptr)
            inner.set("group", plain(group->text));
        else if (!shape.collider)
            inner.set("group", "2");
        else if (!shape.visual)
            inner.set("group", "3");
        if (!shape.collider) return;
        if (shape.contact) {
            // 0.005 and 0.0001 are MuJoCo's defaults for torsional and rolling friction.
            inner.set("friction", fmt::format("{} {} {}", number_text(shape.contact->dynamic_friction),
                                              number_text(shape.contact->torsional.value_or(0.005)),
                                              number_text(shape.contact->rolling.value_or(0.0001))));
            if (shape.contact->static_friction != shape.contact->dynamic_friction)
                out_.lose("static-friction", Severity::info, sf::LossAction::dropped, "contact", shape.place,
                          fmt::format("shape '{}'", shape.name), number_text(shape.contact->static_friction),
                          number_text(shape.contact->dynamic_friction), "one coefficient of friction");
            if (shape.contact->restitution != 0)
                out_.lose("restitution", Severity::warning, sf::LossAction::dropped, "contact", shape.place,
                          fmt::format("shape '{}'", shape.name), number_text(shape.contact->restitution), {},
                          "MuJoCo has no coefficient of restitution");
        }
        copy(inner, shape.extras,
             {{"mjc:condim", "condim"},
              {"mjc:priority", "priority"},
              {"mjc:margin", "margin"},
              {"mjc:gap", "gap"},
              {"mjc:solmix", "solmix"},
              {"mjc:solref", "solref"},
              {"mjc:solimp", "solimp"}});
    }

    /// The first of the links that are welded to this one, which MuJoCo takes as one body.
    [[nodiscard]] int welded_to(int link) const
    {
        for (std::size_t steps = 0; steps < tree_.links.size(); ++steps) {
            const int j = out_.chain.above[index(link)];
            if (j < 0 || has_joint(j) || tree_.joints[index(j)].parent < 0) break;
            link = tree_.joints[index(j)].parent;
        }
        return link;
    }

    /// Whether MuJoCo leaves a pair out by itself, for one of the two is welded to another body.
    [[nodiscard]] bool is_implied(int a, int b) const
    {
        if (a < 0 || b < 0 || !moves(a) || !moves(b)) return false;
        const auto hangs = [&](int link, int on) {
            const int j = out_.chain.above[index(link)];
            return j >= 0 && tree_.joints[index(j)].parent == on;
        };
        if (hangs(a, b) || hangs(b, a)) return false;  // MuJoCo needs no word for it, and the source has one
        const int  one = welded_to(a), two = welded_to(b);
        const auto above = [&](int link) {
            const int j = out_.chain.above[index(link)];
            return j >= 0 && tree_.joints[index(j)].parent >= 0 ? welded_to(tree_.joints[index(j)].parent) : -1;
        };
        return one == two || above(one) == two || above(two) == one;
    }

    void exclusions(XmlNode& contact)
    {
        std::set<std::pair<int, int>> pairs;
        for (const sf::Exclusion& e : tree_.exclusions)
            if (!is_implied(e.a, e.b)) pairs.insert(std::minmax(e.a, e.b));
        // Parent and child are left out by themselves, unless the parent stands in the world.
        // A pair with nothing to collide needs no word.
        for (const sf::Joint& j : tree_.joints)
            if (!j.collide && j.parent >= 0 && j.child >= 0 && (j.loop || (!moves(j.parent) && moves(j.child))) &&
                has_collider_[index(j.parent)] && has_collider_[index(j.child)])
                pairs.insert(std::minmax(j.parent, j.child));
        apart(pairs);
        for (const auto& [a, b] : pairs)
            contact.add("exclude").set("body1", body_names_[index(a)]).set("body2", body_names_[index(b)]);
    }

    /// Pairs of a robot whose links never touch each other become exclusions. Where they may touch and MuJoCo keeps
    /// them apart all the same, the report says so: links that are welded to each other are one body there, and a body
    /// does not touch the one that it hangs on.
    void apart(std::set<std::pair<int, int>>& pairs)
    {
        const int        n = static_cast<int>(tree_.links.size());
        std::vector<int> root(index(n), -1);
        const auto       tops = [&](int link) {
            for (int steps = 0; steps < n && out_.chain.above[index(link)] >= 0 &&
                                tree_.joints[index(out_.chain.above[index(link)])].parent >= 0;
                 ++steps)
                link = tree_.joints[index(out_.chain.above[index(link)])].parent;
            return link;
        };
        for (int l = 0; l < n; ++l) root[index(l)] = tops(l);
        const auto hangs = [&](int link, int on) {
            const int j = out_.chain.above[index(link)];
            return j >= 0 && tree_.joints[index(j)].parent == on && !tree_.joints[index(j)].collide;
        };
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n && has_collider_[index(a)]; ++b) {
                if (!has_collider_[index(b)] || pairs.contains({a, b})) continue;
                const bool implied = is_implied(a, b) || (filtered(a, b) && !hangs(a, b) && !hangs(b, a));
                if (!tree_.self_collision && root[index(a)] == root[index(b)]) {
                    if (!implied && !hangs(a, b) && !hangs(b, a)) pairs.insert({a, b});
                } else if (implied && !excluded(a, b) && meet(a, b)) {
                    out_.lose("collision-pair", Severity::warning, sf::LossAction::approximated, "collision",
                              tree_.links[index(a)].place,
                              fmt::format("pair '{}' and '{}'", tree_.links[index(a)].name, tree_.links[index(b)].name),
                              "may touch", "never touch",
                              "links that are welded are one body to MuJoCo, and it does not touch what it hangs on");
                }
            }
    }

    /// Whether one hangs on the other by a joint, which MuJoCo takes as reason enough where the other one moves.
    [[nodiscard]] bool filtered(int a, int b) const
    {
        const auto on = [&](int link, int other) {
            const int j = out_.chain.above[index(link)];
            return j >= 0 && tree_.joints[index(j)].parent == other && moves(other);
        };
        return on(a, b) || on(b, a);
    }

    [[nodiscard]] bool excluded(int a, int b) const
    {
        return std::any_of(tree_.exclusions.begin(), tree_.exclusions.end(),
                           [&](const sf::Exclusion& e) { return (e.a == a && e.b == b) || (e.a == b && e.b == a); });
    }

    /// Whether the groups let a collider of one link meet one of the other.
    [[nodiscard]] bool meet(int a, int b) const
    {
        if (bits_.all) return true;
        for (std::size_t s = 0; s < tree_.shapes.size(); ++s)
            for (std::size_t t = 0; t < tree_.shapes.size(); ++t)
                if (tree_.shapes[s].link == a && tree_.shapes[t].link == b && tree_.shapes[s].collider &&
                    tree_.shapes[t].collider &&
                    ((bits_.of_shape[s].first & bits_.of_shape[t].second) != 0 ||
                     (bits_.of_shape[t].first & bits_.of_shape[s].second) != 0))
                    return true;
        return false;
    }

    // -- equalities, tendons, actuators, keyframes

    [[nodiscard]] std::string body_name(int link) const { return link < 0 ? "world" : body_names_[index(link)]; }

    void equalities(XmlNode& equality, XmlNode& tendon)
    {
        for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
            const sf::Joint& j = tree_.joints[i];
            if (j.loop) loop(equality, tendon, j);
            // A follower is an equality of type joint with the polynomial c0 + c1 q; locked joints do not exist in the
            // file.
            if (!j.mimic || j.dofs.empty() || locked(j.dofs[0]) || locked(tree_.joints[index(j.mimic->joint)].dofs[0]))
                continue;
            const auto& extras = j.dofs[0].extras;
            const auto  coef   = [&](const char* name) {
                const sf::Extra* e = find(extras, name);
                return e != nullptr ? plain(e->text) : std::string("0");
            };
            XmlNode& node = equality.add("joint")
                                .set("joint1", dof_names_[i][0])
                                .set("joint2", dof_names_[index(j.mimic->joint)][0]);
            node.set("polycoef",
                     fmt::format("{} {} {} {} {}", number_text(j.mimic->offset), number_text(j.mimic->multiplier),
                                 coef("mjc:coef2"), coef("mjc:coef3"), coef("mjc:coef4")));
            copy(node, extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
        }
    }

    void loop(XmlNode& equality, XmlNode& tendon, const sf::Joint& j)
    {
        // A hinge is two points on its axis, a tenth of a metre apart; a ball is one.
        // In the frame of body1, the parent.
        const auto connect = [&](const std::string& name, double along, const Vec3d& axis) {
            XmlNode& node = equality.add("connect")
                                .set("name", name)
                                .set("body1", body_name(j.parent))
                                .set("body2", body_name(j.child))
                                .set("anchor", j.X_PJ * (along * axis));
            copy(node, j.extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
        };
        switch (j.kind) {
            case sf::Joint::Kind::ball:
                return connect(j.name, 0, {});
            case sf::Joint::Kind::revolute:
                connect(j.name, 0, {});
                // Two points on one axis leave one rotation: a hinge as two connects, 0.1 m apart.
                return connect(j.name + "_axis", 0.1, j.dofs[0].axis);
            case sf::Joint::Kind::fixed: {
                // relpose is the pose of body2 in body1 at which the weld rests.
                const Posed relative = j.X_PJ * inverse(j.X_CJ);
                XmlNode&    node     = equality.add("weld")
                                           .set("name", j.name)
                                           .set("body1", body_name(j.parent))
                                           .set("body2", body_name(j.child))
                                           .set("anchor", j.X_CJ.p);
                node.set("relpose", numbers_text(relative.p) + " " + quat_text(normalized(relative.q)));
                copy(node, j.extras,
                     {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}, {"mjc:torqueScale", "torquescale"}});
                return;
            }
            case sf::Joint::Kind::distance:
            case sf::Joint::Kind::prismatic:
            case sf::Joint::Kind::generic:
                break;
        }
        static_cast<void>(tendon);
        out_.lose("loop-joint", Severity::error, sf::LossAction::dropped, "kinematics", j.place,
                  fmt::format("joint '{}'", j.name), {}, {}, "equalities of MuJoCo are points and welds");
    }

    /// The element of MJCF that a reference names: attribute and name; empty when it names nothing.
    [[nodiscard]] std::string joint_name(const sf::Ref& ref, const std::vector<sf::Extra>& extras) const
    {
        if (ref.kind != sf::Ref::Kind::joint || ref.index < 0) return {};
        const sf::Joint& joint  = tree_.joints[index(ref.index)];
        const sf::Extra* wanted = find(extras, sf::hints::kDof);
        for (std::size_t d = 0; d < joint.dofs.size(); ++d)
            if ((joint.dofs.size() == 1 || (wanted != nullptr && plain(wanted->text) == joint.dofs[d].name)) &&
                (joint.kind == sf::Joint::Kind::ball || !locked(joint.dofs[d])))
                return dof_names_[index(ref.index)][d];
        return {};
    }

    static std::vector<double> numbers(const sf::Extra* e)
    {
        std::vector<double> out;
        if (e == nullptr) return out;
        const std::string text = plain(e->text);
        const char*       at   = text.c_str();
        for (char* end = nullptr;; at = end) {
            const double v = std::strtod(at, &end);
            if (end == at) return out;
            out.push_back(v);
        }
    }

    static const std::vector<sf::Ref>* targets(const sf::VendorPrim& p, std::string_view name)
    {
        for (const sf::Relation& r : p.relations)
            if (r.name == name) return &r.targets;
        return nullptr;
    }

    void tendons(XmlNode& tendon)
    {
        prim_names_.resize(tree_.prims.size());
        for (std::size_t i = 0; i < tree_.prims.size(); ++i) {
            const sf::VendorPrim& p = tree_.prims[i];
            if (p.type != "MjcTendon") continue;
            const sf::Extra* type  = find(p.extras, "mjc:type");
            const bool       fixed = type != nullptr && plain(type->text) == "fixed";
            const auto*      path  = targets(p, "mjc:path");
            if (path == nullptr || path->empty()) continue;
            XmlNode node(fixed ? "fixed" : "spatial");
            prim_names_[i] = take(taken_tendons_, p.name);
            node.set("name", prim_names_[i]);
            copy(node, p.extras,
                 {{"mjc:stiffness", "stiffness"},
                  {"mjc:damping", "damping"},
                  {"mjc:armature", "armature"},
                  {"mjc:frictionloss", "frictionloss"},
                  {"mjc:margin", "margin"},
                  {"mjc:limited", "limited"},
                  {"mjc:springlength", "springlength"},
                  {"mjc:solreflimit", "solreflimit"},
                  {"mjc:solimplimit", "solimplimit"},
                  {"mjc:solreffriction", "solreffriction"},
                  {"mjc:solimpfriction", "solimpfriction"}});
            if (!fixed) copy(node, p.extras, {{"mjc:width", "width"}, {"mjc:rgba", "rgba"}});
            copy_range(node, p.extras, "mjc:range", "range");
            // A tendon with a part that is not there would be another tendon: it is left out as a whole.
            if (fixed ? fixed_path(node, p, *path) : spatial_path(node, p, *path)) {
                tendon.add("") = node;
            } else {
                prim_names_[i].clear();
                out_.lose("tendon", Severity::error, sf::LossAction::dropped, "kinematics", p.place,
                          fmt::format("tendon '{}'", p.name), {}, {}, "its path names what is not there");
            }
        }
    }

    bool fixed_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path)
    {
        const auto        coefficients = numbers(find(p.extras, "mjc:path:coef")),
                          order        = numbers(find(p.extras, "mjc:path:indices"));
        const std::string dofs =
            find(p.extras, sf::hints::kDof) != nullptr ? plain(find(p.extras, sf::hints::kDof)->text) : std::string();
        const std::size_t n = std::max(coefficients.size(), path.size());
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = k < order.size() && order[k] >= 0 ? static_cast<std::size_t>(order[k]) : k;
            if (i >= path.size()) return false;
            const std::string name = joint_name(path[i], tendon_dof(dofs, k));
            if (name.empty()) return false;
            node.add("joint").set("joint", name).set("coef", k < coefficients.size() ? coefficients[k] : 1.0);
        }
        return true;
    }

    /// The k-th name of a list as the extra of one actuator.
    static std::vector<sf::Extra> tendon_dof(const std::string& dofs, std::size_t k)
    {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < k && begin != std::string::npos; ++i)
            begin = dofs.find(' ', begin) == std::string::npos ? std::string::npos : dofs.find(' ', begin) + 1;
        if (begin == std::string::npos || dofs.empty()) return {};
        sf::Extra one;
        one.name = sf::hints::kDof;
        one.text = dofs.substr(begin, dofs.find(' ', begin) - begin);
        return {one};
    }

    bool spatial_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path)
    {
        const auto  order      = numbers(find(p.extras, "mjc:path:indices")),
                    segments   = numbers(find(p.extras, "mjc:path:segments")),
                    divisors   = numbers(find(p.extras, "mjc:path:divisors")),
                    sides      = numbers(find(p.extras, "mjc:sideSites:indices"));
        const auto* side_sites = targets(p, "mjc:sideSites");
        double      segment    = 0;
        for (std::size_t k = 0; k < std::max(order.size(), path.size()); ++k) {
            const std::size_t i = k < order.size() && order[k] >= 0 ? static_cast<std::size_t>(order[k]) : k;
            if (i >= path.size() || path[i].index < 0) return false;
            if (k < segments.size() && segments[k] != segment) {
                segment = segments[k];
                node.add("pulley").set("divisor", segment >= 0 && static_cast<std::size_t>(segment) < divisors.size()
                                                      ? divisors[static_cast<std::size_t>(segment)]
                                                      : 1.0);
            }
            if (path[i].kind == sf::Ref::Kind::site) {
                node.add("site").set("site", site_names_[index(path[i].index)]);
            } else if (path[i].kind == sf::Ref::Kind::shape) {
                XmlNode& geom = node.add("geom").set("geom", geom_names_[index(path[i].index)]);
                if (side_sites != nullptr && k < sides.size() && sides[k] >= 0 &&
                    static_cast<std::size_t>(sides[k]) < side_sites->size())
                    geom.set("sidesite", site_names_[index((*side_sites)[static_cast<std::size_t>(sides[k])].index)]);
            } else {
                return false;
            }
        }
        return true;
    }

    void actuators(XmlNode& actuator)
    {
        for (std::size_t i = 0; i < tree_.prims.size(); ++i) {
            const sf::VendorPrim& p = tree_.prims[i];
            if (p.type != "MjcActuator") continue;
            const auto* target = targets(p, "mjc:target");
            const bool  motor =
                is_motor(p.extras) && (target == nullptr || target->empty() ||
                                       target->front().kind != sf::Ref::Kind::link);  // only `general` acts on bodies
            XmlNode node(motor ? "motor" : "general");
            node.set("name", take(taken_actuators_, p.name));
            if (target == nullptr || target->empty() || !aim(node, p, target->front(), targets(p, "mjc:refSite"))) {
                out_.lose("actuator", Severity::error, sf::LossAction::dropped, "actuation", p.place,
                          fmt::format("actuator '{}'", p.name), {}, {}, "what it acts on is not there");
                continue;
            }
            // A joint with an actuator of its own gets none from its drive.
            if (target->front().kind == sf::Ref::Kind::joint) drives_told(target->front(), p.extras);
            if (!motor)
                copy(node, p.extras,
                     {{"mjc:gainType", "gaintype"},
                      {"mjc:biasType", "biastype"},
                      {"mjc:dynType", "dyntype"},
                      {"mjc:gainPrm", "gainprm"},
                      {"mjc:biasPrm", "biasprm"},
                      {"mjc:dynPrm", "dynprm"}});
            copy(node, p.extras,
                 {{"mjc:gear", "gear"},
                  {"mjc:ctrlLimited", "ctrllimited"},
                  {"mjc:forceLimited", "forcelimited"},
                  {"mjc:actLimited", "actlimited"}});
            for (const auto& [name, attribute] :
                 {std::pair{"mjc:ctrlRange", "ctrlrange"}, std::pair{"mjc:forceRange", "forcerange"},
                  std::pair{"mjc:actRange", "actrange"}, std::pair{"mjc:lengthRange", "lengthrange"}})
                copy_range(node, p.extras, name, attribute);
            ++nu_;
            actuator.add("") = node;
        }
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            for (std::size_t d = 0; d < tree_.joints[j].dofs.size(); ++d)
                if (tree_.joints[j].dofs[d].drive && !tree_.joints[j].loop &&
                    !driven_.contains({static_cast<int>(j), d}))
                    drive(actuator, j, d);
    }

    /// The force is the command: what MJCF calls a motor.
    static bool is_motor(const std::vector<sf::Extra>& extras)
    {
        const auto word = [&](const char* name) {
            return find(extras, name) != nullptr ? plain(find(extras, name)->text) : std::string();
        };
        const auto gain = numbers(find(extras, "mjc:gainPrm"));
        return word("mjc:gainType") == "fixed" && word("mjc:biasType") == "none" && word("mjc:dynType") == "none" &&
               !gain.empty() && gain[0] == 1;
    }

    void drives_told(const sf::Ref& ref, const std::vector<sf::Extra>& extras)
    {
        const std::string name = joint_name(ref, extras);
        for (std::size_t d = 0; d < dof_names_[index(ref.index)].size(); ++d)
            if (dof_names_[index(ref.index)][d] == name) driven_.insert({ref.index, d});
    }

    bool aim(XmlNode& node, const sf::VendorPrim& p, const sf::Ref& ref, const std::vector<sf::Ref>* ref_site)
    {
        if (ref.index < 0) return false;
        switch (ref.kind) {
            case sf::Ref::Kind::joint: {
                const std::string name = joint_name(ref, p.extras);
                if (name.empty()) return false;
                node.set("joint", name);
                return true;
            }
            case sf::Ref::Kind::site:
                node.set("site", site_names_[index(ref.index)]);
                if (ref_site != nullptr && !ref_site->empty() && ref_site->front().index >= 0)
                    node.set("refsite", site_names_[index(ref_site->front().index)]);
                return true;
            case sf::Ref::Kind::link:
                node.set("body", body_names_[index(ref.index)]);
                return true;
            case sf::Ref::Kind::prim:
                if (prim_names_[index(ref.index)].empty()) return false;
                node.set("tendon", prim_names_[index(ref.index)]);
                return true;
            case sf::Ref::Kind::shape:
                break;
        }
        return false;
    }

    void drive(XmlNode& actuator, std::size_t j, std::size_t d)
    {
        const sf::Dof&   dof = tree_.joints[j].dofs[d];
        const sf::Drive& one = *dof.drive;
        if (locked(dof) || tree_.joints[j].kind == sf::Joint::Kind::ball) return;
        if (one.max_force == 0) return;  // it can exert no force, and MuJoCo has no empty range
        const bool servo = one.stiffness != 0, brake = !servo && one.damping != 0;
        if (!servo && !brake && !std::isfinite(one.max_force)) return;
        XmlNode& node = actuator.add(servo   ? "position"
                                     : brake ? "velocity"
                                             : "motor")
                            .set("name", take(taken_actuators_, dof.name))
                            .set("joint", dof_names_[j][d]);
        ++nu_;
        if (servo) node.set("kp", one.stiffness);
        if (servo || brake) node.set("kv", one.damping);
        // A servo's force has the range; a motor's control is the force itself, so its range is that of the control.
        if (std::isfinite(one.max_force) && one.max_force > 0)
            node.set(servo || brake ? "forcerange" : "ctrlrange",
                     number_text(-one.max_force) + " " + number_text(one.max_force));
        if (one.target != 0 || one.target_velocity != 0)
            out_.lose("drive-target", Severity::warning, sf::LossAction::dropped, "actuation", one.place,
                      fmt::format("drive of '{}'", dof.name), fmt::format("{} {}", one.target, one.target_velocity), {},
                      "what an actuator is told stands in no model");
    }

    void keyframes(XmlNode& keys)
    {
        for (const sf::VendorPrim& p : tree_.prims) {
            if (p.type != "MjcKeyframe") continue;
            XmlNode node("key");
            node.set("name", p.name);
            for (const auto& [name, count] : {std::pair{"qpos", nq_}, std::pair{"qvel", nv_}, std::pair{"ctrl", nu_},
                                              std::pair{"mpos", 3 * nmocap_}, std::pair{"mquat", 4 * nmocap_}}) {
                const auto v = numbers(find(p.extras, std::string("mjc:") + name));
                if (v.empty()) continue;
                // A keyframe lists all coordinates in the order of the model: with another number it would mean
                // something else.
                if (static_cast<int>(v.size()) == count)
                    node.set(name, plain(find(p.extras, std::string("mjc:") + name)->text));
                else
                    out_.lose("keyframe", Severity::warning, sf::LossAction::dropped, "metadata", p.place,
                              fmt::format("key '{}'", p.name), fmt::format("{} {}", v.size(), name),
                              fmt::format("{}", count), "the model has another number of them");
            }
            keys.add("") = node;
        }
    }
};

}  // namespace

Result<Written> write_mjcf(Output& out, const std::string& file) { return MjcfWriter(out, file).write(); }

}  // namespace mechane::exporter

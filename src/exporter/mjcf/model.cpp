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
#include <cstdlib>

#include "exporter/mjcf/writer.h"

namespace mechane::exporter::mjcf {
namespace {

/// The schema has all words in small letters, MJCF has not.
std::string keyword(const std::string& word)
{
    for (const auto& [small, own] : {std::pair{"euler", "Euler"}, std::pair{"rk4", "RK4"}, std::pair{"pgs", "PGS"},
                                     std::pair{"cg", "CG"}, std::pair{"newton", "Newton"}})
        if (word == small) return own;
    return word;
}

}  // namespace

std::string quat_text(const Quatd& q)
{ return fmt::format("{} {} {} {}", number_text(q.w), number_text(q.x), number_text(q.y), number_text(q.z)); }

std::string plain(const std::string& text)
{
    std::string out;
    for (const char c : text)
        if (c != '[' && c != ']' && c != '(' && c != ')' && c != '"' && c != ',') out += c;
    return out;
}

bool is_true(const sf::Extra& e) { return plain(e.text) == "true" || plain(e.text) == "1"; }

const sf::Extra* find(const std::vector<sf::Extra>& extras, std::string_view name)
{
    for (const sf::Extra& e : extras)
        if (e.name == name) return &e;
    return nullptr;
}

Result<Written> MjcfWriter::write()
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
                  "collision groups", bits_.lost, "31 classes", "MuJoCo has 31 bits for what collides with what");
    XmlNode& asset = root_.add("asset");
    materials(asset);
    XmlNode& world = root_.add("worldbody");
    things(world, asset, -1);
    // The last entry of `below` lists the joints to the world: their children are welded or jointed to worldbody
    // without a body above. All stand in the order of the source, which is that of the coordinates of keyframes.
    std::vector<std::pair<int, int>> tops;  // link, joint
    for (const int l : out_.chain.roots) tops.emplace_back(l, -1);
    for (const int j : out_.chain.below.back()) tops.emplace_back(tree_.joints[index(j)].child, j);
    std::stable_sort(tops.begin(), tops.end(), [&](const auto& a, const auto& b) {
        return out_.chain.first[index(a.first)] < out_.chain.first[index(b.first)];
    });
    for (const auto& [l, j] : tops) body(world, asset, l, j);
    XmlNode& contact = root_.add("contact");
    exclusions(contact);
    XmlNode& equality = root_.add("equality");
    XmlNode& tendon   = root_.add("tendon");
    equalities(equality, tendon);
    tendons(tendon);
    XmlNode& actuator = root_.add("actuator");
    actuators(actuator);
    elements(root_.add("sensor"), equality);
    XmlNode& keys = root_.add("keyframe");
    keyframes(keys);
    // MuJoCo's own choice, Euler, takes the damping of actuators explicitly: gains that are meant for implicit steps,
    // as those of UsdPhysics are, would make it diverge.
    if (damped_ && !integrator_)
        (option_ != nullptr ? *option_ : root_.add("option")).set("integrator", "implicitfast");
    // Sections were made in the order of the schema; those without content go.
    root_.drop_empty();
    out_.written.files.insert(out_.written.files.begin(), {file_, root_.document()});
    return std::move(out_.written);
}

// Names are unique within a kind of element in MuJoCo; a counter is appended where the tree has the same name
// twice.
std::string MjcfWriter::take(std::set<std::string>& taken, const std::string& wanted)
{
    std::string name = wanted;
    for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
}

void MjcfWriter::names()
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
    std::set<std::string> cameras;
    for (const sf::Camera& c : tree_.cameras) camera_names_.push_back(take(cameras, c.name));
    for (const sf::Frame& s : tree_.sites) site_names_.push_back(take(taken_sites_, s.name));
    name_point_sites();
    has_collider_.assign(tree_.links.size(), false);
    for (const sf::Shape& s : tree_.shapes)
        if (s.collider && s.link >= 0) has_collider_[index(s.link)] = true;
}

void MjcfWriter::copy(XmlNode& node, const std::vector<sf::Extra>& extras,
                      std::initializer_list<std::pair<const char*, const char*>> words)
{
    for (const auto& [name, attribute] : words)
        if (const sf::Extra* e = find(extras, name)) node.set(attribute, plain(e->text));
}

void MjcfWriter::copy_range(XmlNode& node, const std::vector<sf::Extra>& extras, const std::string& name,
                            const char* attribute)
{
    // An end that nobody says is zero, as the schema has it. MuJoCo refuses a range that leaves nothing.
    const auto        end = [&](const sf::Extra* e) { return e != nullptr ? plain(e->text) : std::string("0"); };
    const std::string low = end(find(extras, name + ":min")), high = end(find(extras, name + ":max"));
    if (std::strtod(low.c_str(), nullptr) < std::strtod(high.c_str(), nullptr)) node.set(attribute, low + " " + high);
}

void MjcfWriter::option()
{
    if (!tree_.scene) return;
    const sf::SceneSettings& s    = *tree_.scene;
    XmlNode&                 node = root_.add("option");
    option_                       = &node;
    if (s.gravity) node.set("gravity", *s.gravity);
    if (s.timestep && find(s.extras, "mjc:option:timestep") == nullptr) node.set("timestep", *s.timestep);
    if (s.iterations && find(s.extras, "mjc:option:iterations") == nullptr)
        node.set("iterations", std::to_string(*s.iterations));
    XmlNode flags("flag");
    for (const sf::Extra& e : s.extras) {
        integrator_ = integrator_ || e.name == "mjc:option:integrator";
        if (e.name.starts_with("mjc:option:")) node.set(e.name.substr(11), keyword(plain(e.text)));
        if (e.name.starts_with("mjc:flag:")) flags.set(e.name.substr(9), is_true(e) ? "enable" : "disable");
    }
    if (!flags.empty()) node.add("flag") = flags;
}

void MjcfWriter::materials(XmlNode& asset)
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

std::vector<double> MjcfWriter::numbers(const sf::Extra* e)
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

const std::vector<sf::Ref>* MjcfWriter::targets(const sf::VendorPrim& p, std::string_view name)
{
    for (const sf::Relation& r : p.relations)
        if (r.name == name) return &r.targets;
    return nullptr;
}

}  // namespace mechane::exporter::mjcf

namespace mechane::exporter {

Result<Written> write_mjcf(Output& out, const std::string& file) { return mjcf::MjcfWriter(out, file).write(); }

}  // namespace mechane::exporter

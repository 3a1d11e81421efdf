// What the writers of robot formats share: the order of links, names, files beside the robot, losses, moments and
// collision bits.
// `Output` collects; nothing is written to the disk before all of a robot is known to be good.
//
// chain   the tree of joints: which joint holds a link, which joints hang on it, in the order of the source
// bits    what MuJoCo and SDFormat have in place of collision groups
// lose_*  one function for each kind of thing that no or not every format has a word for; the words are the same in
// all

#include "exporter/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "exporter/forms.h"
#include "exporter/mesh_text.h"
#include "exporter/one_body.h"
#include "mechane/exporter/codes.h"
#include "mechane/files/read.h"
#include "mechane/files/side_files.h"
#include "mechane/files/suffix.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter {

namespace fs = std::filesystem;

Chain::Chain(const sf::RobotTree& tree) : above(tree.links.size(), -1), below(tree.links.size() + 1)
{
    for (std::size_t j = 0; j < tree.joints.size(); ++j)
        // Loops are no part of the tree. The last entry of `below` is that of the world.
        if (!tree.joints[j].loop) above[index(tree.joints[j].child)] = static_cast<int>(j);
    for (std::size_t l = 0; l < above.size(); ++l)
        if (above[l] < 0) roots.push_back(static_cast<int>(l));
    first.resize(tree.links.size());
    // `first` orders siblings as the source had its links: frames that the reader made come last, and a link comes
    // where the first link below it does.
    for (std::size_t l = 0; l < first.size(); ++l) first[l] = tree.links[l].frame ? tree.links.size() + l : l;
    for (std::size_t j = tree.joints.size(); j-- > 0;)  // parents lie first
        if (!tree.joints[j].loop && tree.joints[j].parent >= 0)
            first[index(tree.joints[j].parent)] =
                std::min(first[index(tree.joints[j].parent)], first[index(tree.joints[j].child)]);
    for (std::size_t j = 0; j < tree.joints.size(); ++j)
        if (!tree.joints[j].loop)
            below[tree.joints[j].parent >= 0 ? index(tree.joints[j].parent) : tree.links.size()].push_back(
                static_cast<int>(j));
    for (auto& list : below)
        std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
            return first[index(tree.joints[index(a)].child)] < first[index(tree.joints[index(b)].child)];
        });
}

Output::Output(const sf::RobotTree& of, const WriteOptions& with, std::string file, sf::LossReport& report)
    : tree(of),
      options(with),
      losses(report),
      chain(of),
      file_(std::move(file)),
      folder_(with.mesh_folder.empty() ? fs::path(file_).stem().string() + "_meshes" : with.mesh_folder)
{
    std::set<std::string> names;
    for (const sf::Material& m : tree.materials) {
        std::string name = m.name.empty() ? "material" : m.name;
        // OBJ's and URDF's names of materials end at a blank.
        std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isspace(c) != 0; }, '_');
        const std::string wanted = name;
        for (int i = 1; !names.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
        material_names.push_back(name);
    }
}

void Output::lose(std::string code, Severity severity, sf::LossAction action, std::string category,
                  const sf::Place& place, std::string what, std::string from, std::string to, std::string reason)
{
    losses.add({std::move(code), severity, action, std::move(category), site_of(place), std::move(what),
                std::move(from), std::move(to), std::move(reason)});
}

/// Where a joint of several axes stands at the start and the format can only say its zero. `told` is the pose of
/// zero.
void Output::lose_start(const sf::Joint& joint, const Posed& told)
{
    if (joint.kind == sf::Joint::Kind::fixed || (joint.dofs.size() == 1 && joint.kind != sf::Joint::Kind::ball)) return;
    const Posed X_WP = joint.parent >= 0 ? tree.links[index(joint.parent)].X_WL : Posed{};
    // The pose of the joint from where parent and child stand: X_J = (X_WP X_PJ)^-1 X_WC X_CJ.
    const Posed X_J = inverse(X_WP * joint.X_PJ) * tree.links[index(joint.child)].X_WL * joint.X_CJ;
    const Posed off = inverse(told) * X_J;
    // The vector part of a quaternion is half the angle; a micrometre and a microradian are rounding.
    if (std::max(length(off.p), 2 * length(off.q.xyz())) <= 1e-6) return;
    lose("start-pose", Severity::warning, sf::LossAction::dropped, "kinematics", joint.place,
         fmt::format("joint '{}'", joint.name),
         fmt::format("{:.6g} m and {:.6g} rad from its zero", length(X_J.p),
                     2 * std::atan2(length(X_J.q.xyz()), std::abs(X_J.q.w))),
         "its zero", "the formats of robots say no position of a joint of several axes at the start");
    losses.entries.back().motion = true;
}

/// How a contact responds (stiffness, margin, gap) has no word in URDF and SDFormat.
void Output::lose_response(const sf::Shape& shape)
{
    const sf::Response& r    = shape.response;
    const std::string   what = fmt::format("shape '{}'", shape.name);
    const auto          told = [&](const char* code, std::string from, const char* reason) {
        lose(code, Severity::warning, sf::LossAction::dropped, "contact", shape.place, what, std::move(from), {},
             reason);
    };
    if (r.stiffness || r.damping)
        told("contact-stiffness",
             fmt::format("{}{}", r.stiffness ? number_text(*r.stiffness) + " N/m" : std::string(),
                         r.damping ? fmt::format("{}{} N s/m", r.stiffness ? ", " : "", number_text(*r.damping)) : ""),
             "the format cannot express the stiffness of a contact");
    if (r.margin && *r.margin != 0)
        told("contact-margin", number_text(*r.margin) + " m", "the format cannot express an offset of the surface");
    if (r.gap) told("contact-gap", number_text(*r.gap) + " m", "the format cannot express how early a contact is made");
    lose_gains(shape);
}

void Output::lose_approximation(const sf::Shape& shape)
{
    if (shape.approximation.empty()) return;
    lose(
        "decomposition", Severity::warning, sf::LossAction::approximated, "collision", shape.place,
        fmt::format("shape '{}'", shape.name), shape.approximation, "one hull",
        shape.approximation == "convexDecomposition" ? "pieces are not written" : "the format has hulls and triangles");
}

void Output::lose_gains(const sf::Shape& shape)
{
    const auto told = [&](std::string from, const char* reason) {
        lose("contact-stiffness", Severity::warning, sf::LossAction::dropped, "contact", shape.place,
             fmt::format("shape '{}'", shape.name), std::move(from), {}, reason);
    };
    if (const auto& gain = shape.response.friction_gain)
        told("friction gain " + number_text(*gain) + " N s/m", "the format cannot express a friction gain");
    if (const auto& reach = shape.response.adhesion; reach && *reach != 0)
        told("adhesion " + number_text(*reach) + " m", "the format cannot express adhesion");
}

void Output::lose_spin(const sf::Shape& shape)
{
    if (!shape.contact) return;
    const auto told = [&](const char* code, double from) {
        lose(code, Severity::warning, sf::LossAction::dropped, "contact", shape.place,
             fmt::format("shape '{}'", shape.name), number_text(from) + " m", {},
             "the format cannot express torsional and rolling friction");
    };
    // A plain value is what a reader takes where nothing is said.
    if (const auto& t = shape.contact->torsional; t && *t != sf::kPlainTorsional) told("torsional-friction", *t);
    if (const auto& r = shape.contact->rolling; r && *r != sf::kPlainRolling) told("rolling-friction", *r);
}

void Output::lose_limit(const sf::Joint& joint, const sf::Dof& dof)
{
    if (!dof.limit_stiffness && !dof.limit_damping) return;
    lose("limit-stiffness", Severity::warning, sf::LossAction::dropped, "kinematics", dof.limit_place,
         joint.dofs.size() == 1 ? fmt::format("joint '{}'", joint.name)
                                : fmt::format("axis '{}' of joint '{}'", dof.name, joint.name),
         fmt::format("stiffness {}, damping {}", dof.limit_stiffness.value_or(0), dof.limit_damping.value_or(0)), {},
         "the format cannot express the stiffness and damping of a limit");
}

void Output::lose_touching(const sf::Joint& joint)
{
    const auto collides = [&](int link) {
        return std::any_of(tree.shapes.begin(), tree.shapes.end(),
                           [&](const sf::Shape& s) { return s.link == link && s.collider; });
    };
    // Nothing is lost where one of the two has nothing to touch with.
    if (!joint.collide || joint.child < 0 || !collides(joint.parent) || !collides(joint.child)) return;
    lose("collision-pair", Severity::warning, sf::LossAction::approximated, "collision", joint.place,
         fmt::format("pair '{}' and '{}'",
                     joint.parent >= 0 ? tree.links[index(joint.parent)].name : std::string("the world"),
                     tree.links[index(joint.child)].name),
         "may touch", "never touch", "a joint of the format keeps its links from touching");
}

void Output::lose_vendor_values(bool gravity)
{
    for (const sf::Link& link : tree.links) {
        if (!gravity && !link.falls) {
            lose("gravcomp", Severity::warning, sf::LossAction::dropped, "kinematics", link.place,
                 fmt::format("link '{}'", link.name), "no gravity acts on it", {},
                 "the format cannot express gravity of single links");
        }
        for (const sf::Extra& e : link.extras)
            if (e.name == "mjc:gravcomp" && (!gravity || e.text != "1")) {
                lose("gravcomp", Severity::warning, sf::LossAction::dropped, "kinematics", link.place,
                     fmt::format("link '{}'", link.name), e.text, {}, "the format has no compensation of gravity");
                losses.entries.back().motion = true;
            }
    }
    if (tree.scene && tree.scene->timestep)
        lose("timestep", Severity::info, sf::LossAction::dropped, "metadata", tree.scene->place, "scene",
             fmt::format("{:g} s", *tree.scene->timestep), {}, "a robot of the format has no time step");
    for (const sf::Shape& shape : tree.shapes)
        for (const sf::Extra& e : shape.extras)
            if (e.name == sf::hints::kGrid)
                lose("grid", Severity::info, sf::LossAction::dropped, "visual", shape.place,
                     fmt::format("shape '{}'", shape.name), e.text + " m", {}, "the format has no lines on planes");
    const auto kind = [](const std::string& type) {
        return type == "MjcActuator" ? "actuator" : type == "MjcTendon" ? "tendon" : "keyframe";
    };
    for (const sf::VendorPrim& p : tree.prims)
        // Scopes are what the reader of MJCF makes of sensors, and of equalities that no joint stands for.
        if (p.type != "Scope") {
            lose("no-word", Severity::warning, sf::LossAction::dropped, "actuation", p.place,
                 fmt::format("{} '{}'", kind(p.type), p.name), {}, {}, "the format cannot express it");
        } else if (std::any_of(p.extras.begin(), p.extras.end(), [](const sf::Extra& e) {
                       const std::string_view text = e.text;
                       // The text of a vendor's value is quoted as in a layer.
                       return e.name == sf::hints::kElement &&
                              sf::hints::is_equality(
                                  text.size() > 1 && text.front() == '"' ? text.substr(1, text.size() - 2) : text);
                   })) {
            lose("equality", Severity::error, sf::LossAction::dropped, "kinematics", p.place,
                 fmt::format("equality '{}'", p.name), {}, {}, "the format cannot express what it holds");
            losses.entries.back().motion = true;
        } else {
            lose("sensor", Severity::warning, sf::LossAction::dropped, "ros", p.place,
                 fmt::format("sensor '{}'", p.name), {}, {}, "the format cannot express what MuJoCo's sensors measure");
        }
}

std::string one_axis_name(const sf::Joint& joint, const sf::Dof& dof)
{
    // An axis of MuJoCo has a name of its own; URDF and SDFormat name joints.
    const bool told = joint.kind == sf::Joint::Kind::generic && !dof.name.empty() &&
                      !dof.name.starts_with(joint.name + "_");  // which is how the reader calls an axis without a name
    return told ? dof.name : joint.name;
}

const sf::Extra* vendor_value(const sf::Dof& dof, const sf::Joint& joint, std::string_view name)
{
    for (const auto* list : {&dof.extras, &joint.extras})
        for (const sf::Extra& e : *list)
            if (e.name == name) return &e;
    return nullptr;
}

std::string Output::take(const std::string& wanted, const std::string& suffix, const std::string& folder)
{
    std::string clean;
    // Letters, digits, '_' and '-' are what all file systems and addresses agree on.
    for (const char c : wanted)
        clean += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ? c : '_';
    if (clean.empty()) clean = "mesh";
    // File systems end names at 255 bytes; a number and a suffix are still to come.
    if (clean.size() > 100) clean.resize(100);
    std::string name = clean;
    for (int i = 1; !taken_.insert(folder + "/" + name).second; ++i) name = fmt::format("{}_{}", clean, i);
    return folder + "/" + name + suffix;
}

std::string Output::add(const std::string& name, const std::string& suffix, std::string content)
{
    // Files of equal content are one file.
    const auto [slot, fresh] = known_.try_emplace(suffix + content);
    if (fresh) {
        slot->second = take(name, suffix, folder_);
        written.files.push_back({slot->second, std::move(content)});
    }
    return slot->second;
}

std::string Output::stl(const std::string& name, const geometry::Mesh& mesh)
{ return add(name, ".stl", stl_text(mesh)); }

std::string Output::mtl()
{
    // Materials are written when the first OBJ needs them.
    if (!mtl_.empty()) return mtl_;
    const std::string        name = take(fs::path(file_).stem().string(), ".mtl", folder_);
    std::vector<std::string> pictures;
    for (const sf::Material& m : tree.materials) {
        const std::string p = picture(m.texture);
        pictures.push_back(p.empty() ? p : fs::path(p).filename().string());
    }
    written.files.push_back({name, mtl_text(tree.materials, material_names, pictures)});
    return mtl_ = fs::path(name).filename().string();
}

// A material of the shape (`otherwise`) holds for faces without one.
std::string Output::obj(int mesh, const Vec3d& scale, const std::vector<int>& faces, const std::string& name,
                        bool materials, int otherwise)
{
    const bool with = materials && (otherwise >= 0 || !tree.meshes[index(mesh)].subsets.empty());
    return add(name, ".obj",
               obj_text(tree.meshes[index(mesh)], scale, faces, with ? mtl() : std::string(), material_names,
                        otherwise >= 0 ? material_names[index(otherwise)] : ""));
}

std::string Output::picture(const std::string& file)
{
    if (file.empty()) return {};
    const auto [slot, fresh] = pictures_.try_emplace(file);
    if (fresh) {
        slot->second = take(fs::path(file).stem().string(), fs::path(file).extension().string(), folder_);
        written.copies.emplace_back(file, slot->second);
    }
    return slot->second;
}

geometry::Mesh Output::hull(const sf::Shape& shape, const geometry::Mesh& mesh)
{
    // The hull that an engine would make of the mesh by itself; a mesh without a volume stays as it is.
    geometry::HullOptions how;
    how.max_vertices = shape.hull_vertices.value_or(options.hull_vertices);
    const auto made  = geometry::build_hull(mesh.points, how);
    // The source asks for a smaller hull than its points have.
    if (made && shape.hull_vertices && made->points.size() >= index(*shape.hull_vertices))
        lose("convex-hull", Severity::info, sf::LossAction::converted, "collision", shape.place,
             fmt::format("shape '{}'", shape.name), fmt::format("a hull of at most {} vertices", *shape.hull_vertices),
             fmt::format("a hull of {} vertices", made->points.size()),
             "the hull is written, as a simulation makes it");
    return made ? *made : mesh;
}

geometry::Mesh Output::triangles(const sf::Shape& shape) const
{
    switch (shape.kind) {
        case sf::Shape::Kind::mesh:
            return triangles_of(tree.meshes[index(shape.mesh)], shape.scale);
        case sf::Shape::Kind::capsule:
            return capsule_form(shape.size.x, shape.size.y);
        case sf::Shape::Kind::ellipsoid:
            return ellipsoid_form(shape.size);
        case sf::Shape::Kind::box:
        case sf::Shape::Kind::sphere:
        case sf::Shape::Kind::cylinder:
        case sf::Shape::Kind::plane:
            break;
    }
    return {};
}

Vec3d to_rpy(const Quatd& q)
{
    const Mat33d R = to_matrix(q);
    // URDF's and SDFormat's angles: R = Rz(yaw) Ry(pitch) Rx(roll).
    // R(2,0) = -sin(pitch); the first column's other entries give cos(pitch) times cos and sin of yaw.
    const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
    // At a right angle of pitch roll and yaw turn about one axis; yaw is then zero.
    if (std::hypot(R(0, 0), R(1, 0)) < 1e-9) return {std::atan2(-R(1, 2), R(1, 1)), pitch, 0};
    return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

Moments moments_of(const Mat33d& I)
{
    Moments out;
    // Products of inertia of rounding size: the axes are the link's own, and no rotation is written.
    const double off = std::max({std::abs(I(0, 1)), std::abs(I(0, 2)), std::abs(I(1, 2))});
    const double big = std::max({std::abs(I(0, 0)), std::abs(I(1, 1)), std::abs(I(2, 2))});
    if (off <= 1e-12 * big) {
        out.values = {I(0, 0), I(1, 1), I(2, 2)};
    } else {
        const auto axes = geometry::principal_axes(I);
        out.values      = axes.values;
        out.axes        = axes.rotation;
    }
    // Moments of a real body fulfil the triangle inequality; what violates it is widened as little as possible.
    for (std::size_t i = 0; i < 3; ++i) {
        const double rest = out.values[(i + 1) % 3] + out.values[(i + 2) % 3];
        if (out.values[i] <= rest) continue;
        // Half of what is missing goes to either of the others, which makes the sum of both equal to the largest.
        const double more = (out.values[i] - rest) * 0.5 + 1e-15 * out.values[i];
        out.widened       = out.widened || more > 1e-6 * out.values[i];
        out.values[(i + 1) % 3] += more;
        out.values[(i + 2) % 3] += more;
    }
    return out;
}

/// Groups that filter each other, as a type bit and an affinity mask for each shape. Two shapes meet where the type of
/// one is in the affinity of the other.
Bits group_bits(const sf::RobotTree& tree, unsigned most)
{
    Bits out;
    out.of_shape.assign(tree.shapes.size(), {1, 1});
    // Shapes in the same groups behave alike: a bit for each such class.
    std::map<std::vector<int>, std::vector<int>> classes;  // groups of a shape -> shapes
    std::vector<std::vector<int>>                of(tree.shapes.size());
    for (std::size_t g = 0; g < tree.groups.size(); ++g)
        for (const int s : tree.groups[g].shapes) of[index(s)].push_back(static_cast<int>(g));
    for (std::size_t s = 0; s < of.size(); ++s)
        if (tree.shapes[s].collider) classes[of[s]].push_back(static_cast<int>(s));
    const auto meet = [&](const std::vector<int>& a, const std::vector<int>& b) {
        for (const int x : a)
            for (const int y : b) {
                const auto& f = tree.groups[index(x)].filtered;
                const auto& g = tree.groups[index(y)].filtered;
                if (std::find(f.begin(), f.end(), y) != f.end() || std::find(g.begin(), g.end(), x) != g.end())
                    return false;
            }
        return true;
    };
    for (const auto& [a, x] : classes)
        for (const auto& [b, y] : classes) out.all = out.all && meet(a, b);
    if (out.all) return out;
    unsigned i = 0;
    for (const auto& [a, x] : classes) {
        // With more classes than bits the last bit is shared, and `lost` says so.
        const unsigned bit = std::min(i++, most - 1);
        if (i > most && out.lost.empty())
            out.lost = fmt::format("{} classes of colliders, {} bits", classes.size(), most);
        unsigned affinity = 0, k = 0;
        for (const auto& [b, y] : classes) {
            if (meet(a, b)) affinity |= 1U << std::min(k, most - 1);
            ++k;
        }
        for (const int s : x) out.of_shape[index(s)] = {1U << bit, affinity};
    }
    return out;
}

/// Closing joints of SDFormat rest where all joints are at zero, so a robot with loops is told where it starts.
bool stands_at_start(const sf::RobotTree& tree)
{
    const auto has = [&](auto&& what) { return std::any_of(tree.joints.begin(), tree.joints.end(), what); };
    return has([](const sf::Joint& j) { return j.loop; }) && has([](const sf::Joint& j) { return j.initial != 0; });
}

std::string_view to_string(Format format)
{
    switch (format) {
        case Format::urdf:
            return "URDF";
        case Format::sdformat:
            return "SDFormat";
        case Format::mjcf:
            break;
    }
    return "MJCF";
}

std::optional<Format> format_of(std::string_view file)
{
    const std::string suffix = files::suffix_of(file);
    if (suffix == ".urdf") return Format::urdf;
    if (suffix == ".sdf" || suffix == ".world") return Format::sdformat;
    if (suffix == ".xml" || suffix == ".mjcf") return Format::mjcf;
    return std::nullopt;
}

Result<Written> write_robot(const sf::RobotTree& robot, Format format, const std::string& file,
                            const WriteOptions& options, sf::LossReport& losses)
{
    losses.target = to_string(format);
    // MJCF has no version of its own; SDFormat's depends on what has to be said.
    losses.target_version = format == Format::urdf ? "1.0" : "";
    // A file without content would read as a mistake of the program.
    if (robot.links.empty() && robot.shapes.empty())
        return make_diagnostic(kEmpty, {.layer = file}, "the robot has neither links nor shapes");
    // SDFormat's bodies have a mass each; frames that carry one are joined first.
    const auto           whole = format == Format::sdformat ? with_whole_bodies(robot, losses) : std::nullopt;
    const sf::RobotTree& tree  = whole ? *whole : robot;
    Output               out(tree, options, file, losses);
    if (!tree.interfaces.empty() && (format != Format::sdformat || options.ros_plugin.empty()))
        out.lose("ros-interfaces", Severity::warning, sf::LossAction::dropped, "ros", tree.interfaces.front().place,
                 "topics, services and actions", fmt::format("{} interfaces", tree.interfaces.size()), {},
                 format == Format::sdformat ? "no plug-in is named" : "the format cannot express interfaces of ROS");
    const Vec3d earth{0, 0, -9.81};
    // MJCF and worlds say gravity; a robot alone takes it from wherever it is put.
    const bool has_gravity = format == Format::mjcf || files::has_suffix(file, {".world"});
    if (const Vec3d g = sf::gravity_of(tree); !has_gravity && tree.scene && length(g - earth) > 1e-6) {
        out.lose("gravity", Severity::warning, sf::LossAction::dropped, "metadata", tree.scene->place,
                 "scene 'gravity'", fmt::format("{:.9g} {:.9g} {:.9g} m/s^2", g.x, g.y, g.z), {},
                 "a robot of the format says nothing of the world around it");
        losses.entries.back().motion = true;
    }
    for (const sf::Shape& shape : tree.shapes)
        if (shape.collider && shape.response.hydroelastic)
            out.lose("hydroelastic", Severity::warning, sf::LossAction::dropped, "contact", shape.place,
                     fmt::format("shape '{}'", shape.name), number_text(*shape.response.hydroelastic) + " N/m^3", {},
                     "the formats of robots have no contacts with pressure over a surface");
    // MJCF's `ref` says where a joint stands; the other formats start at zero.
    if (format != Format::mjcf && !(format == Format::sdformat && stands_at_start(tree)))  // MJCF has `ref`
        for (const sf::Joint& joint : tree.joints) {
            if (!joint.loop) out.lose_start(joint, {});
            if (joint.initial != 0 && !joint.loop) {
                out.lose("start-pose", Severity::warning, sf::LossAction::dropped, "kinematics", joint.place,
                         fmt::format("joint '{}'", joint.name),
                         fmt::format("{:.9g} {}", joint.initial, joint.dofs[0].angular ? "rad" : "m"), "0",
                         "the format says no position of a joint at the start");
                losses.entries.back().motion = true;
            }
        }
    switch (format) {
        case Format::urdf:
            return write_urdf(out, file);
        case Format::sdformat:
            return write_sdformat(out, file);
        case Format::mjcf:
            break;
    }
    return write_mjcf(out, file);
}

std::vector<std::string> file_names(const Written& written, const std::string& file)
{
    std::vector<std::string> sides;
    for (std::size_t i = 1; i < written.files.size(); ++i) sides.push_back(written.files[i].name);
    for (const auto& [from, name] : written.copies) sides.push_back(name);
    return files::names_with_sides(file, sides);
}

Result<std::vector<std::string>> write_files(const Written& written, const std::string& file)
{
    std::vector<files::SideFile> sides;
    for (std::size_t i = 1; i < written.files.size(); ++i)
        sides.push_back({written.files[i].name, written.files[i].content});
    for (const auto& [from, name] : written.copies) {
        auto content = files::read(from, std::size_t{1} << 30);
        if (!content) return content.error();
        sides.push_back({name, *std::move(content)});
    }
    return files::replace_with_sides(file, written.files.empty() ? std::string() : written.files[0].content, sides);
}

}  // namespace mechane::exporter

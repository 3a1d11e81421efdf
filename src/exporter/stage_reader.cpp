// A stage as one robot (export 3): bodies and frames become links, joints run outwards, everything in SI with z up.
// Steps run in the order of read(): later ones use the maps that earlier ones fill (links, link_of_body, joints,
// shapes). Frames: Z is the robot's world (z up, metres), S the stage's; X_ZS turns the one into the other.
// In: any stage that the importer could read. Out: sf::RobotTree with its losses, from which urdf.cpp, mjcf/ and
// sdformat.cpp write. A round trip from a robot file through OpenUSD should return its names, masses and frames, which
// is what the hints are for.

#include "exporter/stage_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechane/exporter/codes.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/geometry/inertia_repair.h"
#include "mechane/geometry/mass.h"
#include "mechane/physics/codes.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mujoco_units.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/sourceformats/hints.h"
#include "mechane/usd/make_value.h"

namespace mechane::exporter {
namespace {

namespace hints = sourceformats::hints;

constexpr double kEarth = 9.81;  // [m/s^2]

}  // namespace

std::vector<std::string> unique_names(const std::vector<std::string>& wanted, const std::vector<usd::Path>& paths)
{
    std::map<std::string, std::vector<std::size_t>> same;
    for (std::size_t i = 0; i < wanted.size(); ++i) same[wanted[i]].push_back(i);
    std::vector<std::string> out = wanted;
    for (const auto& [name, group] : same) {
        if (group.size() < 2) continue;
        std::vector<usd::Path> above;
        for (const std::size_t i : group) above.push_back(paths[i].parent());
        // One more name of the path in front of all that are still equal, until they differ or the paths end. 64 levels
        // bound the loop.
        for (int depth = 0; depth < 64; ++depth) {
            std::map<std::string, int> count;
            for (const std::size_t i : group) ++count[out[i]];
            bool more = false;
            for (std::size_t g = 0; g < group.size(); ++g) {
                if (count[out[group[g]]] < 2 || above[g].empty() || above[g].is_root()) continue;
                out[group[g]] = above[g].name().text() + "_" + out[group[g]];
                above[g]      = above[g].parent();
                more          = true;
            }
            if (!more) break;
        }
    }
    // Names that are equal after all (a path can end) get numbers.
    std::map<std::string, int> taken;
    for (std::string& name : out)
        if (const int n = taken[name]++; n > 0) name += fmt::format("_{}", n);
    return out;
}

StageReader::StageReader(const usd::Stage& from, const resolve::MeshSolid& solid, sf::ReadRobot& into)
    : stage(from), mesh_solid(solid), tree(into.tree), losses(into.losses), found(into.found)
{
}

void StageReader::lose(std::string code, Severity severity, sf::LossAction action, std::string category,
                       const Site& site, std::string what, std::string from, std::string to, std::string reason)
{
    losses.add({std::move(code), severity, action, std::move(category), site, std::move(what), std::move(from),
                std::move(to), std::move(reason)});
}

sf::Place StageReader::place(const Site& site) const
{ return {std::make_shared<const std::string>(site.layer), site.line}; }

Posed StageReader::pose_of(const usd::Prim& prim) const
{
    const usd::Decomposition d = usd::decompose(stage.world_matrix(prim));
    const Posed              X{d.translation, normalized(d.rotation)};
    return is_finite(X) ? in_world(X) : Posed{};
}

int StageReader::link_above(const usd::Prim& prim) const
{
    for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent())
        if (const auto link = links.find(p.path()); link != links.end()) return link->second;
    return -1;
}

/// MuJoCo's own values of bodies, joints, actuators, tendons and constraints, in metres and kilograms.
usd::Value StageReader::in_si(const usd::Prim& prim, const std::string& name, const usd::Value& value) const
{
    if (unit == 1 && kilograms == 1) return value;
    const std::string&         type = prim.type_name().text();
    const bool                 told = type == "MjcActuator" || type == "MjcTendon" || name.starts_with("mjc:solimp");
    const resolve::MujocoUnits units(stage, prim);
    const double               alike  = told ? 1 : joint_or_shape_factor(prim, name);
    const auto                 factor = [&](std::size_t element) {
        return told ? units.factor({unit, kilograms}, name, element) : alike;
    };
    if (const auto number = value.get<double>())
        return factor(0) == 1 ? value : usd::make_value(value.type_name(), *number * factor(0));
    auto list    = value.get<std::vector<double>>();
    bool differs = false;
    for (std::size_t i = 0; list && i < list->size(); ++i) differs |= factor(i) != 1, (*list)[i] *= factor(i);
    return differs ? usd::make_value(value.type_name(), *list) : value;
}

double StageReader::joint_or_shape_factor(const usd::Prim& prim, const std::string& name) const
{
    if (!prim.is_a("PhysicsJoint")) return name == "mjc:margin" || name == "mjc:gap" ? unit : 1;
    const bool angular = !prim.is_a("PhysicsPrismaticJoint");
    const auto of      = [&](resolve::Unit what) {
        return resolve::factor(what, context.scale, angular ? resolve::Motion::angular : resolve::Motion::linear);
    };
    if (name == "mjc:stiffness") return of(resolve::Unit::stiffness_rad);
    if (name.starts_with("mjc:actuatorfrcrange")) return of(resolve::Unit::force_or_torque);
    return !angular && (name == "mjc:margin" || name == "mjc:springref" || name == "mjc:ref") ? unit : 1;
}

/// MuJoCo's angles are degrees, unless the scene says radians.
bool StageReader::turns_in_radians(const usd::Prim& prim) const
{
    return !model.scenes.empty() && prim.is_a("PhysicsJoint") && !prim.is_a("PhysicsPrismaticJoint") &&
           model.scenes.front().prim.attribute("mjc:compiler:angle").get_or<std::string>("degree") == "radian";
}

void StageReader::vendor_values(const usd::Prim& prim, std::vector<sf::Extra>& out) const
{
    for (const usd::Token& name : prim.authored_property_names()) {
        if (!name.text().starts_with("mjc:") && name.text() != hints::kDof && name.text() != hints::kInParent &&
            !name.text().starts_with(hints::kElement))
            continue;
        const usd::Attribute attribute = prim.attribute(name);
        if (!attribute) continue;
        usd::Value value = in_si(prim, name.text(), attribute.authored_value());
        if (name.text() == "mjc:springref" && turns_in_radians(prim))
            if (const auto rest = value.get<double>()) value = usd::make_value(value.type_name(), *rest / kRadians);
        if (value.empty()) continue;
        out.push_back({sf::Extra::Layer::mujoco,
                       name.text(),
                       attribute.type_name(),
                       value.to_text(),
                       {},
                       place(attribute.site())});
    }
}

void StageReader::read(std::optional<Format> format)
{
    const usd::StageMetadata& meta = stage.metadata();
    // OpenUSD's fallback for metersPerUnit is 0.01; a stage that authors none is taken as metres here.
    unit = meta.authored_meters_per_unit ? meta.meters_per_unit : 1, kilograms = meta.kilograms_per_unit;
    // Y up: a quarter turn about x brings y to z. X up: a quarter turn about -y brings x to z.
    if (meta.up_axis == 'Y') X_ZS.q = from_axis_angle(Vec3d{1, 0, 0}, std::numbers::pi / 2);
    if (meta.up_axis == 'X') X_ZS.q = from_axis_angle(Vec3d{0, 1, 0}, -std::numbers::pi / 2);
    Diagnostics said;
    model = physics::parse(stage, {}, said);
    for (const Diagnostic& one : said)  // a shape that says so keeps its unequal scale
        if (one.id != physics::kShapeNonuniform.id ||
            !hints::read<bool>(stage.prim_at(usd::Path(one.site.prim)), hints::kExactShape).value_or(false))
            found.add(one);
    const std::vector<std::string> automatic{std::string(resolve::kAutomatic)};
    const auto                     names = resolve::without_automatic(automatic, stage, model.authored_names);
    if (auto list = resolve::resolvers_named(names)) resolvers = *std::move(list);
    context.scale        = {unit, kilograms};
    tree.format          = "OpenUSD";
    const usd::Prim root = stage.default_prim();
    tree.name            = root ? root.name().text() : "robot";
    tree.place           = place(root ? root.site() : Site{stage.source()});
    scene();
    bodies();
    frames();
    attach_frames();
    read_joints();
    actuators();
    lose_soft();
    lose_states();
    restore_masses();
    std::vector<sf::VendorPrim> of_axes = read_mimics(format);
    read_shapes(*this);
    read_extras(*this);
    // Behind those of the stage, whose indices count from the first.
    std::ranges::move(of_axes, std::back_inserter(tree.prims));
    lose_surfaces();
    lose_animations();
    filters();
    // Root links of authored articulations become roots of the tree where a choice is left.
    std::vector<bool> preferred(tree.links.size(), false);
    for (const physics::Articulation& a : model.articulations)
        for (const physics::Tree& t : a.trees)
            if (t.root_body != physics::kNone && link_of_body[at(t.root_body)] >= 0)
                preferred[at(link_of_body[at(t.root_body)])] = true;
    const auto touches_itself = [&](const usd::Prim& prim) {
        const auto own = resolvers.get(prim, resolve::Key::articulation_self_collision_enabled, context);
        return !own.authored() || own.flag_or(true);
    };
    for (const physics::Articulation& a : model.articulations) {
        if (!touches_itself(a.prim)) tree.self_collision = false;
        for (const physics::Tree& t : a.trees)
            if (t.root_body != physics::kNone && !touches_itself(model.bodies[at(t.root_body)].prim))
                tree.self_collision = false;
    }
    for (const auto& [path, j] : joints) joint_names[path] = tree.joints[at(j)].name;
    arrange(tree, preferred);
    initial_positions();
    accelerations();
    if (format) lose_vendor_values(*this, *format);
    if (format) report_names();
}

void StageReader::scene()
{
    const physics::Scene& from = model.scenes.front();
    if (from.synthesized) return;
    sf::SceneSettings out;
    // Gravity that nobody says is the earth's in SI, also where nobody says the unit of lengths.
    const auto magnitude = from.prim.attribute("physics:gravityMagnitude").authored_as<double>();
    out.gravity = rotate(X_ZS.q, magnitude && *magnitude >= 0 ? unit * from.gravity : kEarth * from.gravity_direction);
    // MuJoCo's flag goes into MJCF as it is.
    if (const auto on = resolvers.get(from.prim, resolve::Key::scene_gravity_enabled, context);
        on.authored() && on.resolver != "mjc" && !on.flag_or(true))
        out.gravity = Vec3d{};
    if (const auto rate = resolvers.get(from.prim, resolve::Key::scene_time_steps_per_second, context);
        rate.authored() && rate.number_or(0) > 0 && std::isfinite(1 / rate.number_or(0)))
        out.timestep = 1 / rate.number_or(0);
    // PhysX counts other iterations than MuJoCo and Newton.
    if (const auto most = resolvers.get(from.prim, resolve::Key::scene_max_solver_iterations, context);
        most.authored() && most.resolver == "newton" && most.number_or(0) >= 1 && most.number_or(0) < 1e9)
        out.iterations = static_cast<int>(most.number_or(0));
    out.place = place(from.prim.site());
    vendor_values(from.prim, out.extras);
    tree.scene = std::move(out);
}

void StageReader::bodies()
{
    resolve::MassOptions options;
    options.scale      = {unit, kilograms};
    options.mesh_solid = mesh_solid;
    options.log        = &mass_log_;
    const auto masses  = resolve::compute_masses(model, resolvers, options, found);
    link_of_body.assign(model.bodies.size(), -1);
    const auto anchored = [this](std::size_t b) {
        const auto body = static_cast<physics::Index>(b);
        return std::ranges::any_of(model.joints, [&](const physics::Joint& j) {
            return j.valid && j.enabled && !j.excluded && j.kind == physics::JointKind::fixed &&
                   ((j.body0 == physics::kNone && j.body1 == body) || (j.body1 == physics::kNone && j.body0 == body));
        });
    };
    std::vector<std::string> names;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const physics::Body& body = model.bodies[b];
        if (!body.valid || !body.enabled) continue;
        sf::Link link;
        link.name = hints::read<std::string>(body.prim, hints::kName).value_or(body.prim.name().text());
        link.X_WL = in_world(body.X_WB);
        // The base of a robot that something moved in the source stands on a joint to the world here.
        link.kinematic =
            body.kinematic || (hints::read<bool>(body.prim, hints::kKinematic).value_or(false) && anchored(b));
        link.falls = !body.prim.attribute("physxRigidBody:disableGravity").get_or<bool>(false);
        link.place = place(body.prim.site());
        vendor_values(body.prim, link.extras);
        const bool nothing = inertial(body, masses.bodies[b], link);
        // Results of earlier versions have four numbers, without the stiffness.
        if (const auto told = hints::read<std::vector<double>>(body.prim, hints::kPassive);
            told && (told->size() == 4 || told->size() == 5))
            link.extras.push_back({sf::Extra::Layer::mujoco,
                                   hints::kPassive,
                                   "double[]",
                                   fmt::format("[{}]", fmt::join(*told, ", ")),
                                   {},
                                   link.place});
        for (const char* joint : {hints::kFloating, hints::kFreeJoint})
            if (const auto told = hints::read<std::string>(body.prim, joint))
                link.extras.push_back({sf::Extra::Layer::mujoco, joint, "string", *told, {}, link.place});
        link.weightless  = nothing || hints::read<bool>(body.prim, hints::kWeightless).value_or(false);
        link_of_body[b]  = static_cast<int>(tree.links.size());
        links[body.path] = link_of_body[b];
        link_paths.push_back(body.path);
        tree.links.push_back(std::move(link));
    }
}

/// The mass, centre and inertia of a body, which are those that a simulation's model has.
/// @return whether the body has no mass of its own: the fallback that simulation needs is no property of the robot
bool StageReader::inertial(const physics::Body& body, const resolve::BodyMassProperties& m, sf::Link& link)
{
    const auto of_body = [&](const char* code, Severity severity, sf::LossAction action, std::string from,
                             std::string to, const char* why) {
        lose(code, severity, action, "inertia", body.prim.site(), fmt::format("body '{}'", link.name), std::move(from),
             std::move(to), why);
    };
    const auto moments = [](const Mat33d& inertia) {
        const Vec3d v = geometry::principal_axes(inertia).values;
        return fmt::format("moments {:.6g} {:.6g} {:.6g}", v.x, v.y, v.z);
    };
    if (!body.mass.has_mass() && !body.mass.has_density() && body.colliders.empty()) {
        if (m.mass > 0)
            of_body("fallback-mass", Severity::info, sf::LossAction::dropped, fmt::format("{} kg", m.mass), {},
                    "nobody says a mass, and nothing collides; a simulation takes this one, the robot has none");
        return true;
    }
    const geometry::RepairedInertia used = geometry::repair_inertia(m.mass, m.com, m.inertia, {});
    if (!(used.mass > 0)) {
        if (!used.faults.empty())
            of_body("repaired-inertia", Severity::warning, sf::LossAction::dropped, fmt::format("{} kg", m.mass), {},
                    "a simulation cannot use its mass, centre or inertia, and takes none");
        return false;
    }
    const usd::Attribute mass = body.prim.attribute("physics:mass");
    link.inertial             = sf::Inertial{used.mass, used.com, used.possible ? m.inertia : used.inertia, true,
                                             mass.authored() ? place(mass.site()) : link.place};
    const bool own            = m.rule == "diagonalInertia" || m.rule == "newton:inertia";
    if (own && mass.authored() && body.prim.attribute("physics:centerOfMass").authored())
        told_masses_.insert(body.path);
    // What the source said although no body has such an inertia.
    const auto said = hints::read<std::vector<double>>(body.prim, hints::kInertial);
    // The hint gives the inertia with all digits, or one that no rigid body can have. The mass must still be
    // that of the hint, else somebody has edited the body.
    if (!own && said && said->size() == 10 && std::abs((*said)[0] - m.mass) <= 1e-6 * m.mass) {
        const auto& n = *said;
        // Ten numbers: mass, com x y z, then xx yy zz xy xz yz.
        link.inertial->inertia = {{n[4], n[7], n[8]}, {n[7], n[5], n[9]}, {n[8], n[9], n[6]}};
        link.inertial->com     = {n[1], n[2], n[3]};
        of_body("told-inertia", Severity::info, sf::LossAction::kept, moments(used.inertia),
                moments(link.inertial->inertia),
                "the source says an inertia that no body has; a simulation computes another from the colliders");
        return false;
    }
    if (!own)
        of_body("computed-inertia", Severity::info, sf::LossAction::converted, std::string(m.rule),
                fmt::format("{} kg", m.mass), "mass or inertia is not authored; it is computed from the colliders");
    if (!used.faults.empty())
        of_body("repaired-inertia", used.possible ? Severity::info : Severity::warning,
                used.possible ? sf::LossAction::kept : sf::LossAction::approximated, moments(m.inertia),
                moments(used.inertia),
                used.possible ? "a moment is too small beside the others for a simulation, which adds to all three"
                              : "no body has such an inertia; a simulation repairs it, and the robot has the same");
    return false;
}

bool StageReader::is_weighed_by(const usd::Prim& prim, const usd::Token& name) const
{
    const physics::UseNote* note = mass_log_.find(prim, name);
    if (note == nullptr || (note->use != physics::Use::used && note->use != physics::Use::converted)) return false;
    // How a shape would weigh has no say where the body says all of it.
    if (name.text() == "newton:inertia") return true;
    for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent())
        if (links.contains(p.path())) return !told_masses_.contains(p.path());
    return false;
}

/// Transforms that stand for a link of the source, or for a frame of ROS.
void StageReader::frames()
{
    for (const usd::Prim& prim : stage.traverse()) {
        // Transforms with a hint or a RosFrameAPI only: any other Xform is scenery.
        if (links.contains(prim.path()) || !prim.is_a("Xformable") || prim.is_a("PhysicsJoint") || prim.is_a("Gprim") ||
            prim.is_a("Camera"))
            continue;
        const bool site = prim.has_api("MjcSiteAPI") || prim.has_api("NewtonSiteAPI");
        const bool hinted =
            hints::read<std::string>(prim, hints::kJoint) || (!site && hints::read<std::string>(prim, hints::kName));
        if (!prim.has_api("RosFrameAPI") && !hinted) continue;
        sf::Link link;
        link.name =
            hints::read<std::string>(prim, hints::kName)
                .value_or(prim.attribute("ros:frame:id").authored_as<std::string>().value_or(prim.name().text()));
        link.X_WL  = pose_of(prim);
        link.frame = true;
        link.place = place(prim.site());
        vendor_values(prim, link.extras);
        links[prim.path()] = static_cast<int>(tree.links.size());
        link_paths.push_back(prim.path());
        tree.links.push_back(std::move(link));
    }
    std::vector<std::string> wanted;
    for (const sf::Link& l : tree.links) wanted.push_back(l.name);
    const auto names = unique_names(wanted, link_paths);
    for (std::size_t l = 0; l < names.size(); ++l) {
        if (names[l] == tree.links[l].name) continue;
        losses.names[link_paths[l].text()] = names[l];
        lose("name", Severity::info, sf::LossAction::renamed, "metadata", {.prim = link_paths[l].text()},
             fmt::format("link '{}'", tree.links[l].name), tree.links[l].name, names[l], "another link has the name");
        tree.links[l].name = names[l];
    }
}

/// A frame hangs on the link whose prim is the next above its own, by a fixed joint.
void StageReader::attach_frames()
{
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        const usd::Prim prim = stage.prim_at(link_paths[l]);
        if (!tree.links[l].frame) continue;
        const int  parent = link_above(prim.parent());
        const auto name   = hints::read<std::string>(prim, hints::kJoint);
        if (parent < 0 && !name) continue;  // a frame at the top: the tree's root, or a frame of the world
        sf::Joint joint;
        joint.name   = name.value_or(tree.links[l].name + "_joint");
        joint.parent = parent;
        joint.child  = static_cast<int>(l);
        joint.X_PJ   = (parent >= 0 ? inverse(tree.links[at(parent)].X_WL) : Posed{}) * tree.links[l].X_WL;
        joint.place  = tree.links[l].place;
        if (parent < 0) tree.links[l].kinematic = hints::read<bool>(prim, hints::kKinematic).value_or(false);
        tree.joints.push_back(std::move(joint));
    }
}

/// Gives links without mass of their own back what another body took over, where it still has it.
void StageReader::restore_masses()
{
    const auto hinted = [&](std::size_t l) -> std::optional<sf::Inertial> {
        const auto v = hints::read<std::vector<double>>(stage.prim_at(link_paths[l]), hints::kInertial);
        if (!v || v->size() != 10 || !((*v)[0] > 0)) return std::nullopt;
        const auto& n = *v;
        return sf::Inertial{n[0],
                            {n[1], n[2], n[3]},
                            {{n[4], n[7], n[8]}, {n[7], n[5], n[9]}, {n[8], n[9], n[6]}},
                            true,
                            tree.links[l].place};
    };
    std::vector<int>  above(tree.links.size(), -1);
    std::vector<bool> grounded(tree.links.size(), false);
    for (const sf::Joint& j : tree.joints)
        if (!j.loop && j.kind == sf::Joint::Kind::fixed)
            above[at(j.child)] = j.parent, grounded[at(j.child)] = j.parent < 0;
    const auto still = [&](std::size_t l) {
        for (std::size_t steps = 0; above[l] >= 0 && steps < above.size(); ++steps) l = at(above[l]);
        return grounded[l];
    };
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        if (tree.links[l].inertial) continue;
        const auto own = hinted(l);
        if (!own) continue;
        int home = above[l];
        // Bounded, since joints may lead in circles.
        for (std::size_t steps = 0; home >= 0 && !tree.links[at(home)].inertial && steps < tree.links.size(); ++steps)
            home = above[at(home)];
        // A converter gives a frame of a source up to a gram so that engines accept it; that is no mass to return.
        const bool frame = home >= 0 && tree.links[l].frame && own->mass <= 1e-3 &&
                           !tree.links[at(home)].weightless;  // a frame with a gram at most
        // Part of the world, or of a base that stands in it and has a mass of its own.
        if (home < 0 || frame || (still(l) && !tree.links[at(home)].weightless)) tree.links[l].inertial = own;
    }
    for (std::size_t l = 0; l < tree.links.size(); ++l) {  // an inertia without a mass, which no body has
        const auto v = hints::read<std::vector<double>>(stage.prim_at(link_paths[l]), hints::kInertial);
        if (v && v->size() == 10 && (*v)[0] == 0 && !tree.links[l].inertial && tree.links[l].frame)
            tree.links[l].unused =
                sf::Inertial{0,
                             {(*v)[1], (*v)[2], (*v)[3]},
                             {{(*v)[4], (*v)[7], (*v)[8]}, {(*v)[7], (*v)[5], (*v)[9]}, {(*v)[8], (*v)[9], (*v)[6]}},
                             true,
                             tree.links[l].place};
    }
    for (std::size_t b = 0; b < tree.links.size(); ++b) {  // a body that carries the masses of what is fixed to it
        sf::Link& body = tree.links[b];
        if (!body.weightless || !body.inertial) continue;
        double total = 0, heavy = 0;  // the body does not carry a gram of a frame
        std::vector<std::pair<std::size_t, sf::Inertial>> parts;
        for (std::size_t l = 0; l < tree.links.size(); ++l) {
            if (tree.links[l].inertial || l == b) continue;
            const auto own  = hinted(l);
            int        home = above[l];
            for (std::size_t steps = 0; home >= 0 && !tree.links[at(home)].inertial && steps < tree.links.size();
                 ++steps)
                home = above[at(home)];
            if (!own || home != static_cast<int>(b)) continue;
            total += own->mass;
            if (own->mass > 1e-3) heavy += own->mass;
            parts.emplace_back(l, *own);
        }
        if (parts.empty()) {  // it has a mass now, or one from its shapes
            const physics::Index known    = model.body_at(link_paths[b]);
            constexpr double     kStandIn = sf::kStandInMass;
            if (known != physics::kNone && model.bodies[at(known)].mass.has_mass() &&
                std::abs(body.inertial->mass - kStandIn) > 1e-6 * kStandIn)
                body.weightless = false;
            continue;
        }
        // Two sums, because the conversion may have left out frames of a gram; the body must have the same mass as the
        // parts still.
        if (std::min(std::abs(total - body.inertial->mass), std::abs(heavy - body.inertial->mass)) >
            1e-5 * body.inertial->mass) {  // somebody has changed the body
            body.weightless = false;
            continue;
        }
        for (auto& [l, own] : parts) tree.links[l].inertial = own;
        body.inertial.reset();
    }
}

void StageReader::filters()
{
    // A body that is kept from every collider of the world is kept from the world.
    std::map<int, std::vector<std::pair<usd::Path, usd::Path>>> with_world;
    const auto                                                  of_world = [&](const usd::Path& path) {
        const physics::Index i = model.collider_at(path);
        return i != physics::kNone && model.colliders[at(i)].body == physics::kNone;
    };
    for (const auto& [a, b] : model.filtered_pairs) {
        const auto one = links.find(a), other = links.find(b);
        if (one != links.end() && other != links.end())
            tree.exclusions.push_back(
                {one->second, other->second,
                 place(stage.prim_at(a).relationship(usd::Token("physics:filteredPairs")).site())});
        else if (const int body = one != links.end()     ? one->second
                                  : other != links.end() ? other->second
                                                         : -1;
                 body >= 0 && of_world(one != links.end() ? b : a))
            with_world[body].emplace_back(a, one != links.end() ? b : a);
        else
            lose("filtered-pair", Severity::warning, sf::LossAction::dropped, "collision",
                 {.prim = a.text(), .property = "physics:filteredPairs"}, a.text(), b.text(), {},
                 "only pairs of bodies can be told");
    }
    const auto still = static_cast<std::size_t>(std::ranges::count_if(
        model.colliders, [](const physics::Collider& c) { return c.body == physics::kNone && c.enabled; }));
    for (const auto& [body, pairs] : with_world) {
        const usd::Path& owner = pairs.front().first;
        if (pairs.size() >= still)
            tree.exclusions.push_back(
                {body, -1, place(stage.prim_at(owner).relationship(usd::Token("physics:filteredPairs")).site())});
        else
            for (const auto& [a, collider] : pairs)
                lose("filtered-pair", Severity::warning, sf::LossAction::dropped, "collision",
                     {.prim = a.text(), .property = "physics:filteredPairs"}, a.text(), collider.text(), {},
                     "only pairs of bodies can be told");
    }
    if (model.groups.empty()) return;
    // Groups that are merged (physics:mergeGroup) share a row of the table and become one group here.
    std::map<physics::Index, int> rows;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        // Merged groups share a row, and so are one group here.
        const auto [row, fresh] = rows.try_emplace(model.groups[g].table_index, static_cast<int>(tree.groups.size()));
        if (fresh) tree.groups.push_back({model.groups[g].path.name().text(), {}, {}});
    }
    for (const physics::Collider& c : model.colliders)
        if (const auto s = shapes.find(c.path); s != shapes.end())
            for (const physics::Index g : c.groups)
                tree.groups[at(rows[model.groups[at(g)].table_index])].shapes.push_back(s->second);
    for (const auto& [a, i] : rows)
        for (const auto& [b, j] : rows)
            if (!model.group_table.meets(at(a), at(b))) tree.groups[at(i)].filtered.push_back(j);
}

Result<sf::ReadRobot> robot_of_stage(const usd::Stage& stage, const resolve::MeshSolid& mesh_solid,
                                     std::optional<Format> format)
{
    sf::ReadRobot out;
    out.losses.source = stage.source();
    StageReader(stage, mesh_solid, out).read(format);
    const bool soft = std::any_of(out.losses.entries.begin(), out.losses.entries.end(),
                                  [](const sf::Loss& loss) { return loss.code == "soft"; });
    if (out.tree.links.empty() && out.tree.shapes.empty() && !soft)
        return make_diagnostic(kEmpty, {.layer = stage.source()}, "the stage has neither bodies nor frames nor shapes");
    return out;
}

}  // namespace mechane::exporter

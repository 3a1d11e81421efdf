// Writes a robot of another format as layers of OpenUSD: links as prims beside each other below the robot, joints
// between them (UsdPhysics), values of vendors in layers of their own. Poses of bodies are in the robot's frame.
// Lengths are metres and masses kilograms; UsdPhysics has angles in degrees, hence gains per degree.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>
#include <tuple>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "mechane/usd/make_value.h"
#include "sourceformats/bodies.h"
#include "sourceformats/indices.h"
#include "sourceformats/joint_axes.h"
#include "sourceformats/picture_files.h"
#include "sourceformats/source.h"
#include "sourceformats/usd_geometry.h"
#include "sourceformats/usd_names.h"
#include "sourceformats/usd_sheet.h"

namespace mechane::sourceformats {
namespace {

constexpr double kDegrees   = 180 / std::numbers::pi;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

class Writer {
  public:
    Writer(const RobotTree& tree, Layout layout, LossReport& losses)
        : tree_(tree),
          losses_(losses),
          bodies_(find_bodies(tree, losses)),
          name_(prim_name(tree.name, "robot")),
          sheet_(layout, name_),
          shapes_(tree, sheet_, name_)
    {
    }

    Result<UsdRobot> write()
    {
        root();
        name_links();
        for (std::size_t l = 0; l < tree_.links.size(); ++l) link(l);
        shapes_.write_materials();
        for (std::size_t s = 0; s < tree_.shapes.size(); ++s) shape(s);
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            // All paths are known before the first relationship is written: a joint may follow one behind it.
            if (!bodies_.joint_merged[j]) name_joint(j);
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (!bodies_.joint_merged[j]) joint(j);
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) mimic(j);
        for (const JointRelation& r : tree_.joint_relations)
            if (const std::string path = joints_[at(r.joint)]; !path.empty()) {
                sheet_.apply(Role::mujoco, path, r.api);
                relation(path, Role::mujoco, r.relation);
            }
        roots();
        frames();
        for (const Camera& c : tree_.cameras) camera(c);
        for (const Light& l : tree_.lights) light(l);
        exclusions();
        groups();
        scene();
        vendor_prims();
        auto made = sheet_.finish(shapes_.textures());
        if (made) pictures_of_eight_bits(*made, losses_);
        return made;
    }

  private:
    const RobotTree&                tree_;
    LossReport&                     losses_;
    Bodies                          bodies_;
    std::string                     name_;
    Sheet                           sheet_;
    ShapeWriter                     shapes_;
    std::vector<std::string>        links_, joints_;  ///< prim paths; of a merged joint empty
    std::vector<std::string>        shape_paths_, site_paths_, prim_paths_, camera_paths_;
    std::map<std::string, Siblings> below_;  ///< names under a prim

    void lose(std::string code, Severity severity, LossAction action, std::string category, const Place& place,
              std::string what, std::string from, std::string to, std::string reason)
    {
        losses_.add({std::move(code), severity, action, std::move(category), site_of(place), std::move(what),
                     std::move(from), std::move(to), std::move(reason)});
    }

    void renamed(const Place& place, const std::string& what, const std::string& from, const std::string& to)
    {
        if (from == to) return;
        losses_.names[from] = to;
        lose("name", Severity::info, LossAction::renamed, "metadata", place, what, from, to,
             "a prim needs a name of letters, digits and underscores of its own");
    }

    /// The name that the source has for a prim which is called otherwise.
    void keep_name(const std::string& path, const std::string& name, Role role = Role::base)
    {
        if (!name.empty() && name != path.substr(path.rfind('/') + 1))
            sheet_.hint(path, hints::kName, "string", name, role);
    }

    void root()
    {
        const std::string path = "/" + name_;
        sheet_.define(Role::base, path, "Xform", tree_.place);
        sheet_.field(Role::base, path, "kind", "token", std::string("component"));
        renamed(tree_.place, "robot", tree_.name, name_);
        if (tree_.format == "URDF" ||
            (tree_.format == "SDFormat" &&
             std::any_of(tree_.sites.begin(), tree_.sites.end(), [](const Frame& f) { return f.published; }))) {
            sheet_.apply(Role::ros, path, "RosContextAPI");
            sheet_.set(Role::ros, path, "ros:context:namespace", "string", name_, tree_.place);
        }
        Siblings& top = below_[path];
        for (const char* own : {"Looks", "PhysicsMaterials", "Scene", "CollisionGroups", "world"}) top.reserve(own);
        shapes_.write_contact(tree_.place);
        if (std::any_of(tree_.shapes.begin(), tree_.shapes.end(),
                        [](const Shape& s) { return s.collider && !s.contact; }))
            lose("default-contact", Severity::info, LossAction::converted, "contact", tree_.place, "contact", "none",
                 "friction 1, restitution 0",
                 tree_.format == "SDFormat"
                     ? "SDFormat's own default, where the file says nothing; such colliders have the material 'contact'"
                     : "the format says nothing of friction; every collider has the material 'contact'");
    }

    void name_links()
    {
        links_.resize(tree_.links.size());
        std::vector<std::size_t> order;
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (bodies_.is_body[l] || bodies_.parent[l] < 0) order.push_back(l);
        for (std::size_t i = 0; i < order.size(); ++i) {  // bodies first, so that they keep their names
            const std::size_t l = order[i];
            links_[l]           = "/" + name_ + "/" + below_["/" + name_].take(tree_.links[l].name, "link");
        }
        for (const Joint& j : tree_.joints) {  // parents before children
            const std::size_t l = at(j.child);
            if (j.loop || !links_[l].empty()) continue;
            const std::string above = links_[at(bodies_.parent[l])];
            Siblings&         names = below_[above];
            names.reserve("visual");
            names.reserve("collision");
            links_[l] = above + "/" + names.take(tree_.links[l].name, "frame");
        }
    }

    void link(std::size_t l)
    {
        const Link&        link = tree_.links[l];
        const std::string& path = links_[l];
        below_[path].reserve("visual");
        below_[path].reserve("collision");
        const std::string own = path.substr(path.rfind('/') + 1);
        renamed(link.place, fmt::format("link '{}'", link.name), link.name, own);
        sheet_.define(Role::base, path, "Xform", link.place);
        const Posed X = bodies_.is_body[l] ? link.X_WL : bodies_.parent[l] >= 0 ? bodies_parent_pose(l) : link.X_WL;
        sheet_.pose(path, X);
        for (const Extra& e : link.extras) {
            if (e.name == hints::kFloating || e.name == hints::kFreeJoint) {
                sheet_.hint(path, e.name, "string", e.text);
                continue;
            }
            if (e.name == hints::kKinematic) {
                sheet_.hint(path, e.name, "bool", true);
                continue;
            }
            if (e.name != hints::kPassive) {
                sheet_.extra(path, e);
                continue;
            }
            std::vector<double> values;  // of the free joint, which USD has not
            const char*         text = e.text.c_str() + 1;
            for (char* end = nullptr; values.size() < 5; text = *end == ',' ? end + 1 : end)
                values.push_back(std::strtod(text, &end));
            sheet_.hint(path, hints::kPassive, "double[]", values);
        }
        link_hints(l, own);
        if (!bodies_.is_body[l]) {
            if (tree_.format == "URDF") {
                sheet_.apply(Role::ros, path, "RosFrameAPI");
                frame_id(link, path, own);
            }
            return;
        }
        if (own != link.name && tree_.format == "URDF" && is_frame_id(link.name))
            sheet_.apply(Role::ros, path, "RosFrameAPI");
        if (tree_.format == "URDF") frame_id(link, path, own);
        sheet_.field(Role::base, path, "kind", "token", std::string("subcomponent"));
        sheet_.apply(Role::physics, path, "PhysicsRigidBodyAPI");
        if (link.kinematic) sheet_.set(Role::physics, path, "physics:kinematicEnabled", "bool", true, link.place);
        const auto& inertial = bodies_.inertial[l];
        if (!inertial && link.kinematic) return;
        sheet_.apply(Role::physics, path, "PhysicsMassAPI");
        if (!inertial)  // of its colliders; OpenUSD's own density, which every reader takes where none is told
            return sheet_.set(Role::physics, path, "physics:density", "float", 1000.0, link.place);
        sheet_.set(Role::physics, path, "physics:mass", "float", inertial->mass, inertial->place);
        sheet_.set(Role::physics, path, "physics:centerOfMass", "point3f", inertial->com, inertial->place);
        if (!inertial->has_inertia) return;
        // UsdPhysics has the moments about principal axes and the rotation of these.
        const Principal p = principal(inertial->inertia);
        sheet_.set(Role::physics, path, "physics:diagonalInertia", "float3", p.moments, inertial->place);
        sheet_.set(Role::physics, path, "physics:principalAxes", "quatf", p.rotation, inertial->place);
    }

    /// A link keeps its name as the id of its frame. Where tf2 would refuse that, the frame is called like the prim.
    void frame_id(const Link& link, const std::string& path, const std::string& own)
    {
        if (own == link.name) return;
        if (is_frame_id(link.name)) return sheet_.set(Role::ros, path, "ros:frame:id", "string", link.name, link.place);
        std::string id = own;  // names of prims lie below each other, those of frames do not
        while (std::any_of(tree_.links.begin(), tree_.links.end(), [&](const Link& other) { return other.name == id; }))
            id += '_';
        if (id != own) {
            sheet_.apply(Role::ros, path, "RosFrameAPI");
            sheet_.set(Role::ros, path, "ros:frame:id", "string", id, link.place);
        }
        lose("frame-id", Severity::warning, LossAction::renamed, "ros", link.place, fmt::format("link '{}'", link.name),
             link.name, id,
             "a frame id has letters, digits, '_', '-', '.' and '/' only; the frame is called like the prim");
    }

    void link_hints(std::size_t l, const std::string& own)
    {
        const Link&        link = tree_.links[l];
        const std::string& path = links_[l];
        if (own != link.name) sheet_.hint(path, hints::kName, "string", link.name);
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (bodies_.joint_merged[j] && !tree_.joints[j].loop && tree_.joints[j].child == static_cast<int>(l))
                sheet_.hint(path, hints::kJoint, "string", tree_.joints[j].name);
        const bool stated = link.inertial && link.unused && bodies_.inertial[l] &&
                            !bodies_.inertial[l]->has_inertia;  // what the source says, and no body has
        const std::optional<Inertial>& without = bodies_.merged[l] ? link.inertial : link.unused;
        if (without && (!bodies_.inertial[l] || stated)) {
            const Mat33d& I = without->inertia;
            sheet_.hint(path, hints::kInertial, "double[]",
                        std::vector<double>{without->mass, without->com.x, without->com.y, without->com.z, I(0, 0),
                                            I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
        }
        if (bodies_.is_body[l] && !link.inertial && !link.kinematic)
            sheet_.hint(path, hints::kWeightless, "bool", true);
    }

    /// A frame in the link whose prim holds its prim.
    Posed bodies_parent_pose(std::size_t l) const
    {
        for (const Joint& j : tree_.joints)
            if (!j.loop && j.child == static_cast<int>(l)) return j.X_PJ * inverse(j.X_CJ);
        return tree_.links[l].X_WL;
    }

    /// The prim that holds what belongs to a link, or to the world.
    std::string holder(int link)
    {
        if (link >= 0) return links_[at(link)];
        const std::string path = "/" + name_ + "/world";
        if (!made_world_) {
            made_world_ = true;
            sheet_.define(Role::base, path, "Xform", tree_.place);
            sheet_.pose(path, {});
            below_[path].reserve("visual");
            below_[path].reserve("collision");
        }
        return path;
    }
    bool made_world_ = false;

    void shape(std::size_t s)
    {
        const Shape&      shape = tree_.shapes[s];
        const std::string above = holder(shape.link);
        shape_paths_.resize(tree_.shapes.size());
        for (const bool collider : {false, true}) {
            if (collider ? !shape.collider : !shape.visual) continue;
            const std::string scope = above + (collider ? "/collision" : "/visual");
            sheet_.define(Role::base, scope, "Scope", shape.place);
            const std::string path = scope + "/" + below_[scope].take(shape.name, collider ? "collider" : "shape");
            if (shape_paths_[s].empty() || collider) shape_paths_[s] = path;
            shapes_.write(shape, path, collider);
            if (collider || !shape.collider)
                for (const Extra& e : shape.extras) sheet_.extra(path, e);
        }
        if (shape.collider && shape.kind == Shape::Kind::mesh && shape.approximation.empty())
            lose("convex-hull", Severity::info, LossAction::converted, "collision", shape.place,
                 fmt::format("collision '{}'", shape.name), "triangles", "convexHull",
                 "meshes of moving bodies collide by their convex hull");
    }

    void name_joint(std::size_t j)
    {
        joints_.resize(tree_.joints.size());
        const Joint& joint = tree_.joints[j];
        joints_[j]         = "/" + name_ + "/" + below_["/" + name_].take(joint.name, "joint");
        renamed(joint.place, fmt::format("joint '{}'", joint.name), joint.name,
                joints_[j].substr(joints_[j].rfind('/') + 1));
    }

    void joint(std::size_t j)
    {
        const Joint&                 joint    = tree_.joints[j];
        const std::string&           path     = joints_[j];
        static constexpr const char* kTypes[] = {"PhysicsFixedJoint",     "PhysicsRevoluteJoint",
                                                 "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
                                                 "PhysicsJoint",          "PhysicsDistanceJoint"};
        sheet_.define(Role::physics, path, kTypes[static_cast<int>(joint.kind)], joint.place);
        if (joint.name != path.substr(path.rfind('/') + 1)) {
            sheet_.attribute(Role::ros, path, "ros:joint:name", "string", true);
            std::string published = joint.name;  // ROS allows no blank
            std::replace_if(
                published.begin(), published.end(), [](unsigned char c) { return std::isspace(c) != 0; }, '_');
            sheet_.set(Role::ros, path, "ros:joint:name", "string", published, joint.place);
        }
        const JointAxes axes = joint.dofs.empty() ? JointAxes{} : place_axes(joint);
        // The axes of USD's joints are X, Y or Z of the joint frame, so both frames are turned until the robot's axes
        // are such.
        const Posed turn{{}, axes.turn};
        const int   parent = bodies_.joint_parent[j], child = bodies_.home[at(joint.child)];
        const Posed X_0 = bodies_.X_PJ[j] * turn, X_1 = bodies_.X_HL[at(joint.child)] * joint.X_CJ * turn;
        if (parent >= 0) sheet_.target(Role::physics, path, "physics:body0", {links_[at(parent)]}, joint.place);
        if (child >= 0) sheet_.target(Role::physics, path, "physics:body1", {links_[at(child)]}, joint.place);
        sheet_.set(Role::physics, path, "physics:localPos0", "point3f", X_0.p, joint.place);
        sheet_.set(Role::physics, path, "physics:localRot0", "quatf", X_0.q, joint.place);
        sheet_.set(Role::physics, path, "physics:localPos1", "point3f", X_1.p, joint.place);
        sheet_.set(Role::physics, path, "physics:localRot1", "quatf", X_1.q, joint.place);
        if (joint.parent >= 0 && joint.parent != parent)
            sheet_.hint(path, hints::kParent, "string", tree_.links[at(joint.parent)].name);
        if (joint.loop) sheet_.set(Role::physics, path, "physics:excludeFromArticulation", "bool", true, joint.place);
        if (joint.collide) sheet_.set(Role::physics, path, "physics:collisionEnabled", "bool", true, joint.place);
        for (const Extra& e : joint.extras) sheet_.extra(path, e);
        switch (joint.kind) {
            case Joint::Kind::revolute:
            case Joint::Kind::prismatic:
                single(joint, path, axes);
                break;
            case Joint::Kind::generic:
                generic(joint, path, axes);
                break;
            case Joint::Kind::ball:
                if (!joint.dofs.empty() && std::isfinite(joint.dofs[0].upper)) {
                    sheet_.set(Role::physics, path, "physics:coneAngle0Limit", "float", joint.dofs[0].upper * kDegrees,
                               joint.dofs[0].limit_place);
                    sheet_.set(Role::physics, path, "physics:coneAngle1Limit", "float", joint.dofs[0].upper * kDegrees,
                               joint.dofs[0].limit_place);
                }
                if (!joint.dofs.empty()) passive(joint.dofs[0], path), told(joint.dofs[0], path);
                break;
            case Joint::Kind::distance:
                sheet_.set(Role::physics, path, "physics:maxDistance", "float", joint.reach, joint.place);
                break;
            case Joint::Kind::fixed:
                break;
        }
    }

    static constexpr const char* kAxes = "XYZ";

    void passive(const Dof& dof, const std::string& path)
    {
        // newton:damping of an angular axis is N m s per degree and newton:velocityLimit degrees a second; armature and
        // friction have no angle in them.
        const double per_degree = dof.angular ? 1 / kDegrees : 1;
        const auto   put        = [&](const char* name, double v) {
            sheet_.extra(path,
                         {Extra::Layer::newton, name, "float", usda_number(v), "NewtonJointAPI", dof.limit_place});
        };
        if (dof.armature && *dof.armature != 0) put("newton:armature", *dof.armature);
        if (dof.damping && *dof.damping != 0) put("newton:damping", *dof.damping * per_degree);
        if (dof.friction && *dof.friction != 0) put("newton:friction", *dof.friction);
        if (dof.velocity_limit && *dof.velocity_limit > 0 && std::isfinite(*dof.velocity_limit))
            put("newton:velocityLimit", *dof.velocity_limit * (dof.angular ? kDegrees : 1));
        for (const Extra& e : dof.extras)
            if (e.name != hints::kPlace) sheet_.extra(path, e);
    }

    void drive(const Dof& dof, const std::string& path, const std::string& instance, double sign)
    {
        if (!dof.drive) return;
        const Drive& d     = *dof.drive;
        const double angle = dof.angular ? kDegrees : 1;
        sheet_.apply(Role::physics, path, "PhysicsDriveAPI:" + instance);
        const std::string prefix = "drive:" + instance + ":physics:";
        sheet_.set(Role::physics, path, prefix + "type", "token", std::string("force"), d.place, true);
        sheet_.set(Role::physics, path, prefix + "stiffness", "float", d.stiffness / angle, d.place);
        sheet_.set(Role::physics, path, prefix + "damping", "float", d.damping / angle, d.place);
        if (std::isfinite(d.max_force))
            sheet_.set(Role::physics, path, prefix + "maxForce", "float", d.max_force, d.place);
        if (d.target != 0)
            sheet_.set(Role::physics, path, prefix + "targetPosition", "float", sign * d.target * angle, d.place);
        if (d.target_velocity != 0)
            sheet_.set(Role::physics, path, prefix + "targetVelocity", "float", sign * d.target_velocity * angle,
                       d.place);
    }

    void single(const Joint& joint, const std::string& path, const JointAxes& axes)
    {
        const Dof&   dof   = joint.dofs[0];
        const double angle = dof.angular ? kDegrees : 1;
        sheet_.set(Role::physics, path, "physics:axis", "token", std::string(1, kAxes[axes.placed[0].axis]),
                   joint.place, true);
        sheet_.set(Role::physics, path, "physics:lowerLimit", "float", dof.lower * angle, dof.limit_place);
        sheet_.set(Role::physics, path, "physics:upperLimit", "float", dof.upper * angle, dof.limit_place);
        drive(dof, path, dof.angular ? "angular" : "linear", 1);
        passive(dof, path);
        told(dof, path);
    }

    /// The entry without the vendors' layers says it too, for the way back.
    void told(const Dof& dof, const std::string& path)
    {
        if (dof.damping || dof.armature || dof.friction || dof.velocity_limit)
            sheet_.hint(path, hints::kPassive, "double[]",
                        std::vector<double>{dof.damping.value_or(0), dof.armature.value_or(0), dof.friction.value_or(0),
                                            dof.velocity_limit.value_or(-1)});
    }

    /// Whether one value for all axes says the same of each.
    static bool axes_agree(const Joint& joint, const JointAxes& axes)
    {
        if (axes.placed.size() < 2) return true;
        const auto said = [](const Dof& dof) {
            std::vector<std::string> out;
            for (const Extra& e : dof.extras)
                if (e.name != hints::kPlace) out.push_back(e.name + " = " + e.text);
            return out;
        };
        const Dof& lead = joint.dofs[axes.placed[0].dof];
        return std::ranges::all_of(axes.placed, [&](const PlacedDof& p) {
            const Dof& dof  = joint.dofs[p.dof];
            const auto same = [&](const std::optional<double>& a, const std::optional<double>& b, double unsaid) {
                // A value for turns and slides alike has two units.
                return a.value_or(unsaid) == b.value_or(unsaid) &&
                       (dof.angular == lead.angular || a.value_or(unsaid) == unsaid);
            };
            const auto words = said(dof);
            return same(dof.damping, lead.damping, 0) && same(dof.armature, lead.armature, 0) &&
                   same(dof.friction, lead.friction, 0) && same(dof.velocity_limit, lead.velocity_limit, kUnlimited) &&
                   words == said(lead) && (dof.angular == lead.angular || words.empty()) &&
                   // The importer takes references of springs from an axis only, and an axis may be turned round.
                   std::ranges::none_of(words, [](const std::string& w) {
                       return w.starts_with("mjc:springref") || w.starts_with("mjc:actuatorfrc");
                   });
        });
    }
    /// MuJoCo's attributes that some axis has, with MuJoCo's defaults for the others.
    static std::vector<Extra> extras_of_axes(const Joint& joint, const JointAxes& axes)
    {
        std::vector<Extra> out;
        for (const auto& [name, text] : hints::kAxisDefaults)
            for (const PlacedDof& p : axes.placed) {
                const auto& extras = joint.dofs[p.dof].extras;
                const auto  found  = std::ranges::find(extras, std::string_view(name), &Extra::name);
                if (found == extras.end()) continue;
                out.push_back(*found);
                out.back().text = text;
                break;
            }
        return out;
    }
    /// What one axis of several has for itself: "newton:rotX:damping" (resolve/joint_values.h).
    void of_axis(const Dof& dof, const std::string& path, const std::string& axis, bool flips,
                 const std::vector<Extra>& of_all)
    {
        const double per_degree = dof.angular ? 1 / kDegrees : 1;
        const auto   put        = [&](const char* name, double v) {
            sheet_.extra(path, {Extra::Layer::newton, fmt::format("newton:{}:{}", axis, name), "float", usda_number(v),
                                "NewtonJointAPI", dof.limit_place});
        };
        put("armature", dof.armature.value_or(0));
        put("damping", dof.damping.value_or(0) * per_degree);
        put("friction", dof.friction.value_or(0));
        if (dof.velocity_limit && *dof.velocity_limit > 0 && std::isfinite(*dof.velocity_limit))
            put("velocityLimit", *dof.velocity_limit * (dof.angular ? kDegrees : 1));
        const auto own = [&](std::string_view name) -> const Extra* {
            const auto found = std::ranges::find(dof.extras, name, &Extra::name);
            return found == dof.extras.end() ? nullptr : &*found;
        };
        for (const Extra& any : of_all) {
            Extra one = any;
            // Against the axis coordinates and forces change their sign, and the ends of a range their places.
            std::string_view from  = any.name;
            const bool       range = from.starts_with("mjc:actuatorfrcrange:");
            if (flips && range) from = from.ends_with(":min") ? "mjc:actuatorfrcrange:max" : "mjc:actuatorfrcrange:min";
            if (const Extra* said = own(from)) one.text = said->text;
            if (flips && (range || from == "mjc:springref") && one.text != "0")
                one.text = one.text.starts_with("-") ? one.text.substr(1) : "-" + one.text;
            one.name = fmt::format("mjc:{}:{}", axis, any.name.substr(std::string_view("mjc:").size()));
            sheet_.extra(path, one);
        }
    }

    void generic(const Joint& joint, const std::string& path, const JointAxes& axes)
    {
        if (axes.error > 1e-6)
            lose("axes-not-orthogonal", Severity::error, LossAction::approximated, "kinematics", joint.place,
                 fmt::format("joint '{}'", joint.name),
                 fmt::format("{:.3g} degrees from a right angle", axes.error * kDegrees), "right angles",
                 "a generic joint's axes are at right angles");
        for (const std::size_t i : axes.left_out)
            lose("axis-left-out", Severity::error, LossAction::dropped, "kinematics", joint.dofs[i].place,
                 fmt::format("joint '{}'", joint.dofs[i].name), {}, {},
                 "a generic joint has three translations and three rotations at right angles");
        bool free[2][3] = {};
        bool first      = true;
        dof_hints(joint, path, axes);
        const bool               agree        = axes_agree(joint, axes);
        const std::vector<Extra> told_of_axes = agree ? std::vector<Extra>() : extras_of_axes(joint, axes);
        for (const PlacedDof& p : axes.placed) {
            const Dof&        dof             = joint.dofs[p.dof];
            const std::string instance        = std::string(dof.angular ? "rot" : "trans") + kAxes[p.axis];
            const double      angle           = dof.angular ? kDegrees : 1;
            free[dof.angular ? 1 : 0][p.axis] = true;
            // Against the axis q changes its sign, and the limits their places.
            const double lower = p.flips ? -dof.upper : dof.lower, upper = p.flips ? -dof.lower : dof.upper;
            if (p.flips)
                lose("axis-direction", Severity::info, LossAction::converted, "kinematics", dof.place,
                     fmt::format("joint '{}'", dof.name), "against the axis", instance,
                     "limits and targets change their sign");
            if (std::isfinite(lower) || std::isfinite(upper))
                limit(path, instance, lower * angle, upper * angle, dof.limit_place);
            drive(dof, path, instance, p.flips ? -1 : 1);
            if (first) passive(dof, path);
            if (!agree) of_axis(dof, path, instance, p.flips, told_of_axes);
            const Dof& lead = joint.dofs[axes.placed[0].dof];
            if (!first && !agree)
                lose("shared-values", Severity::info, LossAction::approximated, "kinematics", dof.place,
                     fmt::format("joint '{}'", dof.name),
                     fmt::format("damping {}, armature {}, friction {}, speed limit {}", dof.damping.value_or(0),
                                 dof.armature.value_or(0), dof.friction.value_or(0),
                                 dof.velocity_limit ? fmt::format("{}", *dof.velocity_limit) : "none"),
                     fmt::format("newton:{}:damping and the like", instance),
                     fmt::format("no schema can express one axis of a joint: who does not know these attributes takes "
                                 "the values of '{}' for all axes",
                                 lead.name));
            first = false;
            if (joint.dofs.size() > 1) sheet_.note(path, "limit:" + instance, dof.place);
        }
        for (int angular = 0; angular < 2; ++angular)
            for (int a = 0; a < 3; ++a)
                // A low limit above the high one locks an axis of PhysicsJoint.
                if (!free[angular][a])
                    limit(path, std::string(angular ? "rot" : "trans") + kAxes[a], 1, -1, joint.place);
    }

    void dof_hints(const Joint& joint, const std::string& path, const JointAxes& axes)
    {
        std::vector<std::string> names;
        std::vector<double>      passive;
        for (std::size_t i = 0; i < joint.dofs.size(); ++i) {
            const Dof& dof   = joint.dofs[i];
            const auto place = std::ranges::find(axes.placed, i, &PlacedDof::dof);
            names.push_back(place == axes.placed.end()
                                ? "out:" + dof.name
                                : fmt::format("{}{}{}:{}", place->flips ? "-" : "", dof.angular ? "rot" : "trans",
                                              kAxes[place->axis], dof.name));
            passive.insert(passive.end(),
                           {dof.damping.value_or(0), dof.armature.value_or(0), dof.friction.value_or(0)});
        }
        sheet_.hint(path, hints::kDofs, "string[]", names);
        sheet_.hint(path, hints::kPassive, "double[]", passive);
        std::vector<std::string> extras;
        for (const std::size_t i : axes.left_out)
            extras.push_back(fmt::format("{}|{}|double[]|[{}, {}, {}]", i, hints::kRange, joint.dofs[i].angular ? 1 : 0,
                                         usda_number(joint.dofs[i].lower), usda_number(joint.dofs[i].upper)));
        for (std::size_t i = 0; i < joint.dofs.size(); ++i)
            for (const Extra& e : joint.dofs[i].extras)
                if (e.name.starts_with("mjc:") || e.name == hints::kPlace)
                    extras.push_back(fmt::format("{}|{}|{}|{}", i, e.name, e.type, e.text));
        if (!extras.empty()) sheet_.hint(path, hints::kExtras, "string[]", extras);
    }

    void limit(const std::string& path, const std::string& instance, double low, double high, const Place& place)
    {
        sheet_.apply(Role::physics, path, "PhysicsLimitAPI:" + instance);
        sheet_.set(Role::physics, path, "limit:" + instance + ":physics:low", "float", low, place);
        sheet_.set(Role::physics, path, "limit:" + instance + ":physics:high", "float", high, place);
    }

    void mimic(std::size_t j)
    {
        const Joint& joint = tree_.joints[j];
        if (!joint.mimic || bodies_.joint_merged[j] || joints_[at(joint.mimic->joint)].empty()) return;
        const bool   follower = joint.dofs[0].angular, leader = tree_.joints[at(joint.mimic->joint)].dofs[0].angular;
        const double out = follower ? kDegrees : 1, in = leader ? kDegrees : 1;
        sheet_.apply(Role::physics, joints_[j], "ExtendedPhysicsMimicAPI");
        sheet_.target(Role::physics, joints_[j], "ext_physics:mimic:joint", {joints_[at(joint.mimic->joint)]},
                      joint.mimic->place);
        // q_follower = multiplier q_leader + offset, each in its own unit: degrees or metres.
        sheet_.set(Role::physics, joints_[j], "ext_physics:mimic:multiplier", "float",
                   joint.mimic->multiplier * out / in, joint.mimic->place);
        sheet_.set(Role::physics, joints_[j], "ext_physics:mimic:offset", "float", joint.mimic->offset * out,
                   joint.mimic->place);
    }

    /// The first body of every tree that moves is its articulation's root.
    void roots()
    {
        std::vector<int>  above(tree_.links.size(), -1);
        std::vector<bool> moves(tree_.links.size(), false), child(tree_.links.size(), false);
        const auto        top = [&](int body) {
            for (std::size_t steps = 0; above[at(body)] >= 0 && steps < tree_.links.size(); ++steps)
                body = above[at(body)];
            return body;
        };
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (!bodies_.joint_merged[j] && !tree_.joints[j].loop)
                above[at(tree_.joints[j].child)] = bodies_.joint_parent[j];
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (!bodies_.joint_merged[j] && !tree_.joints[j].loop && tree_.joints[j].kind != Joint::Kind::fixed)
                moves[at(top(tree_.joints[j].child))] = true;
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (bodies_.is_body[l] && moves[l]) {
                sheet_.apply(Role::physics, links_[l], "PhysicsArticulationRootAPI");
                if (!tree_.self_collision)
                    sheet_.extra(links_[l], {Extra::Layer::newton, "newton:selfCollisionEnabled", "bool", "false",
                                             "NewtonArticulationRootAPI", tree_.place});
            }
    }

    void frames()
    {
        for (const Frame& f : tree_.sites) {
            const std::string above = holder(f.link);
            const std::string path  = above + "/" + below_[above].take(f.name, "site");
            site_paths_.push_back(path);
            sheet_.define(Role::base, path, "Xform", f.place);
            sheet_.pose(path, f.X_LS);
            keep_name(path, f.name, f.published ? Role::base : Role::mujoco);
            if (f.published) sheet_.apply(Role::ros, path, "RosFrameAPI");
            for (const Extra& e : f.extras) sheet_.extra(path, e);
        }
    }

    void camera(const Camera& c)
    {
        const std::string above = holder(c.link);
        const std::string path  = above + "/" + below_[above].take(c.name, "camera");
        camera_paths_.push_back(path);
        sheet_.define(Role::base, path, "Camera", c.place);
        sheet_.pose(path, c.X_LC);
        keep_name(path, c.name);
        if (c.clip) sheet_.set(Role::base, path, "clippingRange", "float2", Vec2d{(*c.clip)[0], (*c.clip)[1]}, c.place);
        if (c.pixels[0] > 0 && c.pixels[1] > 0)
            sheet_.hint(path, hints::kPixels, "double[]", std::vector<double>{c.pixels[0], c.pixels[1]});
        const double aspect = c.aspect > 0 ? c.aspect : 4.0 / 3;
        if (c.orthographic) {  // apertures are tenths of a unit
            sheet_.set(Role::base, path, "projection", "token", std::string("orthographic"), c.place);
            sheet_.set(Role::base, path, "verticalAperture", "float", 10 * c.height, c.place);
            sheet_.set(Role::base, path, "horizontalAperture", "float", 10 * c.height * (c.aspect > 0 ? c.aspect : 1),
                       c.place);
            return;
        }
        // tan(fovy / 2) = aperture / (2 focal length). Both are tenths of a scene unit, and only their ratio counts: 24
        // mm is the height of small picture film. A source that says no width gets the usual 4 : 3.
        const double aperture = 0.024 * 10;
        sheet_.set(Role::base, path, "verticalAperture", "float", aperture, c.place);
        sheet_.set(Role::base, path, "horizontalAperture", "float", aperture * aspect, c.place);
        sheet_.set(Role::base, path, "focalLength", "float", aperture / (2 * std::tan(0.5 * c.fovy)), c.place);
    }

    void light(const Light& l)
    {
        const std::string above = holder(l.link);
        const std::string path  = above + "/" + below_[above].take(l.name, "light");
        sheet_.define(Role::base, path, l.kind == Light::Kind::distant ? "DistantLight" : "SphereLight", l.place);
        sheet_.pose(path, l.X_LL);
        keep_name(path, l.name);
        sheet_.set(Role::base, path, "inputs:color", "color3f", Vec3d{l.color[0], l.color[1], l.color[2]}, l.place);
        if (l.intensity != 1) sheet_.set(Role::base, path, "inputs:intensity", "float", l.intensity, l.place);
        if (l.kind != Light::Kind::distant) sheet_.set(Role::base, path, "inputs:radius", "float", 0.02, l.place);
        if (l.kind == Light::Kind::spot) {
            sheet_.apply(Role::base, path, "ShapingAPI");
            sheet_.set(Role::base, path, "inputs:shaping:cone:angle", "float", l.cone * kDegrees, l.place);
        }
        lose("light-power", Severity::info, LossAction::approximated, "light", l.place,
             fmt::format("light '{}'", l.name), {}, fmt::format("intensity {}", usda_number(l.intensity)),
             "the units of its brightness differ");
    }

    void exclusions()
    {
        // One relationship for each first body, sorted, so that equal robots give equal bytes.
        std::map<int, std::vector<std::string>> by_body;
        std::map<int, Place>                    where;
        std::vector<Exclusion>                  all = tree_.exclusions;
        // The links of a joint do not meet. Where its parent is part of the world the joint has one body only, and
        // says nothing of what it hangs on.
        for (const Joint& joint : tree_.joints)
            if (!joint.collide && joint.parent >= 0 && bodies_.home[at(joint.parent)] < 0)
                all.push_back({joint.parent, joint.child, joint.place});
        for (const Exclusion& e : all) {
            const auto home = [&](int link) { return link >= 0 ? bodies_.home[at(link)] : -1; };
            const bool turn = home(e.a) < 0;  // what stands still is named by what moves
            const int  a = home(turn ? e.b : e.a), b = home(turn ? e.a : e.b), still = turn ? e.a : e.b;
            if (a < 0 || a == b) continue;
            if (b >= 0) by_body[a].push_back(links_[at(b)]);
            // The world is no prim: its colliders are named one by one.
            for (std::size_t s = 0; b < 0 && s < tree_.shapes.size(); ++s)
                if (tree_.shapes[s].link == still && tree_.shapes[s].collider && !shape_paths_[s].empty())
                    by_body[a].push_back(shape_paths_[s]);
            if (by_body[a].empty()) by_body.erase(a);
            where.try_emplace(a, e.place);
        }
        for (auto& [body, others] : by_body) {
            std::sort(others.begin(), others.end());
            others.erase(std::unique(others.begin(), others.end()), others.end());
            sheet_.apply(Role::physics, links_[at(body)], "PhysicsFilteredPairsAPI");
            sheet_.target(Role::physics, links_[at(body)], "physics:filteredPairs", others, where[body]);
        }
    }

    void groups()
    {
        if (tree_.groups.empty()) return;
        const std::string scope = "/" + name_ + "/CollisionGroups";
        sheet_.define(Role::physics, scope, "Scope", tree_.place);
        std::vector<std::string> paths;
        for (const CollisionGroup& g : tree_.groups) paths.push_back(scope + "/" + below_[scope].take(g.name, "group"));
        for (std::size_t i = 0; i < paths.size(); ++i) {
            sheet_.define(Role::physics, paths[i], "PhysicsCollisionGroup", tree_.place);
            sheet_.apply(Role::physics, paths[i], "CollectionAPI:colliders");
            std::vector<std::string> members, filtered;
            for (const int s : tree_.groups[i].shapes) members.push_back(shape_paths_[at(s)]);
            for (const int g : tree_.groups[i].filtered) filtered.push_back(paths[at(g)]);
            sheet_.target(Role::physics, paths[i], "collection:colliders:includes", members, tree_.place);
            if (!filtered.empty())
                sheet_.target(Role::physics, paths[i], "physics:filteredGroups", filtered, tree_.place);
        }
    }

    void scene()
    {
        if (!tree_.scene) return;
        const std::string    path = "/" + name_ + "/Scene";
        const SceneSettings& s    = *tree_.scene;
        sheet_.define(Role::physics, path, "PhysicsScene", s.place);
        if (s.gravity) {
            const double g = length(*s.gravity);
            sheet_.set(Role::physics, path, "physics:gravityMagnitude", "float", g, s.place);
            sheet_.set(Role::physics, path, "physics:gravityDirection", "vector3f",
                       g > 0 ? *s.gravity / g : Vec3d{0, 0, -1}, s.place);
        }
        for (const Extra& e : s.extras) sheet_.extra(path, e);
    }

    std::string path_of(const Ref& ref) const
    {
        const std::vector<std::string>* lists[] = {&links_,      &joints_,     &shape_paths_,
                                                   &site_paths_, &prim_paths_, &camera_paths_};
        const auto&                     list    = *lists[static_cast<int>(ref.kind)];
        return ref.index >= 0 && at(ref.index) < list.size() ? list[at(ref.index)] : std::string();
    }

    void relation(const std::string& path, Role role, const Relation& r)
    {
        std::vector<std::string> targets;
        for (const Ref& ref : r.targets)
            if (std::string target = path_of(ref); !target.empty()) targets.push_back(std::move(target));
        sheet_.target(role, path, r.name, targets, {});
    }

    static bool is_equality(const VendorPrim& p)
    {
        return std::any_of(p.extras.begin(), p.extras.end(), [](const Extra& e) {
            return e.name == hints::kElement && e.text.size() > 1 &&
                   hints::is_equality(std::string_view(e.text).substr(1, e.text.size() - 2));
        });
    }

    void vendor_prims()
    {
        std::map<std::string, std::string> scopes;
        for (const VendorPrim& p : tree_.prims) {
            const std::string scope = "/" + name_ + "/" +
                                      (p.type == "MjcActuator" ? "Actuators"
                                       : p.type == "MjcTendon" ? "Tendons"
                                       : is_equality(p)        ? "Equalities"
                                       : p.type == "Scope"     ? "Sensors"
                                                               : "Keyframes");
            std::string&      made  = scopes[scope];
            if (made.empty()) {
                made = "/" + name_ + "/" + below_["/" + name_].take(scope.substr(scope.rfind('/') + 1), "mujoco");
                sheet_.define(Role::mujoco, made, "Scope", tree_.place);
            }
            prim_paths_.push_back(made + "/" + below_[made].take(p.name, "prim"));
        }
        for (std::size_t i = 0; i < tree_.prims.size(); ++i) {
            const VendorPrim& p = tree_.prims[i];
            sheet_.define(Role::mujoco, prim_paths_[i], p.type, p.place);
            keep_name(prim_paths_[i], p.name, Role::mujoco);
            for (const Extra& e : p.extras) sheet_.extra(prim_paths_[i], e);
            for (const Relation& r : p.relations) relation(prim_paths_[i], Role::mujoco, r);
        }
    }
};

}  // namespace

Result<UsdRobot> to_usd(const RobotTree& tree, Layout layout, LossReport& losses)
{
    losses.target         = "OpenUSD";
    losses.target_version = "UsdPhysics, REP-0158";
    return Writer(tree, layout, losses).write();
}

}  // namespace mechane::sourceformats

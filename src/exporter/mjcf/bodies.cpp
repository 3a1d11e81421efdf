// Bodies, joints and what bodies carry: sites, cameras, lights.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exporter/mjcf/writer.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

}  // namespace

void MjcfWriter::pose(XmlNode& node, const Posed& X)
{
    node.set("pos", X.p);
    const Quatd q = normalized(X.q);
    // A rotation that is nothing but rounding is left out.
    if (length(q.xyz()) > 1e-12) node.set("quat", quat_text(q));
}

bool MjcfWriter::has_joint(int j) const
{
    if (j < 0) return false;
    const sf::Joint& joint = tree_.joints[index(j)];
    return std::any_of(joint.dofs.begin(), joint.dofs.end(), [](const sf::Dof& d) { return !locked(d); });
}

std::string MjcfWriter::free_name(const sf::Link& link)
{
    const sf::Extra* own = find(link.extras, sf::hints::kFreeJoint);
    return own != nullptr ? own->text : link.name + "_free";
}

void MjcfWriter::body(XmlNode& above, XmlNode& asset, int l, int j)
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
                if (const auto own = place_of(joint, d); own && !locked(d)) {
                    const Vec3d axis = rotate(conjugate(child_frame(joint).q), own->axis);  // in the joint's frame
                    at_start = at_start *
                               (d.angular ? Posed{{}, from_axis_angle(axis, own->ref)} : Posed{own->ref * axis, {}});
                }
        if (joint.as_in_source) {
            pose(node, (joint.parent >= 0 ? inverse(tree_.links[index(joint.parent)].X_WL) : Posed{}) * link.X_WL);
        } else {
            pose(node, joint.X_PJ * at_start * inverse(joint.X_CJ));
            out_.lose_start(joint, at_start);
        }
        if (link.kinematic && joint.parent < 0 && joint.kind == sf::Joint::Kind::fixed)
            node.set("mocap", "true"), ++nmocap_;  // a child of the world without a joint
        else if (link.kinematic)
            out_.lose("kinematic", Severity::warning, sf::LossAction::dropped, "kinematics", link.place,
                      fmt::format("link '{}'", link.name), "moved by others", "moved by its joint",
                      "MuJoCo's mocap bodies hang on nothing");
    }
    if (const sf::Extra* e = find(link.extras, "mjc:gravcomp"))
        node.set("gravcomp", plain(e->text));
    else if (!link.falls)
        node.set("gravcomp", "1");
    inertial(node, link, l, j);
    // A root that is no frame floats, as bodies of a stage without a joint do.
    if (j < 0 && !link.frame && !link.kinematic) {
        const auto resists = numbers(find(link.extras, sf::hints::kPassive));
        // `freejoint` knows no damping, armature or friction: where the source had some, the long form is written.
        XmlNode& free =
            node.add(resists.size() >= 4 ? "joint" : "freejoint").set("name", take(taken_joints_, free_name(link)));
        if (resists.size() >= 4)
            free.set("type", "free")
                .set("damping", resists[0])
                .set("armature", resists[1])
                .set("frictionloss", resists[2]);
        if (resists.size() == 5 && resists[4] != 0) free.set("stiffness", resists[4]);
        nq_ += 7, nv_ += 6;
    }
    if (j >= 0) joint(node, j);
    things(node, asset, l);
    for (const int below : out_.chain.below[index(l)]) body(node, asset, tree_.joints[index(below)].child, below);
}

void MjcfWriter::inertial(XmlNode& node, const sf::Link& link, int l, int j)
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

std::optional<MjcfWriter::AxisPlace> MjcfWriter::told_place(const sf::Dof& d)
{
    const auto v = numbers(find(d.extras, sf::hints::kPlace));
    if (v.size() != 7) return std::nullopt;
    return AxisPlace{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, v[6]};
}

Posed MjcfWriter::child_frame(const sf::Joint& joint)
{
    const auto& dofs = joint.dofs;
    std::size_t lead = 0, tail = dofs.size();
    while (lead < dofs.size() && !dofs[lead].angular) ++lead;
    if (lead == 0 && !dofs.empty()) lead = 1;
    while (tail > lead && !dofs[tail - 1].angular) --tail;
    if (tail == dofs.size() && tail > lead) --tail;
    Posed out = joint.X_CJ;
    // In the body's axes, where the source tells them: those of the stage's joint may be at right angles instead.
    for (std::size_t i = dofs.size(); i-- > tail;)
        if (const auto own = told_place(dofs[i]); own && own->ref != 0) {
            if (dofs[i].angular)
                out.q = from_axis_angle(own->axis, -own->ref) * out.q;
            else
                out.p = out.p - own->ref * own->axis;  // as the source has it, which may be at no right angle
        }
    return out;
}

std::optional<MjcfWriter::AxisPlace> MjcfWriter::place_of(const sf::Joint& joint, const sf::Dof& dof)
{
    const auto read = told_place;
    if (joint.as_in_source) return read(dof);
    const Posed frame = child_frame(joint);
    for (const sf::Dof& d : joint.dofs)
        if (d.angular) {  // the joint's frame lies at the first pivot
            const auto first = read(d);
            // The hint was written for the joint as it stood in the source; it holds no longer if the frame has
            // moved by more than 1e-5 of its distance.
            if (!first || length(first->pivot - frame.p) > 1e-5 * std::max(1.0, length(frame.p))) return std::nullopt;
            break;
        }
    const auto own = read(dof);
    // An axis more than some 70 degrees from the stage's one means another axis or a turned joint.
    if (!own || dot(own->axis, rotate(frame.q, dof.axis)) < 0.3) return std::nullopt;
    return own;
}

void MjcfWriter::joint(XmlNode& node, int j)
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
              {"mjc:group", "group"}});
        if (const sf::Extra* e = find(extras, "mjc:actuatorgravcomp"))
            inner.set("actuatorgravcomp", is_true(*e) ? "true" : "false");
        copy_range(inner, extras, "mjc:actuatorfrcrange", "actuatorfrcrange");
        if (find(extras, "mjc:solreflimit") == nullptr) yielding_limit(inner, joint, dof);
        if (const sf::Extra* e = find(extras, "mjc:springref")) {
            const double v = std::strtod(plain(e->text).c_str(), nullptr);
            inner.set("springref", dof.angular ? v / kDegrees : v);
        }
    }
}

void MjcfWriter::yielding_limit(XmlNode& inner, const sf::Joint& joint, const sf::Dof& dof)
{
    if (!dof.limit_stiffness || *dof.limit_stiffness >= sf::kHardLimit || !(dof.limit_inertia > 0))
        return out_.lose_limit(joint, dof);
    const double damping = dof.limit_damping.value_or(0);
    const auto   told =
        number_text(-*dof.limit_stiffness / dof.limit_inertia) + " " + number_text(-damping / dof.limit_inertia);
    inner.set("solreflimit", told);
    out_.lose("limit-stiffness", Severity::info, sf::LossAction::approximated, "kinematics", dof.limit_place,
              joint.dofs.size() == 1 ? fmt::format("joint '{}'", joint.name)
                                     : fmt::format("axis '{}' of joint '{}'", dof.name, joint.name),
              fmt::format("stiffness {}, damping {}", *dof.limit_stiffness, damping), "solreflimit " + told,
              "MuJoCo takes both per unit of the inertia that stops; here that of the zero pose");
}

void MjcfWriter::range(XmlNode& inner, const sf::Joint& joint, const sf::Dof& dof, bool ball)
{
    if (ball) {
        // The nearest to a cone: zero to the largest angle.
        if (!std::isfinite(dof.upper)) return;
        inner.set("range", "0 " + number_text(dof.upper));
        out_.lose("ball-range", Severity::warning, sf::LossAction::approximated, "kinematics", joint.place,
                  fmt::format("joint '{}'", joint.name), "a cone", "0 " + number_text(dof.upper),
                  "a cone leaves the turn about its own axis free, MuJoCo bounds the angle of the whole rotation");
        return;
    }
    if (!std::isfinite(dof.lower) && !std::isfinite(dof.upper)) return;
    // MJCF has both sides of a range or none; 1e6 rad or m is out of reach.
    constexpr double kReach = 1e6;
    if (dof.lower < -kReach || dof.upper > kReach) {
        const auto told = [](double bound) {
            return std::isfinite(bound) ? number_text(bound) : std::string("infinite");
        };
        out_.lose("one-sided-limit", Severity::info, sf::LossAction::approximated, "kinematics", joint.place,
                  fmt::format("joint '{}'", dof.name),
                  dof.lower < -kReach && dof.upper > kReach ? told(dof.lower) + " " + told(dof.upper)
                                                            : told(dof.lower < -kReach ? dof.lower : dof.upper),
                  "1e6", "both sides of a range are told");
    }
    inner.set("range", number_text(std::max(dof.lower, -kReach)) + " " + number_text(std::min(dof.upper, kReach)));
}

// -- what bodies carry

void MjcfWriter::things(XmlNode& node, XmlNode& asset, int link)
{
    for (std::size_t s = 0; s < tree_.shapes.size(); ++s)
        if (tree_.shapes[s].link == link) geom(node, asset, s, link);
    for (std::size_t s = 0; s < tree_.sites.size(); ++s) {
        const sf::Frame& f = tree_.sites[s];
        if (f.link != link) continue;
        XmlNode& inner = node.add("site").set("name", site_names_[s]);
        pose(inner, f.X_LS);
        copy(inner, f.extras, {{"mjc:group", "group"}});
        attributes(inner, f.extras);
    }
    for (const AddedSite& added : added_sites_)
        if (added.link == link) node.add("site").set("name", added.name).set("pos", added.at);
    for (std::size_t i = 0; i < tree_.cameras.size(); ++i) {
        const sf::Camera& c = tree_.cameras[i];
        if (c.link != link) continue;
        XmlNode& inner = node.add("camera").set("name", camera_names_[i]);
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

}  // namespace mechane::exporter::mjcf

// What a unit force on one axis does to that axis: the diagonal of the inverse of the joint-space inertia M.
//
// The articulated body algorithm (Featherstone, Rigid MovingBody Dynamics Algorithms, 2008, section 7.3) at rest and
// without gravity. All is seen from the world's origin, so that no transform stands between bodies. For an axis s of a
// body whose articulated inertia is A, with armature r:
//   U = A s,  D = s.U + r,  the parent gets A - U U^T / D.
// A unit force on axis i leaves the bias p = U / D for the parent. Each axis above takes u = -s.p and adds U u / D to
// p. From the root down, with the root's acceleration a: qdd = (u - U.a) / D, a += s qdd. The last qdd is (M^-1)_ii.
// The axes of one body count as axes of bodies without mass in a row.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "mechane/math/spatial.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/settings.h"

namespace mechane::sourceformats {
namespace {

using Vec6 = std::array<double, 6>;  ///< linear, angular
using Mat6 = std::array<Vec6, 6>;

constexpr double kNoInertia = 1e-15;  ///< MuJoCo's mjMINVAL

double dot6(const Vec6& a, const Vec6& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

void add(Vec6& to, double factor, const Vec6& what)
{
    for (std::size_t i = 0; i < 6; ++i) to[i] += factor * what[i];
}

Vec6 times(const Mat6& A, const Vec6& v)
{
    Vec6 out{};
    for (std::size_t i = 0; i < 6; ++i) out[i] = dot6(A[i], v);
    return out;
}

/// Inertia of a body about the world's origin.
Mat6 spatial_inertia(const Inertial& in, const Posed& X)
{
    const Vec3d  c = X * in.com;
    const Mat33d R = to_matrix(X.q);
    Mat33d       I = in.has_inertia ? R * in.inertia * transpose(R) : Mat33d{};
    I += in.mass * (dot(c, c) * Mat33d::identity() - Mat33d::outer(c, c));
    const double cx[3][3] = {{0, -c.z, c.y}, {c.z, 0, -c.x}, {-c.y, c.x, 0}};
    Mat6         out{};
    for (std::size_t i = 0; i < 3; ++i) {
        out[i][i] = in.mass;
        for (std::size_t k = 0; k < 3; ++k) {
            out[i][k + 3]     = -in.mass * cx[i][k];
            out[i + 3][k]     = in.mass * cx[i][k];
            out[i + 3][k + 3] = I(static_cast<int>(i), static_cast<int>(k));
        }
    }
    return out;
}

/// Solves A x = b by Gauss's elimination with pivots; what has no inertia stays at rest.
Vec6 solve(Mat6 A, Vec6 b)
{
    std::array<bool, 6> held{};
    for (std::size_t k = 0; k < 6; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < 6; ++i)
            if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
        std::swap(A[k], A[best]);
        std::swap(b[k], b[best]);
        if ((held[k] = std::abs(A[k][k]) < kNoInertia)) continue;
        for (std::size_t i = k + 1; i < 6; ++i) {
            const double factor = A[i][k] / A[k][k];
            add(A[i], -factor, A[k]);
            b[i] -= factor * b[k];
        }
    }
    Vec6 x{};
    for (std::size_t k = 6; k-- > 0;) {
        double rest = b[k];
        for (std::size_t i = k + 1; i < 6; ++i) rest -= A[k][i] * x[i];
        x[k] = held[k] ? 0 : rest / A[k][k];
    }
    return x;
}

struct Axis {
    Vec6   s{}, U{};
    double D = 0, armature = 0;
};

struct MovingBody {
    int               parent = -1;
    bool              floats = false;
    std::vector<Axis> axes;
    Mat6              A{};
};

/// Where the file has one of several axes of a joint; else the frame that they share.
Vec3d pivot_of(const Joint& joint, const Dof& dof)
{
    const auto place = std::ranges::find(dof.extras, hints::kPlace, &Extra::name);
    if (place == dof.extras.end()) return joint.X_CJ.p;
    std::array<double, 6> values{};  // axis and pivot
    const char*           text = place->text.c_str() + 1;
    char*                 end  = nullptr;
    for (double& value : values) {
        value = std::strtod(text, &end);
        text  = *end == ',' ? end + 1 : end;
    }
    return {values[3], values[4], values[5]};
}

Vec6 screw(const Joint& joint, const Dof& dof, const Vec3d& axis, const Posed& X)
{
    const Vec3d w = rotate(X.q, axis), v = dof.angular ? cross(X * pivot_of(joint, dof), w) : w;
    return dof.angular ? Vec6{v.x, v.y, v.z, w.x, w.y, w.z} : Vec6{v.x, v.y, v.z, 0, 0, 0};
}

std::vector<MovingBody> articulated(const RobotTree& tree, const std::map<int, double>& floating)
{
    std::vector<MovingBody> bodies(tree.links.size());
    for (std::size_t l = 0; l < bodies.size(); ++l) {
        if (tree.links[l].inertial) bodies[l].A = spatial_inertia(*tree.links[l].inertial, tree.links[l].X_WL);
        const auto free  = floating.find(static_cast<int>(l));
        bodies[l].floats = free != floating.end();
        // The armature of a free joint resists its six axes, which lie in the frame of the body.
        if (bodies[l].floats && free->second > 0) {
            const Inertial more{free->second, {}, free->second * Mat33d::identity(), true, {}};
            const Mat6     rotor = spatial_inertia(more, tree.links[l].X_WL);
            for (std::size_t i = 0; i < 6; ++i) add(bodies[l].A[i], 1, rotor[i]);
        }
    }
    for (const Joint& joint : tree.joints) {
        if (joint.loop) continue;
        MovingBody& body = bodies[static_cast<std::size_t>(joint.child)];
        body.parent      = joint.parent;
        for (const Dof& dof : joint.dofs)
            for (int a = 0; a < (joint.kind == Joint::Kind::ball ? 3 : 1); ++a) {
                const Vec3d axis = joint.kind == Joint::Kind::ball ? axis_vector<double>(a) : dof.axis;
                body.axes.push_back({screw(joint, dof, axis, tree.links[static_cast<std::size_t>(joint.child)].X_WL),
                                     {},
                                     0,
                                     dof.armature.value_or(0)});
            }
    }
    for (std::size_t l = bodies.size(); l-- > 0;) {  // bodies lie behind their parents
        MovingBody& body = bodies[l];
        for (std::size_t k = body.axes.size(); k-- > 0;) {
            Axis& axis = body.axes[k];
            axis.U     = times(body.A, axis.s);
            axis.D     = dot6(axis.s, axis.U) + axis.armature;
            if (axis.D > kNoInertia)
                for (std::size_t i = 0; i < 6; ++i) add(body.A[i], -axis.U[i] / axis.D, axis.U);
        }
        if (body.parent < 0 || body.floats) continue;
        MovingBody& above = bodies[static_cast<std::size_t>(body.parent)];
        for (std::size_t i = 0; i < 6; ++i) add(above.A[i], 1, body.A[i]);
    }
    return bodies;
}

double answer(const std::vector<MovingBody>& bodies, std::size_t link, std::size_t index)
{
    std::vector<std::pair<const Axis*, double>> passed;
    Vec6                                        p{}, a{};
    for (int l = static_cast<int>(link); l >= 0;) {
        const MovingBody& body = bodies[static_cast<std::size_t>(l)];
        const bool        own  = l == static_cast<int>(link);
        for (std::size_t k = own ? index + 1 : body.axes.size(); k-- > 0;) {
            const Axis& axis = body.axes[k];
            if (axis.D <= kNoInertia) continue;
            const double u = (own && k == index ? 1 : 0) - dot6(axis.s, p);
            add(p, u / axis.D, axis.U);
            passed.emplace_back(&axis, u);
        }
        if (body.floats) {
            for (double& x : p) x = -x;
            a = solve(body.A, p);
            break;
        }
        l = body.parent;
    }
    double qdd = 0;
    for (std::size_t i = passed.size(); i-- > 0;) {
        const auto& [axis, u] = passed[i];
        qdd                   = (u - dot6(axis->U, a)) / axis->D;
        add(a, qdd, axis->s);
    }
    return qdd;
}

}  // namespace

void compute_spring_dampers(RobotTree& tree, const std::vector<SpringDamper>& wanted,
                            const std::map<int, double>& floating, LossReport& losses)
{
    if (wanted.empty()) return;
    const std::vector<MovingBody> bodies = articulated(tree, floating);
    for (const SpringDamper& w : wanted) {
        Joint&            joint = tree.joints[static_cast<std::size_t>(w.joint)];
        const std::size_t link  = static_cast<std::size_t>(joint.child);
        const bool        ball  = joint.kind == Joint::Kind::ball;
        const std::size_t first = ball ? 0 : w.first, count = ball ? 3 : w.count;
        double            sum = 0;
        for (std::size_t i = first; i < first + count && i < bodies[link].axes.size(); ++i)
            if (bodies[link].axes[i].D > kNoInertia) sum += answer(bodies, link, i);
        const std::string name  = joint.dofs[w.first].name;
        const Place       place = joint.dofs[w.first].place;
        if (!(sum > 0)) {
            losses.add({"springdamper",
                        Severity::warning,
                        LossAction::dropped,
                        "kinematics",
                        site_of(place),
                        "joint '" + name + "'/springdamper",
                        usda_number(w.time) + " " + usda_number(w.ratio),
                        {},
                        "nothing that it moves has a mass",
                        true});
            continue;
        }
        const double inertia   = static_cast<double>(count) / sum,
                     stiffness = inertia / (w.time * w.time * w.ratio * w.ratio), damping = 2 * inertia / w.time;
        for (std::size_t i = w.first; i < w.first + w.count && i < joint.dofs.size(); ++i) {
            Dof& dof    = joint.dofs[i];
            dof.damping = damping;
            std::erase_if(dof.extras, [](const Extra& e) { return e.name == "mjc:stiffness"; });
            dof.extras.push_back(
                {Extra::Layer::mujoco, "mjc:stiffness", "double", usda_number(stiffness), "MjcJointAPI", place});
        }
        losses.add({"springdamper", Severity::info, LossAction::converted, "kinematics", site_of(place),
                    "joint '" + name + "'/springdamper", usda_number(w.time) + " " + usda_number(w.ratio),
                    "stiffness " + usda_number(stiffness) + ", damping " + usda_number(damping),
                    "computed as MuJoCo does, from the inertia at the reference pose"});
    }
}

}  // namespace mechane::sourceformats

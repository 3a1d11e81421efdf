// Turns a robot's frames back into the axes of the robot it was made from.
// A conversion from a y-up format to a z-up one may turn each link's frame by the same quarter. Nothing of the robot
// has changed by that, but all poses, inertias and shapes have other numbers.
// Input: robots A and B. Output: B with its link frames in A's axes, or nothing where no such turn exists.
// The world does not move: X_WL is multiplied from the right, what is fixed to links from the left by the inverse.
// Invariant: poses of shapes in the world are the same before and after.
// Called by compare() before anything else.

#include "difference/reframe.h"

#include <cmath>
#include <numbers>

#include "difference/matching.h"
#include "difference/values.h"

namespace mechane::difference {
namespace {

double angle_between(const Quatd& a, const Quatd& b) { return angle_of(conjugate(a) * b); }

/// A tensor changes its axes by I' = R I R^T; the centre of mass is a vector of the link's frame.
void turn_inertia(std::optional<sf::Inertial>& in, const Quatd& turn)
{
    if (!in) return;
    const Mat33d R = to_matrix(turn);
    in->com        = rotate(turn, in->com);
    in->inertia    = R * in->inertia * transpose(R);
}

}  // namespace

std::optional<sf::RobotTree> in_axes_of(const sf::RobotTree& a, const sf::RobotTree& b, const sf::LossReport* losses)
{
    // 1e-4 rad: above the noise of quaternions in single precision, far below any turn that is meant.
    constexpr double     kClose = 1e-4;
    const Kinematics     of_a(a), of_b(b);
    const Matching       match(of_a, of_b, losses);
    const auto           pose_a = of_a.poses(of_a.zero()), pose_b = of_b.poses(of_b.zero());
    std::optional<Quatd> common;  // from a frame of B to the same one of A, in its axes
    for (std::size_t l = 0; l < a.links.size(); ++l) {
        const int other = match.link[l];
        if (other < 0) continue;
        const Quatd turn = normalized(conjugate(pose_b[at(other)].q) * pose_a[l].q);
        if (!common) common = turn;
        // One link that is turned otherwise shows that this is no change of axes, and the robot is compared as it is.
        if (!(angle_between(*common, turn) <= kClose)) return std::nullopt;
    }
    if (!common) return std::nullopt;
    // Only a quarter turn about x or y exchanges up axes. Any other common turn is a real difference and is left
    // visible.
    bool upright = false;  // what a change of the up axis turns
    for (const Vec3d axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}})
        for (const double angle : {std::numbers::pi / 2, -std::numbers::pi / 2})
            upright = upright || angle_between(*common, from_axis_angle(axis, angle)) <= kClose;
    if (!upright) return std::nullopt;
    const Posed   old{{}, *common}, back = inverse(old);  // the new frame in the old one, and the other way round
    sf::RobotTree out = b;
    for (sf::Link& l : out.links) {
        l.X_WL = l.X_WL * old;
        turn_inertia(l.inertial, back.q), turn_inertia(l.unused, back.q);
    }
    for (sf::Joint& j : out.joints) {
        if (j.parent >= 0) j.X_PJ = back * j.X_PJ;
        if (j.child >= 0) j.X_CJ = back * j.X_CJ;
    }
    for (sf::Shape& s : out.shapes)
        if (s.link >= 0) s.X_LS = back * s.X_LS;
    for (sf::Camera& c : out.cameras)
        if (c.link >= 0) c.X_LC = back * c.X_LC;
    for (sf::Light& l : out.lights)
        if (l.link >= 0) l.X_LL = back * l.X_LL;
    for (sf::Frame& f : out.sites) {
        if (f.link >= 0) f.X_LS = back * f.X_LS;
        for (const sf::Frame& from : a.sites) {  // a frame is told in the file's axes too
            if (from.name != f.name || (f.link >= 0) != (from.link >= 0)) continue;
            // A site may have been turned with its link or may have kept its own axes; both are conversions in use. It
            // is turned back only if that makes it agree with the site in A.
            const Quatd x = (from.link >= 0 ? pose_a[at(from.link)].q : Quatd{}) * from.X_LS.q,
                        y = (f.link >= 0 ? pose_b[at(f.link)].q * old.q : Quatd{}) * f.X_LS.q;
            if (angle_between(conjugate(y) * x, *common) <= kClose) f.X_LS.q = f.X_LS.q * old.q;
        }
    }
    return out;
}

}  // namespace mechane::difference

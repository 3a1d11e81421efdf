// UsdPhysics' joints turn and slide about the axes x, y, z of their frame; the sources give any direction. Here a
// frame is chosen in which each degree of freedom lies on an axis of its own.
//
// turn     rotation from the chosen frame to that of the source's joint
// placed   degree of freedom, axis 0 to 2, and whether it is reversed
// error    the largest angle between a direction and the axis that stands for it [rad]
#include "sourceformats/joint_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace mechane::sourceformats {
namespace {

// Of unit vectors: what differs by less differs by rounding.
constexpr double kSame = 1e-9;

std::optional<std::pair<int, bool>> coordinate_axis(const Vec3d& axis, double tolerance)
{
    for (int i = 0; i < 3; ++i) {
        const double c = axis[static_cast<std::size_t>(i)];
        if (std::abs(std::abs(c) - 1) < tolerance) return std::pair{i, c < 0};
    }
    return std::nullopt;
}

JointAxes one_axis(const Vec3d& axis)
{
    JointAxes out;
    out.placed.push_back({0, 0, false});
    if (const auto known = coordinate_axis(axis, kSame)) {
        out.placed[0].axis = known->first;
        // The axis stays and its direction turns, so that positions keep their sign.
        if (known->second) {  // half a turn about another axis
            const Vec3d about = axis_vector<double>((known->first + 1) % 3);
            out.turn          = {about.x, about.y, about.z, 0};
        }
        return out;
    }
    out.turn = rotation_between(Vec3d{1, 0, 0}, axis);
    return out;
}

}  // namespace

// D6 rotations are applied in the order x, y, z. Rotations of the source must keep their order, therefore `least`
// below.
JointAxes place_axes(const Joint& joint)
{
    if (joint.dofs.size() == 1 && joint.kind != Joint::Kind::generic) return one_axis(joint.dofs[0].axis);
    JointAxes                out;
    std::vector<std::size_t> turns, slides;
    for (std::size_t i = 0; i < joint.dofs.size(); ++i) (joint.dofs[i].angular ? turns : slides).push_back(i);
    while (turns.size() > 3) out.left_out.push_back(turns.back()), turns.pop_back();
    while (slides.size() > 3) out.left_out.push_back(slides.back()), slides.pop_back();

    // All on the frame's own axes, rotations already in the order x, y, z: nothing is turned.
    bool own  = true;
    int  last = -1;
    for (const auto* list : {&turns, &slides})
        for (const std::size_t i : *list) {
            const auto known = coordinate_axis(joint.dofs[i].axis, kSame);
            own              = own && known && (list == &slides || known->first > last);
            if (known && list == &turns) last = known->first;
        }
    // Gram-Schmidt: the first direction is x, the part of another across it is y.
    std::array<Vec3d, 3> columns{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    if (!own) {
        std::vector<Vec3d> wanted;
        for (const std::size_t i : turns) wanted.push_back(joint.dofs[i].axis);
        for (const std::size_t i : slides) wanted.push_back(joint.dofs[i].axis);
        columns[0]       = wanted[0];
        bool have_second = false;
        for (std::size_t i = 1; i < wanted.size() && !have_second; ++i) {
            const Vec3d across = wanted[i] - dot(wanted[i], columns[0]) * columns[0];
            // A direction within a milliradian of the first says nothing about y.
            if (length(across) < 1e-3) continue;
            columns[1]  = normalized(across);
            have_second = true;
        }
        if (!have_second) columns[1] = any_perpendicular(columns[0]);
        columns[2] = cross(columns[0], columns[1]);
        out.turn   = from_matrix(Mat33d::from_columns(columns[0], columns[1], columns[2]));
    }
    // Each direction takes the free axis nearest to it. Rotations take axes of rising index only.
    for (const auto* list : {&turns, &slides}) {
        std::array<bool, 3> used{};
        int                 least = 0;
        for (const std::size_t i : *list) {
            int    best = -1;
            double most = 0;
            for (int a = list == &turns ? least : 0; a < 3; ++a) {
                const double c = dot(joint.dofs[i].axis, columns[static_cast<std::size_t>(a)]);
                // The 1e-12 lets the lower axis win where two are as near.
                if (!used[static_cast<std::size_t>(a)] && std::abs(c) > std::abs(most) + 1e-12) best = a, most = c;
            }
            // More than 60 degrees off: no axis is free that means this direction.
            if (best < 0 || std::abs(most) < 0.5) {
                out.left_out.push_back(i);
                continue;
            }
            used[static_cast<std::size_t>(best)] = true;
            if (list == &turns) least = best + 1;
            out.error = std::max(out.error, std::acos(std::min(1.0, std::abs(most))));
            out.placed.push_back({i, best, most < 0});
        }
    }
    return out;
}

}  // namespace mechane::sourceformats

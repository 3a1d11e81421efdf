// Bodies that float alone stand, where the file asks for it (`align`, `alignfree`), in the frame of their inertia: the
// frame that MuJoCo's compiler gives them is the one that qpos, sensors and equalities speak of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

// Which axis is the first one, and which way it points, is MuJoCo's choice. Therefore this is its method: rotations by
// Jacobi of the largest element beside the diagonal, then moments in falling order, swapped by quarter turns.
MjcfAxes mjcf_axes(const Mat33d& inertia)
{
    const double largest = std::max({std::abs(inertia(0, 0)), std::abs(inertia(1, 1)), std::abs(inertia(2, 2))});
    const double small   = 1e-15 * largest;
    MjcfAxes     out;
    Mat33d       D = inertia;
    for (int round = 0; round < 500; ++round) {
        const Mat33d R  = to_matrix(out.q);
        D               = transpose(R) * inertia * R;
        const double xy = std::abs(D(0, 1)), xz = std::abs(D(0, 2)), yz = std::abs(D(1, 2));
        const int    row    = (xy > xz && xy > yz) || xz > yz ? 0 : 1;
        const int    column = xy > xz && xy > yz ? 1 : 2;
        const int    about  = 3 - row - column;
        if (std::abs(D(row, column)) <= small) break;
        const double tau  = (D(column, column) - D(row, row)) / (2 * D(row, column));
        const double t    = tau >= 0 ? 1 / (tau + std::sqrt(1 + tau * tau)) : -1 / (-tau + std::sqrt(1 + tau * tau));
        const double c    = 1 / std::sqrt(1 + t * t);
        double       half = std::sqrt(0.5 - 0.5 * c) * (tau >= 0 ? -1 : 1);
        if (about == 1) half = -half;
        const Vec3d v = half * axis_vector<double>(about);
        out.q         = normalized(out.q * Quatd{v.x, v.y, v.z, std::sqrt(1 - half * half)});
    }
    out.values = {D(0, 0), D(1, 1), D(2, 2)};
    for (const int first : {0, 1, 0}) {
        double& a = out.values[static_cast<std::size_t>(first)];
        double& b = out.values[static_cast<std::size_t>(first) + 1];
        if (!(a + 1e-12 < b)) continue;  // MuJoCo's own bound (kEigEPS)
        std::swap(a, b);
        const Vec3d v = std::numbers::sqrt2 / 2 * axis_vector<double>((first + 2) % 3);
        out.q         = normalized(out.q * Quatd{v.x, v.y, v.z, std::numbers::sqrt2 / 2});
    }
    return out;
}

std::optional<Posed> MjcfReader::inertial_frame(int link)
{
    if (const auto& told = tree_.links[at(link)].inertial) {
        const auto turned = inertial_turns_.find(link);
        return Posed{told->com, turned != inertial_turns_.end() ? turned->second : mjcf_axes(told->inertia).q};
    }
    const auto shapes = geom_masses_.find(link);
    if (shapes == geom_masses_.end() || shapes->second.empty()) return std::nullopt;
    if (shapes->second.size() == 1) {  // the frame of the shape, in which a mesh lies along its own axes of inertia
        const GeomMass& one = shapes->second.front();
        return one.X_LS * Posed{one.mass.com, one.of_mesh ? mjcf_axes(one.mass.inertia).q : Quatd{}};
    }
    const auto sum = sum_of(shapes->second);
    return Posed{sum.com, mjcf_axes(sum.inertia).q};
}

void MjcfReader::align_floating()
{
    for (const auto& [l, from_geoms] : aligned_) {
        const int link = l;
        if (std::any_of(tree_.joints.begin(), tree_.joints.end(), [&](const Joint& j) { return j.parent == link; }))
            continue;  // only bodies that carry none
        Link& body = tree_.links[at(link)];
        if (!body.inertial && !from_geoms) continue;
        const auto X = inertial_frame(link);
        if (!X) continue;
        const Posed back = inverse(*X);
        body.X_WL        = body.X_WL * *X;
        if (body.inertial) {
            const Mat33d R         = to_matrix(X->q);
            body.inertial->com     = {};
            body.inertial->inertia = transpose(R) * body.inertial->inertia * R;
        }
        for (GeomMass& g : geom_masses_[link]) g.X_LS = back * g.X_LS;
        for (Shape& s : tree_.shapes)
            if (s.link == link) s.X_LS = back * s.X_LS;
        for (Frame& f : tree_.sites)
            if (f.link == link) f.X_LS = back * f.X_LS;
        for (Camera& c : tree_.cameras)
            if (c.link == link) c.X_LC = back * c.X_LC;
        for (Light& light : tree_.lights)
            if (light.link == link) light.X_LL = back * light.X_LL;
        s_.losses.add({"aligned-body", Severity::info, LossAction::converted, "kinematics", site_of(body.place),
                       fmt::format("body '{}'", body.name), "its own frame", "the frame of its inertia",
                       "align or alignfree, as MuJoCo has it"});
    }
}

}  // namespace mechane::sourceformats

// Several joints of one body, as MJCF has them: axes in any direction, pivots and references of their own. OpenUSD's
// one joint cannot hold all of that, so the conversion from MJCF leaves it beside the joint (sf::hints::kPlace). It is
// used where the joint and the poses of both bodies are still those that the conversion made of it.
#include <algorithm>
#include <cmath>

#include "exporter/mjcf/writer.h"
#include "mechane/exporter/export.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter {
namespace {

using mjcf::MjcfWriter;

/// Frames of the joint in parent and child, in the axes of the body.
struct Frames {
    Posed in_parent, in_child;
};

/// What the reader of MJCF makes of these joints (sourceformats/mjcf/bodies.cpp): the first pivot is the frame, and the
/// references of the first and last joints move it.
Frames frames_of(const std::vector<sf::Dof>& dofs, const std::vector<MjcfWriter::AxisPlace>& places, const Posed& X_PC)
{
    const std::size_t n    = dofs.size();
    std::size_t       lead = 0, tail = n;
    while (lead < n && !dofs[lead].angular) ++lead;
    if (lead == 0) lead = 1;
    while (tail > lead && !dofs[tail - 1].angular) --tail;
    if (tail == n && tail > lead) --tail;
    Posed      pivot, before, after;
    const auto motion = [&](std::size_t i) {
        return dofs[i].angular ? Posed{{}, from_axis_angle(places[i].axis, places[i].ref)}
                               : Posed{places[i].ref * places[i].axis, {}};
    };
    const auto turn = std::find_if(dofs.begin(), dofs.end(), [](const sf::Dof& d) { return d.angular; });
    if (turn != dofs.end()) pivot.p = places[static_cast<std::size_t>(turn - dofs.begin())].pivot;
    for (std::size_t i = 0; i < lead; ++i) before = before * inverse(motion(i));
    for (std::size_t i = tail; i < n; ++i) after = after * inverse(motion(i));
    return {X_PC * pivot * before, pivot * inverse(after)};
}

/// @param anchored  the joint holds its body on the world, where the pose of the body counts and not the frame
void restore(sf::Joint& joint, const Posed& X_PC, bool anchored)
{
    std::vector<sf::Dof> all = joint.dofs;
    for (const auto& [at, dof] : joint.left_out)
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size())), dof);
    if (all.size() < 2) return;
    std::vector<MjcfWriter::AxisPlace> places;
    for (const sf::Dof& dof : all) {
        const auto own = MjcfWriter::told_place(dof);
        if (!own) return;
        places.push_back(*own);
    }
    const Frames made  = frames_of(all, places, X_PC);
    const Posed  below = inverse(made.in_child) * joint.X_CJ;
    const Posed  above = anchored ? below : inverse(made.in_parent) * joint.X_PJ;
    // Frames of a joint have single precision.
    const double reach = 1e-5 * std::max({1.0, length(joint.X_PJ.p), length(joint.X_CJ.p)});
    if (length(above.p) > reach || length(below.p) > reach) return;
    if (2 * length((conjugate(above.q) * below.q).xyz()) > 1e-5) return;
    const auto is_left_out = [&](const sf::Dof& dof) {
        return std::any_of(joint.left_out.begin(), joint.left_out.end(),
                           [&](const auto& one) { return one.second.name == dof.name; });
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        // Another axis, or a joint that was turned since.
        if (!is_left_out(all[i]) && dot(rotate(conjugate(joint.X_CJ.q), places[i].axis), all[i].axis) < 0.3) return;
        all[i].axis = places[i].axis;  // the frames below have the axes of the body
    }
    joint.X_PJ = made.in_parent;
    joint.X_CJ = made.in_child;
    joint.dofs = std::move(all);
    joint.left_out.clear();
    joint.initial      = 0;
    joint.as_in_source = true;
}

}  // namespace

void restore_source_axes(sf::RobotTree& tree)
{
    for (sf::Joint& joint : tree.joints) {
        if (joint.kind != sf::Joint::Kind::generic || joint.loop || joint.child < 0) continue;
        const Posed X_WP = joint.parent >= 0 ? tree.links[static_cast<std::size_t>(joint.parent)].X_WL : Posed{};
        restore(joint, inverse(X_WP) * tree.links[static_cast<std::size_t>(joint.child)].X_WL, joint.parent < 0);
    }
}

}  // namespace mechane::exporter

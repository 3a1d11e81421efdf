// The narrow phase alone, for programs that bring their own pairs and shapes (Newton's NarrowPhase). The pipeline does
// not use it; both call the same pair functions.
// Input: shapes in the world with margin and gap [m], candidate pairs. Output: one record per contact whose distance of
// the offset surfaces is at most the sum of the gaps.

#include "mechane/collision/narrow_phase.h"

#include <algorithm>

#include "mechane/collision/narrow.h"
#include "pairs.h"
#include "sdf_contacts.h"

namespace mechane::collision {

struct NarrowPhase::Impl {
    NarrowPhaseOptions        options;
    FieldScratch              fields;
    std::vector<ContactPoint> points;
};

NarrowPhase::NarrowPhase(const NarrowPhaseOptions& options) : impl_(std::make_unique<Impl>())
{ impl_->options = options; }
NarrowPhase::~NarrowPhase()                      = default;
NarrowPhase::NarrowPhase(NarrowPhase&&) noexcept = default;

NarrowPhaseStatus NarrowPhase::launch_custom_write(std::span<const NarrowPhaseShape>              shapes,
                                                   std::span<const ShapePair>                     candidate_pairs,
                                                   const std::function<void(const ContactData&)>& write)
{
    const std::size_t count = std::min(candidate_pairs.size(), impl_->options.max_candidate_pairs);
    NarrowPhaseStatus status{.contact_count = 0, .dropped_pairs = candidate_pairs.size() - count};
    // Kinds are put into the order of the table; shape0 and shape1 of a record follow.
    for (auto [i, k] : candidate_pairs.first(count)) {
        if (!in_table_order(shapes[static_cast<std::size_t>(i)].shape.kind,
                            shapes[static_cast<std::size_t>(k)].shape.kind))
            std::swap(i, k);
        const NarrowPhaseShape &x = shapes[static_cast<std::size_t>(i)], &y = shapes[static_cast<std::size_t>(k)];
        // Relative to the first shape, so that far away is as accurate as near by.
        Shape       a = x.shape, b = y.shape;
        const Vec3d origin = a.kind == ShapeKind::plane ? b.p : a.p;
        a.p -= origin, b.p -= origin;
        const double                  margin = x.margin + y.margin, gap = x.gap + y.gap;
        Manifold                      manifold;
        std::span<const ContactPoint> found;
        if (has_field_route(a, b)) {
            collide_fields(a, b, margin + gap, impl_->options.reduce_contacts, impl_->fields, impl_->points);
            found = impl_->points;
        } else if (!impl_->options.reduce_contacts && has_vertex_route(a, b)) {
            every_vertex(a, b, margin + gap, impl_->points);
            found = impl_->points;
        } else {
            collide(a, b, margin + gap, manifold);
            found = std::span(manifold.points).first(static_cast<std::size_t>(manifold.count));
        }
        for (const ContactPoint& p : found) {
            if (p.distance - margin > gap) continue;
            ++status.contact_count;
            // Midpoint of both offset surfaces: each point moves along the normal by its margin.
            write({.centre   = origin + 0.5 * (p.p0 + p.p1 + (x.margin - y.margin) * p.normal),
                   .normal   = p.normal,
                   .distance = p.distance - margin,
                   .radius0  = a.core_radius(),
                   .radius1  = b.core_radius(),
                   .margin0  = x.margin,
                   .margin1  = y.margin,
                   .gap_sum  = gap,
                   .shape0   = i,
                   .shape1   = k,
                   .feature  = p.feature});
        }
    }
    return status;
}

NarrowPhaseStatus NarrowPhase::launch(std::span<const NarrowPhaseShape> shapes,
                                      std::span<const ShapePair> candidate_pairs, const NarrowPhaseOutput& out)
{
    // Arrays may be of different lengths or empty; the count tells how many would be needed.
    std::size_t slot = 0;
    return launch_custom_write(shapes, candidate_pairs, [&](const ContactData& c) {
        if (slot < out.contact_pair.size()) out.contact_pair[slot] = {c.shape0, c.shape1};
        if (slot < out.contact_position.size()) out.contact_position[slot] = c.centre;
        if (slot < out.contact_normal.size()) out.contact_normal[slot] = c.normal;
        if (slot < out.contact_penetration.size()) out.contact_penetration[slot] = c.distance;
        ++slot;
    });
}

}  // namespace mechane::collision

// Contact rows as points in the world, for drawings and for programs that read contacts.
// Rows of model::Contacts have their points in the frames of the bodies, without the margin. A shape on no body (index
// -1) is in the world already.

#include "mechane/collision/pipeline.h"
#include "mechane/core/failure.h"
#include "mechane/model/belongs.h"

namespace mechane::collision {

void contact_points_world(const model::Model& model, const model::State& state, const model::Contacts& c,
                          std::span<Vec3> point0, std::span<Vec3> point1, std::span<Real> separation)
{
    MCH_REQUIRE(state.body_q.size() == model.body_count(), "contact_points_world", "state", "a state of the model");
    MCH_REQUIRE(model::fits(model, c), "contact_points_world", "contacts", "contacts of the model's shapes");
    const auto world = [&](std::int32_t shape, const Vec3& p) {
        const std::int32_t body = model.shape_body[static_cast<std::size_t>(shape)];
        return body < 0 ? static_cast<Vec3d>(p)
                        : static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]) * static_cast<Vec3d>(p);
    };
    // The normal points from shape 0 to shape 1, so the margin moves point 0 along it and point 1 against it. The
    // separation is then that of the offset surfaces, and negative in penetration [m].
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
        const Vec3d n  = static_cast<Vec3d>(c.rigid_contact_normal[i]);
        const Vec3d p0 = world(c.rigid_contact_shape0[i], c.rigid_contact_point0[i]) +
                         static_cast<double>(c.rigid_contact_margin0[i]) * n;
        const Vec3d p1 = world(c.rigid_contact_shape1[i], c.rigid_contact_point1[i]) -
                         static_cast<double>(c.rigid_contact_margin1[i]) * n;
        if (i < point0.size()) point0[i] = static_cast<Vec3>(p0);
        if (i < point1.size()) point1[i] = static_cast<Vec3>(p1);
        if (i < separation.size()) separation[i] = static_cast<Real>(dot(n, p1 - p0));
    }
}

}  // namespace mechane::collision

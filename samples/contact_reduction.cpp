// Fewer contacts that do the work of many: counts with and without reduction, and the direction of the force.
//
//     sample_contact_reduction
#include <cmath>
#include <numeric>

#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {

struct Patch {
    int   count = 0;
    Vec3d force;  ///< sum of stiffness x penetration x normal [N]
};

/// A ball of 5 cm pressed 4 mm deep into the edge region of a block.
Patch press(const collision::HydroelasticOptions& options)
{
    model::ShapeConfig soft;
    soft.gap             = 0;
    soft.is_hydroelastic = true;
    soft.kh              = 1e9;
    soft.sdf             = model::SdfConfig{.sdf_target_voxel_size = 0.002, .sdf_padding = 0.004};
    model::ModelBuilder builder;
    builder.add_shape_box(builder.add_body({{0, 0, -0.05}, {}}, "block"), {}, {0.1, 0.1, 0.05}, soft);
    builder.add_shape_sphere(builder.add_body({{0.09, 0, 0.046}, {}}, "ball"), {}, 0.05, soft);
    const auto                   model = sample::finalize(builder);
    collision::CollisionPipeline pipeline(model, {.hydroelastic = options});
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(model::make_state(model), 0, contacts);
    Patch patch{contacts.rigid_contact_count, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i)
        patch.force += std::max(0.0, -double(contacts.rigid_contact_distance[i])) *
                       double(contacts.rigid_contact_stiffness[i]) *
                       static_cast<Vec3d>(contacts.rigid_contact_normal[i]);
    return patch;
}

double angle(const Vec3d& a, const Vec3d& b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

}  // namespace

int main()
{
    const Patch all = press({.reduce_contacts = false}), few = press({}), anchored = press({.anchor_contact = true});
    std::printf("all faces   %4d contacts, %.1f N\n", all.count, length(all.force));
    std::printf("reduced     %4d contacts, %.1f N, turned by %.3f degrees\n", few.count, length(few.force),
                angle(all.force, few.force) / kDegrees);
    std::printf("with anchor %4d contacts, %d of them at centres of pressure\n", anchored.count,
                anchored.count - few.count);
    sample::Claims claims;
    claims.that(few.count < all.count && few.count <= 240, "the reduced set is smaller, and at most 240");
    claims.that(angle(all.force, few.force) < 1 * kDegrees, "the force keeps its direction");
    claims.that(std::abs(length(few.force) / length(all.force) - 1) < 0.02, "the force keeps its size");
    claims.that(anchored.count > few.count, "each normal bin may have an anchor");
    return claims.exit_code();
}

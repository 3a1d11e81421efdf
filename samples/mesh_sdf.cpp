// Signed distance fields of meshes: what they cost, and what they save where two hollow meshes meet.
//
//     sample_mesh_sdf
#include "mechane/collision/pipeline.h"
#include "mechane/geometry/sdf.h"
#include "sample.h"
#include "sample_meshes.h"

using namespace mechane;

namespace {

/// Time of one call for two linked rings whose tubes overlap by 4 mm [s].
double time_of(const std::shared_ptr<const geometry::Mesh>& ring, const model::ShapeConfig& config, const char* name)
{
    model::ModelBuilder builder;
    builder.add_shape_mesh(builder.add_body({}, "lying"), {}, {1, 1, 1}, ring, config);
    const Quatd upright = from_axis_angle<double>({1, 0, 0}, kPi / 2);
    builder.add_shape_mesh(builder.add_body({{0.404, 0, 0}, upright}, "standing"), {}, {1, 1, 1}, ring, config);
    const auto                   model = sample::finalize(builder);
    const model::State           state = model::make_state(model);
    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(state, 0, contacts);
    const auto status = pipeline.collide(state, 0, contacts);
    std::printf("%-14s %zu fields, %3d contacts, %.3f ms\n", name, pipeline.sdf_count(), status.contacts,
                1e3 * status.narrow_phase_s);
    return status.narrow_phase_s;
}

void print(const char* name, const geometry::Sdf& field)
{
    const auto& n = field.blocks();
    std::printf("%-14s %d x %d x %d cells of %.2f mm, %zu bricks, %zu kB\n", name, 8 * n[0], 8 * n[1], 8 * n[2],
                1e3 * field.voxel(), field.brick_count(), field.memory() / 1024);
}

}  // namespace

int main()
{
    const auto ring = sample::torus(0.3, 0.1, 48, 24);

    const auto by_count =
        sample::get(geometry::build_sdf(*ring, {.max_resolution = 32, .band_inner = -0.02, .band_outer = 0.02}));
    const auto by_size = sample::get(geometry::build_sdf(
        *ring, {.max_resolution = 32, .target_voxel_size = 0.0125, .band_inner = -0.02, .band_outer = 0.02}));
    print("32 cells", by_count);
    print("12.5 mm", by_size);

    model::ShapeConfig plain;
    plain.gap                          = 0.005;
    model::ShapeConfig with_field      = plain;
    with_field.sdf                     = model::SdfConfig{};
    with_field.sdf->force_sdf          = true;
    with_field.sdf->sdf_max_resolution = 32;
    const double slow = time_of(ring, plain, "triangles"), fast = time_of(ring, with_field, "fields");
    std::printf("fields take %.2f of the time of triangles\n", fast / slow);

    sample::Claims claims;
    claims.that(by_size.voxel() == 0.0125, "the size of a cell goes before their number");
    claims.that(by_size.memory() > by_count.memory(), "smaller cells need more memory");
    claims.that(by_count.sample({0.3, 0, 0}) < -0.05 && by_count.sample({0, 0, 0}) > 0.15,
                "the field is negative in the tube and positive in the hole");
    return claims.exit_code();
}

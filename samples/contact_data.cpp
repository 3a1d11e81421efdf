// What a contact says: its shapes, its two points in the world, its normal, distance and margins.
//
//     sample_contact_data
#include <cmath>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {
void print(const char* name, const Vec3& v)
{ std::printf("  %s (%.3f, %.3f, %.3f)\n", name, double(v.x), double(v.y), double(v.z)); }
}  // namespace

int main()
{
    model::ModelBuilder builder;
    builder.add_ground_plane();
    // A ball of radius 1, 5 cm deep in the ground, turned so that body and world axes differ.
    const Quatd q = from_axis_angle<double>(normalized(Vec3d{1, 2, 3}), 1.0);
    builder.add_shape_sphere(builder.add_body({{0, 0, 0.95}, q}, "ball"), {}, 1, {});
    const auto         model = sample::finalize(builder);
    const model::State state = model::make_state(model);

    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(state, 0, contacts);
    const auto        count = static_cast<std::size_t>(contacts.rigid_contact_count);
    std::vector<Vec3> point0(count), point1(count);
    std::vector<Real> separation(count);
    collision::contact_points_world(model, state, contacts, point0, point1, separation);
    for (std::size_t i = 0; i < count; ++i) {
        std::printf("%s - %s\n", model.shape_label[static_cast<std::size_t>(contacts.rigid_contact_shape0[i])].c_str(),
                    model.shape_label[static_cast<std::size_t>(contacts.rigid_contact_shape1[i])].c_str());
        print("point 0 ", point0[i]);
        print("point 1 ", point1[i]);
        print("normal  ", contacts.rigid_contact_normal[i]);
        std::printf("  distance %.3f m, margins %.3f and %.3f m\n", double(separation[i]),
                    double(contacts.rigid_contact_margin0[i]), double(contacts.rigid_contact_margin1[i]));
    }
    sample::Claims claims;
    claims.that(count == 1 && std::abs(double(separation[0]) + 0.05) < 1e-6, "one contact, 5 cm deep");
    claims.that(count == 1 && length(point1[0] - point0[0] + Real(0.05) * contacts.rigid_contact_normal[0]) < 1e-6,
                "the points differ by the distance along the normal");
    return claims.exit_code();
}

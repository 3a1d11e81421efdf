// Contacts of two simple shapes, one function for each pair: signed distance, position, normal. A slot that holds no
// contact has the distance kUnusedContact.
//
//     sample_blocks_primitives
#include <cmath>

#include "mechane/collision/primitives.h"
#include "sample.h"

using namespace mechane;
using namespace mechane::collision;

namespace {

sample::Claims g_claims;

/// Prints the contacts and holds the least distance and their number against what geometry says.
template <std::size_t N>
void show(const char* name, const PrimitiveContacts<N>& c, double distance, std::size_t count)
{
    std::printf("%-16s %zu of %zu slots:", name, c.count(), N);
    double least = kUnusedContact;
    for (std::size_t i = 0; i < c.count(); ++i) {
        std::printf(" %.3f at (%.2f, %.2f, %.2f) along (%.2f, %.2f, %.2f)", c.distance[i], c.position[i].x,
                    c.position[i].y, c.position[i].z, c.normal[i].x, c.normal[i].y, c.normal[i].z);
        least = std::min(least, c.distance[i]);
    }
    std::printf("\n");
    g_claims.that(std::abs(least - distance) < 1e-6, name);
    g_claims.that(c.count() == count, name);
    for (std::size_t i = c.count(); i < N; ++i) g_claims.that(c.distance[i] >= kUnusedContact, "unused slots are far");
}

}  // namespace

int main()
{
    const Vec3d         x{1, 0, 0}, z{0, 0, 1};
    const PlaneArgs     ground{z, {}};
    const SphereArgs    ball{{0, 0, 0.9}, 1};
    const CapsuleArgs   lying{{0, 0, 0.25}, x, 0.3, 1};
    const CylinderArgs  can{{0, 0, 0.5}, z, 0.3, 0.5};
    const BoxArgs       cube{{0, 0, 0.49}, Mat33d::identity(), {0.5, 0.5, 0.5}};
    const EllipsoidArgs egg{{0, 0, 0.5}, Mat33d::identity(), {0.3, 0.4, 0.6}};

    show("plane sphere", collide_plane_sphere(ground, ball), -0.1, 1);
    show("plane capsule", collide_plane_capsule(ground, lying), -0.05, 2);
    show("plane ellipsoid", collide_plane_ellipsoid(ground, egg), -0.1, 1);
    show("plane box", collide_plane_box(ground, cube), -0.01, 4);
    show("plane cylinder", collide_plane_cylinder(ground, can), 0, 4);
    show("sphere sphere", collide_sphere_sphere(ball, {{0, 0, 3}, 1}), 0.1, 1);
    show("sphere capsule", collide_sphere_capsule({{0.5, 0, 1}, 0.5}, lying), -0.05, 1);
    show("sphere cylinder", collide_sphere_cylinder({{1, 0, 0.5}, 0.5}, can), 0.2, 1);
    show("sphere box", collide_sphere_box({{1, 0, 0.5}, 0.4}, cube), 0.1, 1);
    show("capsule capsule", collide_capsule_capsule(lying, {{0.5, 0, 0.8}, x, 0.3, 1}), -0.05, 2);
    show("capsule box", collide_capsule_box({{0, 0, 1.2}, x, 0.3, 1}, cube), -0.09, 2);
    show("box box", collide_box_box(cube, {{0.3, 0, 1.48}, Mat33d::identity(), {0.5, 0.5, 0.5}}), -0.01, 4);
    show("box box apart", collide_box_box(cube, {{3, 0, 0.49}, Mat33d::identity(), {0.5, 0.5, 0.5}}), kUnusedContact,
         0);
    return g_claims.exit_code();
}

#include "mechane/geometry/shell_mass.h"

#include "support/support.h"

namespace mechane::geometry {
using test::close_to;

namespace {
Mesh unit_cube()
{
    Mesh cube;
    for (int i = 0; i < 8; ++i) cube.points.push_back({i & 1 ? .5 : -.5, i & 2 ? .5 : -.5, i & 4 ? .5 : -.5});
    const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads) {
        cube.triangles.push_back({q[0], q[1], q[2]});
        cube.triangles.push_back({q[0], q[2], q[3]});
    }
    return cube;
}
}  // namespace

TEST_CASE("the walls of a cube keep their thickness at the edges, whichever way its faces wind")
{
    Mesh cube = unit_cube();
    for (const double th : {0.02, 0.1}) {
        const double         inner = 1 - 2 * th;
        const MassProperties shell = inward_shell_mass(cube, th, 1000);
        CHECK(shell.mass == close_to(1000 * (1 - inner * inner * inner), 1e-9));
        CHECK(shell.inertia(0, 0) == close_to(1000.0 / 6 * (1 - std::pow(inner, 5)), 1e-9));
        for (auto& t : cube.triangles) std::swap(t[1], t[2]);
        CHECK(inward_shell_mass(cube, th, 1000).mass == close_to(shell.mass, 1e-9));
    }
}

TEST_CASE("an open mesh and a wall thicker than the shape give a prism for each triangle")
{
    Mesh open = unit_cube();
    open.triangles.resize(10);  // one side left out: five squares
    CHECK(inward_shell_mass(open, 0.01, 1000).mass == close_to(50, 1e-9));
    CHECK(inward_shell_mass(unit_cube(), 0.6, 1).mass == close_to(3.6, 1e-9));
    CHECK(inward_shell_mass(unit_cube(), 0, 1).mass == 0);
}

}  // namespace mechane::geometry

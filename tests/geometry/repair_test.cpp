#include "mechane/geometry/repair.h"

#include <algorithm>

#include "geometry/meshes.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh_report.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::box_mesh;
using mechane::test::close_to;
using mechane::test::for_seeds;
using mechane::test::gear;
using mechane::test::icosphere;
using mechane::test::torus;

namespace {

void add(Mesh& to, const Mesh& more, const Vec3d& by, bool inside_out = false)
{
    const auto first = static_cast<std::int32_t>(to.points.size());
    for (const Vec3d& p : more.points) to.points.push_back(p + by);
    for (auto t : more.triangles) {
        if (inside_out) std::swap(t[1], t[2]);
        to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
}

/// Every triangle with points of its own, as STL has them.
Mesh loose(const Mesh& mesh)
{
    Mesh out;
    for (const auto& t : mesh.triangles) {
        const auto first = static_cast<std::int32_t>(out.points.size());
        for (const std::int32_t i : t) out.points.push_back(mesh.points[static_cast<std::size_t>(i)]);
        out.triangles.push_back({first, first + 1, first + 2});
    }
    return out;
}

std::vector<Mesh> solids()
{ return {box_mesh({1, 0.5, 0.25}), icosphere(2, 0.7), torus(1, 0.3, 12, 9), gear(5, 0.8, 1, 0.1)}; }

}  // namespace

TEST_CASE("a sound mesh comes back as it was")
{
    for (const Mesh& solid : solids()) {
        MeshRepair done;
        const Mesh same = repaired(solid, {}, done);
        CHECK(done.nothing());
        CHECK(same.points == solid.points);
        CHECK(same.triangles == solid.triangles);
    }
}

TEST_CASE("whatever order, winding, seams and repetition a closed mesh has, its solid comes back")
{
    const auto meshes = solids();
    for_seeds(40, [&](Random& r) {
        const Mesh&  solid  = meshes[static_cast<std::size_t>(r.uniform(0, 3.999))];
        const double volume = inspect_mesh(solid).volume;
        Mesh         broken = loose(solid);
        // Less than half of the triangles run the wrong way, some stand there twice, one has lost a corner.
        for (std::size_t t = 0; t < broken.triangles.size(); ++t)
            if (r.uniform(0, 1) < 0.3) std::swap(broken.triangles[t][0], broken.triangles[t][1]);
        for (std::size_t i = broken.triangles.size(); i > 1; --i)
            std::swap(broken.triangles[i - 1],
                      broken.triangles[static_cast<std::size_t>(r.uniform(0, double(i) - 1e-9))]);
        for (int i = 0; i < 5; ++i) broken.triangles.push_back(broken.triangles[static_cast<std::size_t>(3 * i)]);
        broken.triangles.push_back({0, 0, 1});
        MeshRepair done;
        const Mesh whole  = repaired(broken, {}, done);
        const auto report = inspect_mesh(whole);
        CHECK(report.watertight());
        CHECK(report.orientation == Orientation::outward);
        CHECK(report.volume == close_to(volume, 1e-12));
        CHECK(whole.triangles.size() == solid.triangles.size());
        CHECK(done.dropped == 6);
        CHECK(done.holes.empty());
        // What is repaired stays as it is.
        MeshRepair again;
        CHECK(repaired(whole, {}, again).triangles == whole.triangles);
        CHECK(again.nothing());
    });
}

TEST_CASE("holes of flat faces are filled to the solid that was there")
{
    for_seeds(40, [&](Random& r) {
        const Vec3d h{r.uniform(0.1, 2), r.uniform(0.1, 2), r.uniform(0.1, 2)};
        Mesh        open = box_mesh(h);
        // The two triangles of a face, or one of them.
        const auto        face = 2 * static_cast<std::ptrdiff_t>(r.uniform(0, 5.999));
        const std::size_t gone = r.uniform(0, 1) < 0.5 ? 1 : 2;
        open.triangles.erase(open.triangles.begin() + face,
                             open.triangles.begin() + face + static_cast<std::ptrdiff_t>(gone));
        MeshRepair done;
        const auto report = inspect_mesh(repaired(open, {}, done));
        CHECK(report.watertight());
        CHECK(report.volume == close_to(8 * h.x * h.y * h.z, 1e-12));
        REQUIRE(done.holes.size() == 1);
        CHECK(done.holes[0].edges == gone + 2);
        CHECK(done.holes[0].filled);
    });
    // A concave face of a toothed wheel: every filling of least area is the face.
    Mesh         open   = gear(6, 0.8, 1, 0.1);
    const double volume = inspect_mesh(open).volume;
    std::erase_if(open.triangles, [&](const auto& t) {
        return std::all_of(t.begin(), t.end(),
                           [&](std::int32_t i) { return open.points[static_cast<std::size_t>(i)].z > 0; });
    });
    MeshRepair done;
    const auto report = inspect_mesh(repaired(open, {}, done));
    CHECK(report.watertight());
    CHECK(report.volume == close_to(volume, 1e-9));
}

TEST_CASE("a rim of more edges than the exact method takes is filled too")
{
    Mesh      tube;
    const int n = 400;
    for (int i = 0; i < n; ++i)
        for (const double z : {0.0, 1.0})
            tube.points.push_back({std::cos(2 * kPi * i / n), std::sin(2 * kPi * i / n), z});
    for (int i = 0; i < n; ++i) {
        const int a = 2 * i, b = 2 * ((i + 1) % n);
        tube.triangles.push_back({a, b, b + 1});
        tube.triangles.push_back({a, b + 1, a + 1});
    }
    MeshRepair done;
    const auto report = inspect_mesh(repaired(tube, {}, done));
    CHECK(done.holes.size() == 2);
    CHECK(report.watertight());
    CHECK(report.volume == close_to(0.5 * n * std::sin(2 * kPi / n), 1e-12));  // of a prism over a regular polygon
}

TEST_CASE("a flat part and a rim that is to stay are left open")
{
    const Mesh sheet{.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}, {0, 2, 3}}};
    MeshRepair done;
    CHECK(repaired(sheet, {}, done).triangles == sheet.triangles);
    REQUIRE(done.holes.size() == 1);
    CHECK_FALSE(done.holes[0].filled);
    Mesh open = box_mesh({1, 1, 1});
    open.triangles.resize(10);
    CHECK(repaired(open, {.fill_holes = false}, done).triangles == open.triangles);
    CHECK(done.holes[0].length == close_to(8, 1e-12));
}

TEST_CASE("a triangle on a line closes without a gap: its neighbour is divided")
{
    // The edge 1-2 of a tetrahedron has a point on one side only, with a triangle without area beside it or without.
    for (const bool sliver : {false, true}) {
        Mesh m{.points    = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}},
               .triangles = {{0, 2, 4}, {0, 4, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
        if (sliver) m.triangles.push_back({1, 4, 2});
        MeshRepair done;
        const Mesh whole  = repaired(m, {}, done);
        const auto report = inspect_mesh(whole);
        CHECK(report.watertight());
        CHECK(report.faults.degenerate_triangles == 0);
        CHECK(report.volume == close_to(1.0 / 6, 1e-12));
    }
}

TEST_CASE("parts face outwards, hollows within them inwards")
{
    for (const bool inside_out : {false, true}) {
        Mesh m;
        add(m, box_mesh({1, 1, 1}), {}, inside_out);
        add(m, icosphere(1, 0.5), {}, true);         // a hollow
        add(m, icosphere(1, 0.1), {}, false);        // what lies in it
        add(m, icosphere(1, 0.5), {5, 0, 0}, true);  // another body, inside out
        const double ball = inspect_mesh(icosphere(1, 0.5)).volume, small = inspect_mesh(icosphere(1, 0.1)).volume;
        MeshRepair   done;
        CHECK(inspect_mesh(repaired(m, {}, done)).volume == close_to(8 - ball + small + ball, 1e-9));
        CHECK(done.turned == 80 + (inside_out ? 12 : 0));
    }
}

TEST_CASE("nothing that a random mesh holds brings the repair out of step")
{
    for_seeds(300, [&](Random& r) {
        Mesh       m;
        const int  n    = static_cast<int>(r.uniform(0, 12));
        const bool grid = r.uniform(0, 1) < 0.5;
        for (int i = 0; i < n; ++i) {
            Vec3d p = r.vec(1);
            if (grid)
                p = {std::round(p.x), std::round(p.y), std::round(p.z)};  // coincident, collinear, coplanar points
            m.points.push_back(p);
        }
        for (int i = 0; n > 0 && i < 3 * n; ++i) {
            const auto any = [&] { return static_cast<std::int32_t>(r.uniform(0, n - 1e-9)); };
            m.triangles.push_back({any(), any(), any()});
        }
        MeshRepair done;
        const Mesh out = repaired(m, {}, done);
        CHECK(has_valid_indices(out));
        CHECK(is_finite(out));
        for (const auto& t : out.triangles) CHECK((t[0] != t[1] && t[1] != t[2] && t[2] != t[0]));
    });
}

#include "mechane/geometry/sdf.h"

#include "mechane/geometry/closest.h"
#include "mechane/geometry/sdf_primitives.h"
#include "mechane/tasks/parallel.h"
#include "meshes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::geometry;

namespace {

/// Distance to every triangle in turn, not signed.
double brute_distance(const Mesh& m, const Vec3d& p)
{
    double best = kInfinity;
    for (const auto& t : m.triangles)
        best = std::min(best, distance(p, closest_on_triangle(p, m.points[static_cast<std::size_t>(t[0])],
                                                              m.points[static_cast<std::size_t>(t[1])],
                                                              m.points[static_cast<std::size_t>(t[2])])
                                              .point));
    return best;
}

Sdf built(const Mesh& mesh, const SdfOptions& options = {})
{
    auto sdf = build_sdf(mesh, options);
    REQUIRE(sdf.has_value());
    return *std::move(sdf);
}

SdfOptions exact(int resolution)
{
    SdfOptions o;
    o.max_resolution = resolution;
    o.storage        = SdfStorage::float32;
    return o;
}

}  // namespace

TEST_CASE("the closed forms of primitives give the distances of the table")
{
    CHECK(sdf_sphere({0, 0, 1}, 0.5) == close_to(0.5, 1e-12));
    CHECK(sdf_box({1, 0, 0}, {0.5, 0.5, 0.5}) == close_to(0.5, 1e-12));
    CHECK(sdf_box({1, 1, 0}, {0.5, 0.5, 0.5}) == close_to(0.7071068, 1e-7));
    CHECK(sdf_box({}, {0.5, 0.5, 0.5}) == close_to(-0.5, 1e-12));
    CHECK(sdf_capsule({0, 0, 1}, 0.25, 0.5) == close_to(0.25, 1e-12));
    CHECK(sdf_cylinder({1, 0, 1}, 0.5, 0.5) == close_to(0.7071068, 1e-7));
    CHECK(sdf_cylinder({}, 0.5, 0.5) == close_to(-0.5, 1e-12));
    CHECK(sdf_cone({0.6, 0, 0}, 0.5, 0.5) == close_to(0.3130495, 1e-7));
    // Inside the cone: 0.1 above the base, and 0.1 from the side (outline 2 r + z = 1 in these units, |(2, 1)| = sqrt
    // 5).
    CHECK(sdf_cone({0, 0, -0.4}, 0.5, 0.5) == close_to(-0.1, 1e-12));
    CHECK(sdf_cone({0.25 - 0.1 * std::sqrt(5.0) / 2, 0, 0}, 0.5, 0.5) == close_to(-0.1, 1e-12));
    CHECK(sdf_plane({0, 0, -0.3}) == -0.3);
}

TEST_CASE("a field differs from the distance by at most half a voxel, by a tenth over faces (COL-109)")
{
    struct {
        const char*                       name;
        Mesh                              mesh;
        std::function<bool(const Vec3d&)> inside;
    } const table[] = {
        {"sphere", icosphere(2, 0.5), [](const Vec3d& p) { return length(p) < 0.485; }},
        {"box", box_mesh({0.5, 0.3, 0.2}), [](const Vec3d& p) { return sdf_box(p, {0.5, 0.3, 0.2}) < 0; }},
        {"torus", torus(0.4, 0.15, 48, 24),
         [](const Vec3d& p) { return length(Vec3d{std::hypot(p.x, p.y) - 0.4, p.z, 0}) < 0.147; }},
        {"gear", gear(9, 0.35, 0.5, 0.12), nullptr},
    };
    for (const auto& row : table)
        for (const int resolution : {64, 128}) {
            CAPTURE(row.name);
            CAPTURE(resolution);
            SdfOptions o;
            o.max_resolution = resolution;
            o.band_inner = -0.03, o.band_outer = 0.03;
            const Sdf    sdf = built(row.mesh, o);
            const double h = sdf.voxel(), quantum = sdf.range() / 65535;
            Random       r(static_cast<std::uint64_t>(resolution));
            const Aabbd  box  = bounds(row.mesh);
            double       face = 0, any = 0;
            for (int i = 0; i < 8000; ++i) {
                Vec3d p;
                for (std::size_t k = 0; k < 3; ++k) p[k] = r.uniform(box.lower[k] - 0.03, box.upper[k] + 0.03);
                const double d = brute_distance(row.mesh, p), s = sdf.sample(p);
                if (d > 0.03) continue;  // the band
                const double error = std::abs(std::abs(s) - d);
                any                = std::max(any, error);
                if (row.inside && d > 0.25 * h && d > 0.016) CHECK((s < 0) == row.inside(p));
                if (std::string_view(row.name) == "box") {
                    // Over a face: no other face is as near as two voxels more.
                    const Vec3d q    = abs(p) - Vec3d{0.5, 0.3, 0.2};
                    int         near = 0;
                    for (std::size_t k = 0; k < 3; ++k) near += q[k] > max_component(q) - 2 * h ? 1 : 0;
                    if (near == 1 && (max_component(q) < 0 ||
                                      std::count_if(&q.x, &q.x + 3, [&](double x) { return x > -2 * h; }) == 1))
                        face = std::max(face, error);
                }
            }
            CHECK(any <= 0.5 * h + quantum);
            CHECK(face <= 0.1 * h + quantum);
        }
}

TEST_CASE("the gradient has length one where the surface is smooth and the medial axis far (COL-109)")
{
    SdfOptions o = exact(128);
    o.band_inner = -0.03, o.band_outer = 0.03;
    const Sdf sdf = built(icosphere(4, 0.5), o);
    Random    r(3);
    for (int i = 0; i < 2000; ++i) {
        const Vec3d n = r.direction(), p = (0.5 + r.uniform(-0.029, 0.029)) * n;
        const auto  s = sdf.sample_gradient(p);
        CHECK(length(s.gradient) >= 0.9);
        CHECK(length(s.gradient) <= 1.1);
        // A facet of this sphere leans by at most 2.5 degrees from the sphere it approximates.
        CHECK(dot(normalized(s.gradient), n) > std::cos(5 * kDegrees));
        CHECK(s.distance == sdf.sample(p));
    }
}

TEST_CASE("a field is built without a GPU and has the same bytes for any number of threads (COL-108)")
{
    const Mesh mesh   = gear(7, 0.35, 0.5, 0.12);
    const auto serial = built(mesh).to_bytes();
    for (const int threads : {1, 2, 3, 8}) {
        const tasks::Pool pool(threads);
        const auto        sdf = build_sdf(mesh, {}, &pool);
        REQUIRE(sdf.has_value());
        CHECK(sdf->to_bytes() == serial);
    }
}

TEST_CASE(
    "inside and outside are told apart whichever way a closed mesh is wound, and a sheet by its normals (COL-110)")
{
    const auto turned = [](Mesh m, std::size_t every) {
        for (std::size_t t = 0; t < m.triangles.size(); t += every) std::swap(m.triangles[t][1], m.triangles[t][2]);
        return m;
    };
    const Mesh ring = torus(0.4, 0.15, 32, 16);
    struct {
        const char* name;
        Mesh        mesh;
        SignMethod  method, chosen;
    } const table[] = {
        {"outwards", ring, SignMethod::automatic, SignMethod::parity},
        {"inwards", turned(ring, 1), SignMethod::automatic, SignMethod::parity},
        {"every third triangle turned", turned(ring, 3), SignMethod::automatic, SignMethod::parity},
        {"outwards, by winding", ring, SignMethod::winding, SignMethod::winding},
        {"inwards, by winding", turned(ring, 1), SignMethod::winding, SignMethod::winding},
        {"outwards, by normals", ring, SignMethod::normal, SignMethod::normal},
        {"inwards, by normals", turned(ring, 1), SignMethod::normal, SignMethod::normal},
    };
    for (const auto& row : table) {
        CAPTURE(row.name);
        const MeshDistance d(row.mesh, row.method);
        CHECK(d.method() == row.chosen);
        SdfOptions o  = exact(40);
        o.sign        = row.method;
        const Sdf sdf = built(row.mesh, o);
        Random    r(5);
        for (int i = 0; i < 3000; ++i) {
            const Vec3d  p{r.uniform(-0.6, 0.6), r.uniform(-0.6, 0.6), r.uniform(-0.2, 0.2)};
            const double truth = length(Vec3d{std::hypot(p.x, p.y) - 0.4, p.z, 0}) - 0.15;
            // The facets of this ring lie up to 1.9 % of 0.15 + 0.5 % of 0.55 m inside of it, hence 6 mm of doubt.
            if (std::abs(truth) < 0.006 + 0.25 * sdf.voxel()) continue;
            CHECK((d.signed_distance(p) < 0) == (truth < 0));
            CHECK((sdf.sample(p) < 0) == (truth < 0));
        }
    }
    Mesh sheet;
    sheet.points    = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    CHECK(MeshDistance(sheet).method() == SignMethod::normal);
    CHECK(built(sheet).sample({0.1, 0.2, 0.03}) == close_to(0.03, 1e-3));
    CHECK(built(sheet).sample({0.1, 0.2, -0.03}) == close_to(-0.03, 1e-3));
    // A box without its lid: the winding number closes the hole.
    Mesh open = box_mesh({0.5, 0.5, 0.5});
    open.triangles.erase(open.triangles.begin() + 2, open.triangles.begin() + 4);
    const MeshDistance d(open);
    CHECK(d.method() == SignMethod::winding);
    CHECK(d.signed_distance({0, 0, 0}) == close_to(-0.5, 1e-12));
    CHECK(d.signed_distance({0, 0, 0.8}) > 0);
}

TEST_CASE("the winding number of far groups is that of their triangles")
{
    // A dipole is off by the square of the group's size over its distance, here below 1 / 2.5^2 of what it gives;
    // the errors of many groups mostly cancel.
    const Mesh        mesh = icosphere(4, 0.5);
    const WindingTree tree(mesh);
    Random            r(11);
    for (int i = 0; i < 500; ++i) {
        const Vec3d  p = r.vec(1);
        const double l = length(p);
        if (std::abs(l - 0.5) < 0.01) continue;
        CHECK(tree.at(p) == close_to(l < 0.5 ? 1 : 0, 0.04));
    }
}

TEST_CASE("options out of range are refused before anything is allocated, each with its number (COL-111)")
{
    const Mesh mesh = box_mesh({0.5, 0.5, 0.5});
    const auto with = [](auto&& change) {
        SdfOptions o;
        change(o);
        return o;
    };
    struct {
        SdfOptions  options;
        const char* named;
        const char* code = "GEOMETRY_SDF_OPTIONS";
    } const table[] = {
        {with([](auto& o) { o.max_resolution = 63; }), "63"},
        {with([](auto& o) { o.max_resolution = 0; }), "0"},
        {with([](auto& o) { o.max_resolution = -8; }), "-8"},
        {with([](auto& o) { o.max_resolution = 65536; }), "65536"},
        {with([](auto& o) { o.max_resolution = 2056; }), "2056"},
        {with([](auto& o) { o.target_voxel_size = 0.0; }), "0"},
        {with([](auto& o) { o.target_voxel_size = -0.01; }), "-0.01"},
        {with([](auto& o) { o.target_voxel_size = std::nan(""); }), "nan"},
        {with([](auto& o) { o.target_voxel_size = 1e-9; }), "2048"},
        {with([](auto& o) { o.band_inner = 0.01; }), "0.01"},
        {with([](auto& o) { o.band_outer = 0; }), "0"},
        {with([](auto& o) { o.band_outer = std::nan(""); }), "nan"},
        {with([](auto& o) { o.padding = -1; }), "-1"},
        {with([](auto& o) { o.scale = {1, 0, 1}; }), "scale"},
        {with([](auto& o) { o.max_resolution = 2048; }), "MiB", "GEOMETRY_SDF_MEMORY"},
    };
    for (const auto& row : table) {
        CAPTURE(row.named);
        const auto sdf = build_sdf(mesh, row.options);
        REQUIRE(!sdf.has_value());
        CHECK(sdf.error().id == row.code);
        CHECK(sdf.error().message.find(row.named) != std::string::npos);
    }
    Mesh broken = mesh;
    broken.triangles.push_back({0, 1, 99});
    CHECK(!build_sdf(broken).has_value());
    CHECK(!build_sdf(Mesh{}).has_value());
    broken             = mesh;
    broken.points[3].y = std::nan("");
    CHECK(!build_sdf(broken).has_value());
}

TEST_CASE("the size of a voxel goes before the resolution (COL-112, GAP-041)")
{
    SdfOptions o;
    o.max_resolution    = 16;
    o.padding           = 0.0625;
    o.target_voxel_size = 0.02;
    // 1.125 m / 0.02 m = 56.25, rounded up to a multiple of 8 is 64 cells.
    const Sdf sdf = built(box_mesh({0.5, 0.25, 0.125}), o);
    CHECK(sdf.voxel() == close_to(1.125 / 64, 1e-15));
    CHECK(sdf.blocks() == std::array<int, 3>{8, 5, 3});
    o.target_voxel_size.reset();
    CHECK(built(box_mesh({0.5, 0.25, 0.125}), o).voxel() == close_to(1.125 / 16, 1e-15));
}

TEST_CASE("integers store a sample within half a step of the range, floats exactly (COL-113)")
{
    const Mesh mesh  = icosphere(2, 0.5);
    const Sdf  truth = built(mesh, exact(32));
    struct {
        SdfStorage storage;
        double     steps;
    } const table[] = {{SdfStorage::uint8, 255}, {SdfStorage::uint16, 65535}, {SdfStorage::float32, kInfinity}};
    for (const auto& row : table) {
        SdfOptions o  = exact(32);
        o.storage     = row.storage;
        const Sdf sdf = built(mesh, o);
        CHECK(sdf.range() == truth.range());
        double worst = 0;
        Random r(9);
        for (int i = 0; i < 5000; ++i) {
            const Vec3d p = (0.5 + r.uniform(-0.1, 0.05)) * r.direction();
            worst         = std::max(worst, std::abs(sdf.sample(p) - truth.sample(p)));
        }
        CHECK(worst <= 0.5 * sdf.range() / row.steps * (1 + 1e-9));
        if (std::isfinite(row.steps)) CHECK(worst > 0);  // or the storage was not what it says
    }
}

TEST_CASE("blocks out of the band use the coarse grid, and blocks that it already describes have no brick (COL-114)")
{
    SdfOptions o = exact(128);
    o.band_inner = -0.02, o.band_outer = 0.02;
    const Sdf sdf   = built(box_mesh({0.5, 0.5, 0.5}), o);
    int       empty = 0, demoted = 0, bricks = 0;
    for (int z = 0; z < sdf.blocks()[2]; ++z)
        for (int y = 0; y < sdf.blocks()[1]; ++y)
            for (int x = 0; x < sdf.blocks()[0]; ++x) {
                const std::uint32_t b = sdf.block(x, y, z);
                ++(b == Sdf::kEmpty ? empty : b == Sdf::kDemoted ? demoted : bricks);
            }
    CHECK(empty > 0);
    CHECK(demoted > 0);  // over the middle of a face the field is linear
    CHECK(bricks == static_cast<int>(sdf.brick_count()));
    CHECK(bricks > 0);  // along the edges it is not
    Random r(2);
    for (int i = 0; i < 20000; ++i) {
        const Vec3d  p = r.vec(0.54);
        const double d = sdf_box(p, {0.5, 0.5, 0.5});
        // In the band the demoted blocks keep their bound; what the ridges of a brick add is half a voxel. Outside of
        // the band a coarse cell may be off by what a ridge bends over half its edge.
        if (std::abs(d) <= 0.02)
            CHECK(std::abs(sdf.sample(p) - d) <= 0.5 * sdf.voxel());
        else
            CHECK(std::abs(sdf.sample(p) - d) <= 0.5 * 8 * sdf.voxel());
    }
    // Beyond the box the way to it is added.
    CHECK(sdf.sample({3, 0, 0}) == close_to(2.5, 0.5 * 8 * sdf.voxel()));
}

TEST_CASE("a scale baked in gives the same as one applied to the answer (COL-115)")
{
    const Mesh mesh = gear(7, 0.35, 0.5, 0.12);
    SdfOptions unit = exact(32), baked = unit;
    baked.scale   = {0.25, 0.25, 0.25};
    baked.padding = 0.25 * unit.padding;
    baked.band_inner *= 0.25, baked.band_outer *= 0.25;
    const Sdf a = built(mesh, unit), b = built(mesh, baked);
    CHECK(b.voxel() == close_to(0.25 * a.voxel(), 1e-12));
    Random r(4);
    for (int i = 0; i < 5000; ++i) {
        const Vec3d p{r.uniform(-0.13, 0.13), r.uniform(-0.13, 0.13), r.uniform(-0.04, 0.04)};
        CHECK(std::abs(b.sample(p) - 0.25 * a.sample(4.0 * p)) <= 0.1 * b.voxel());
    }
    // Unequal factors only make sense baked in: a ball becomes an ellipsoid, whose shortest axis is 0.1.
    SdfOptions flat = exact(32);
    flat.scale      = {1, 1, 0.2};
    CHECK(built(icosphere(3, 0.5), flat).sample({0, 0, 0.13}) == close_to(0.03, 0.5 * 1.1 / 32));
}

TEST_CASE("a field read back from its bytes is the same, and damaged bytes are none")
{
    const Sdf  sdf   = built(icosphere(2, 0.5));
    const auto bytes = sdf.to_bytes();
    const auto again = Sdf::from_bytes(bytes);
    REQUIRE(again.has_value());
    CHECK(again->to_bytes() == bytes);
    Random r(1);
    for (int i = 0; i < 200; ++i) {
        const Vec3d p = r.vec(1);
        CHECK(again->sample(p) == sdf.sample(p));
    }
    CHECK(!Sdf::from_bytes(std::span(bytes).first(bytes.size() - 1)).has_value());
    CHECK(!Sdf::from_bytes(std::span(bytes).first(3)).has_value());
    for (std::size_t at = 0; at < 120; ++at) {  // the header: a damaged one is refused or still safe to sample
        auto damaged = bytes;
        damaged[at] ^= std::byte{0x81};
        if (const auto odd = Sdf::from_bytes(damaged)) CHECK(!std::isnan(odd->sample({0.1, 0.2, 0.3}) * 0));
    }
}

TEST_CASE("the key of a field changes with every point, index and option")
{
    const Mesh          mesh = icosphere(1, 0.5);
    const SdfOptions    o;
    const std::uint64_t key = sdf_key(mesh, o);
    CHECK(sdf_key(mesh, o) == key);
    Mesh moved = mesh;
    moved.points[7].y += 1e-12;
    CHECK(sdf_key(moved, o) != key);
    moved = mesh;
    std::swap(moved.triangles[0][1], moved.triangles[0][2]);
    CHECK(sdf_key(moved, o) != key);
    for (int i = 0; i < 7; ++i) {
        SdfOptions c = o;
        if (i == 0) c.max_resolution = 128;
        if (i == 1) c.target_voxel_size = 0.01;
        if (i == 2) c.band_inner = -0.2;
        if (i == 3) c.padding = 0.06;
        if (i == 4) c.storage = SdfStorage::uint8;
        if (i == 5) c.sign = SignMethod::winding;
        if (i == 6) c.scale.y = 2;
        CHECK(sdf_key(mesh, c) != key);
    }
}

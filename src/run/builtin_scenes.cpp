// Built-in scenes for measuring and trying out ("pyramid:20"): the scenes of Jolt's and Newton's performance tests, and
// small ones. The size is behind a colon and bounded by what a machine can hold.
// Metres, z up; sizes count layers, bodies, robots or links.

#include "mechane/run/builtin_scenes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <memory>

#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/hull.h"
#include "mechane/run/codes.h"
#include "run/robots.h"

namespace mechane::run {
namespace {

using model::ModelBuilder;
using model::ShapeConfig;

constexpr int kMaxSize = 100000;

/// @param gap  distance at which contacts are made before the shapes touch [m]
ModelBuilder with_ground(double gap = 0.02)
{
    ModelBuilder b;
    b.rigid_gap = gap;
    b.add_ground_plane(0);
    return b;
}

ModelBuilder pyramid(int layers)
{
    constexpr double kSize = 2, kApart = 0.5;
    ModelBuilder     b = with_ground();
    for (int layer = 0; layer < layers; ++layer) {
        const int    side   = layers - layer;
        const double corner = -0.5 * kSize * (side - 1);
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j)
                b.add_shape_box(
                    b.add_body({{corner + kSize * i, corner + kSize * j, 0.5 * kSize + (kSize + kApart) * layer}, {}},
                               fmt::format("/box_{}_{}_{}", layer, i, j)),
                    {}, {0.5 * kSize, 0.5 * kSize, 0.5 * kSize}, {});
    }
    return b;
}

/// A hilly terrain of 100 x 100 quads with edges of 3 m; 10 m from valley to top.
std::shared_ptr<const geometry::Mesh> terrain()
{
    constexpr int    n     = 100;
    constexpr double kCell = 3, kHeight = 5;
    return std::make_shared<geometry::Mesh>(geometry::grid_mesh(
        n, n, geometry::GridOrder::y_fastest,
        [](int i, int j) {
            return Vec3d{kCell * (i - 0.5 * n), kCell * (j - 0.5 * n),
                         kHeight * (1 + std::cos(0.5 * i) * std::sin(0.5 * j))};
        },
        [](int, int) { return geometry::Diagonal::falling; }));
}

/// An upright pyramid of four sides with a height of 1 m; a corner of its base lies on each axis.
std::shared_ptr<const geometry::Mesh> pyramid_hull()
{
    auto hull = geometry::build_hull(std::vector<Vec3d>{{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}});
    return hull ? std::make_shared<geometry::Mesh>(*std::move(hull)) : nullptr;
}

/// The measures of the scene ConvexVsMesh in the performance test of Jolt Physics 5.5, upright along z.
ModelBuilder convex_vs_mesh(int side)
{
    constexpr double kApart = 7.5, kLowest = 15, kLevel = 2;
    ModelBuilder     b;
    // Gaps of both shapes add.
    b.rigid_gap = 0.01;  // 2 cm for a pair, as in Jolt
    ShapeConfig material;
    material.mu          = 0.5;
    material.restitution = 0.6;
    b.add_shape_mesh(model::kWorldBody, {}, {1, 1, 1}, terrain(), material, "/terrain");
    const auto hull = pyramid_hull();
    for (int level = 0; level < 4; ++level)
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j) {
                const double middle = 0.5 * (side - 1);
                const Posed  at{{kApart * (i - middle), kApart * (j - middle), kLowest + kLevel * level}, {}};
                const auto   body = b.add_body(at, fmt::format("/body_{}_{}_{}", level, i, j));
                switch (level) {
                    case 0:
                        b.add_shape_box(body, {}, {1, 0.5, 0.75}, material);
                        break;
                    case 1:
                        b.add_shape_sphere(body, {}, 0.5, material);
                        break;
                    case 2:
                        b.add_shape_capsule(body, {}, 0.5, 0.75, material);
                        break;
                    default:
                        b.add_shape_mesh(body, {}, {1, 1, 1}, hull, material);
                        break;
                }
            }
    return b;
}

/// Copies of a robot on a square grid.
template <class Add>
ModelBuilder grid(int count, double spacing, const Add& add)
{
    // Robots bring their contacts about by themselves; a gap of 0 makes rows only where they touch.
    ModelBuilder b    = with_ground(0);
    const int    side = static_cast<int>(std::ceil(std::sqrt(count)));
    for (int i = 0; i < count; ++i)
        add(b, Posed{{spacing * (i % side), spacing * (i / side), 0}, {}}, fmt::format("/robot_{}", i));
    return b;
}

ModelBuilder ragdoll_pile(int count)
{
    ModelBuilder b = with_ground(0);
    for (int i = 0; i < count; ++i)
        add_humanoid(b, {{0.7 * (i % 2), 0.9 * (i / 2 % 2), 2.2 * (i / 4)}, {}}, fmt::format("/ragdoll_{}", i));
    return b;
}

ModelBuilder chain(int links)
{
    constexpr double          kLength = 0.1, kRadius = 0.02;
    ModelBuilder              b;
    std::vector<std::int32_t> joints;
    std::int32_t              parent = model::kWorldBody;
    const Quatd               along  = from_axis_angle(Vec3d{0, 1, 0}, 0.5 * kPi);  // capsules lie along z
    ShapeConfig               light;
    // A hanging chain measures joints: nothing collides.
    light.collision_group = 0;
    for (int i = 0; i < links; ++i) {
        const auto link = b.add_link({{kLength * i, 0, 0}, {}}, fmt::format("/link_{}", i));
        b.add_shape_capsule(link, {{0.5 * kLength, 0, 0}, along}, kRadius, 0.5 * kLength - kRadius, light);
        const Vec3d anchor = i == 0 ? Vec3d{} : Vec3d{kLength, 0, 0};
        joints.push_back(b.add_joint_ball(parent, link, {anchor, {}}, {}, fmt::format("/joint_{}", i)));
        parent = link;
    }
    b.add_articulation(joints, "/chain");
    return b;
}

ModelBuilder spheres(int count)
{
    constexpr double kRadius = 0.1;
    ModelBuilder     b       = with_ground();
    for (int i = 0; i < count; ++i) {
        // every other layer is moved aside, so that the column falls over
        const int    layer = i / 36;
        const double aside = layer % 2 == 0 ? 0 : 0.3 * kRadius;
        b.add_shape_sphere(b.add_body({{2.1 * kRadius * (i % 6) + aside, 2.1 * kRadius * (i / 6 % 6) + aside,
                                        1.5 * kRadius + 2.1 * kRadius * layer},
                                       {}},
                                      fmt::format("/ball_{}", i)),
                           {}, kRadius, {});
    }
    return b;
}

struct Entry {
    BuiltinScene scene;
    int          most;
    ModelBuilder (*build)(int);
};

constexpr std::array<Entry, 7> kScenes{{
    {{"pyramid", 15, "N layers of boxes"}, 60, pyramid},
    {{"convex-vs-mesh", 21, "N x N x 4 convex bodies over a terrain"}, 60, convex_vs_mesh},
    {{"ragdoll-pile", 16, "N humanoids dropped in a pile"}, 1000, ragdoll_pile},
    {{"humanoid", 1, "N humanoids on the ground"},
     10000,
     [](int count) {
         return grid(count, 2, [](auto& b, const Posed& at, const auto& name) { add_humanoid(b, at, name); });
     }},
    {{"ant", 1, "N quadrupeds on the ground"},
     10000,
     [](int count) {
         return grid(count, 3, [](auto& b, const Posed& at, const auto& name) { add_ant(b, at, name); });
     }},
    {{"chain", 100, "N links on ball joints"}, 1000, chain},
    {{"spheres", 666, "N balls dropped in a column"}, kMaxSize, spheres},
}};

}  // namespace

std::span<const BuiltinScene> builtin_scenes()
{
    static const auto scenes = [] {
        std::array<BuiltinScene, kScenes.size()> out{};
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = kScenes[i].scene;
        return out;
    }();
    return scenes;
}

Result<ModelBuilder> builtin_scene(std::string_view name)
{
    const std::size_t      colon = name.find(':');
    const std::string_view stem  = name.substr(0, colon);
    for (const Entry& entry : kScenes) {
        if (entry.scene.name != stem) continue;
        int size = entry.scene.size;
        if (colon != std::string_view::npos) {
            const std::string_view digits = name.substr(colon + 1);
            const auto             read   = std::from_chars(digits.data(), digits.data() + digits.size(), size);
            if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || size < 1 || size > entry.most)
                // The number is checked to its end: "20x" is a mistake.
                return make_diagnostic(kScene, {}, fmt::format("'{}' is not a number from 1 to {}", digits, entry.most));
        }
        return entry.build(size);
    }
    return make_diagnostic(kScene, {}, fmt::format("'{}' is not a built-in scene", name));
}

}  // namespace mechane::run

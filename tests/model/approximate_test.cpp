#include "mechane/model/approximate.h"

#include <cmath>

#include "mechane/model/model.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::test;
using model::ApproximateOptions;
using model::GeoType;
using model::MeshApproximation;

namespace {

/// Two cubes of 1 m as one mesh, 2 m apart along x.
std::shared_ptr<const geometry::Mesh> two_cubes()
{
    auto mesh = std::make_shared<geometry::Mesh>();
    for (const double x : {-1.5, 1.5}) {
        const auto first = static_cast<std::int32_t>(mesh->points.size());
        for (int i = 0; i < 8; ++i)
            mesh->points.push_back({x + (i & 1 ? 0.5 : -0.5), i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5});
        for (const auto& t : {std::array{0, 2, 3},
                              {0, 3, 1},
                              {4, 5, 7},
                              {4, 7, 6},
                              {0, 1, 5},
                              {0, 5, 4},
                              {2, 6, 7},
                              {2, 7, 3},
                              {0, 4, 6},
                              {0, 6, 2},
                              {1, 3, 7},
                              {1, 7, 5}})
            mesh->triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    return mesh;
}

struct Scene {
    model::ModelBuilder builder;
    std::int32_t        body = builder.add_body({}, "body");
    std::int32_t        ball = builder.add_shape_sphere(model::kWorldBody, {{0, 0, 9}, {}}, 1, {}, "ball");
    std::int32_t        mesh = -1;

    explicit Scene(const model::ShapeConfig& config = {})
    { mesh = builder.add_shape_mesh(body, {{0, 1, 0}, {}}, {1, 1, 2}, two_cubes(), config, "mesh"); }
    model::BuilderShape& at(std::int32_t i) { return builder.shapes[static_cast<std::size_t>(i)]; }
};

std::vector<std::int32_t> replace(Scene& scene, const ApproximateOptions& options, Diagnostics& out)
{ return model::approximate_meshes(scene.builder, options, out); }

}  // namespace

TEST_CASE("a mesh becomes the shape of its method, and the body keeps its mass")
{
    Diagnostics out;
    {
        Scene        s;
        const double mass = s.builder.bodies[0].mass;
        CHECK(mass == close_to(2 * 2 * 1000, 1e-9));  // two cubes, stretched to 2 m
        CHECK(replace(s, {}, out) == std::vector{s.mesh});
        CHECK(s.at(s.mesh).type == GeoType::convex_mesh);
        CHECK(s.at(s.mesh).source->points.size() == 8);
        CHECK(s.builder.bodies[0].mass == mass);
        CHECK(s.at(s.ball).type == GeoType::sphere);
    }
    {  // 4 x 1 x 2 m, its middle where the mesh's was
        Scene s;
        replace(s, {.method = MeshApproximation::bounding_box}, out);
        CHECK(s.at(s.mesh).type == GeoType::box);
        CHECK(distance(s.at(s.mesh).xform.p, Vec3d{0, 1, 0}) < 1e-9);
        CHECK(s.at(s.mesh).scale.x * s.at(s.mesh).scale.y * s.at(s.mesh).scale.z == close_to(2 * 0.5 * 1, 1e-9));
    }
    {  // through the corners: sqrt(4 + 1/4 + 1)
        Scene s;
        replace(s, {.method = MeshApproximation::bounding_sphere}, out);
        CHECK(s.at(s.mesh).type == GeoType::sphere);
        CHECK(s.at(s.mesh).scale.x == close_to(std::sqrt(5.25), 1e-9));
    }
    {
        Scene s;
        replace(s, {.method = MeshApproximation::simplification}, out);
        CHECK(s.at(s.mesh).type == GeoType::mesh);
    }
    CHECK(out.empty());
}

TEST_CASE("parts of a decomposition have the settings and filters of the mesh, and add no mass (COL-143)")
{
    model::ShapeConfig config;
    config.mu              = 0.3;
    config.margin          = 0.02;
    config.gap             = 0.01;
    config.collision_group = -2;
    Scene        s(config);
    const double mass = s.builder.bodies[0].mass;
    s.builder.add_shape_collision_filter_pair(s.ball, s.mesh);
    Diagnostics out;
    replace(s, {.method = MeshApproximation::decomposition}, out);
    REQUIRE(s.builder.shapes.size() == 3);
    const model::BuilderShape& part = s.at(2);
    CHECK(part.label == "mesh_convex_1");
    CHECK(part.type == GeoType::convex_mesh);
    CHECK(part.body == s.body);
    CHECK(part.flags == s.at(s.mesh).flags);
    CHECK(part.config.mu == 0.3);
    CHECK(part.config.margin == 0.02);
    CHECK(part.config.gap == 0.01);
    CHECK(part.config.collision_group == -2);
    CHECK(part.config.density == 0);
    CHECK(s.builder.bodies[0].mass == mass);
    CHECK(s.builder.bodies[0].shapes == std::vector<std::int32_t>{1, 2});
    auto model = s.builder.finalize({}, out);
    REQUIRE(model.has_value());
    // The ball meets neither part, and parts of one body never meet (GAP-036).
    CHECK(model->shape_collision_filter_pairs ==
          std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("the mesh may stay to be seen, as a shape that meets nothing (COL-146)")
{
    Scene       s;
    Diagnostics out;
    const auto  source = s.at(s.mesh).source;
    replace(s, {.method = MeshApproximation::decomposition, .shapes = {}, .keep_visual_shapes = true}, out);
    REQUIRE(s.builder.shapes.size() == 4);
    CHECK(s.at(3).label == "mesh_visual");
    CHECK(s.at(3).source == source);
    CHECK(s.at(3).flags == model::shape_flag::visible);
    for (const std::int32_t i : {1, 2}) CHECK((s.at(i).flags & model::shape_flag::visible) == 0);
}

TEST_CASE("only what is named is replaced, and a mesh with a distance field keeps its triangles (COL-147)")
{
    model::ShapeConfig field;
    field.sdf = model::SdfConfig{.force_sdf = true};
    Scene       s(field);
    Diagnostics out;
    CHECK(replace(s, {}, out).empty());
    CHECK(out.count("MODEL_APPROX_REFUSED") == 1);
    CHECK(s.at(s.mesh).type == GeoType::mesh);
    CHECK(replace(s, {.method = MeshApproximation::simplification, .shapes = {}}, out) == std::vector{s.mesh});

    Scene plain;
    CHECK(replace(plain, {.method = MeshApproximation::convex_hull, .shapes = std::vector{plain.ball}}, out).empty());
    CHECK(plain.at(plain.mesh).type == GeoType::mesh);
}

TEST_CASE("a mesh that nothing fits is reported and left as it is")
{
    model::ModelBuilder b;
    b.add_shape_mesh(b.add_body({}, "body"), {}, {1, 1, 1}, std::make_shared<const geometry::Mesh>(), {}, "empty");
    for (const auto method : {MeshApproximation::convex_hull, MeshApproximation::bounding_box,
                              MeshApproximation::bounding_sphere, MeshApproximation::decomposition}) {
        Diagnostics out;
        CHECK(model::approximate_meshes(b, {.method = method}, out).empty());
        REQUIRE(out.has_errors());
        CHECK(out.items().front().site.prim == "empty");
        CHECK(b.shapes[0].type == GeoType::mesh);
    }
}

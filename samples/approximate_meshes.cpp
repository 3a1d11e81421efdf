// What a mesh may become for collision: a hull, a box, a ball, several hulls, or a mesh of fewer triangles.
//
//     sample_approximate_meshes
#include <string>

#include "mechane/model/approximate.h"
#include "sample.h"
#include "sample_meshes.h"

using namespace mechane;

int main()
{
    const struct {
        const char*              name;
        model::MeshApproximation method;
        model::GeoType           type;
    } table[] = {{"convex_hull", model::MeshApproximation::convex_hull, model::GeoType::convex_mesh},
                 {"bounding_box", model::MeshApproximation::bounding_box, model::GeoType::box},
                 {"bounding_sphere", model::MeshApproximation::bounding_sphere, model::GeoType::sphere},
                 {"decomposition", model::MeshApproximation::decomposition, model::GeoType::convex_mesh},
                 {"simplification", model::MeshApproximation::simplification, model::GeoType::mesh}};
    sample::Claims claims;
    const auto     ring = sample::torus(0.3, 0.1, 48, 24);
    for (const auto& row : table) {
        model::ModelBuilder builder;
        const std::int32_t  body = builder.add_body({}, "ring");
        builder.add_shape_mesh(body, {}, {1, 1, 1}, ring, {}, "ring");
        const double mass = builder.bodies[0].mass;
        Diagnostics  found;
        model::approximate_meshes(builder, {.method = row.method, .shapes = {}, .keep_visual_shapes = true}, found);

        const model::BuilderShape& first    = builder.shapes.front();
        const model::BuilderShape& twin     = builder.shapes.back();
        const std::size_t          vertices = first.source ? first.source->points.size() : 0;
        std::printf("%-15s %zu x %s, %zu vertices; %s is kept to be seen\n", row.name, builder.shapes.size() - 1,
                    std::string(to_string(first.type)).c_str(), vertices, twin.label.c_str());
        claims.that(first.type == row.type, "the shape has the type that was asked for");
        claims.that(vertices < ring->points.size(), "it is simpler than the mesh");
        claims.that(builder.bodies[0].mass == mass, "the body keeps its mass");
        claims.that(twin.flags == model::shape_flag::visible && twin.source == ring && !first.config.is_visible,
                    "the mesh stays to be seen, and only to be seen");
        if (row.method == model::MeshApproximation::decomposition)
            claims.that(builder.shapes.size() > 3, "a ring is more than one hull");
    }
    return claims.exit_code();
}

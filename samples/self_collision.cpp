// Self-collision of an articulation, on and off, and one shape that opts out of the filter between neighbours.
//
//     sample_self_collision
#include <string>

#include "mechane/collision/pipeline.h"
#include "sample_import.h"

using namespace mechane;

namespace {

std::string link(const char* name, double x)
{
    return "        def Cube \"" + std::string(name) +
           "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"])\n        {\n            double "
           "size = 1\n            double3 xformOp:translate = (" +
           std::to_string(x) + ", 0, 0)\n            uniform token[] xformOpOrder = [\"xformOp:translate\"]\n        }\n";
}
std::string hinge(const char* parent, const char* child)
{
    return "        def PhysicsRevoluteJoint \"" + std::string(child) +
           "_joint\"\n        {\n            rel physics:body0 = </robot/" + parent +
           ">\n            rel physics:body1 = </robot/" + child +
           ">\n            uniform token physics:axis = \"Z\"\n            point3f physics:localPos0 = (0.2, 0, 0)\n       "
           "     point3f physics:localPos1 = (-0.2, 0, 0)\n        }\n";
}

/// Three links of 1 m, 0.4 m apart, so that each overlaps the next and the first overlaps the last.
std::string arm()
{
    return "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n"
           "def Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])\n{\n" +
           link("a", 0) + link("b", 0.4) + link("c", 0.8) + hinge("a", "b") + hinge("b", "c") + "}\n";
}

std::int32_t pairs_of(const model::Model& model)
{
    collision::CollisionPipeline pipeline(model);
    model::Contacts              contacts = pipeline.make_contacts();
    return pipeline.collide(model::make_state(model), 0, contacts).candidate_pairs;
}

/// Pairs of two hinged boxes that overlap.
std::int32_t pairs_of_hinged(bool filter_parent)
{
    model::ModelBuilder builder;
    model::ShapeConfig  config;
    config.collision_filter_parent = filter_parent;
    const std::int32_t a = builder.add_link({}, "a"), b = builder.add_link({{0.4, 0, 0}, {}}, "b");
    builder.add_joint_revolute(a, b, {{0.2, 0, 0}, {}}, {{-0.2, 0, 0}, {}}, {.axis = {0, 0, 1}});
    for (const std::int32_t body : {a, b}) builder.add_shape_box(body, {}, {0.5, 0.5, 0.5}, config);
    return pairs_of(sample::finalize(builder));
}

}  // namespace

int main()
{
    sample::Claims claims;
    const auto     stage = sample::get(usd::Stage::open_text(arm()));
    for (const bool on : {true, false}) {
        importer::ImportOptions options;
        options.enable_self_collisions = on;
        model::ModelBuilder builder;
        Diagnostics         found;
        sample::get(importer::import_usd(*stage, options, builder, found));
        const auto model = sample::finalize(builder);
        const auto pairs = pairs_of(model);
        std::printf("self-collision %-3s: %d pairs, %zu filtered\n", on ? "on" : "off", pairs,
                    model.shape_collision_filter_pairs.size());
        // Neighbours are filtered by their joint in any case; the first and the last link are not neighbours.
        claims.that(pairs == (on ? 1 : 0), "the switch decides about links that are not neighbours");
        claims.that(model.shape_collision_filter_pairs.size() == (on ? 2U : 3U), "the set holds what is filtered");
    }
    for (const bool filter : {true, false}) {
        const std::int32_t pairs = pairs_of_hinged(filter);
        std::printf("collision_filter_parent %-3s: %d pairs\n", filter ? "on" : "off", pairs);
        claims.that(pairs == (filter ? 0 : 1), "a shape may opt out of the filter between neighbours");
    }
    return claims.exit_code();
}

// Compiles when each name of the collision document can be included from one place (GAP-053, SMP-35).
#include <mechane/geometry.h>
#include <mechane/mechane.h>

namespace {

[[maybe_unused]] const auto kTypes   = [](mechane::ModelBuilder*, mechane::Model*, mechane::State*, mechane::Control*,
                                          mechane::Contacts*, mechane::CollisionPipeline*, mechane::Solver*) {};
[[maybe_unused]] const auto kShapes  = {mechane::GeoType::plane, mechane::GeoType::sphere, mechane::GeoType::mesh};
[[maybe_unused]] const auto kSolvers = [](const mechane::model::Model& model, mechane::Diagnostics& found) {
    return mechane::make_solver("softstep", model, {}, found);
};
[[maybe_unused]] const auto kSensor  = &mechane::SensorContact::make;

[[maybe_unused]] const auto kPhases = [](mechane::geometry::BroadPhaseAllPairs*, mechane::geometry::BroadPhaseSAP*,
                                         mechane::geometry::BroadPhaseExplicit*, mechane::geometry::NarrowPhase*) {};
[[maybe_unused]] const mechane::geometry::HydroelasticSDF::Config kConfig{
    .reduce_contacts = true, .normal_matching = true, .anchor_contact = false, .buffer_fraction = 0.2};

}  // namespace

int main()
{
    using namespace mechane::geometry;
    const auto ball = [](double radius, const mechane::Vec3d& d) { return (radius / length(d)) * d; };
    if (!create_solve_mpr(ball)(1.0, mechane::Posed{}, 1.0, mechane::Posed{{0, 0, 1.5}, {}}).hit) return 1;
    if (create_solve_closest_distance(ball)(1.0, mechane::Posed{}, 1.0, mechane::Posed{{0, 0, 1.5}, {}}).separated)
        return 1;
    const auto touch = collide_sphere_sphere({{0, 0, 0}, 1}, {{0, 0, 1.5}, 1});
    return touch.count() == 1 && collide_box_box({}, {}).count() <= 4 && kConfig.buffer_fraction == 0.2 ? 0 : 1;
}

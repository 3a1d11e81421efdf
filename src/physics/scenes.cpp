// Scenes: gravity as a direction and a magnitude in the stage's unit per second squared, and the scene an entity
// belongs to.
// A stage without a PhysicsScene gets one, so that every body has a scene; it is told and marked as made up.

#include <fmt/format.h>

#include <cmath>

#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

namespace {

constexpr double kEarth = 9.81;  // [m/s^2]
/// Half the largest float: the schema's -inf survives a pass through formats that know no infinities.
constexpr double kUnsetMagnitude = -0.5e38;  // a magnitude below this is the sentinel -inf

Vec3d down(const usd::Stage& stage)
{
    switch (stage.metadata().up_axis) {
        case 'X':
            return {-1, 0, 0};
        case 'Z':
            return {0, 0, -1};
        default:
            return {0, -1, 0};
    }
}

void set_gravity(const Reader& reader, Scene& scene, Vec3d direction, double magnitude)
{
    // The earth's gravity in the stage's own unit of length.
    const double earth = kEarth / reader.model.units.meters_per_unit;
    if (!is_finite(direction) || magnitude > -kUnsetMagnitude) {
        reader.invalidate(scene, kGravityInvalid, scene.prim.site(),
                          fmt::format("the gravity of <{}> is not finite", scene.path.text()));
        direction = {};
        magnitude = -kInfinity;
    }
    // The zero vector, which is the fallback, means "down".
    scene.gravity_direction = normalized(direction, down(reader.stage));
    scene.gravity_magnitude = magnitude < kUnsetMagnitude ? earth : magnitude;
    if (scene.gravity_magnitude < 0) {
        reader.found.add(
            kGravityNegative, scene.prim.attribute("physics:gravityMagnitude").site(),
            fmt::format("the gravity magnitude of <{}> is {}", scene.path.text(), scene.gravity_magnitude));
        if (!reader.options.conventions.negative_gravity_points_up) {
            scene.gravity = earth * scene.gravity_direction;
            return;
        }
    }
    scene.gravity = scene.gravity_magnitude * scene.gravity_direction;
}

}  // namespace

void read_scenes(Reader& reader)
{
    static const usd::Token kDirection("physics:gravityDirection"), kMagnitude("physics:gravityMagnitude"),
        kLoose("gravity");
    for (const Record& record : reader.records) {
        if (!record.is_scene) continue;
        Scene scene;
        scene.path       = record.prim.path();
        scene.prim       = record.prim;
        Vec3d  direction = reader.vector(record.prim, kDirection, {});
        double magnitude = reader.number(record.prim, kMagnitude, -kInfinity);
        if (reader.options.lenient_names)
            if (const auto gravity = reader.value(record.prim, kLoose).get<Vec3d>(); gravity && is_finite(*gravity)) {
                direction = *gravity;
                magnitude = length(*gravity);
            }
        set_gravity(reader, scene, direction, magnitude);
        reader.model.scenes.push_back(std::move(scene));
    }
    if (!reader.model.scenes.empty()) return;
    Scene scene;
    scene.synthesized = true;
    set_gravity(reader, scene, {}, -kInfinity);
    Site site;
    site.layer = reader.stage.source();
    reader.found.add(kSceneMissing, site, "the stage has no PhysicsScene");
    reader.model.scenes.push_back(std::move(scene));
}

/// The first owner that is a scene; without one, the first scene of the stage, as the schema says.
Index scene_of(const Reader& reader, const usd::Prim& prim, const std::vector<usd::Path>& owners)
{
    if (owners.empty()) return 0;
    const auto site = [&] { return prim.relationship("physics:simulationOwner").site(); };
    if (owners.size() > 1)
        reader.found.add(kOwnerMultiple, site(),
                         fmt::format("<{}> names {} owners", prim.path().text(), owners.size()));
    for (const usd::Path& owner : owners)
        for (std::size_t i = 0; i < reader.model.scenes.size(); ++i)
            if (reader.model.scenes[i].path == owner) return static_cast<Index>(i);
    reader.found.add(kOwnerInvalid, site(), fmt::format("the owner <{}> is not a PhysicsScene", owners.front().text()));
    return 0;
}

}  // namespace mechane::physics

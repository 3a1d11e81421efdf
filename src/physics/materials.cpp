// Physics materials: friction, restitution and density of prims with PhysicsMaterialAPI, and the material that a
// collider is bound to.
// `parse` reads all of those below the roots first; one that is bound from outside is added when it is met.
// The numbers have no unit but the density, which is in the stage's.

#include "materials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/physics/codes.h"
#include "mechane/physics/mass_values.h"

namespace mechane::physics {

namespace {

double in_range(const Reader& reader, const usd::Prim& prim, const usd::Token& name, double low, double high,
                std::string_view expected = {})
{
    const double authored = reader.number(prim, name, 0, expected);
    if (reader.options.conventions.material_values_kept) return authored;
    const double clamped = std::clamp(authored, low, high);
    // Zero density means "not authored"; infinite friction is a value no solver can use.
    if (clamped == authored && std::isfinite(authored)) return authored;
    reader.found.add(kMaterialRange, prim.attribute(name).site(),
                     std::isfinite(high)
                         ? fmt::format("{} is {}, expected {} to {}", name.text(), authored, low, high)
                         : fmt::format("{} is {}, expected a finite number from {} on", name.text(), authored, low));
    const double taken = std::isfinite(clamped) ? clamped : 0;
    if (reader.log != nullptr)
        reader.log->correct(prim, name, Use::converted,
                            fmt::format("{} lies outside its range; {} is used", authored, taken));
    return taken;
}

}  // namespace

Index add_material(Reader& reader, const usd::Prim& prim, bool outside)
{
    static const usd::Token kStatic("physics:staticFriction"), kDynamic("physics:dynamicFriction"),
        kRestitution("physics:restitution"), kDensity("physics:density");
    PhysicsModel& model = reader.model;
    Material      material;
    material.path             = prim.path();
    material.prim             = prim;
    material.outside          = outside;
    material.static_friction  = in_range(reader, prim, kStatic, 0, kInfinity);
    material.dynamic_friction = in_range(reader, prim, kDynamic, 0, kInfinity);
    material.restitution      = in_range(reader, prim, kRestitution, 0, 1);
    material.density          = in_range(reader, prim, kDensity, 0, kInfinity, kExpectedMaterialDensity);
    const Index index         = static_cast<Index>(model.materials.size());
    model.lookup.materials.emplace(material.path, index);
    model.materials.push_back(std::move(material));
    return index;
}

void read_materials(Reader& reader)
{
    for (const Record& record : reader.records)
        if (record.has_material && !record.joint) add_material(reader, record.prim, false);
}

Index bound_physics_material(Reader& reader, const usd::Prim& prim)
{
    static const usd::Token kPurpose("physics"), kApi("PhysicsMaterialAPI"), kNewtonApi("NewtonMaterialAPI");
    // The binding of purpose `physics` comes first, the one for all purposes after it: UsdShade's rule.
    const usd::Prim bound = reader.stage.bound_material(prim, kPurpose);
    if (!bound) return kNone;
    const Index known = reader.model.material_at(bound.path());
    if (known != kNone) return known;
    const std::vector<usd::Token> authored = bound.authored_apis();
    const bool                    newton   = reader.options.newton_schemas_imply_base &&
                                             std::find(authored.begin(), authored.end(), kNewtonApi) != authored.end();
    // A material that only says how a thing looks is no physics material.
    if (!bound.has_api(kApi) && !newton) return kNone;
    return add_material(reader, bound, true);
}

}  // namespace mechane::physics

// Names that no schema and no reader knows: misspelled properties are reported with what was probably meant.
// Called by whoever imports a stage and by whoever checks one, so that both say the same.

#include "mechane/resolve/unknown_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "mechane/core/nearest.h"
#include "mechane/resolve/codes.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/declared_attribute.h"
#include "mechane/usd/schemas.h"

namespace mechane::resolve {
namespace {

constexpr std::string_view kNewton = "newton:";

/// Where a name is authored that nobody knows.
struct Place {
    usd::Prim   first;
    std::size_t count = 0;
};

/// Properties that no bundled schema has: what this importer reads, what the parser tells of by itself
/// (PHY_NAME_SUSPECT), and what other releases of PhysX's schemas have.
constexpr std::string_view kOwn[] = {"newton:joint_drive_gains_scaling",
                                     "newton:collapse_fixed_joints",
                                     "physics:collisionGroup",
                                     "physics:collisionGroups",
                                     "physxJoint:enableResidualReporting",
                                     "physxJoint:jointFriction",
                                     "mjc:gravcomp"};

/// Of UsdPhysics' proposal for deformables, which OpenUSD does not define yet: what this importer reads of its schemas,
/// without "physics:".
struct Proposed {
    std::string_view              schema;  ///< a type or an API
    std::vector<std::string_view> names;
};
const Proposed kProposed[] = {
    {"PhysicsDeformableBodyAPI", {"bodyEnabled", "kinematicEnabled", "mass", "density", "simulationOwner"}},
    {"PhysicsSurfaceDeformableMaterialAPI",
     {"density", "dynamicFriction", "staticFriction", "youngsModulus", "poissonsRatio", "surfaceThickness",
      "surfaceStretchStiffness", "surfaceShearStiffness", "surfaceBendStiffness", "thickness", "stretchStiffness",
      "shearStiffness", "bendStiffness"}},
    {"PhysicsVolumeDeformableMaterialAPI",
     {"density", "dynamicFriction", "staticFriction", "youngsModulus", "poissonsRatio"}},
    {"PhysicsCurvesDeformableMaterialAPI",
     {"density", "dynamicFriction", "staticFriction", "youngsModulus", "poissonsRatio", "curvesThickness",
      "curvesStretchStiffness", "curvesShearStiffness", "curvesBendStiffness", "curvesTwistStiffness",
      "curvesStretchDamping", "curvesShearDamping", "curvesBendDamping", "curvesTwistDamping", "thickness",
      "stretchStiffness", "shearStiffness", "bendStiffness", "twistStiffness"}},
    {"PhysicsAttachment",
     {"src0", "src1", "type0", "type1", "indices0", "indices1", "coords0", "coords1", "stiffness", "damping",
      "attachmentEnabled"}},
    {"PhysicsElementCollisionFilter",
     {"src0", "src1", "groupElemCounts0", "groupElemCounts1", "groupElemIndices0", "groupElemIndices1",
      "filterEnabled"}}};

bool authors_api(const usd::Prim& prim, std::string_view api)
{
    const std::vector<usd::Token> apis = prim.authored_apis();
    return std::any_of(apis.begin(), apis.end(), [&](const usd::Token& one) { return one.text() == api; });
}

bool is_proposed(const usd::Prim& prim, std::string_view name)
{
    constexpr std::string_view kPhysics = "physics:";
    if (!name.starts_with(kPhysics)) return false;
    name.remove_prefix(kPhysics.size());
    return std::any_of(std::begin(kProposed), std::end(kProposed), [&](const Proposed& one) {
        return std::find(one.names.begin(), one.names.end(), name) != one.names.end() &&
               (prim.type_name().text() == one.schema || authors_api(prim, one.schema));
    });
}

bool is_read(const NameQuestion& question, const std::string& name)
{
    return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn) ||
           (question.is_read && question.is_read(name));
}

/// A name that nobody knows. Outside of the namespaces of physics any name is allowed; there it counts only if it is a
/// slip of the pen of a name that is known, on a prim that could have that one.
struct Strange {
    usd::Token              name;
    std::vector<usd::Token> meant;  ///< outside of those namespaces: what it could be a slip of
};

/// Known names of physics, and of geometry's size, from which a name differs by a letter or two.
std::vector<usd::Token> slip_of(const std::string& name)
{
    constexpr std::size_t kShortest = 5, kLong = 6;
    if (name.size() < kShortest) return {};
    // Short names are near to many others: one letter counts there, two in longer ones.
    const std::size_t       most = name.size() < kLong ? 2 : 3;
    std::vector<usd::Token> out;
    for (const std::string& known : usd::properties_like(name)) {
        const bool plain = known.find(':') == std::string::npos;
        if ((plain ? name.find(':') == std::string::npos : is_physics_property(known)) &&
            edit_distance(name, known, most) < most)
            out.emplace_back(known);
    }
    return out;
}

/// Names that are authored somewhere and known nowhere.
std::vector<Strange> strange_names(const NameQuestion& question)
{
    std::vector<Strange> out;
    for (const usd::Token& name : question.authored) {
        // Asked for names and not for prims: there are few strange ones.
        if (!is_unknown_property(name.text()) || is_read(question, name.text())) continue;
        Strange one{name, {}};
        if (!is_physics_property(name.text()) && (one.meant = slip_of(name.text())).empty()) continue;
        out.push_back(std::move(one));
    }
    std::sort(out.begin(), out.end(), [](const Strange& a, const Strange& b) { return a.name.text() < b.name.text(); });
    return out;
}

/// Whether a strange name is a fault on this prim.
bool is_fault(const usd::Prim& prim, const Strange& strange)
{
    if (usd::brings(prim, strange.name) || is_proposed(prim, strange.name.text())) return false;
    if (strange.meant.empty()) return true;
    return std::any_of(strange.meant.begin(), strange.meant.end(), [&](const usd::Token& meant) {
        // A slip is a fault only where the right name could stand and does not.
        return usd::brings(prim, meant) && !prim.attribute(meant).authored() && !prim.relationship(meant).authored();
    });
}

/// What the name may have been meant to be: of equally near names those that the prim's own schemas bring go first.
std::string suggestion(const usd::Prim& prim, const std::string& name)
{
    std::vector<std::string> known;
    for (const usd::Token& one : prim.property_names())
        if (usd::brings(prim, one)) known.push_back(one.text());
    const std::vector<std::string> others = usd::properties_like(name);
    known.insert(known.end(), others.begin(), others.end());
    // Attributes that a table reads and no schema of this build has.
    for (const Resolver& r : {SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()})
        for (const Row& row : r.rows) known.insert(known.end(), row.attributes.begin(), row.attributes.end());
    return did_you_mean(name, known);
}

}  // namespace

bool is_physics_property(std::string_view name)
{
    if (name.starts_with("physx")) return name.find(':') != std::string_view::npos;
    for (const std::string_view space : {"physics:", "ext_physics:", "newton:", "mjc:", "drive:", "limit:", "state:",
                                         "omniphysics:", "deformablePose:", "mujoco:"})
        if (name.starts_with(space)) return true;
    return false;
}

bool is_unknown_property(std::string_view property)
{
    // Of one axis of a joint a vendor's attribute may be said that it has for the joint.
    if (const std::string shared = shared_attribute(property); !shared.empty()) return is_unknown_property(shared);
    if (usd::is_brought(property)) return false;
    static const std::array kAll{SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()};
    return std::none_of(kAll.begin(), kAll.end(), [&](const Resolver& r) {
        return std::any_of(r.rows.begin(), r.rows.end(), [&](const Row& row) {
            return std::find(row.attributes.begin(), row.attributes.end(), property) != row.attributes.end();
        });
    });
}

void report_unknown_names(const NameQuestion& question, Diagnostics& found)
{
    const std::vector<Strange> strange = strange_names(question);
    if (strange.empty()) return;
    std::map<std::string, Place> places;
    for (const usd::Prim& prim : question.stage.traverse()) {
        if (question.leaves_out && question.leaves_out(prim)) continue;
        const std::vector<usd::Token> authored = prim.unordered_property_names();
        for (const Strange& one : strange) {
            if (std::find(authored.begin(), authored.end(), one.name) == authored.end() || !is_fault(prim, one))
                continue;
            Place& place = places[one.name.text()];
            if (place.count++ == 0) place.first = prim;
        }
    }
    for (const auto& [name, place] : places) {
        const bool        newton = name.starts_with(kNewton);
        const Code&       code   = newton ? kCustomUndeclared : kPropertyUnknown;
        const bool        rel    = place.first.relationship(name).authored();
        const Site        site   = rel ? place.first.relationship(name).site() : place.first.attribute(name).site();
        const std::string near   = suggestion(place.first, name);
        found.add(code, site,
                  fmt::format("{} is in no schema{}, and has no effect{}", name,
                              newton ? ", the scene does not declare it" : "",
                              place.count > 1 ? fmt::format(" ({} prims)", place.count) : ""),
                  fmt::format("{}{}{}", near, near.empty() ? "" : " ", code.remedy));
    }
}

namespace {

/// The API of UsdPhysics that would bring a property to a prim; empty where a schema of another kind has it.
std::string api_for(const usd::Prim& prim, const std::string& name)
{
    const std::vector<std::string> schemas = usd::schemas_with(name);
    const auto has = [&](const char* api) { return std::ranges::find(schemas, api) != schemas.end(); };
    if (prim.type_name().text() == "Material" && has("PhysicsMaterialAPI")) return "PhysicsMaterialAPI";
    for (const char* api : {"PhysicsMassAPI", "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI",
                            "PhysicsMaterialAPI"})
        if (has(api)) return api;
    const std::size_t colon = name.find(':'), end = name.find(':', colon + 1);
    for (const char* api : {"PhysicsDriveAPI", "PhysicsLimitAPI"})
        if (has(api) && end != std::string::npos) return api + name.substr(colon, end - colon);
    return {};
}

}  // namespace

void report_unapplied_schemas(const NameQuestion& question, Diagnostics& found)
{
    std::map<std::string, Place> places;
    std::map<std::string, bool>  of_physics;
    for (const usd::Token& name : question.authored)
        for (const char* space : {"physics:", "drive:", "limit:"})
            if (name.text().starts_with(space) && usd::declared_attribute(name.text()) != nullptr)
                of_physics.emplace(name.text(), true);
    if (of_physics.empty()) return;
    for (const usd::Prim& prim : question.stage.traverse()) {
        if (question.leaves_out && question.leaves_out(prim)) continue;
        for (const usd::Token& name : prim.unordered_property_names()) {
            if (of_physics.count(name.text()) == 0 || usd::brings(prim, name) || is_proposed(prim, name.text()))
                continue;
            if (!prim.attribute(name).authored() || api_for(prim, name.text()).empty()) continue;
            Place& place = places[name.text()];
            if (place.count++ == 0) place.first = prim;
        }
    }
    for (const auto& [name, place] : places)
        found.add(kApiUnapplied, place.first.attribute(name).site(),
                  fmt::format("{} has no effect: the prim does not apply {}{}", name, api_for(place.first, name),
                              place.count > 1 ? fmt::format(" ({} prims)", place.count) : ""));
}

}  // namespace mechane::resolve

// Finds the prims that are deformables before anything is imported: which bodies govern them, what is their graphics,
// what belongs to vendors' schemas that nobody reads. What is found here is neither rigid collider nor visual shape.
//
// A deformable body (PhysicsDeformableBodyAPI) governs the prim itself and its children; its simulation geometry is
// the first of them with a simulation schema. Everything else of points below it is its graphics.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "../import.h"
#include "deformables.h"
#include "reader.h"

/// Which prims are deformables, and which body governs them.
namespace mechane::importer {
namespace {

constexpr std::array<std::string_view, 3> kSimulated{"PhysicsCurvesDeformableSimAPI", "PhysicsSurfaceDeformableSimAPI",
                                                     "PhysicsVolumeDeformableSimAPI"};

bool is_simulated(const usd::Prim& prim)
{
    return std::any_of(kSimulated.begin(), kSimulated.end(),
                       [&](std::string_view api) { return DeformableReader::applies(prim, api); });
}

bool ends_bodies(const usd::Prim& prim)
{ return prim.has_api("PhysicsRigidBodyAPI") || prim.has_api("PhysicsArticulationRootAPI"); }

bool has_collider(const usd::Prim& prim) { return prim.has_api("PhysicsCollisionAPI"); }

/// Geometry of points in the subtree of a deformable body; nested bodies are their own business.
/// Recursion ends at bodies of any kind.
void visit_points(const Import& run, const usd::Prim& prim, bool is_root, const auto& visit)
{
    if (!is_root && (ends_bodies(prim) || DeformableReader::applies(prim, "PhysicsDeformableBodyAPI"))) return;
    if (prim.is_a("PointBased") && !run.ignored(prim.path())) visit(prim);
    for (const usd::Prim& child : prim.children()) visit_points(run, child, false, visit);
}

class Scout {
  public:
    explicit Scout(Import& run) : run_(run) {}

    void visit(const usd::Prim& prim)
    {
        if (run_.ignored(prim.path())) return;
        const std::string type = prim.type_name().text();
        if (type == "PhysicsAttachment") return out().attachments.push_back(prim);
        if (type == "PhysicsElementCollisionFilter") return out().filters.push_back(prim);
        const bool curves = prim.is_a("BasisCurves"), tet = prim.is_a("TetMesh");
        if (!curves && !tet && !prim.is_a("Mesh")) return;
        // Each kind of geometry has its own schema; another one has no meaning on it.
        const bool simulated = DeformableReader::applies(prim, kSimulated[curves ? 0 : tet ? 2 : 1]);
        if (!simulated) {
            // A TetMesh needs no API (Newton).
            if (tet) out().tets.push_back(prim);  // a soft body of the plain kind
            return;
        }
        if (!claims(prim, !curves && !tet)) return;
        (curves ? out().cables : tet ? out().tets : out().cloths).push_back(prim);
        run_.deformable.insert(prim.path());
        // The first simulation geometry is the body's.
        if (const usd::Prim body = DeformableReader::body_of(prim)) out().owner.try_emplace(body.path(), prim.path());
    }

    /// What belongs to the bodies that were found is neither a rigid collider nor a visual shape.
    void claim_graphics()
    {
        for (const auto& [path, geometry] : out().owner) {
            const usd::Prim body = run_.stage.prim_at(path);
            visit_points(run_, body, true, [&](const usd::Prim& prim) {
                // A collider below the body collides through the simulation geometry.
                if (has_collider(prim)) {
                    run_.deformable.insert(prim.path());
                } else if (!is_simulated(prim) && !DeformableReader::applies(prim, "NewtonPointsDeformableSimAPI") &&
                           !prim.has_api("NewtonSiteAPI") && !DeformableReader::applies(prim, "MjcSiteAPI")) {
                    run_.deformable.insert(prim.path());
                    if (prim.is_a("Mesh")) out().graphics[path].push_back(prim);
                }
            });
        }
    }

  private:
    DeformablePrims& out() { return run_.deformables; }

    void skip(const usd::Prim& prim, std::string text)
    { run_.found.add(codes::kDeformableSkipped, prim.site(), fmt::format("<{}>: {}", prim.path().text(), text)); }

    /// Whether the prim is simulated as a deformable: not where a rigid body claims it or its body is disabled.
    bool claims(const usd::Prim& prim, bool is_mesh)
    {
        const usd::Prim body = DeformableReader::body_of(prim);
        // A body further up looks as if it governed the prim. The schema says it does not.
        if (!body) {
            for (usd::Prim p = prim.parent(); p && !p.path().is_root() && !ends_bodies(p); p = p.parent())
                if (DeformableReader::applies(p, "PhysicsDeformableBodyAPI")) {
                    run_.found.add(codes::kDeformableValue, p.site(),
                                   fmt::format("PhysicsDeformableBodyAPI on <{}> does not govern <{}>: it governs the "
                                               "prim itself and its children only",
                                               p.path().text(), prim.path().text()));
                    break;
                }
        } else if (body.has_api("PhysicsRigidBodyAPI")) {
            skip(prim, fmt::format("<{}> applies PhysicsRigidBodyAPI too; it is imported as a rigid body",
                                   body.path().text()));
            return false;
        }
        // A disabled body is not simulated. Its mesh may still collide, standing still.
        const usd::Attribute enabled = (body ? body : prim).attribute("physics:bodyEnabled");
        if (!enabled.authored() || enabled.authored_as<bool>().value_or(true)) return true;
        run_.took(body ? body : prim, "physics:bodyEnabled", physics::Use::used, "it is not simulated");
        if (!is_mesh) run_.deformable.insert(prim.path());
        skip(prim, is_mesh ? "physics:bodyEnabled is false; its colliders stand still"
                           : "physics:bodyEnabled is false; it is not simulated");
        return false;
    }

    Import& run_;
};

/// Vendors' own schemas, which no pass reads.
void report_unsupported(Import& run)
{
    constexpr std::array<std::string_view, 8> kSchemas{"NewtonPointsDeformableSimAPI",  "OmniPhysicsDeformableBodyAPI",
                                                       "PhysxDeformableBodyAPI",        "PhysxDeformableSurfaceAPI",
                                                       "PhysxSurfaceDeformableBodyAPI", "PhysxParticleSetAPI",
                                                       "PhysxParticleClothAPI",         "PhysxBaseDeformableBodyAPI"};
    std::size_t                               count = 0;
    usd::Prim                                 first;
    // Keys are the addresses of shared definitions: equal keys mean equal schemas.
    std::unordered_map<const void*, bool> known;  // by what prims apply; never iterated
    for (const usd::Prim& prim : run.stage.traverse()) {
        // Prims with equal schemas share the answer: the list is long and stages are large.
        const auto [place, fresh] = known.try_emplace(prim.definition_key(), false);
        if (fresh)
            place->second = std::any_of(kSchemas.begin(), kSchemas.end(),
                                        [&](std::string_view api) { return DeformableReader::applies(prim, api); });
        // A prim that is simulated by a schema that is read needs no vendor's one.
        if (!place->second || is_simulated(prim)) continue;
        if (count++ == 0) first = prim;
        run.deformable.insert(prim.path());
        run.unsupported.insert(prim.path());
    }
    if (count > 0)
        run.found.add(
            codes::kDeformable, first.site(),
            fmt::format("{} deformable or particle prims are left out, the first is {}", count, first.path().text()));
}

}  // namespace

void find_deformables(Import& run)
{
    Scout           scout(run);
    const usd::Prim root = run.stage.prim_at(usd::Path(run.options.root_path));
    if (root)
        for (const usd::Prim& prim : root.subtree())
            if (!prim.path().is_root()) scout.visit(prim);
    scout.claim_graphics();
    report_unsupported(run);
}

/// What the schema allows and no solver here does: kinematic deformables, several simulation geometries.
bool may_import(const DeformableReader& read, const usd::Prim& prim, std::string_view kind)
{
    Import&         run  = read.run();
    const usd::Prim body = DeformableReader::body_of(prim), flags = body ? body : prim;
    const auto      skip = [&](std::string_view why) {
        read.warn(codes::kDeformableSkipped, prim, fmt::format("{}; no {} is made", why, kind));
        return false;
    };
    if (!read.flag(flags, "bodyEnabled").value_or(true)) return skip("physics:bodyEnabled is false");
    if (read.flag(flags, "kinematicEnabled").value_or(false))
        return skip("physics:kinematicEnabled is true, and deformables cannot be kinematic");
    if (body)
        if (const auto owner = run.deformables.owner.find(body.path());
            owner != run.deformables.owner.end() && owner->second != prim.path() && is_simulated(prim))
            return skip(fmt::format("the body <{}> has the simulation geometry <{}> already", body.path().text(),
                                    owner->second.text()));
    return true;
}

bool collides(const DeformableReader& read, const usd::Prim& prim)
{
    // The ledger sees the attribute as read even if it is not there.
    Import&    run     = read.run();
    const auto enabled = [&](const usd::Prim& one) {
        run.took(one, "physics:collisionEnabled");
        return has_collider(one) && one.attribute("physics:collisionEnabled").get_or<bool>(true);
    };
    bool any = enabled(prim);
    if (const usd::Prim body = DeformableReader::body_of(prim))
        // Colliders of the body do not collide themselves: that is an approximation.
        visit_points(run, body, true, [&](const usd::Prim& one) {
            if (one == prim || !enabled(one)) return;
            any = true;
            read.warn(codes::kDeformableApproximated, one,
                      fmt::format("the collider is not simulated; <{}> collides instead", prim.path().text()));
        });
    return any;
}

void report_misplaced(const DeformableReader& read, const usd::Prim& prim, std::string_view material_api)
{
    const Import& run = read.run();
    for (const char* name : {"surfaceThickness", "curvesThickness", "thickness"})
        if (const usd::Attribute old = read.find(prim, name)) {
            run.found.add(codes::kDeformableDeprecated, old.site(),
                          fmt::format("<{}>: {} on the geometry is ignored; author physics:thicknesses and its element "
                                      "type",
                                      prim.path().text(), old.name().text()));
            run.took(prim, old.name().text(), physics::Use::ignored, "superseded by physics:thicknesses");
        }
    for (const char* name :
         {"youngsModulus", "poissonsRatio", "surfaceStretchStiffness", "surfaceShearStiffness", "surfaceBendStiffness",
          "curvesStretchStiffness", "curvesShearStiffness", "curvesBendStiffness", "curvesTwistStiffness",
          "stretchStiffness", "shearStiffness", "bendStiffness", "twistStiffness"})
        if (const usd::Attribute stray = read.find(prim, name)) {
            read.fault(prim, name,
                       fmt::format("{} belongs on the bound material ({}); on the geometry it is ignored",
                                   stray.name().text(), material_api));
            run.took(prim, stray.name().text(), physics::Use::ignored, "it belongs on the bound material");
        }
    // Deformables start at rest; moving ones would need velocities of particles.
    if (const usd::Attribute v = prim.attribute("velocities"); v.authored())
        read.warn(codes::kDeformableApproximated, prim, "authored velocities are not read; it starts at rest");
    // Materials by subset would need elements of different kinds.
    for (const usd::Prim& child : prim.children()) {
        if (!child.is_a("GeomSubset")) continue;
        for (const char* name : {"material:binding:physics", "material:binding"})
            if (const usd::Relationship binding = child.relationship(name); binding && !binding.targets().empty()) {
                const usd::Prim material = run.stage.prim_at(binding.targets().front());
                const bool      physical =
                    name == std::string_view("material:binding:physics") ||
                    (material && (material.has_api("PhysicsMaterialAPI") ||
                                  DeformableReader::applies(material, "PhysicsSurfaceDeformableMaterialAPI") ||
                                  DeformableReader::applies(material, "PhysicsVolumeDeformableMaterialAPI") ||
                                  DeformableReader::applies(material, "PhysicsCurvesDeformableMaterialAPI")));
                if (!physical) continue;
                read.warn(codes::kDeformableApproximated, child,
                          "a subset binds a physics material; the whole geometry uses the material of the prim");
                break;
            }
    }
}

}  // namespace mechane::importer

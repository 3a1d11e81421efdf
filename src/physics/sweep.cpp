#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

namespace {

std::optional<JointKind> joint_kind(std::string_view type)
{
    if (type == "PhysicsFixedJoint") return JointKind::fixed;
    if (type == "PhysicsRevoluteJoint") return JointKind::revolute;
    if (type == "PhysicsPrismaticJoint") return JointKind::prismatic;
    if (type == "PhysicsSphericalJoint") return JointKind::spherical;
    if (type == "PhysicsDistanceJoint") return JointKind::distance;
    if (type == "PhysicsJoint") return JointKind::d6;
    return std::nullopt;
}

// Names that documents use for joint types; read as meant only on request.
std::optional<JointKind> lenient_joint_kind(std::string_view type)
{
    if (type == "FixedJoint") return JointKind::fixed;
    if (type == "RevoluteJoint") return JointKind::revolute;
    if (type == "PrismaticJoint") return JointKind::prismatic;
    if (type == "SphericalJoint") return JointKind::spherical;
    if (type == "DistanceJoint" || type == "DistancePhysicsJoint") return JointKind::distance;
    return std::nullopt;
}

bool contains(const std::vector<usd::Token>& tokens, const usd::Token& token)
{ return std::find(tokens.begin(), tokens.end(), token) != tokens.end(); }

struct Apis {
    usd::Token body{"PhysicsRigidBodyAPI"}, collision{"PhysicsCollisionAPI"}, mesh_collision{"PhysicsMeshCollisionAPI"},
        mass{"PhysicsMassAPI"}, material{"PhysicsMaterialAPI"}, articulation{"PhysicsArticulationRootAPI"},
        pairs{"PhysicsFilteredPairsAPI"}, binding{"MaterialBindingAPI"}, newton_collision{"NewtonCollisionAPI"},
        newton_sdf{"NewtonSDFCollisionAPI"}, newton_mesh{"NewtonMeshCollisionAPI"}, newton_mass{"NewtonMassAPI"},
        newton_material{"NewtonMaterialAPI"}, newton_articulation{"NewtonArticulationRootAPI"};
};

void read_apis(const Apis& apis, const ParseOptions& options, Record& record)
{
    for (const usd::Token& api : record.prim.applied_apis()) {
        if (api == apis.body)
            record.has_body = true;
        else if (api == apis.collision)
            record.has_collision = true;
        else if (api == apis.mesh_collision)
            record.has_mesh_collision = true;
        else if (api == apis.mass)
            record.has_mass = true;
        else if (api == apis.material)
            record.has_material = true;
        else if (api == apis.articulation)
            record.has_articulation = true;
        else if (api == apis.pairs)
            record.has_pairs = true;
        else if (api == apis.binding)
            record.has_binding = true;
        else if (api.text().starts_with("PhysicsLimitAPI:") || api.text().starts_with("PhysicsDriveAPI:"))
            record.has_limit_or_drive = true;
        if (contains(options.custom_shapes, api)) record.custom = api;
    }
    if (!options.newton_schemas_imply_base) return;
    // A stage opened without Newton's schemas still has their names in apiSchemas.
    for (const usd::Token& api : record.prim.authored_apis()) {
        if (api == apis.newton_collision || api == apis.newton_sdf)
            record.has_collision = true;
        else if (api == apis.newton_mesh)
            record.has_collision = record.has_mesh_collision = true;
        else if (api == apis.newton_mass)
            record.has_mass = true;
        else if (api == apis.newton_material)
            record.has_material = true;
        else if (api == apis.newton_articulation)
            record.has_articulation = true;
    }
}

void classify(const Apis& apis, const ParseOptions& options, Record& record)
{
    static const usd::Token kScene("PhysicsScene"), kGroup("PhysicsCollisionGroup"), kJoint("PhysicsJoint");
    const usd::Token        type = record.prim.type_name();
    if (!type.empty()) {
        record.is_scene = type == kScene || record.prim.is_a(kScene);
        record.is_group = !record.is_scene && (type == kGroup || record.prim.is_a(kGroup));
        if (!record.is_scene && !record.is_group) {
            record.joint = joint_kind(type.text());
            if (!record.joint && record.prim.is_a(kJoint)) record.joint = JointKind::d6;
            if (!record.joint && options.lenient_names) record.joint = lenient_joint_kind(type.text());
            if (contains(options.custom_joints, type)) {
                record.joint  = JointKind::custom;
                record.custom = type;
            }
        }
        if (contains(options.custom_shapes, type)) record.custom = type;
    }
    read_apis(apis, options, record);
}

class Walk {
  public:
    explicit Walk(Reader& reader) : r_(reader) {}

    void root(const std::vector<usd::Prim>& prims)
    {
        stack_.clear();
        std::size_t pruned = 0;
        usd::Path   skip;
        usd::Prim   instancer;
        for (const usd::Prim& prim : prims) {
            const usd::Path& path = prim.path();
            if (path.is_root()) continue;
            if (!skip.empty()) {
                if (path.has_prefix(skip)) {
                    if (instancer && (prim.has_api(apis_.body) || prim.has_api(apis_.collision))) ++pruned;
                    continue;
                }
                report(instancer, pruned);
                skip      = {};
                instancer = {};
                pruned    = 0;
            }
            if (r_.record_of.contains(prim.index())) continue;  // reached from an earlier root
            if (std::find(r_.options.exclude.begin(), r_.options.exclude.end(), path) != r_.options.exclude.end()) {
                skip = path;
                continue;
            }
            add(prim);
            const usd::Token type = prim.type_name();
            if (type == kInstancer_ || contains(r_.options.custom_instancers, type)) {
                skip      = path;
                instancer = prim;
            }
        }
        report(instancer, pruned);
    }

  private:
    void report(const usd::Prim& instancer, std::size_t pruned)
    {
        if (!instancer || pruned == 0) return;
        r_.found.add(kInstancer, instancer.site(),
                     fmt::format("{} bodies or colliders below <{}> are prototypes", pruned, instancer.path().text()));
    }

    void add(const usd::Prim& prim)
    {
        const usd::Prim above = prim.parent();
        while (!stack_.empty() && !(r_.records[static_cast<std::size_t>(stack_.back())].prim == above))
            stack_.pop_back();
        Record record;
        record.prim   = prim;
        record.parent = stack_.empty() ? kNone : stack_.back();
        classify(apis_, r_.options, record);
        record.authored           = prim.authored_property_names();
        const bool          moves = contains(record.authored, kOrder_);
        const usd::Matrix4d local = moves ? r_.local_matrix(prim, &record.resets) : usd::Matrix4d{};
        if (record.resets)
            record.world = local;
        else if (record.parent != kNone)
            record.world = local * r_.records[static_cast<std::size_t>(record.parent)].world;
        else
            record.world = above ? local * r_.stage.world_matrix(above) : local;
        const Index index = static_cast<Index>(r_.records.size());
        r_.record_of.emplace(prim.index(), index);
        stack_.push_back(index);
        r_.records.push_back(std::move(record));
    }

    Reader&            r_;
    Apis               apis_;
    usd::Token         kInstancer_{"PointInstancer"}, kOrder_{"xformOpOrder"};
    std::vector<Index> stack_;
};

}  // namespace

void sweep(Reader& reader)
{
    Walk walk(reader);
    if (reader.options.roots.empty()) {
        walk.root(reader.stage.traverse());
        return;
    }
    for (const usd::Path& root : reader.options.roots) {
        if (root.is_root()) {
            walk.root(reader.stage.traverse());
            continue;
        }
        const usd::Prim prim = reader.stage.prim_at(root);
        if (!prim) {
            Site site;
            site.layer = reader.stage.source();
            site.prim  = root.text();
            reader.found.add(kRootMissing, site, fmt::format("<{}> does not exist", root.text()));
            continue;
        }
        walk.root(prim.subtree());
    }
}

}  // namespace mechane::physics

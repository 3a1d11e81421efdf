// The sweep: which prims are read and what each of them is, before anything is made of them.
// It leaves one Record for each prim below the roots, parents before children, with its traits, world matrix and
// authored names.
// Instancers prune what they copy unless the stage was opened with the copies as prims.
// `parse` calls it first; every other file of this room reads its records.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "mechane/physics/codes.h"
#include "mechane/usd/instancer_copies.h"
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

void read_apis(const Apis& apis, const ParseOptions& options, const usd::Prim& prim, Traits& out)
{
    for (const usd::Token& api : prim.applied_apis()) {
        if (api == apis.body)
            out.has_body = true;
        else if (api == apis.collision)
            out.has_collision = true;
        else if (api == apis.mesh_collision)
            out.has_mesh_collision = true;
        else if (api == apis.mass)
            out.has_mass = true;
        else if (api == apis.material)
            out.has_material = true;
        else if (api == apis.articulation)
            out.has_articulation = true;
        else if (api == apis.pairs)
            out.has_pairs = true;
        else if (api == apis.binding)
            out.has_binding = true;
        else if (api.text().starts_with("PhysicsLimitAPI:") || api.text().starts_with("PhysicsDriveAPI:"))
            out.has_limit_or_drive = true;
        if (contains(options.custom_shapes, api)) out.custom = api;
    }
    if (!options.newton_schemas_imply_base) return;
    // A stage opened without Newton's schemas still has their names in apiSchemas.
    for (const usd::Token& api : prim.authored_apis()) {
        if (api == apis.newton_collision || api == apis.newton_sdf)
            out.has_collision = true;
        else if (api == apis.newton_mesh)
            out.has_collision = out.has_mesh_collision = true;
        else if (api == apis.newton_mass)
            out.has_mass = true;
        else if (api == apis.newton_material)
            out.has_material = true;
        else if (api == apis.newton_articulation)
            out.has_articulation = true;
    }
}

/// OpenUSD's parser takes a prim by the first of its schemas that it looks for: a material is nothing else then, not
/// even a joint, and what is something else is no material.
void stand_alone(const Apis& apis, const usd::Prim& prim, Traits& out)
{
    if (!out.has_material) return;
    const std::vector<usd::Token> applied = prim.applied_apis();
    const auto                    first = std::find_if(applied.begin(), applied.end(), [&apis](const usd::Token& api) {
        return api == apis.material || api == apis.body || api == apis.collision || api == apis.articulation;
    });
    if (first == applied.end()) return;
    const bool material = *first == apis.material;
    out.one_of_several  = !material || out.has_body || out.has_collision || out.has_articulation || out.joint;
    out.has_material    = material;
    if (!material) return;
    out.has_body = out.has_collision = out.has_articulation = false;
    out.joint.reset();
    out.custom = {};
}

Traits classify(const Apis& apis, const ParseOptions& options, const usd::Prim& prim)
{
    static const usd::Token kScene("PhysicsScene"), kGroup("PhysicsCollisionGroup"), kJoint("PhysicsJoint"),
        kInstancer("PointInstancer"), kXformable("Xformable");
    Traits           out;
    const usd::Token type = prim.type_name();
    if (!type.empty()) {
        out.is_xformable = prim.is_a(kXformable);
        out.is_instancer = type == kInstancer || contains(options.custom_instancers, type);
        out.is_scene     = type == kScene || prim.is_a(kScene);
        out.is_group     = !out.is_scene && (type == kGroup || prim.is_a(kGroup));
        if (!out.is_scene && !out.is_group) {
            out.joint = joint_kind(type.text());
            // A type derived from PhysicsJoint that nobody knows is read as the general joint, whose axes are all free
            // until limited.
            if (!out.joint && prim.is_a(kJoint)) out.joint = JointKind::d6;
            if (!out.joint && options.lenient_names) out.joint = lenient_joint_kind(type.text());
            if (contains(options.custom_joints, type)) {
                out.joint  = JointKind::custom;
                out.custom = type;
            }
        }
        if (contains(options.custom_shapes, type)) out.custom = type;
    } else if (options.lenient_names) {
        out.is_group = contains(prim.authored_apis(), kGroup);
    }
    read_apis(apis, options, prim, out);
    // A scene or a group is nothing else, whatever is applied to it (PHY_API_MISPLACED).
    if (out.is_scene || out.is_group)
        out.has_body = out.has_collision = out.has_articulation = out.has_material = false;
    if (options.conventions.materials_stand_alone) stand_alone(apis, prim, out);
    return out;
}

/// Lists the prims to be read, parents before children. What a prim is follows from its definition, so each definition
/// is looked at once.
class Walk {
  public:
    explicit Walk(Reader& reader) : r_(reader)
    {
        r_.swept.record_of.assign(r_.stage.prim_count(), kNone);
        r_.records.reserve(r_.stage.prim_count());
    }

    void root(const std::vector<usd::Prim>& prims)
    {
        stack_.clear();
        std::size_t pruned = 0;
        usd::Path   skip;
        usd::Prim   instancer;
        for (const usd::Prim& prim : prims) {
            // Prims come depth first: all that lie below a skipped one follow it directly.
            const usd::Path& path = prim.path();
            if (path.is_root()) continue;
            if (!skip.empty()) {
                if (path.has_prefix(skip)) {
                    if (instancer && counts_as_prototype(prim)) ++pruned;
                    continue;
                }
                report(instancer, pruned);
                skip      = {};
                instancer = {};
                pruned    = 0;
            }
            if (r_.swept.record_of[prim.index()] != kNone) continue;  // reached from an earlier root
            if (copies_ && is_prototype(prim)) {
                skip = path;
                continue;
            }
            if (std::find(r_.options.exclude.begin(), r_.options.exclude.end(), path) != r_.options.exclude.end()) {
                skip = path;
                continue;
            }
            if (add(prim).is_instancer && !(copies_ && has_copies(prim))) {
                skip      = path;
                instancer = prim;
            }
        }
        report(instancer, pruned);
    }

  private:
    /// Its items are prims of the stage.
    static bool has_copies(const usd::Prim& instancer)
    {
        const std::vector<usd::Prim> children = instancer.children();
        return std::any_of(children.begin(), children.end(),
                           [](const usd::Prim& child) { return usd::instancer_item(child).has_value(); });
    }
    /// Below an instancer and no copy: what it makes copies of, or what is of no use to it.
    static bool is_prototype(const usd::Prim& prim)
    { return prim.parent().type_name().text() == "PointInstancer" && !usd::instancer_item(prim); }

    [[nodiscard]] bool counts_as_prototype(const usd::Prim& prim)
    {
        const Traits& traits = traits_of(prim);
        return traits.has_body || traits.has_collision;
    }

    void report(const usd::Prim& instancer, std::size_t pruned)
    {
        if (!instancer || pruned == 0) return;
        r_.found.add(kInstancer, instancer.site(),
                     fmt::format("{} bodies or colliders below <{}> are prototypes", pruned, instancer.path().text()));
    }

    const Traits& traits_of(const usd::Prim& prim)
    {
        // Prims of one definition (type and applied schemas) have the same traits; a stage has few definitions and many
        // prims.
        const auto [place, fresh] = traits_.try_emplace(prim.definition_key());
        if (fresh) place->second = classify(apis_, r_.options, prim);
        return place->second;
    }

    const Traits& add(const usd::Prim& prim)
    {
        const usd::Prim above = prim.parent();
        // The stack holds the records on the way from a root to the last prim; what is not above the new one is
        // dropped.
        while (!stack_.empty() && !(r_.records[static_cast<std::size_t>(stack_.back())].prim == above))
            stack_.pop_back();
        const Traits& traits             = traits_of(prim);
        const Index   index              = static_cast<Index>(r_.records.size());
        Record&       record             = r_.records.emplace_back(Record{traits});
        record.prim                      = prim;
        record.parent                    = stack_.empty() ? kNone : stack_.back();
        r_.swept.record_of[prim.index()] = index;
        stack_.push_back(index);
        return traits;
    }

    Reader&                                 r_;
    bool                                    copies_ = usd::has_instancer_copies(r_.stage);
    Apis                                    apis_;
    std::unordered_map<const void*, Traits> traits_;  // never iterated
    std::vector<Index>                      stack_;
};

/// The bits of what a prim authors itself.
std::uint8_t inherited_bits(const std::vector<usd::Token>& authored)
{
    static const usd::Token kVisibility("visibility"), kPurpose("purpose"), kColor("primvars:displayColor"),
        kOpacity("primvars:displayOpacity");
    std::uint8_t bits = 0;
    for (const usd::Token& name : authored) {
        if (name == kVisibility) bits |= static_cast<std::uint8_t>(Inherited::visibility);
        if (name == kPurpose) bits |= static_cast<std::uint8_t>(Inherited::purpose);
        if (name == kColor || name == kOpacity) bits |= static_cast<std::uint8_t>(Inherited::display_primvars);
    }
    return bits;
}

/// Names of authored properties, and transforms. The stage knows the matrices at the default time; they change only
/// below a transform that has samples and no default there.
void read_records(Reader& reader)
{
    reader.parallel(reader.records.size(), [&](const Reader& part, std::size_t i) {
        Record& record   = part.records[i];
        record.authored  = record.prim.unordered_property_names();
        record.inherited = inherited_bits(record.authored);
        record.resets    = part.stage.resets_transform(record.prim);
        record.world     = part.stage.world_matrix(record.prim);
    });
    // The stage's matrices take a transform op without a default as absent. Where such ops exist, the matrices below
    // are made anew from their first samples.
    if (reader.options.conventions.samples_need_default) return;
    std::vector<char> moved(reader.records.size(), 0);
    for (std::size_t i = 0; i < reader.records.size(); ++i) {
        Record&    record       = reader.records[i];
        const bool only_sampled = reader.stage.transform_only_sampled(record.prim);
        const bool below_moved  = record.parent != kNone && moved[static_cast<std::size_t>(record.parent)] != 0;
        if (!only_sampled && !below_moved) continue;
        bool                resets = false;
        const usd::Matrix4d local  = reader.local_matrix(record.prim, &resets);
        if (resets)
            record.world = local;
        else if (record.parent != kNone)
            record.world = local * reader.records[static_cast<std::size_t>(record.parent)].world;
        else
            record.world = local * reader.stage.world_matrix(record.prim.parent());
        moved[i] = 1;
    }
}

/// Passes the bits on to the prims below. Prims that were not read, and those below them, keep all bits.
void note_inherited(Reader& reader)
{
    constexpr std::uint8_t     kUnknown = 0xff;
    std::vector<std::uint8_t>& bits     = reader.model.inherited;
    bits.assign(reader.stage.prim_count(), kUnknown);
    // The pseudo-root.
    bits[0] = 0;
    for (const Record& record : reader.records)
        bits[record.prim.index()] = static_cast<std::uint8_t>(bits[record.prim.parent().index()] | record.inherited);
}

/// The prims that were not read count too: materials may lie anywhere.
void note_authored_names(Reader& reader)
{
    std::unordered_set<usd::Token>& names = reader.model.authored_names;
    for (const Record& record : reader.records) names.insert(record.authored.begin(), record.authored.end());
    // All prims but the pseudo-root were read.
    if (reader.records.size() + 1 == reader.stage.prim_count()) return;
    for (const usd::Prim& prim : reader.stage.traverse({.all = true, .instance_proxies = true}))
        if (reader.record(prim) == nullptr)
            for (usd::Token& name : prim.unordered_property_names()) names.insert(std::move(name));
}

void list_prims(Reader& reader)
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

}  // namespace

void sweep(Reader& reader)
{
    list_prims(reader);
    read_records(reader);
    note_inherited(reader);
    note_authored_names(reader);
}

}  // namespace mechane::physics

// Population: finds all prims of a stage, level by level, and puts them into the depth-first array that all else works
// on.
// Composition is OpenUSD's (Pcp); flags, definitions and limits are decided here. The order of prims does not depend on
// threads.
// A stage beyond the limits is refused as a whole; it is never shortened.

#include <fmt/format.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/pcp/instanceKey.h>
#include <pxr/sdf/listOp.h>
#include <pxr/tf/hash.h>
#include <pxr/vt/array.h>
#include <pxr/vt/dictionary.h>
#include <pxr/work/withScopedParallelism.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "mechane/core/nearest.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/codes.h"
#include "usd/arc_count.h"
#include "usd/field_tokens.h"
#include "usd/guards.h"
#include "usd/load_rules.h"
#include "usd/local_prims.h"
#include "usd/progress.h"
#include "usd/stage_impl.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kClips("clips");

bool in_mask(const std::vector<SdfPath>& mask, const SdfPath& path)
{
    return mask.empty() || std::any_of(mask.begin(), mask.end(),
                                       [&](const SdfPath& m) { return m.HasPrefix(path) || path.HasPrefix(m); });
}

/// An inherit of the prim itself brings the node, not one of a prim above it.
bool across_direct_inherit(PcpNodeRef node)
{
    for (; node; node = node.GetParentNode())
        if (PcpIsInheritArc(node.GetArcType()) && !node.IsDueToAncestor()) return true;
    return false;
}

/// Everything that population needs, from one walk over the prim's sites, strongest first. Safe on any thread.
Composed compose_prim(const SdfPath& prim, const PcpPrimIndex& index)
{
    Composed                    out{.sites = &index};
    bool                        active_said = false, specifier_said = false, type_said = false;
    std::vector<SdfTokenListOp> opinions;  // strongest first
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const SdfPath& path = at.path;
        // Strongest first: the first opinion counts, for each field by itself.
        active_said = active_said || layer->HasField(path, kActive, &out.active);
        if (!specifier_said) {
            SdfSpecifier here = SdfSpecifierOver;
            if (layer->HasField(path, kSpecifier, &here) && SdfIsDefiningSpecifier(here)) {
                // Whoever inherits a class is none for that: it loses to a def elsewhere.
                out.specifier  = here == SdfSpecifierDef ? Specifier::def : Specifier::class_;
                specifier_said = here == SdfSpecifierDef || !across_direct_inherit(at.node);
            }
        }
        if (!type_said) {
            type_said = layer->HasField(path, kTypeName, &out.type) && !out.type.IsEmpty() && out.type != kAnyType;
            if (!type_said) out.type = TfToken();
        }
        if (SdfTokenListOp op; layer->HasField(path, kApiSchemas, &op)) opinions.push_back(std::move(op));
        out.clips = out.clips || layer->HasField(path, kClips);
        return false;
    });
    for (auto op = opinions.rbegin(); op != opinions.rend(); ++op) op->ApplyOperations(&out.apis);
    const auto nodes = index.GetNodeRange();
    out.nodes        = static_cast<std::size_t>(std::distance(nodes.first, nodes.second));
    out.local_below  = out.nodes == 1 && !index.IsInstanceable();
    // An inactive prim has no children on the stage.
    if (out.active) {
        TfTokenVector names;
        PcpTokenSet   prohibited;
        index.ComputePrimChildNames(&names, &prohibited);
        out.children.reserve(names.size());
        for (const TfToken& name : names)
            if (SdfPath child = prim.AppendChild(name); !child.IsEmpty()) out.children.push_back(std::move(child));
    }
    return out;
}

const Code& code_of(ApiProblem::Kind problem)
{
    switch (problem) {
        case ApiProblem::unknown:
            return kApiUnknown;
        case ApiProblem::instance_missing:
            return kApiInstanceMissing;
        case ApiProblem::instance_unexpected:
            return kApiInstanceUnexpected;
        case ApiProblem::version_clash:
            return kApiVersionClash;
        case ApiProblem::not_applicable:
            return kApiNotApplicable;
    }
    return kApiUnknown;
}

std::string message_of(const ApiProblem& problem, const PrimRecord& prim)
{
    const std::string& name = problem.name.GetString();
    switch (problem.kind) {
        case ApiProblem::unknown:
            return fmt::format("applied schema '{}' is not known", name);
        case ApiProblem::instance_missing:
            return fmt::format("schema '{}' is applied without the name of an instance", name);
        case ApiProblem::instance_unexpected:
            return fmt::format("schema '{}' is applied with an instance, but can be applied once only", name);
        case ApiProblem::version_clash:
            return fmt::format("schema '{}' is applied beside its other version {}", name, problem.about);
        case ApiProblem::not_applicable:
            return fmt::format("applied schema '{}' is made for {}, not for type '{}'", name, problem.about,
                               prim.type_name.GetString());
    }
    return {};
}

/// The remedy with the schemas that have a similar name in front.
std::string suggested(const std::string& name, bool api, const Code& code)
{
    // Asked for each prim again; the list does not change.
    static const std::vector<std::string> apis  = SchemaRegistry::instance().identifiers(true),
                                          types = SchemaRegistry::instance().identifiers(false);
    const std::string                     near  = did_you_mean(name.substr(0, name.find(':')), api ? apis : types);
    return fmt::format("{}{}{}", near, near.empty() ? "" : " ", code.remedy);
}

/// Of UsdPhysics' proposal for deformables, which OpenUSD does not define yet. The importer reads them.
bool is_proposed(const std::string& schema)
{
    constexpr std::string_view kProposed[] = {"PhysicsAttachment",
                                              "PhysicsElementCollisionFilter",
                                              "PhysicsDeformableBodyAPI",
                                              "PhysicsDeformablePoseAPI",
                                              "PhysicsSurfaceDeformableSimAPI",
                                              "PhysicsVolumeDeformableSimAPI",
                                              "PhysicsCurvesDeformableSimAPI",
                                              "PhysicsSurfaceDeformableMaterialAPI",
                                              "PhysicsVolumeDeformableMaterialAPI",
                                              "PhysicsCurvesDeformableMaterialAPI"};
    return std::find(std::begin(kProposed), std::end(kProposed), schema) != std::end(kProposed);
}

void report_schemas(Stage::Impl& stage, const PrimRecord& prim, const std::vector<ApiProblem>& problems)
{
    const TfToken& type = prim.definition->type;
    const bool     unknown =
        !type.IsEmpty() && SchemaRegistry::instance().find(type) == nullptr && !is_proposed(type.GetString());
    if (!unknown && problems.empty()) return;
    Site site = site_of(stage, prim, {});
    if (unknown)
        stage.diagnostics.add(kTypeUnknown, site, fmt::format("type '{}' is not known", type.GetString()),
                              suggested(type.GetString(), false, kTypeUnknown));
    site.property = "apiSchemas";
    for (const ApiProblem& problem : problems) {
        if (problem.kind == ApiProblem::unknown && is_proposed(problem.name.GetString())) continue;
        stage.diagnostics.add(code_of(problem.kind), site, message_of(problem, prim),
                              problem.kind == ApiProblem::unknown
                                  ? suggested(problem.name.GetString(), true, kApiUnknown)
                                  : std::string());
    }
}

/// The library hands our predicates to its threads, which the thread sanitizer does not see: the library is not
/// instrumented. It is told; other builds have nothing of this.
#if defined(__SANITIZE_THREAD__)
char g_handed_over = 0;
void hand_over() { __tsan_release(&g_handed_over); }
void take_over() { __tsan_acquire(&g_handed_over); }
#else
void hand_over() {}
void take_over() {}
#endif

/// A prim before its place in the depth-first array is known.
struct Found {
    SdfPath     path;
    Composed    composed;
    bool        maybe_local = false;               ///< nothing above it brings arcs
    std::size_t like        = 0;                   ///< the prim whose composition this one shares, or 0
    std::size_t first_child = 0, child_count = 0;  ///< children lie side by side: prims are found level by level
};

/// Indexes prims level by level, in batches: a stage that grows beyond the limits ends with the batch that shows it.
/// Within a batch all cores work, the library's on the indexes and ours on what the layers say.
class Indexer {
  public:
    Indexer(Stage::Impl& stage, const OpenOptions& options)
        : stage_(stage), options_(options), rules_(options), pool_(options.threads)
    {
        for (const Path& path : options.mask) mask_.push_back(unwrap(path));
    }

    /// @error STAGE_LIMIT
    Result<std::deque<Found>> run()
    {
        std::deque<Found> found(1);
        found[0].path    = SdfPath::AbsoluteRootPath();
        std::size_t done = 0, batch = 128;
        while (done < found.size() && !limited_) {
            const std::size_t end = std::min(found.size(), done + batch), before = nodes_;
            index(found, done, end);
            if (limited_) break;
            reading_went_on();
            const std::size_t size = end - done;
            for (; done < end && !limited_; ++done) expand(found, done);
            if (!limited_) limited_ = memory_limit_reached(stage_.source);
            // Prims of many sites cost more than they count.
            const std::size_t affordable = kNodesOfOneBatch / std::max<std::size_t>(1, (nodes_ - before) / size);
            batch = std::clamp<std::size_t>(affordable, 16, std::min<std::size_t>(2 * batch, kPrimsOfOneBatch));
        }
        if (limited_) return *limited_;
        add_composition_errors(stage_, errors_);
        return found;
    }

  private:
    void index(std::deque<Found>& found, std::size_t begin, std::size_t end)
    {
        // Most prims need no index; those that do get it from the library, which works on all cores.
        pool_.for_each(end - begin, 256, [&](std::size_t i) {
            Found& prim = found[begin + i];
            if (!prim.maybe_local) return;
            if (auto composed = local_->compose(prim.path)) prim.composed = std::move(*composed);
        });
        SdfPathVector            paths;
        std::vector<std::size_t> indexed;
        for (std::size_t i = begin; i < end; ++i)
            if (!found[i].composed.local && found[i].like == 0) {
                paths.push_back(found[i].path);
                indexed.push_back(i);
            }
        for (const SdfPath& path : paths)
            // Counted before the library composes it: composing is what would take the memory.
            if (arcs_.count(path, kMaxNodesOfOnePrim) > kMaxNodesOfOnePrim) return too_many_sites(path);
        if (!paths.empty()) index(found, paths, indexed);
        if (begin == 0 && found[0].composed.sites != nullptr) local_.emplace(*found[0].composed.sites);
        for (std::size_t i = begin; i < end; ++i)  // what one is like was found, and composed, before it
            if (found[i].like != 0) found[i].composed = found[found[i].like].composed;
    }

    /// Has the library index these prims, and asks what the layers say as soon as an index is there, on the library's
    /// threads.
    void index(std::deque<Found>& found, const SdfPathVector& paths, const std::vector<std::size_t>& places)
    {
        std::unordered_map<SdfPath, std::size_t, SdfPath::Hash> place_of;
        place_of.reserve(places.size());
        for (const std::size_t place : places) place_of.emplace(found[place].path, place);
        const auto compose = [&](const PcpPrimIndex& index, TfTokenVector*) {
            take_over();
            if (const auto at = place_of.find(index.GetPath()); at != place_of.end()) {
                Composed& composed = found[at->second].composed;
                composed           = compose_prim(at->first, index);
                prepare_definition(composed);
            }
            hand_over();
            return false;  // children wait for the next batch
        };
        const auto loads = [this](const SdfPath& path) {
            take_over();
            return rules_.loads(path);
        };
        hand_over();
        stage_.cache->ComputePrimIndexesInParallel(paths, &errors_, compose, loads);
        take_over();
        for (const std::size_t place : places) {  // only now the indexes are where they stay
            Found&              prim  = found[place];
            const PcpPrimIndex* index = stage_.cache->FindPrimIndex(prim.path);
            if (index != nullptr && prim.composed.sites == nullptr) prim.composed = compose_prim(prim.path, *index);
            prim.composed.sites = index;
        }
    }

    /// Schemas are read on first use: better here, beside the library's work, than when the prims are put in order.
    void prepare_definition(const Composed& prim) const
    {
        thread_local std::pair<TfToken, TfTokenVector> last;  // neighbours are often of one kind
        if (prim.type.IsEmpty() || (last.first == prim.type && last.second == prim.apis)) return;
        // The registry holds a lock while OpenUSD's parser works, which may turn to another prim of ours otherwise.
        WorkWithScopedParallelism([&] {
            (void)SchemaRegistry::instance().definition(prim.type, prim.apis, stage_.openusd_schemas_only, nullptr);
        });
        last = {prim.type, prim.apis};
    }

    void expand(std::deque<Found>& found, std::size_t at)
    {
        const SdfPath path     = found[at].path;
        Composed&     composed = found[at].composed;
        if (composed.sites == nullptr) return;
        if (const std::size_t other = found[at].like != 0 ? found[at].like : equal_instance(found[at], at); other != 0)
            return expand_like(found, at, other);
        nodes_ += composed.nodes;
        if (composed.nodes > kMaxNodesOfOnePrim) too_many_sites(path);
        if (nodes_ > options_.limits.max_graph_nodes)
            limit(fmt::format("there are more than {} sites", options_.limits.max_graph_nodes), "sites");
        if (limited_) return;
        SdfPathVector children    = std::exchange(composed.children, {});
        const bool    local_below = composed.local_below && local_->possible();
        if (!children.empty() && path.GetPathElementCount() >= options_.limits.max_depth)
            return limit(fmt::format("prims nest deeper than {}", options_.limits.max_depth), "depth");
        found[at].first_child = found.size();
        for (SdfPath& child : children) {
            if (!in_mask(mask_, child)) continue;
            if (found.size() >= options_.limits.max_prims)
                return limit(fmt::format("there are more than {} prims", options_.limits.max_prims), "prims");
            ++found[at].child_count;
            found.push_back({.path = std::move(child), .composed = {}, .maybe_local = local_below});
        }
    }

    /// An instance found earlier that is composed as this one is; 0 for the first of its kind, and for other prims.
    /// Instances with an equal key have equal subtrees, which are composed once (OpenUSD's PcpInstanceKey).
    std::size_t equal_instance(const Found& prim, std::size_t at)
    {
        if (!share_ || prim.composed.local || !prim.composed.active || !prim.composed.sites->IsInstanceable()) return 0;
        const auto [first, fresh] = instances_.try_emplace(PcpInstanceKey(*prim.composed.sites), at);
        return fresh ? 0 : first->second;
    }

    /// The children are those of another prim, which was expanded before.
    void expand_like(std::deque<Found>& found, std::size_t at, std::size_t other)
    {
        const SdfPath     path  = found[at].path;
        const std::size_t first = found[other].first_child, count = found[other].child_count;
        found[at].composed.children.clear();
        if (count != 0 && path.GetPathElementCount() >= options_.limits.max_depth)
            return limit(fmt::format("prims nest deeper than {}", options_.limits.max_depth), "depth");
        found[at].first_child = found.size();
        for (std::size_t i = first; i < first + count; ++i) {
            if (found.size() >= options_.limits.max_prims)
                return limit(fmt::format("there are more than {} prims", options_.limits.max_prims), "prims");
            ++found[at].child_count;
            found.push_back({.path = path.AppendChild(found[i].path.GetNameToken()), .composed = {}, .like = i});
        }
    }

    void limit(std::string what, std::string_view option)
    {
        if (!limited_) limited_ = limit_reached({.layer = stage_.source}, std::move(what), option);
    }
    void too_many_sites(const SdfPath& prim)
    {
        if (!limited_)
            limited_ = make_diagnostic(
                kLimit, {.layer = stage_.source, .prim = prim.GetString()},
                fmt::format("the prim is composed of more than {} sites", kMaxNodesOfOnePrim),
                "Shorten the chain of references, payloads, inherits and specializes; no option allows more.");
    }

    /// The cost of one prim grows faster than its sites do; chains of arcs this long are made, not written.
    static constexpr std::size_t kMaxNodesOfOnePrim = 512;
    /// What may be composed before the limits are asked again.
    static constexpr std::size_t kNodesOfOneBatch = 65'536;
    /// The library asks for each arc of a prim whether its target is one of the prims that it is given, one after the
    /// other (PcpCache): the work of a batch grows with the square of its size.
    static constexpr std::size_t kPrimsOfOneBatch = 1'024;

    Stage::Impl&              stage_;
    const OpenOptions&        options_;
    LoadRules                 rules_;
    tasks::Pool               pool_;
    std::vector<SdfPath>      mask_;
    std::optional<LocalPrims> local_;  ///< as soon as the pseudo-root is indexed
    PcpErrorVector            errors_;
    /// Instances that are masked or loaded in different ways are not alike, whatever the library says of them.
    const bool share_ = options_.share_instances && options_.mask.empty() && options_.load_rules.empty();
    std::unordered_map<PcpInstanceKey, std::size_t, PcpInstanceKey::Hash> instances_;  ///< the first of each kind
    std::size_t                                                           nodes_ = 0;
    ArcCount                                                              arcs_{stage_};
    std::optional<Diagnostic>                                             limited_;
};

/// Definitions and problems by (type, authored schemas): a stage has few kinds of prims, and asking the registry costs
/// a lock.
class Kinds {
  public:
    struct Kind {
        std::shared_ptr<const Definition> definition;
        std::vector<ApiProblem>           problems;
    };
    explicit Kinds(const Stage::Impl& stage) : openusd_only_(stage.openusd_schemas_only)
    {
        for (const SdfLayerRefPtr& layer : {stage.session, stage.root})
            if (VtDictionary types; substitutes_.empty() && layer &&
                                    layer->HasField(SdfPath::AbsoluteRootPath(), TfToken("fallbackPrimTypes"), &types))
                substitutes_ = std::move(types);
    }

    const Kind& of(const TfToken& type, const TfTokenVector& apis)
    {
        if (const auto at = kinds_.find(View{type, apis}); at != kinds_.end()) return at->second;
        Kind& kind      = kinds_[Key{type, apis}];
        kind.definition = SchemaRegistry::instance().definition(known(type), apis, openusd_only_, &kind.problems);
        return kind;
    }

  private:
    struct Key {
        TfToken       type;
        TfTokenVector apis;
    };
    struct View {  ///< a key to look up, not copied
        const TfToken&       type;
        const TfTokenVector& apis;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const auto& key) const { return TfHash::Combine(key.type, key.apis); }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const auto& a, const auto& b) const { return a.type == b.type && a.apis == b.apis; }
    };
    /// The type itself, or, when no schema has its name, the first known one that the stage offers instead.
    [[nodiscard]] TfToken known(const TfToken& type) const
    {
        if (substitutes_.empty() || SchemaRegistry::instance().find(type) != nullptr) return type;
        const auto offered = substitutes_.find(type.GetString());
        if (offered != substitutes_.end() && offered->second.IsHolding<VtTokenArray>())
            for (const TfToken& other : offered->second.UncheckedGet<VtTokenArray>())
                if (SchemaRegistry::instance().find(other) != nullptr) return other;
        return type;
    }

    bool                                       openusd_only_;
    VtDictionary                               substitutes_;  ///< of stage metadata: lists of types by type
    std::unordered_map<Key, Kind, Hash, Equal> kinds_;
};

/// PrimRecord::shared_below of a prim's children: paths go on being moved over with the instance that they are moved
/// with at the prim itself, unless the indexes lie elsewhere from here on.
/// @param at   the prim's place on the stage
std::uint32_t shared_by_children(const std::deque<Found>& found, std::size_t prim, std::uint32_t at,
                                 std::uint32_t of_prim)
{
    for (std::size_t i = 0; i < found[prim].child_count; ++i) {
        const Found& child = found[found[prim].first_child + i];
        if (child.like == 0) return 0;
        if (child.composed.sites == nullptr) continue;
        return child.composed.sites->GetPath().GetParentPath() == found[prim].composed.sites->GetPath() ? of_prim : at;
    }
    return 0;
}

}  // namespace

std::optional<Diagnostic> populate(Stage::Impl& stage, const OpenOptions& options)
{
    const ArResolverContextBinder bind(stage.context);
    Result<std::deque<Found>>     indexed = Indexer(stage, options).run();
    if (!indexed) return indexed.error();
    std::deque<Found> found = std::move(*indexed);
    const LoadRules   rules(options);

    struct Entry {
        std::size_t   at;
        std::uint32_t parent, depth, shared_below;
    };
    std::vector<Entry> stack{{0, 0, 0, 0}};
    Kinds              kinds(stage);
    stage.prims.reserve(found.size());
    while (!stack.empty()) {
        const Entry entry = stack.back();
        stack.pop_back();
        const SdfPath&      path     = found[entry.at].path;
        Composed&           composed = found[entry.at].composed;
        const PcpPrimIndex* index    = composed.sites;
        if (index == nullptr) continue;  // the library gave up on it, with an error
        const bool             root = stage.prims.empty();
        const auto             at   = static_cast<std::uint32_t>(stage.prims.size());
        PrimRecord             prim{.path           = wrap(path),
                                    .sites          = index,
                                    .layer          = composed.layer,
                                    .property_names = std::move(composed.property_names),
                                    .fields         = std::move(composed.fields),
                                    .shared_below   = entry.shared_below,
                                    .parent         = entry.parent,
                                    .depth          = entry.depth,
                                    .decoded        = composed.decoded};
        constexpr std::uint8_t fresh = prim_flag::active | prim_flag::defined | prim_flag::loaded;
        // A prim is active, defined and loaded only if all prims above it are.
        std::uint8_t above = root ? fresh : stage.prims[entry.parent].flags;
        // What stands over an instance is not said of the prims that instances share.
        if ((above & prim_flag::instance) != 0) above = fresh | prim_flag::instance;
        if (root) {
            prim.specifier  = Specifier::def;
            prim.flags      = above;
            prim.definition = kinds.of({}, {}).definition;
        } else {
            const Kinds::Kind& kind    = kinds.of(composed.type, composed.apis);
            prim.specifier             = composed.specifier;
            prim.type_name             = std::move(composed.type);
            prim.authored_apis         = std::move(composed.apis);
            prim.definition            = kind.definition;
            const bool active          = (above & prim_flag::active) != 0 && composed.active;
            const bool payload_missing = !composed.local && index->HasAnyPayloads() && !rules.loads(path);
            prim.flags                 = static_cast<std::uint8_t>(
                (active ? prim_flag::active : 0) |
                (prim.specifier != Specifier::over && (above & prim_flag::defined) ? prim_flag::defined : 0) |
                (prim.specifier == Specifier::class_ || (above & prim_flag::abstract) ? prim_flag::abstract : 0) |
                (active && !payload_missing && (above & prim_flag::loaded) ? prim_flag::loaded : 0) |
                ((above & (prim_flag::instance | prim_flag::proxy)) != 0 ? prim_flag::proxy : 0) |
                (composed.local ? prim_flag::local : 0) | (composed.clips ? prim_flag::clips : 0) |
                (active && !composed.local && index->IsInstanceable() ? prim_flag::instance : 0));
            report_schemas(stage, prim, kind.problems);
        }
        stage.prims.push_back(std::move(prim));
        const std::size_t   first_below  = found[entry.at].first_child;
        const std::uint32_t shared_below = shared_by_children(found, entry.at, at, entry.shared_below);
        for (std::size_t i = found[entry.at].child_count; i-- > 0;)
            stack.push_back({first_below + i, at, entry.depth + 1, shared_below});
    }
    // In depth-first order the subtree of a prim ends where the next prim of no greater depth begins.
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i <= stage.prims.size(); ++i) {
        while (!open.empty() && (i == stage.prims.size() || stage.prims[open.back()].depth >= stage.prims[i].depth)) {
            stage.prims[open.back()].subtree_end = i;
            open.pop_back();
        }
        if (i < stage.prims.size()) open.push_back(i);
    }
    return std::nullopt;
}

}  // namespace mechane::usd

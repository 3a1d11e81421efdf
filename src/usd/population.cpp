#include <fmt/format.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/listOp.h>

#include <algorithm>

#include "mechane/usd/codes.h"
#include "usd/load_rules.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kActive("active"), kSpecifier("specifier"), kTypeName("typeName"), kApiSchemas("apiSchemas"),
    kAnyType("__AnyType__");

bool is_active(const PcpPrimIndex& index)
{
    bool active = true;
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        return layer->HasField(node.GetPath(), kActive, &active);
    });
    return active;
}

bool in_mask(const std::vector<SdfPath>& mask, const SdfPath& path)
{
    return mask.empty() || std::any_of(mask.begin(), mask.end(),
                                       [&](const SdfPath& m) { return m.HasPrefix(path) || path.HasPrefix(m); });
}

/// The strongest defining opinion; a class that comes across an inherit or specialize arc loses to a def elsewhere.
Specifier compose_specifier(const PcpPrimIndex& index)
{
    Specifier out = Specifier::over;
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        SdfSpecifier here = SdfSpecifierOver;
        if (!layer->HasField(node.GetPath(), kSpecifier, &here) || !SdfIsDefiningSpecifier(here)) return false;
        if (here == SdfSpecifierDef) {
            out = Specifier::def;
            return true;
        }
        out               = Specifier::class_;
        bool across_class = false;
        for (PcpNodeRef n = node; n; n = n.GetParentNode())
            across_class = across_class || PcpIsClassBasedArc(n.GetArcType());
        return !across_class;
    });
    return out;
}

TfToken compose_type(const PcpPrimIndex& index)
{
    TfToken out;
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        if (layer->HasField(node.GetPath(), kTypeName, &out) && !out.IsEmpty() && out != kAnyType) return true;
        out = TfToken();
        return false;
    });
    return out;
}

TfTokenVector compose_apis(const PcpPrimIndex& index)
{
    std::vector<SdfTokenListOp> opinions;  // strongest first
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        SdfTokenListOp op;
        if (layer->HasField(node.GetPath(), kApiSchemas, &op)) opinions.push_back(std::move(op));
        return false;
    });
    TfTokenVector out;
    for (auto op = opinions.rbegin(); op != opinions.rend(); ++op) op->ApplyOperations(&out);
    return out;
}

void report_schemas(Stage::Impl& stage, const PrimRecord& prim, const std::vector<SchemaRegistry::ApiProblem>& problems)
{
    if (!prim.type_name.IsEmpty() && SchemaRegistry::instance().find(prim.type_name) == nullptr)
        stage.diagnostics.add(kTypeUnknown, {.layer = stage.source, .prim = prim.path.text()},
                              fmt::format("type '{}' is not known", prim.type_name.GetString()));
    for (const auto& problem : problems) {
        using Kind       = SchemaRegistry::ApiProblem::Kind;
        const Code& code = problem.kind == Kind::unknown            ? kApiUnknown
                           : problem.kind == Kind::instance_missing ? kApiInstanceMissing
                                                                    : kApiInstanceUnexpected;
        stage.diagnostics.add(code, {.layer = stage.source, .prim = prim.path.text(), .property = "apiSchemas"},
                              fmt::format("applied schema '{}'", problem.name.GetString()));
    }
}

/// A prim before its place in the depth-first array is known.
struct Found {
    SdfPath                  path;
    std::vector<std::size_t> children;
};

/// Indexes prims level by level, in batches: a stage that grows beyond the limits ends with the batch that shows it.
/// Within a batch the library works on all cores.
class Indexer {
  public:
    Indexer(Stage::Impl& stage, const OpenOptions& options) : stage_(stage), options_(options), rules_(options)
    {
        for (const Path& path : options.mask) mask_.push_back(unwrap(path));
    }

    std::vector<Found> run()
    {
        std::vector<Found> found{{SdfPath::AbsoluteRootPath(), {}}};
        std::size_t        done = 0, batch = 1;
        while (done < found.size() && !limited_) {
            const std::size_t end = std::min(found.size(), done + batch);
            index(found, done, end);
            for (; done < end && !limited_; ++done) expand(found, done);
            batch = std::min<std::size_t>(2 * batch, 8192);
        }
        if (limited_) {
            found.resize(done);
            for (Found& f : found) std::erase_if(f.children, [&](std::size_t child) { return child >= done; });
            stage_.diagnostics.add(kLimit, {.layer = stage_.source},
                                   fmt::format("stopped after {} prims ({}); the rest is missing", done, why_));
        }
        add_composition_errors(stage_, errors_);
        return found;
    }

  private:
    void index(const std::vector<Found>& found, std::size_t begin, std::size_t end)
    {
        SdfPathVector paths;
        for (std::size_t i = begin; i < end; ++i) paths.push_back(found[i].path);
        const auto no_children = [](const PcpPrimIndex&, TfTokenVector*) { return false; };
        const auto loads       = [this](const SdfPath& path) { return rules_.loads(path); };
        stage_.cache->ComputePrimIndexesInParallel(paths, &errors_, no_children, loads);
    }

    void expand(std::vector<Found>& found, std::size_t at)
    {
        const SdfPath       path  = found[at].path;
        const PcpPrimIndex* index = stage_.cache->FindPrimIndex(path);
        if (index == nullptr) return;
        std::size_t nodes = 0;
        for (const PcpNodeRef& node : index->GetNodeRange()) (void)node, ++nodes;
        nodes_ += nodes;
        if (nodes > kMaxNodesOfOnePrim)
            limit(fmt::format("{} is composed of more than {} sites", path.GetString(), kMaxNodesOfOnePrim));
        if (nodes_ > options_.limits.max_graph_nodes)
            limit(fmt::format("more than {} sites", options_.limits.max_graph_nodes));
        if (limited_ || !is_active(*index)) return;
        TfTokenVector names;
        PcpTokenSet   prohibited;
        index->ComputePrimChildNames(&names, &prohibited);
        if (!names.empty() && path.GetPathElementCount() >= options_.limits.max_depth)
            return limit(fmt::format("prims nest deeper than {}", options_.limits.max_depth));
        for (const TfToken& name : names) {
            SdfPath child = path.AppendChild(name);
            if (child.IsEmpty() || !in_mask(mask_, child)) continue;
            if (found.size() >= options_.limits.max_prims)
                return limit(fmt::format("more than {} prims", options_.limits.max_prims));
            found[at].children.push_back(found.size());
            found.push_back({std::move(child), {}});
        }
    }

    void limit(std::string why)
    {
        limited_ = true;
        why_     = std::move(why);
    }

    /// The cost of one prim grows faster than its sites do; chains of arcs this long are made, not written.
    static constexpr std::size_t kMaxNodesOfOnePrim = 512;

    Stage::Impl&         stage_;
    const OpenOptions&   options_;
    LoadRules            rules_;
    std::vector<SdfPath> mask_;
    PcpErrorVector       errors_;
    std::size_t          nodes_   = 0;
    bool                 limited_ = false;
    std::string          why_;
};

}  // namespace

void populate(Stage::Impl& stage, const OpenOptions& options)
{
    const ArResolverContextBinder bind(stage.context);
    const std::vector<Found>      found = Indexer(stage, options).run();
    const LoadRules               rules(options);

    struct Entry {
        std::size_t   at;
        std::uint32_t parent, depth;
    };
    std::vector<Entry> stack{{0, 0, 0}};
    auto&              registry = SchemaRegistry::instance();
    stage.prims.reserve(found.size());
    stage.by_path.reserve(found.size());
    while (!stack.empty()) {
        const Entry entry = stack.back();
        stack.pop_back();
        const SdfPath&      path  = found[entry.at].path;
        const PcpPrimIndex* index = stage.cache->FindPrimIndex(path);
        if (index == nullptr) continue;  // the library gave up on it, with an error
        const bool         root = stage.prims.empty();
        const auto         at   = static_cast<std::uint32_t>(stage.prims.size());
        PrimRecord         prim{.path = wrap(path), .index = index, .parent = entry.parent, .depth = entry.depth};
        const std::uint8_t above = root ? std::uint8_t(prim_flag::active | prim_flag::defined | prim_flag::loaded)
                                        : stage.prims[entry.parent].flags;
        if (root) {
            prim.specifier  = Specifier::def;
            prim.flags      = above;
            prim.definition = registry.definition({}, {}, stage.openusd_schemas_only, nullptr);
        } else {
            std::vector<SchemaRegistry::ApiProblem> problems;
            prim.specifier     = compose_specifier(*index);
            prim.type_name     = compose_type(*index);
            prim.authored_apis = compose_apis(*index);
            prim.definition =
                registry.definition(prim.type_name, prim.authored_apis, stage.openusd_schemas_only, &problems);
            const bool active          = (above & prim_flag::active) != 0 && is_active(*index);
            const bool payload_missing = index->HasAnyPayloads() && !rules.loads(path);
            prim.flags                 = static_cast<std::uint8_t>(
                (active ? prim_flag::active : 0) |
                (prim.specifier != Specifier::over && (above & prim_flag::defined) ? prim_flag::defined : 0) |
                (prim.specifier == Specifier::class_ || (above & prim_flag::abstract) ? prim_flag::abstract : 0) |
                (active && !payload_missing && (above & prim_flag::loaded) ? prim_flag::loaded : 0) |
                ((above & (prim_flag::instance | prim_flag::proxy)) != 0 ? prim_flag::proxy : 0) |
                (index->IsInstanceable() ? prim_flag::instance : 0));
            report_schemas(stage, prim, problems);
        }
        stage.by_path.emplace(path, at);
        stage.prims.push_back(std::move(prim));
        const auto& children = found[entry.at].children;
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            stack.push_back({*child, at, entry.depth + 1});
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
}

}  // namespace mechane::usd

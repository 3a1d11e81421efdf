#include <fmt/format.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/listOp.h>

#include <algorithm>
#include <atomic>

#include "mechane/usd/codes.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kActive("active"), kSpecifier("specifier"), kTypeName("typeName"), kApiSchemas("apiSchemas");

bool is_active(const PcpPrimIndex& index)
{
    bool active = true;
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) { return layer->HasField(node.GetPath(), kActive, &active); });
    return active;
}

bool in_mask(const std::vector<SdfPath>& mask, const SdfPath& path)
{
    return mask.empty() || std::any_of(mask.begin(), mask.end(), [&](const SdfPath& m) { return m.HasPrefix(path) || path.HasPrefix(m); });
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
        out              = Specifier::class_;
        bool across_class = false;
        for (PcpNodeRef n = node; n; n = n.GetParentNode()) across_class = across_class || PcpIsClassBasedArc(n.GetArcType());
        return !across_class;
    });
    return out;
}

TfToken compose_type(const PcpPrimIndex& index)
{
    TfToken out;
    for_each_site(index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t) {
        return layer->HasField(node.GetPath(), kTypeName, &out) && !out.IsEmpty();
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
        stage.diagnostics.add(kTypeUnknown, {.layer = stage.source, .prim = prim.path.text()}, fmt::format("type '{}' is not known", prim.type_name.GetString()));
    for (const auto& problem : problems) {
        using Kind       = SchemaRegistry::ApiProblem::Kind;
        const Code& code = problem.kind == Kind::unknown ? kApiUnknown : problem.kind == Kind::instance_missing ? kApiInstanceMissing : kApiInstanceUnexpected;
        stage.diagnostics.add(code, {.layer = stage.source, .prim = prim.path.text(), .property = "apiSchemas"}, fmt::format("applied schema '{}'", problem.name.GetString()));
    }
}

}  // namespace

void populate(Stage::Impl& stage, const OpenOptions& options)
{
    const ArResolverContextBinder bind(stage.context);
    std::vector<SdfPath>          mask;
    for (const Path& path : options.mask) mask.push_back(unwrap(path));

    // Parallel indexing; the predicates run on many threads. The limits also end expansions that would never end.
    std::atomic<std::size_t> indexed{0}, nodes{0};
    std::atomic<bool>        limited{false};
    const auto               children = [&](const PcpPrimIndex& index, TfTokenVector* names) {
        const std::size_t count = ++indexed;
        std::size_t       here  = 0;
        for (const PcpNodeRef& node : index.GetNodeRange()) (void)node, ++here;
        const std::size_t total = nodes += here;
        if (count > options.limits.max_prims || total > options.limits.max_graph_nodes || index.GetPath().GetPathElementCount() > options.limits.max_depth) {
            limited = true;
            return false;
        }
        if (!is_active(index)) return false;
        (void)names;  // empty: all children
        if (mask.empty()) return true;
        return in_mask(mask, index.GetPath());
    };
    const auto payloads = [&](const SdfPath&) { return options.load_payloads; };
    PcpErrorVector errors;
    stage.cache->ComputePrimIndexesInParallel(SdfPath::AbsoluteRootPath(), &errors, children, payloads);
    if (limited) stage.diagnostics.add(kLimit, {.layer = stage.source}, fmt::format("stopped after {} prims; the rest is missing", indexed.load()));

    struct Entry {
        SdfPath       path;
        std::uint32_t parent, depth;
    };
    std::vector<Entry> stack{{SdfPath::AbsoluteRootPath(), 0, 0}};
    auto&              registry = SchemaRegistry::instance();
    stage.prims.reserve(indexed);
    while (!stack.empty()) {
        const Entry entry = stack.back();
        stack.pop_back();
        const PcpPrimIndex* index = stage.cache->FindPrimIndex(entry.path);
        if (index == nullptr) continue;  // beyond a limit
        const bool  root   = stage.prims.empty();
        const auto  at     = static_cast<std::uint32_t>(stage.prims.size());
        PrimRecord  prim{.path = wrap(entry.path), .index = index, .parent = entry.parent, .depth = entry.depth};
        const std::uint8_t above = root ? std::uint8_t(prim_flag::active | prim_flag::defined | prim_flag::loaded) : stage.prims[entry.parent].flags;
        if (root) {
            prim.specifier  = Specifier::def;
            prim.flags      = above;
            prim.definition = registry.definition({}, {}, stage.openusd_schemas_only, nullptr);
        } else {
            std::vector<SchemaRegistry::ApiProblem> problems;
            prim.specifier     = compose_specifier(*index);
            prim.type_name     = compose_type(*index);
            prim.authored_apis = compose_apis(*index);
            prim.definition    = registry.definition(prim.type_name, prim.authored_apis, stage.openusd_schemas_only, &problems);
            const bool active  = is_active(*index);
            const bool payload_missing = index->HasAnyPayloads() && !options.load_payloads;
            prim.flags = static_cast<std::uint8_t>(
                (active && (above & prim_flag::active) ? prim_flag::active : 0) |
                (prim.specifier != Specifier::over && (above & prim_flag::defined) ? prim_flag::defined : 0) |
                (prim.specifier == Specifier::class_ || (above & prim_flag::abstract) ? prim_flag::abstract : 0) |
                (!payload_missing && (above & prim_flag::loaded) ? prim_flag::loaded : 0) |
                ((above & (prim_flag::instance | prim_flag::proxy)) != 0 ? prim_flag::proxy : 0) | (index->IsInstanceable() ? prim_flag::instance : 0));
            report_schemas(stage, prim, problems);
        }
        const bool descend = (prim.flags & prim_flag::active) != 0;
        stage.by_path.emplace(entry.path, at);
        stage.prims.push_back(std::move(prim));
        if (!descend) continue;
        TfTokenVector names;
        PcpTokenSet   prohibited;
        index->ComputePrimChildNames(&names, &prohibited);
        for (auto name = names.rbegin(); name != names.rend(); ++name) {
            const SdfPath child = entry.path.AppendChild(*name);
            if (in_mask(mask, child)) stack.push_back({child, at, entry.depth + 1});
        }
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
    add_composition_errors(stage, errors);
}

}  // namespace mechane::usd

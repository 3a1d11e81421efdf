// Opening a stage: finds and guards the file, composes the layers, finds prims, clips and matrices, and reports what
// was found on the way.
// A stage never changes once it is made; other load rules, masks or muted layers make another one.

#include "mechane/usd/stage.h"

#include <fmt/format.h>
#include <pxr/ar/defaultResolverContext.h>
#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/pcp/errors.h>
#include <pxr/pcp/layerStackIdentifier.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/primSpec.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "mechane/usd/codes.h"
#include "usd/foreign_readers.h"
#include "usd/guards.h"
#include "usd/layer_impl.h"
#include "usd/load_rules.h"
#include "usd/open_in_pieces.h"
#include "usd/opening.h"
#include "usd/package_resolver.h"
#include "usd/parser_message.h"
#include "usd/runtime.h"
#include "usd/stage_impl.h"
#include "usd/value_clips.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;

/// The library's words about an operation, as findings about the stage.
void add_messages(MessageScope& messages, const std::string& source, Diagnostics& out)
{
    for (const LibraryMessage& message : messages.take()) {
        Diagnostic finding = from_parser_message(kLibraryMessage, source, message.text);
        out.add(std::move(finding));
    }
}

/// Selections go to the session layer: "/Prim{set}" to that prim, "set" to the default prim.
void author_selections(const SdfLayerRefPtr& session, const OpenOptions& options, const std::string& default_prim)
{
    for (const auto& [target, name] : options.variant_selections) {
        const std::size_t brace = target.find('{');
        std::string       prim  = brace == std::string::npos ? "/" + default_prim : target.substr(0, brace);
        std::string       set   = brace == std::string::npos ? target : target.substr(brace + 1);
        if (set.ends_with('}')) set.pop_back();
        // Wrong targets are told by check_selections after composition.
        if (!SdfPath::IsValidPathString(prim) || prim == "/") continue;
        if (const SdfPrimSpecHandle spec = SdfCreatePrimInLayer(session, SdfPath(prim)))
            spec->SetVariantSelection(set, name);
    }
}

void author_variables(const SdfLayerRefPtr& session, const OpenOptions& options)
{
    if (options.expression_variables.empty()) return;
    VtDictionary variables = session->GetExpressionVariables();
    for (const auto& [name, value] : options.expression_variables) variables[name] = VtValue(value);
    session->SetExpressionVariables(variables);
}

/// Where bare asset paths are looked up that are not beside their layer: the folder of the root layer, or of the
/// package that holds it, comes first, as OpenUSD has it.
std::vector<std::string> search_folders(const std::string& file, const OpenOptions& options)
{
    std::vector<std::string> out = options.search_paths;
    const std::string root       = ArGetResolver().Resolve(ArSplitPackageRelativePathOuter(file).first).GetPathString();
    if (!root.empty()) out.insert(out.begin(), fs::absolute(root).parent_path().string());
    return out;
}

/// Without the table of all paths, which may never be needed.
bool has_prim(const Stage::Impl& stage, const SdfPath& path)
{
    std::uint32_t at = 0;
    for (const SdfPath& prefix : path.GetPrefixes()) {
        std::uint32_t child = at + 1;
        while (child < stage.prims[at].subtree_end && unwrap(stage.prims[child].path) != prefix)
            child = stage.prims[child].subtree_end;
        if (child >= stage.prims[at].subtree_end) return false;
        at = child;
    }
    return !stage.prims.empty();
}

Result<std::shared_ptr<const Stage>> compose(
    std::unique_ptr<Stage::Impl> impl, const OpenOptions& options, MessageScope& messages, GuardScope& guard,
    const std::function<std::shared_ptr<const Stage>(std::unique_ptr<Stage::Impl>)>& wrap_stage)
{
    // The session layer is stronger than the root layer, hence what a caller asks for wins without an edit of files.
    if (!options.session_text.empty() || !options.variant_selections.empty() || !options.expression_variables.empty()) {
        if (auto wrong = options.session_text.empty()
                             ? std::nullopt
                             : guard_layer(options.session_text, "session layer", options.limits))
            return *wrong;
        impl->session = SdfLayer::CreateAnonymous("session.usda");
        if (!options.session_text.empty() && !impl->session->ImportFromString(options.session_text))
            return explain_failure(messages, guard, "session layer", "session.usda");
        author_selections(impl->session, options, wrap(impl->root->GetDefaultPrim()).text());
        author_variables(impl->session, options);
    }
    impl->options              = options;
    impl->openusd_schemas_only = options.openusd_schemas_only;
    impl->cache =
        std::make_unique<PcpCache>(PcpLayerStackIdentifier(impl->root, impl->session, impl->context), "usd", true);
    if (!options.variant_fallbacks.empty()) {
        PcpVariantFallbackMap fallbacks;
        for (const auto& [set, names] : options.variant_fallbacks) fallbacks[set] = names;
        impl->cache->SetVariantFallbacks(fallbacks);
    }
    if (!options.muted_layers.empty()) {
        std::vector<std::string> muted;
        // OpenUSD refuses to mute the root layer: that is told, since the caller would see no effect.
        for (const std::string& layer : options.muted_layers) {
            if (SdfComputeAssetPathRelativeToLayer(impl->root, layer) == impl->root->GetIdentifier())
                impl->diagnostics.add(kMuteRoot, {.layer = impl->source}, fmt::format("{} is the root layer", layer));
            else
                muted.push_back(layer);
        }
        impl->cache->RequestLayerMuting(muted, {});
    }
    {
        PcpErrorVector                errors;
        const ArResolverContextBinder bind(impl->context);
        impl->cache->ComputeLayerStack(impl->cache->GetLayerStackIdentifier(), &errors);
        read_metadata(*impl);
        if (auto limited = populate(*impl, options)) return std::move(*limited);
        collect_clips(*impl);
        add_composition_errors(*impl, errors);
    }
    // Targets of relationships and connections outside the mask may be needed: the mask grows by them, and the stage is
    // composed again.
    if (expand_mask(*impl, impl->options)) {  // to a fixed point: a mask only grows, and ends at the whole stage
        auto again              = std::make_unique<Stage::Impl>();
        again->source           = impl->source;
        again->root             = impl->root;
        again->context          = impl->context;
        again->generation       = impl->generation;
        const OpenOptions wider = impl->options;
        return compose(std::move(again), wider, messages, guard, wrap_stage);
    }
    if (const std::string& name = impl->metadata.default_prim; !name.empty()) {
        const SdfPath path(name.starts_with('/') ? name : "/" + name);
        if (options.mask.empty() && !has_prim(*impl, path))
            impl->diagnostics.add(kDefaultPrimMissing, {.layer = impl->source, .property = "defaultPrim"},
                                  fmt::format("there is no prim '{}'", name));
    }
    compute_world_matrices(*impl);
    report_unit_mismatches(*impl);
    // Limits that were passed while layers were read: a model with a part missing would be worse than none.
    for (Diagnostic refused : guard.take()) {
        refused.site.layer = shown_path(refused.site.layer);
        if (refused.id == kLimit.id) return refused;  // never a shortened model
        impl->diagnostics.add(std::move(refused));
    }
    add_messages(messages, impl->source, impl->diagnostics);
    return wrap_stage(std::move(impl));
}

}  // namespace

Stage::Stage()  = default;
Stage::~Stage() = default;

Result<std::shared_ptr<const Stage>> Stage::open(const std::string& source, const OpenOptions& options)
{
    if (const Diagnostic* wrong = prepare_runtime(); wrong != nullptr) return *wrong;
    SchemaRegistry::instance();  // reads the user's plug-ins before this stage's messages are collected
    std::optional<Result<ForeignStage>> foreign;
    if (const ForeignReader reader = foreign_reader_of(source)) {
        set_packages(options.packages);
        foreign = reader(source, options);
        if (!*foreign) return foreign->error();
    }
    const auto file = foreign ? Result<std::string>(source) : find_file(source);
    if (!file) return file.error();
    MessageScope messages;
    GuardScope   guard(options.limits, source);
    set_packages(options.packages);
    if (!unknown_package(source).empty())
        return make_diagnostic(kPackageUnknown, {.layer = source},
                               fmt::format("the package of '{}' is not known", source));
    auto impl     = std::make_unique<Impl>();
    impl->source  = source;
    impl->context = ArResolverContext(ArDefaultResolverContext(search_folders(*file, options)));
    if (foreign) {
        ForeignStage& made = **foreign;
        impl->root         = made.layer.impl().layer;
        impl->diagnostics  = std::move(made.found);
        keep_places(impl->root, std::move(made.places));
    } else {
        const ArResolverContextBinder bind(impl->context);
        // A large text layer is parsed on several threads; null means that the file is not of that kind.
        impl->root = open_in_pieces(*file, impl->context, options.threads, messages);
        if (!impl->root) impl->root = SdfLayer::FindOrOpen(*file);
    }
    if (!impl->root) return explain_failure(messages, guard, source, *file);
    return compose(std::move(impl), options, messages, guard, [](std::unique_ptr<Impl> done) {
        std::shared_ptr<Stage> stage(new Stage);
        stage->impl_ = std::move(done);
        return std::shared_ptr<const Stage>(stage);
    });
}

Result<std::shared_ptr<const Stage>> Stage::open_text(std::string_view usda, const std::string& anchor_folder,
                                                      const OpenOptions& options)
{
    if (const Diagnostic* wrong = prepare_runtime(); wrong != nullptr) return *wrong;
    SchemaRegistry::instance();  // reads the user's plug-ins before this stage's messages are collected
    if (auto wrong = guard_layer(usda, "text.usda", options.limits)) return *wrong;
    MessageScope messages;
    GuardScope   guard(options.limits);
    set_packages(options.packages);
    // A file in the folder's place is what the text was made of: messages name it.
    std::error_code none;
    const bool      made_of_file = fs::is_regular_file(anchor_folder, none);
    const fs::path  folder       = made_of_file ? fs::absolute(anchor_folder).parent_path() : fs::path(anchor_folder);
    auto            impl         = std::make_unique<Impl>();
    std::vector<std::string> folders = options.search_paths;
    impl->source                     = made_of_file ? anchor_folder : "text.usda";
    impl->root                       = SdfLayer::CreateAnonymous("text.usda");
    if (!folder.empty()) folders.insert(folders.begin(), fs::absolute(folder).string());
    impl->context = ArResolverContext(ArDefaultResolverContext(folders));
    if (!impl->root->ImportFromString(std::string(usda)))
        return explain_failure(messages, guard, "text.usda", "text.usda");
    return compose(std::move(impl), options, messages, guard, [](std::unique_ptr<Impl> done) {
        std::shared_ptr<Stage> stage(new Stage);
        stage->impl_ = std::move(done);
        return std::shared_ptr<const Stage>(stage);
    });
}

Result<std::shared_ptr<const Stage>> Stage::composed_anew(const OpenOptions& options) const
{
    MessageScope messages;
    GuardScope   guard(options.limits, impl_->root->IsAnonymous() ? std::string() : impl_->source);
    set_packages(options.packages);
    auto impl        = std::make_unique<Impl>();
    impl->source     = impl_->source;
    impl->root       = impl_->root;
    impl->context    = impl_->context;
    impl->generation = impl_->generation + 1;
    return compose(std::move(impl), options, messages, guard, [](std::unique_ptr<Impl> done) {
        std::shared_ptr<Stage> stage(new Stage);
        stage->impl_ = std::move(done);
        return std::shared_ptr<const Stage>(stage);
    });
}

Result<std::shared_ptr<const Stage>> Stage::with_load_rules(std::vector<std::pair<Path, LoadRule>> rules) const
{
    OpenOptions options = impl_->options;
    options.load_rules  = std::move(rules);
    return composed_anew(options);
}

Result<std::shared_ptr<const Stage>> Stage::with_muted(std::vector<std::string> layers) const
{
    OpenOptions options  = impl_->options;
    options.muted_layers = std::move(layers);
    return composed_anew(options);
}

Result<std::shared_ptr<const Stage>> Stage::with_mask(std::vector<Path> mask) const
{
    OpenOptions options = impl_->options;
    options.mask        = std::move(mask);
    return composed_anew(options);
}

int                                                              Stage::generation() const { return impl_->generation; }
const std::unordered_map<SdfPath, std::uint32_t, SdfPath::Hash>& Stage::Impl::places() const
{
    std::call_once(places_once, [this] {
        by_path.reserve(prims.size());
        for (std::uint32_t i = 0; i < prims.size(); ++i) by_path.emplace(unwrap(prims[i].path), i);
    });
    return by_path;
}

const std::string&   Stage::source() const { return impl_->source; }
const StageMetadata& Stage::metadata() const { return impl_->metadata; }
const Diagnostics&   Stage::diagnostics() const { return impl_->diagnostics; }
std::size_t          Stage::prim_count() const { return impl_->prims.size(); }
Prim                 Stage::pseudo_root() const { return Prim(this, 0); }

Value Stage::root_metadata(const Token& key) const
{
    // Stage metadata come from the session and root layers only, not from sublayers (UsdStage).
    for (const SdfLayerRefPtr& layer : {impl_->session, impl_->root})
        if (VtValue value; layer && layer->HasField(SdfPath::AbsoluteRootPath(), unwrap(key), &value))
            return wrap(std::move(value));
    return {};
}

/// The root layer first, the others sorted: the cache's set is ordered by addresses.
std::vector<std::string> Stage::used_layers() const
{
    std::vector<std::string> out{shown(*impl_, impl_->root)};
    std::vector<std::string> rest;
    for (const SdfLayerHandle& layer : layers_in_use(*impl_))
        if (get_pointer(layer) != get_pointer(impl_->root) && get_pointer(layer) != get_pointer(impl_->session))
            rest.push_back(shown(*impl_, layer));
    for (const auto& [prim, sets] : impl_->clips)
        for (const auto& set : sets) {
            for (const SdfLayerRefPtr& clip : set->clips)
                if (clip) rest.push_back(shown(*impl_, clip));
            if (set->manifest) rest.push_back(shown(*impl_, set->manifest));
        }
    std::sort(rest.begin(), rest.end());
    rest.erase(std::unique(rest.begin(), rest.end()), rest.end());
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

Prim Stage::prim_at(const Path& path) const
{
    const auto& places = impl_->places();
    const auto  found  = places.find(unwrap(path));
    return found == places.end() ? Prim() : Prim(this, found->second);
}

Prim Stage::default_prim() const
{
    const std::string& name = impl_->metadata.default_prim;
    if (name.empty()) return {};
    return prim_at(Path(name.starts_with('/') ? name : "/" + name));
}

std::vector<Prim> Stage::traverse(Traverse how) const
{
    std::vector<Prim> all = pseudo_root().subtree(how);
    if (!all.empty()) all.erase(all.begin());
    return all;
}

std::string Stage::root_layer_text() const
{
    std::string text;
    impl_->root->ExportToString(&text);
    return text;
}

}  // namespace mechane::usd

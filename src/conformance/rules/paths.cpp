// Rules of REP-0158 1.2.5 about how layers name files, and of 1.1-d about the units of what they bring in.
// Paths are judged by their text first; then it is looked whether the file is there, in the folder or in the package.
// Search paths and packages are the resolver's, so its own answer counts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/asset_paths.h"
#include "conformance/family.h"
#include "mechane/files/suffix.h"
#include "mechane/files/trace.h"
#include "mechane/usd/asset_sources.h"
#include "mechane/usd/foreign.h"

/// REP-0158 1.2.5, second half: how layers name files; and 1.1-d, the units of what they bring in.
namespace mechane::conformance {
namespace {

#define MECHANE_TEXTURE(path) \
    "def Shader \"tex\" { uniform token info:id = \"UsdUVTexture\"\n asset inputs:file = @" path "@ }\n"

constexpr Rule kUnits{
    .id      = "REP-1.1-d",
    .slug    = "dependent-layer-units",
    .summary = "Layers that an asset brings in state its own units and up axis.",
    .why     = "OpenUSD does not convert: what is authored in millimetres appears a thousand times too large.",
    .fix     = "The numbers of the layer are converted to the units and the axis of the asset.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.001
)
def Xform "robot"
{
}
)",
    .good    = "",
};
constexpr Rule kRelative{
    .id      = "REP-1.2.5-f",
    .slug    = "relative-paths",
    .summary = "Files are named relative to the layer that names them.",
    .why     = "An absolute path ends at the author's own disk.",
    .fix     = "A path to a file in the asset's folder becomes relative; what lies elsewhere is reported.",
    .bad     = MECHANE_TEXTURE("/abs/look.png"),
    .good    = "",
};
constexpr Rule kAnchored{
    .id       = "REP-1.2.5-g",
    .slug     = "anchored-paths",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Relative paths begin with ./ or ../, and use forward slashes.",
    .why      = "Without it the file is looked for along search paths, which differ between machines.",
    .fix      = "./ is put before a path whose file lies there; backslashes become slashes.",
    .fixable  = true,
    .bad      = R"(#files
=== robot.usda
<<entry references @base.usda@>>
=== base.usda
#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot"
{
}
)",
    .good     = "",
};
constexpr Rule kContained{
    .id       = "REP-1.2.5-h",
    .slug     = "self-contained",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "What an asset needs lies in its own folder, or in a package.",
    .why      = "A copy of the folder is not a copy of the asset.",
    .fix      = "Files outside are copied to ./deps.",
    .fixable  = true,
    .bad      = R"(#files
=== robot/robot.usda
<<entry references @../shared/base.usda@>>
=== shared/base.usda
#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot"
{
}
)",
    .good     = "",
};
constexpr Rule kScheme{
    .id      = "REP-1.2.5-i",
    .slug    = "prohibited-scheme",
    .keyword = Keyword::must_not,
    .summary = "The only scheme in asset paths is package://.",
    .why     = "Servers and schemes of one product are out of reach for everybody else.",
    .fix     = "None: the author must decide where the file shall come from.",
    .bad     = MECHANE_TEXTURE("omniverse://host/look.png"),
    .good    = "",
};
constexpr Rule kPackage{
    .id      = "REP-1.2.5-j",
    .slug    = "package-uri-form",
    .summary = "A package URI names a package and a path in it.",
    .why     = "Nothing can be found under a package alone.",
    .fix     = "None: the author must choose the path.",
    .bad     = MECHANE_TEXTURE("package://my_pkg"),
    .good    = "",
};
constexpr Rule kUnresolved{
    .id      = "REP-1.2.5-k",
    .slug    = "unresolved",
    .summary = "Every file that an asset names exists.",
    .why     = "What is missing is missing without a word in most viewers.",
    .fix     = "None: the file has to be put there, or the path corrected.",
    .bad     = R"(#files
=== robot.usda
<<entry references @./missing.usda@>>
)",
    .good    = "",
};

#undef MECHANE_TEXTURE

namespace fs = std::filesystem;

class Paths {
  public:
    Paths(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink), layers_(facts.layers()) {}

    void run()
    {
        // A robot of another format is a layer in memory, whose paths the reader has written; what it did not find, it
        // has told.
        if (usd::is_foreign(facts_.stage.source())) return;
        for (const Rule* rule : {&kRelative, &kAnchored, &kContained, &kScheme, &kPackage, &kUnresolved})
            sink_.applies(*rule);
        for (const AssetLayer& layer : layers_) {
            if (&layer != &layers_.front()) units(layer);
            if (!layer.inside) continue;
            const Place place = place_of(layer.layer);
            usd::for_each_asset(*layer.layer.layer,
                                [&](const usd::Path& spec, const usd::Token& field, const std::string& authored) {
                                    judge(layer.layer, place, spec, field, authored);
                                });
            // An expression names what it says with the variables of the asset; it is reported as it is authored.
            usd::for_each_asset_expression(*layer.layer.layer, *layers_.front().layer.layer,
                                           [&](const usd::Path& spec, const usd::Token& field,
                                               const std::string& authored, const std::string& said) {
                                               if (said.find("${") != std::string::npos)
                                                   return;  // without a value, which composition says
                                               // Another layer may be given other variables by what brings it in; of
                                               // arcs composition says the rest.
                                               if (&layer != &layers_.front() && is_lacking(place, said)) return;
                                               expression_ = authored;
                                               judge(layer.layer, place, spec, field, said);
                                               expression_.clear();
                                           });
            for (const std::string& said : usd::indirect_assets(*layer.layer.layer, *layers_.front().layer.layer))
                if (is_pattern(said)) judge_template(layer.layer, place, said);
        }
        unread();
    }

  private:
    /// What a layer's relative paths are anchored to.
    struct Place {
        fs::path                     folder;             ///< of the layer, on disk or in its package
        fs::path                     root;               ///< of the asset, likewise; empty in a package: all of it
        const std::set<std::string>* files   = nullptr;  ///< of the package; null on disk
        bool                         is_file = false;    ///< a layer in memory has no place
    };

    const Facts&                                 facts_;
    Sink&                                        sink_;
    const std::vector<AssetLayer>&               layers_;
    std::map<std::string, std::set<std::string>> packages_;    ///< files by package
    std::string                                  expression_;  ///< that says the path at hand, else empty
    std::vector<std::string>                     said_;  ///< paths that a finding is about, as composition names them

    Place place_of(const usd::StageLayer& layer)
    {
        const auto& [package, inner] = layer.packaged;
        if (package.empty())
            return {fs::path(layer.file).parent_path(), fs::path(layers_.front().layer.file).parent_path(), nullptr,
                    !layer.file.empty()};
        const auto [known, fresh] = packages_.try_emplace(package);
        if (fresh)
            for (std::string& name : usd::package_files(package)) known->second.insert(std::move(name));
        return {fs::path(inner).parent_path(), {}, &known->second, true};
    }

    void say(const Rule& rule, const usd::StageLayer& layer, const usd::Path& spec, const usd::Token& field,
             const std::string& authored, std::string message, std::string expected, std::string hint,
             std::optional<Severity> severity = {})
    {
        said_.push_back(form_of(authored).kind == PathKind::absolute ? authored : "@" + authored + "@");
        Site site{.layer = layer.name, .prim = {}, .property = {}};
        if (!spec.is_root()) {
            site.prim = spec.is_property() ? spec.parent().text() : spec.text();
            if (const usd::Prim prim = facts_.stage.prim_at(usd::Path(site.prim)); prim && !spec.is_property())
                site.line = prim.site().layer == layer.name ? prim.site().line : 0;
            site.property = spec.is_property() ? spec.name().text() : "";
        }
        sink_.report(
            rule, {.site     = std::move(site),
                   .message  = expression_.empty() ? fmt::format("{} (in {})", message, field.text())
                                                   : fmt::format("{} (in {}, as {})", message, field.text(), authored),
                   .observed = expression_.empty() ? authored : expression_,
                   .expected = std::move(expected),
                   .hint     = std::move(hint),
                   .variant  = expression_.empty() ? authored : expression_,
                   .severity = severity});
    }

    void judge(const usd::StageLayer& layer, const Place& place, const usd::Path& spec, const usd::Token& field,
               const std::string& authored)
    {
        const AssetPathForm form = form_of(authored);
        switch (form.kind) {
            case PathKind::anonymous:
                return;
            case PathKind::scheme:
                return say(kScheme, layer, spec, field, authored,
                           fmt::format("the path has the scheme {}", form.scheme), "a relative path, or package://",
                           "put the file into the asset's folder and name it relatively");
            case PathKind::package:
                if (!form.well_formed)
                    return say(kPackage, layer, spec, field, authored, "the package URI is not complete",
                               "package://<name>/<path>", "name a package in lower case and a path in it");
                if (form.upper_case)
                    say(kPackage, layer, spec, field, authored, "the package's name is not in lower case",
                        "package://<name>/<path>", "write the package's name as ROS does", Severity::warning);
                return missing(layer, spec, field, authored, form);
            case PathKind::absolute:
                return say(kRelative, layer, spec, field, authored, "the path is absolute", "./...",
                           "name the file relative to this layer");
            case PathKind::search:
            case PathKind::relative:
                break;
        }
        if (form.backslashes)
            say(kAnchored, layer, spec, field, authored, "the path has backslashes", "forward slashes",
                "write it with forward slashes", Severity::error);
        const fs::path target = (place.folder / form.file).lexically_normal();
        const bool     exists = place.is_file && is_there(place, target);
        if (!exists && place.is_file) {
            said_.push_back(target.generic_string());
            return missing(layer, spec, field, authored, form);
        }
        if (form.kind == PathKind::search && exists)
            say(kAnchored, layer, spec, field, authored, "the path begins with neither ./ nor ../", "./" + form.file,
                "put ./ before it");
        if (place.is_file && place.files == nullptr && target.lexically_relative(place.root).string().starts_with(".."))
            say(kContained, layer, spec, field, authored, "the file lies outside the asset's folder", "a file inside",
                "copy it to ./deps and name it there");
    }

    /// Whether a path leads to a place beside the layer where nothing is.
    static bool is_lacking(const Place& place, const std::string& said)
    {
        const AssetPathForm form  = form_of(said);
        const bool          local = form.kind == PathKind::relative || form.kind == PathKind::search;
        return local && place.is_file && !is_there(place, (place.folder / form.file).lexically_normal());
    }

    /// A template of value clips. No repair writes it otherwise, so that only what nobody could find is said.
    void judge_template(const usd::StageLayer& layer, const Place& place, const std::string& said)
    {
        const PathKind kind  = form_of(said).kind;
        const bool     local = kind == PathKind::relative || kind == PathKind::search;
        if (!local || is_lacking(place, said)) judge(layer, place, usd::Path::root(), usd::Token("clips"), said);
    }

    /// Layers that are there and cannot be read, and expressions without a value.
    void unread()
    {
        for (const Diagnostic& found : facts_.stage.diagnostics()) {
            if (found.id != "COMP_ASSET_MISSING" && found.id != "COMP_EXPRESSION") continue;
            const AssetLayer* layer = facts_.layer(found.site.layer);
            if (layer == nullptr || !layer->inside) continue;
            if (std::ranges::any_of(said_,
                                    [&](const auto& name) { return found.message.find(name) != std::string::npos; }))
                continue;
            sink_.report(kUnresolved, {.site     = found.site,
                                       .message  = "what is named there could not be read: " + found.message,
                                       .observed = "nothing was brought in",
                                       .expected = "a layer that can be read",
                                       .hint     = found.hint,
                                       .variant  = found.message});
        }
    }

    /// Of a pattern any file is enough.
    static bool is_there(const Place& place, const fs::path& target)
    {
        const std::string name = target.filename().string();
        if (is_pattern(name)) {
            const auto likes = [&](const std::string& other) { return is_of_pattern(other, name); };
            if (place.files != nullptr)
                return std::ranges::any_of(*place.files, [&](const std::string& file) {
                    return fs::path(file).parent_path() == target.parent_path() &&
                           likes(fs::path(file).filename().string());
                });
            std::error_code failed;
            for (fs::directory_iterator at(target.parent_path(), failed), end; !failed && at != end;
                 at.increment(failed))
                if (likes(at->path().filename().string())) return true;
            return false;
        }
        return place.files == nullptr ? files::probe(target.string()) != files::Kind::nothing
                                      : place.files->count(target.generic_string()) != 0;
    }

    /// A file that is not where the path says: by the resolver's own answer for search paths and packages.
    void missing(const usd::StageLayer& layer, const usd::Path& spec, const usd::Token& field,
                 const std::string& authored, const AssetPathForm& form)
    {
        if (resolves(spec, authored) || only_deleted(layer, spec, field, authored)) return;
        if (form.kind == PathKind::package)
            return say(kUnresolved, layer, spec, field, authored, "the package is not known here", "a known package",
                       "give its folder with --package NAME=FOLDER, or set AMENT_PREFIX_PATH", Severity::warning);
        if (form.kind == PathKind::search && spec.is_property() && is_module(authored)) return;
        say(kUnresolved, layer, spec, field, authored, "the file '" + authored + "' does not exist", "a file",
            "put it there, or correct the path");
    }

    /// Whether the stage found it: values say so themselves, arcs through the diagnostics of opening.
    [[nodiscard]] bool resolves(const usd::Path& spec, const std::string& authored) const
    {
        if (spec.is_property()) {
            const usd::Prim prim = facts_.stage.prim_at(spec.parent());
            const auto      path = prim.attribute(spec.name()).get<usd::AssetPath>();
            return path && path->authored == (expression_.empty() ? authored : expression_) && !path->resolved.empty();
        }
        const AssetPathForm form = form_of(authored);
        if (form.kind == PathKind::relative) return false;  // it was looked for already
        if (form.kind == PathKind::search)
            return std::any_of(layers_.begin(), layers_.end(),
                               [&](const AssetLayer& layer) { return layer.layer.file.ends_with("/" + form.file); });
        for (const Diagnostic& found : facts_.stage.diagnostics())
            if ((found.id == "COMP_ASSET_MISSING" || found.id == "ASSET_PACKAGE_UNKNOWN") &&
                found.message.find(authored) != std::string::npos)
                return false;
        return true;
    }

    /// Whether a list only takes the file out, which needs none.
    [[nodiscard]] bool only_deleted(const usd::StageLayer& layer, const usd::Path& spec, const usd::Token& field,
                                    const std::string& said) const
    {
        const std::string& authored   = expression_.empty() ? said : expression_;
        const bool         references = field.text() == "references";
        if (spec.is_property() || (!references && field.text() != "payload")) return false;
        const std::vector<usd::Arc> arcs = references ? layer.layer->references(spec) : layer.layer->payloads(spec);
        return std::ranges::none_of(arcs, [&](const usd::Arc& arc) { return arc.asset == authored; });
    }

    /// MDL modules of a renderer are found by the renderer.
    static bool is_module(const std::string& authored) { return files::has_suffix(authored, {".mdl", ".osl"}); }

    /// Units that the entry does not author are REP-1.1-a, b and e's: nothing can differ from them.
    void units(const AssetLayer& layer)
    {
        sink_.applies(kUnits);
        const usd::Layer& own = *layer.layer.layer;
        std::string       differs;
        const auto        differ = [&](const char* key, const std::string& value) {
            differs += fmt::format("{}{} = {}", differs.empty() ? "" : ", ", key, value);
        };
        for (const char* key : {"metersPerUnit", "kilogramsPerUnit"}) {
            const auto here  = own.field(usd::Path::root(), key).get<double>();
            const auto entry = facts_.stage.root_metadata(key).get<double>();
            if (here && entry && *here != *entry) differ(key, number(*here));
        }
        const auto here  = own.field(usd::Path::root(), "upAxis").get<std::string>();
        const auto entry = facts_.stage.root_metadata("upAxis").get<std::string>();
        if (here && entry && *here != *entry) differ("upAxis", "\"" + *here + "\"");
        if (differs.empty()) return;
        sink_.report(kUnits, {.site     = {.layer = layer.layer.name, .prim = {}, .property = {}},
                              .message  = "the layer states other units than the asset that brings it in",
                              .observed = differs,
                              .expected = "the units of the root layer",
                              .hint     = "convert the layer, for example with `mechane fix` on itself",
                              .variant  = layer.layer.name,
                              .severity = layer.inside ? Severity::error : Severity::warning});
    }
};

void check(const Facts& facts, Sink& sink) { Paths(facts, sink).run(); }

constexpr std::array<const Rule*, 7> kRules{&kUnits,  &kRelative, &kAnchored,  &kContained,
                                            &kScheme, &kPackage,  &kUnresolved};

}  // namespace

constexpr Family kPathRules{kRules, check};

}  // namespace mechane::conformance

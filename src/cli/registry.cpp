// `mechane check --registry`: submissions of schemas to a registry, as REP-0158 section 4 asks for them.
// A submission is a folder with schema.usda. It must have generated files or a recipe, documentation, a check, an
// example that passes the checks, and names by the rules (4.2.1, 4.2.2).
// Submissions inside of others are judged on their own.

#include "cli/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "mechane/conformance/check.h"
#include "mechane/conformance/codes.h"
#include "mechane/core/letters.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/layer.h"

namespace mechane::cli {
namespace {

namespace fs    = std::filesystem;
namespace codes = conformance::codes;

/// Files at or below a folder, sorted; without those of other submissions inside it.
std::vector<fs::path> files_below(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code       failed;
    for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
        if (at->is_directory(failed) && fs::exists(at->path() / "schema.usda", failed)) at.disable_recursion_pending();
        if (at->is_regular_file(failed)) out.push_back(at->path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// Whether a file lies in a folder of one of these names, or is called so.
bool is_called(const fs::path& file, const fs::path& folder, std::initializer_list<const char*> names)
{
    for (const fs::path& part : file.lexically_relative(folder)) {
        const std::string stem = lower_case(part.stem().string());
        for (const char* name : names)
            if (stem == name) return true;
    }
    return false;
}

bool is_called(const std::string& name, std::initializer_list<const char*> words)
{
    const std::size_t colon = name.rfind(':');
    const std::string last  = lower_case(name.substr(colon == std::string::npos ? 0 : colon + 1));
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return last.ends_with(word); });
}

/// Names of classes and of their properties: REP-0158 4.2.1 and 4.2.2.
void judge_names(const usd::Layer& layer, const std::string& file, Diagnostics& found)
{
    constexpr std::array kVendors{"newton:", "physx", "mjc:", "isaac:", "omni:", "physics:"};
    for (const usd::Token& name : layer.children(usd::Path::root())) {
        const usd::Path prim("/" + std::string(name.text()));
        const bool      extended = name.text().starts_with("ExtendedPhysics");
        const bool      control  = name.text().starts_with("RosControl");
        const bool      sensor   = name.text().find("Sensor") != std::string::npos;
        for (const usd::Token& property : layer.properties(prim)) {
            const std::string text(property.text());
            const usd::Path   path(fmt::format("{}.{}", prim.text(), text));
            const Site        site{.layer = file, .prim = prim.text(), .property = text};
            const bool        neutral = text.starts_with("ext_physics:");
            // The prefix ext_physics: and classes named ExtendedPhysics... belong together, in both directions.
            if (extended != neutral)
                found.add(codes::kRegistryNames, site,
                          extended
                              ? fmt::format("a property of {} without the prefix ext_physics:", name.text())
                              : fmt::format("ext_physics: in {}, which is not named ExtendedPhysics…", name.text()));
            else if (neutral && std::count(text.begin(), text.end(), ':') < 2)
                found.add(codes::kRegistryNames, site, "ext_physics: is not followed by a namespace of the concept");
            if (extended && std::any_of(kVendors.begin(), kVendors.end(),
                                        [&](const char* vendor) { return text.starts_with(vendor); }))
                found.add(codes::kRegistryNames, site,
                          fmt::format("a vendor's or the core's prefix in {}", name.text()));
            const usd::Value  type      = layer.field(path, usd::Token("typeName"));
            const std::string type_name = type.empty() ? std::string() : type.get<std::string>().value_or("");
            if ((extended || control || sensor) && layer.kind(path) == usd::SpecKind::attribute &&
                (type_name == "string" || type_name == "token") &&
                is_called(text, {"topic", "topic_name", "qos", "frame_id", "service", "action"}))
                found.add(codes::kRegistryTransport, site,
                          fmt::format("{} is a text; transport belongs to interface prims", text));
        }
    }
}

void judge_example(const std::string& file, const run::SceneOptions& scene, Diagnostics& found)
{
    auto stage = usd::Stage::open(file, scene.open);
    if (!stage) {
        found.add(stage.error());
        return;
    }
    const auto report = conformance::check(**stage, {.profile = "distributed"});
    if (!report) {
        found.add(report.error());
        return;
    }
    std::size_t errors = 0;
    std::string first;
    for (const conformance::Finding& finding : report->findings)
        if (finding.severity == Severity::error && errors++ == 0) first = finding.rule->id;
    if (errors > 0)
        found.add(codes::kRegistryExample, {.layer = file},
                  fmt::format("{} errors of check, the first of {}", errors, first));
}

void judge(const fs::path& folder, const run::SceneOptions& scene, Diagnostics& found)
{
    const std::vector<fs::path> files   = files_below(folder);
    const auto                  lacking = [&](const char* what) {
        found.add(codes::kRegistrySubmission, {.layer = folder.string()}, fmt::format("{} is missing", what));
    };
    const auto any       = [&](auto wanted) { return std::any_of(files.begin(), files.end(), wanted); };
    const auto named     = [](const char* name) { return [name](const fs::path& f) { return f.filename() == name; }; };
    const bool generated = any(named("generatedSchema.usda")) && any(named("plugInfo.json"));
    const bool recipe    = any(named("CMakeLists.txt")) || any(named("Makefile")) || any(named("generate.py"));
    if (!generated && !recipe)
        lacking(
            "generatedSchema.usda with plugInfo.json, or a recipe that makes them (CMakeLists.txt, Makefile, "
            "generate.py)");
    if (!any([&](const fs::path& f) {
            return files::has_suffix(f, {".md", ".rst"}) || is_called(f, folder, {"docs", "doc"});
        }))
        lacking("documentation of use (README.md, or a folder docs)");
    if (!any([&](const fs::path& f) { return is_called(f, folder, {"checks", "checker", "rules", "validation"}); }))
        lacking("an addition to the checker (a folder or file named checks)");
    std::size_t examples = 0;
    for (const fs::path& file : files) {
        const bool in_examples =
            is_called(file.parent_path() / "x", folder, {"examples", "example", "samples", "assets"});
        if (!in_examples || !usd::is_stage_name(file)) continue;
        ++examples;
        judge_example(file.string(), scene, found);
    }
    if (examples == 0) lacking("a minimal example asset (a stage in a folder named examples)");
    const std::string source = (folder / "schema.usda").string();
    if (const auto layer = usd::Layer::open(source); !layer)
        found.add(layer.error());
    else
        judge_names(*layer, source, found);
}

}  // namespace

int check_registry(const std::string& folder, Context& context)
{
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    std::error_code       failed;
    std::vector<fs::path> submissions;
    if (!fs::is_directory(folder, failed)) {
        context.io.say_error(fmt::format("--registry {}: no such folder\n", folder));
        return kExitUsage;
    }
    if (fs::exists(fs::path(folder) / "schema.usda", failed)) submissions.emplace_back(folder);
    for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed))
        if (at->is_directory(failed) && fs::exists(at->path() / "schema.usda", failed))
            submissions.push_back(at->path());
    std::sort(submissions.begin(), submissions.end());
    Diagnostics found;
    if (submissions.empty())
        found.add(codes::kRegistrySubmission, {.layer = folder},
                  "no folder with a schema.usda, so nothing is submitted");
    for (const fs::path& submission : submissions) judge(submission, *scene, found);
    context.io.report(found);
    context.io.say(fmt::format("{} submission{} in {}, {} finding{}\n", submissions.size(),
                               submissions.size() == 1 ? "" : "s", folder, found.size(), found.size() == 1 ? "" : "s"));
    return exit_after(found, context);
}

}  // namespace mechane::cli

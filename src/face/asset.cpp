// The asset of the C++ interface: opens a stage, checks it against the standard, writes a fixed copy.
// It turns the types of the inner rooms into those of include/mechane, which hold no pointers into rules or stages and
// can be kept after the asset is gone.
// Invariants: arguments are checked here and named in the finding; fix() writes the folder as one or not at all.
// Called by programs that link Mechane.

#include "mechane/asset.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "face/program_words.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/fix.h"
#include "mechane/conformance/publish.h"
#include "mechane/core/codes.h"
#include "mechane/core/failure.h"
#include "mechane/difference/repairs.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/run/scene.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/selections.h"
#include "mechane/usd/stage.h"

namespace mechane {

namespace fs = std::filesystem;

namespace {

Finding of(const conformance::Finding& from)
{
    Finding finding;
    if (from.rule != nullptr) {
        finding.rule    = std::string(from.rule->id);
        finding.fixable = from.rule->fixable;
    }
    finding.severity    = from.severity;
    finding.message     = from.message;
    finding.hint        = from.hint;
    finding.site        = from.site;
    finding.fingerprint = from.fingerprint;
    return face::in_program_words(std::move(finding));
}

Finding of(const conformance::Unrepaired& from)
{
    Finding finding;
    if (from.rule != nullptr) finding.rule = std::string(from.rule->id);
    finding.severity      = from.severity;
    finding.message       = from.message;
    finding.hint          = from.reason;
    finding.site.prim     = from.prim;
    finding.site.property = from.property;
    return face::in_program_words(std::move(finding));
}

std::string without_slash(std::string folder)
{
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folder;
}

}  // namespace

std::string to_text(const Finding& finding)
{
    return to_text(Diagnostic{.id       = finding.rule,
                              .severity = finding.severity,
                              .message  = finding.message,
                              .site     = finding.site,
                              .hint     = finding.hint});
}

std::size_t count(const std::vector<Finding>& findings, Severity at_least)
{
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity >= at_least; }));
}

struct Asset::Impl {
    std::string                       file;
    usd::OpenOptions                  options;
    std::shared_ptr<const usd::Stage> stage;
    Diagnostics                       notes;
};

Asset::Asset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Asset::~Asset()                           = default;
Asset::Asset(Asset&&) noexcept            = default;
Asset& Asset::operator=(Asset&&) noexcept = default;

Result<Asset> Asset::open(const std::string& file, const AssetOptions& options)
{
    if (options.threads < 0 || options.threads > 4096)
        return make_diagnostic(kApiArgument, {.property = "Asset::open(options.threads)"},
                               "threads: expected 0 (all cores) to 4096");
    auto impl                        = std::make_unique<Impl>();
    impl->file                       = file;
    impl->options.variant_selections = options.variants;
    impl->options.packages           = options.packages;
    impl->options.search_paths       = options.search_paths;
    impl->options.threads            = options.threads;
    auto stage                       = usd::Stage::open(file, impl->options);
    if (!stage) return face::in_program_words(stage.error());
    if (const Diagnostics wrong = usd::check_selections(**stage, options.variants); !wrong.empty())
        return face::in_program_words(*wrong.begin());
    impl->stage = *std::move(stage);
    impl->notes = face::in_program_words(impl->stage->diagnostics());
    return Asset(std::move(impl));
}

/// A moved-from asset is a fault of the caller, which MCH_REQUIRE names by function.
const Asset::Impl& Asset::own(const char* function) const
{
    MCH_REQUIRE(impl_ != nullptr, function, "this", "an asset that was not moved away");
    return *impl_;
}

const std::string& Asset::file() const { return own("Asset::file").file; }
const Diagnostics& Asset::notes() const { return own("Asset::notes").notes; }

Result<std::vector<Finding>> Asset::check(const CheckSettings& settings) const
{
    const Impl& self = own("Asset::check");
    if (settings.threads < 0 || settings.threads > 4096)
        return make_diagnostic(kApiArgument, {.property = "Asset::check(settings.threads)"},
                               "threads: expected 0 (all cores) to 4096");
    const tasks::Pool         pool(settings.threads);
    conformance::CheckOptions options;
    options.profile   = settings.profile;
    options.select    = settings.select;
    options.ignore    = settings.ignore;
    options.pool      = &pool;
    const auto report = conformance::check(*self.stage, options);
    if (!report) return face::in_program_words(report.error());
    std::vector<Finding> findings;
    findings.reserve(report->findings.size());
    for (const conformance::Finding& finding : report->findings) findings.push_back(of(finding));
    return findings;
}

Result<FixReport> Asset::fix(const std::string& folder, const FixSettings& settings) const
{
    const Impl&       self   = own("Asset::fix");
    const std::string target = without_slash(folder);
    if (target.empty())
        return make_diagnostic(kApiArgument, {.property = "Asset::fix(folder)"},
                               "folder: expected the name of a folder");
    // Asked before the work is done, since fixing a large asset takes long; publish_folder asks again.
    // Nothing that the asset is made of may be replaced by its own repair.
    // From here on, files that are read are noted, so that the result cannot replace one of them.
    const files::ReadWatch watch;
    files::note_read(self.file);
    for (const std::string& layer : self.stage->used_layers()) files::note_read(layer);
    if (auto free = conformance::try_folder(target); !free) return face::in_program_words(free.error());
    const files::ScratchFolder scratch(files::nearest_folder(target));
    if (scratch.path().empty())
        return make_diagnostic(files::kWriteFailed, {.layer = target}, "no folder could be made beside it");
    conformance::FixOptions options;
    options.open    = self.options;
    options.profile = settings.profile;
    options.select  = settings.select;
    options.ignore  = settings.ignore;
    options.unsafe  = settings.unsafe;
    auto result     = conformance::fix(self.file, scratch.path().string(), options);
    if (!result) return face::in_program_words(result.error());
    FixReport   report;
    Diagnostics notes;
    if (auto admitted = conformance::admit_sources(*result, self.file, {}, notes); !admitted)
        return face::in_program_words(admitted.error());
    if (!settings.unsafe) {
        run::SceneOptions opening;
        opening.open = self.options;
        // The repairs are compared by a model of each side.
        opening.import.schema_resolvers = {std::string(resolve::kAutomatic)};  // as whoever runs it reads it
        difference::report_repairs(self.file, *result, opening, notes);
    }
    auto written = conformance::publish_folder(*result, target);
    if (!written) return face::in_program_words(written.error());
    report.notes  = face::in_program_words(notes);
    report.folder = target;
    report.entry  = (std::filesystem::path(target) / result->entry).string();
    report.files  = *std::move(written);
    report.edits  = static_cast<int>(result->edits.size());
    for (const conformance::Unrepaired& left : result->left)
        if (!left.remark) report.left.push_back(of(left));
    return report;
}

}  // namespace mechane

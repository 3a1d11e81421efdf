// Python's conformance checker and its repairs: `check`, `check_variants`, `fix`, and the tables of rules and profiles.
// The work is done in room conformance; this file frees the interpreter's lock for it and hands reports over as strings
// (JSON, text, SARIF), so that Python and the command line print the same bytes.
// `fix` publishes files in three ways: into a new folder, as one file, or in place of the originals; a dry run has none
// of them and answers the diff alone.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/line_diff.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/fix.h"
#include "mechane/conformance/formats.h"
#include "mechane/conformance/publish.h"
#include "mechane/conformance/rule.h"
#include "mechane/difference/repairs.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/transaction.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/run/scene.h"
#include "mechane/usd/layer.h"
#include "python/errors.h"
#include "python/module.h"

namespace mechane::python {

namespace {

using conformance::Report;

conformance::FormatOptions format_options() { return {.version = MECHANE_VERSION}; }

nb::str text(std::string_view s) { return nb::str(s.data(), s.size()); }

nb::dict to_python(const conformance::Rule& rule)
{
    nb::dict out;
    out["id"]       = text(rule.id);
    out["slug"]     = text(rule.slug);
    out["section"]  = text(rule.section());
    out["keyword"]  = text(to_string(rule.keyword));
    out["severity"] = text(to_string(rule.severity));
    out["summary"]  = text(rule.summary);
    out["why"]      = text(rule.why);
    out["fix"]      = text(rule.fix);
    out["fixable"]  = rule.fixable;
    return out;
}

/// The bytes of a text layer; of a binary one what usda says of it; empty for a file that is no layer or is not there.
/// Crates are compared by their text form: a binary diff would tell nothing.
std::string decoded(const std::filesystem::path& file)
{
    std::ifstream     in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.view().starts_with("#usda")) return std::move(text).str();
    const auto layer = usd::Layer::open(file.string());
    return layer ? layer->to_text() : std::string();
}

/// The layers that a repair changed, as a unified diff.
std::string diff_of(const conformance::FixResult& result)
{
    std::string out;
    for (const conformance::FixedFile& file : result.files) {
        if (!file.changed) continue;
        const std::string before = file.source.empty() ? std::string() : decoded(file.source);
        out += cli::unified_diff(before, decoded(std::filesystem::path(result.folder) / file.name),
                                 file.source.empty() ? "/dev/null" : "a/" + file.name, "b/" + file.name);
    }
    return out;
}

/// The folders above a new one.
Result<void> made_above(const std::string& folder)
{
    std::error_code failed;
    const auto      above = std::filesystem::path(files::real_place(folder)).parent_path();
    std::filesystem::create_directories(above, failed);
    if (!failed) return {};
    return make_diagnostic(files::kWriteFailed, {.layer = folder}, failed.message());
}

nb::list files_of(const conformance::FixResult& result)
{
    nb::list out;
    for (const conformance::FixedFile& file : result.files) out.append(nb::make_tuple(text(file.name), file.changed));
    return out;
}

conformance::CheckOptions check_options(const std::string& profile, std::vector<std::string> select,
                                        std::vector<std::string> ignore)
{
    conformance::CheckOptions options;
    options.profile = profile;
    options.select  = std::move(select);
    options.ignore  = std::move(ignore);
    return options;
}

/// The order protects the originals. Targets are tried before any work, the repaired copies are made in a scratch
/// folder, sources are admitted (what lies outside the allowed roots is refused or told), and only then are files moved
/// to their places. An error before the last step leaves nothing behind.
nb::tuple fix_and_publish(const std::string& asset, const std::string& out, bool into_folder, bool replace,
                          std::vector<std::string> select, bool unsafe, std::vector<std::string> roots,
                          bool refuse_outside, bool change_shared)
{
    namespace fs = std::filesystem;
    conformance::FixOptions options;
    options.select       = std::move(select);
    options.unsafe       = unsafe;
    options.stands_alone = !replace;
    options.new_files    = into_folder || (out.empty() && !replace);
    run::SceneOptions opening;
    opening.import.schema_resolvers = {std::string(resolve::kAutomatic)};  // as whoever runs it reads it
    options.spare_others            = replace && !change_shared;
    options.differs                 = [&](const std::string& before, const std::string& after) {
        return difference::first_change(before, after, opening);
    };
    conformance::FixResult   result;
    std::string              diff;
    std::vector<std::string> written;
    Diagnostics              found;
    {
        const nb::gil_scoped_release      released;
        const files::ReadWatch            watch;
        std::optional<files::Transaction> in_place;
        files::note_read(asset);
        // A transaction in the asset's folder: either all layers of the asset are replaced, or none is.
        if (replace) in_place.emplace(unwrap(files::Transaction::begin(fs::path(asset).parent_path().string(), found)));
        if (into_folder) unwrap(conformance::try_folder(out));
        if (!into_folder && !out.empty() && !in_place) unwrap(files::try_target(out, {.make_folders = true}));
        if (into_folder) unwrap(made_above(out));
        const fs::path             above = fs::path(files::real_place(into_folder ? out : asset)).parent_path();
        const files::ScratchFolder scratch =
            into_folder ? files::ScratchFolder(above) : files::ScratchFolder::temporary(above);
        result             = unwrap(conformance::fix(asset, scratch.path().string(), options));
        result.after.asset = asset;
        unwrap(conformance::admit_sources(
            result, asset, {std::move(roots), refuse_outside ? files::Outside::refuse : files::Outside::warn}, found));
        found.append(result.found);
        if (!options.unsafe) difference::report_repairs(asset, result, opening, found);
        diff = diff_of(result);
        if (in_place) written = unwrap(conformance::publish_in_place(result, asset, *in_place));
        if (into_folder) written = unwrap(conformance::publish_folder(result, out));
        // One name for several layers would make them overwrite one another.
        if (!in_place && !into_folder && !out.empty()) {
            if (result.files.size() > 1)
                throw DiagnosticError(make_diagnostic(
                    files::kFolder, {.layer = out},
                    "out: the asset has " + std::to_string(result.files.size()) + " files; name a folder"));
            written = unwrap(conformance::publish_file(result, out));
        }
    }
    return nb::make_tuple(result, diff, written, mechane::python::to_python(found));
}

}  // namespace

void bind_checker(nb::module_& m)
{
    nb::class_<Report>(m, "Report")
        .def("json", [](const Report& r) { return conformance::to_json(std::span(&r, 1), format_options()); })
        .def("sarif", [](const Report& r) { return conformance::to_sarif(std::span(&r, 1), format_options()); })
        .def("junit", [](const Report& r) { return conformance::to_junit(std::span(&r, 1), Severity::error); })
        .def("text", [](const Report& r) { return conformance::to_text(r, format_options()); })
        .def_ro("states", &Report::states)
        .def_prop_ro("errors", [](const Report& r) { return r.count(Severity::error); });
    m.def("check", [](const usd::Stage& stage, const std::string& asset, const std::string& profile,
                      std::vector<std::string> select, std::vector<std::string> ignore) {
        const conformance::CheckOptions options = check_options(profile, std::move(select), std::move(ignore));
        const nb::gil_scoped_release    released;
        Report                          report = unwrap(conformance::check(stage, options));
        report.asset                           = asset;
        return report;
    });
    m.def("check_variants", [](const usd::Stage& stage, const std::string& file, const std::string& profile,
                               std::vector<std::string> select, std::vector<std::string> ignore, bool product) {
        const conformance::CheckOptions options = check_options(profile, std::move(select), std::move(ignore));
        const nb::gil_scoped_release    released;
        Report report = unwrap(conformance::check_variants(stage, file, {}, options, {.product = product}));
        report.asset  = file;
        return report;
    });
    nb::class_<conformance::FixResult>(m, "FixResult")
        .def("json", [](const conformance::FixResult& r) { return conformance::to_json(r); })
        .def_ro("entry", &conformance::FixResult::entry)
        .def_ro("after", &conformance::FixResult::after)
        .def_prop_ro("files", &files_of);
    // (result, diff, files that were written, findings); `out` is empty for a dry run and a repair in place.
    m.def("fix", &fix_and_publish, nb::arg("asset"), nb::arg("out"), nb::arg("into_folder"), nb::arg("in_place"),
          nb::arg("select"), nb::arg("unsafe"), nb::arg("roots"), nb::arg("refuse_outside"), nb::arg("change_shared"));
    m.def("profiles", [] {
        std::vector<std::string> out;
        for (const std::string_view name : conformance::profiles()) out.emplace_back(name);
        return out;
    });
    m.def("rules", [] {
        nb::list out;
        for (const conformance::Rule* rule : conformance::rules()) out.append(to_python(*rule));
        return out;
    });
}

}  // namespace mechane::python

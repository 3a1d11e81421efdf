#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "cli/line_diff.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/fix.h"
#include "mechane/conformance/formats.h"
#include "mechane/conformance/rule.h"
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

/// What usda says of a layer, comments and layout apart; empty for a file that is no layer or is not there.
std::string decoded(const std::filesystem::path& file)
{
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
        .def("diff", &diff_of)
        .def_ro("folder", &conformance::FixResult::folder)
        .def_ro("entry", &conformance::FixResult::entry)
        .def_ro("after", &conformance::FixResult::after)
        .def_prop_ro("files", &files_of);
    m.def("fix",
          [](const std::string& asset, const std::string& work_folder, std::vector<std::string> select, bool unsafe) {
              conformance::FixOptions options;
              options.select = std::move(select);
              options.unsafe = unsafe;
              const nb::gil_scoped_release released;
              conformance::FixResult       result = unwrap(conformance::fix(asset, work_folder, options));
              result.after.asset                  = asset;
              return result;
          });
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

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "mechane/conformance/check.h"
#include "mechane/conformance/formats.h"
#include "mechane/conformance/rule.h"
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

}  // namespace

void bind_checker(nb::module_& m)
{
    nb::class_<Report>(m, "Report")
        .def("json", [](const Report& r) { return conformance::to_json(std::span(&r, 1), format_options()); })
        .def("sarif", [](const Report& r) { return conformance::to_sarif(std::span(&r, 1), format_options()); })
        .def("junit", [](const Report& r) { return conformance::to_junit(std::span(&r, 1), Severity::error); })
        .def("text", [](const Report& r) { return conformance::to_text(r, format_options()); })
        .def_prop_ro("errors", [](const Report& r) { return r.count(Severity::error); });
    m.def("check", [](const usd::Stage& stage, const std::string& asset, const std::string& profile,
                      std::vector<std::string> select, std::vector<std::string> ignore) {
        conformance::CheckOptions options;
        options.profile = profile;
        options.select  = std::move(select);
        options.ignore  = std::move(ignore);
        const nb::gil_scoped_release released;
        Report                       report = unwrap(conformance::check(stage, options));
        report.asset                        = asset;
        return report;
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

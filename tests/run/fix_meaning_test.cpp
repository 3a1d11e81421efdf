#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "mechane/conformance/fix.h"
#include "mechane/importer/dump.h"
#include "mechane/usd/layer.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

using Json = nlohmann::json;

/// Where two numbers, or lists of them, are the same within 1e-6 of the largest, at least of 1. A quaternion and its
/// negative are one rotation: the last four of a pose, or all of a rotation.
bool same_numbers(const Json& a, const Json& b)
{
    double size = 1;
    for (const Json* list : {&a, &b})
        for (const Json& x : *list)
            if (x.is_number()) size = std::max(size, std::abs(x.get<double>()));
    const auto near = [&](const Json& x, const Json& y, double sign) {
        return x.is_number() && y.is_number() ? std::abs(sign * x.get<double>() - y.get<double>()) <= 1e-6 * size
                                              : x == y;  // "nan", "inf"
    };
    for (const double sign : {1.0, -1.0}) {
        const bool  pose = a.size() == 4 || a.size() == 7;
        std::size_t i    = 0;
        while (i < a.size() && near(a[i], b[i], pose && i + 4 >= a.size() ? sign : 1)) ++i;
        if (i == a.size()) return true;
    }
    return false;
}

/// The first place where two documents differ, empty for none.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which we write
std::string difference(const Json& a, const Json& b, const std::string& where)
{
    // Places, and attributes of vendors as they are written, are no part of what is simulated.
    static const std::set<std::string> kTexts{
        "layer",  "line",        "site",     "asset",        "source",          "file",
        "column", "diagnostics", "warnings", "schema_attrs", "body_inv_inertia"};
    if (a.is_object() && b.is_object()) {
        std::set<std::string> keys;
        for (const auto& [key, value] : a.items()) keys.insert(key);
        for (const auto& [key, value] : b.items()) keys.insert(key);
        for (const std::string& key : keys) {
            if (kTexts.count(key) != 0) continue;
            if (!a.contains(key) || !b.contains(key)) return where + "." + key + " is in one only";
            if (key == "shape_flags" || key == "shape_color") continue;  // a purpose changes how a collider is drawn
            if (auto found = difference(a[key], b[key], where + "." + key); !found.empty()) return found;
        }
        return {};
    }
    if (a.is_array() && b.is_array()) {
        if (a.size() != b.size()) return where + " has another length";
        const auto numeric = [](const Json& list) {
            return std::any_of(list.begin(), list.end(), [](const Json& x) { return x.is_number(); });
        };
        if (numeric(a) && numeric(b))
            return same_numbers(a, b) ? std::string() : where + ": " + a.dump() + " and " + b.dump();
        for (std::size_t i = 0; i < a.size(); ++i)
            if (auto found = difference(a[i], b[i], where + "[" + std::to_string(i) + "]"); !found.empty())
                return found;
        return {};
    }
    if (a.is_number() && b.is_number())
        return same_numbers(Json::array({a}), Json::array({b})) ? std::string()
                                                                : where + ": " + a.dump() + ", " + b.dump();
    return a == b ? std::string() : where + ": " + a.dump() + " and " + b.dump();
}

/// The model that is made of an asset; null when none is.
Json model_of(const std::string& asset, const usd::OpenOptions& open)
{
    const auto stage = usd::Stage::open(asset, open);
    if (!stage) return nullptr;
    const auto text = importer::dump_model(**stage, {});
    return text ? Json::parse(*text) : Json();
}

}  // namespace

TEST_CASE("fix never changes what is simulated: the models of each rule's bad example, before and after, are the same")
{
    // What a finding names is what changes, and nothing else does.
    const std::map<std::string_view, std::string_view> named{
        {"REP-1.1-e", ".result.up_axis"},  // the axis
        {"REP-1.3-o",
         ".builder.counts.joint_coord_count"},         // the base stands by a joint, no more as a body that is led
        {"REP-1.3-p", ".model.body_flags"},            // the body that two masters moved follows its animation
        {"REP-1.3-q", ".builder.articulation_label"},  // the frame that was a body without mass
        {"REP-1.3-s", ".model.body_inertia"},          // the inertia that only one engine read
        {"REP-3.1-f", ".builder.shape_label"},         // the faces of a subset, as a shape of their own
        {"REP-3.4-c", ".model.shape_source[0].mesh.indices"},  // the side to which the faces look
        {"REP-3.4-d", ".model.shape_source[0].mesh.indices"},
    };
    std::size_t compared = 0;
    for (const Rule* rule : rules()) {
        CAPTURE(rule->id);
        const test::TemporaryFolder folder, work;
        FixOptions                  options;
        options.open.packages["lib"] = (folder.path() / "lib").string();
        std::string entry;
        for (const FixtureFile& file : fixture_files(rule->bad)) {
            const std::string path = folder.write(file.name, file.text);
            if (entry.empty()) entry = path;
            if (!file.binary) continue;
            auto layer = usd::Layer::from_text(file.text);
            REQUIRE(layer);
            REQUIRE(layer->save(path, {.format = usd::SaveOptions::Format::binary}));
        }
        const Json before = model_of(entry, options.open);
        const auto fixed  = fix(entry, work.path().string(), options);
        REQUIRE_MESSAGE(fixed, (fixed ? "" : fixed.error().message));
        if (before.is_null() || fixed->edits.empty()) continue;
        const Json after = model_of(fixed->folder + "/" + fixed->entry, options.open);
        REQUIRE(!after.is_null());
        ++compared;
        const std::string found = difference(before, after, "");
        if (const auto known = named.find(rule->id); known != named.end())
            CHECK_MESSAGE(found.starts_with(known->second), rule->id << ": " << found);
        else
            CHECK_MESSAGE(found.empty(), rule->id << ": " << found << "\n" << to_json(*fixed));
    }
    CHECK(compared >= 20);
}

// Reading and printing of import options by name, from text and from values of bindings; errors suggest near names and
// values.

#include "mechane/importer/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "mechane/core/nearest.h"
#include "mechane/importer/codes.h"
#include "mechane/importer/option_value.h"
#include "option_table.h"

namespace mechane::importer {
namespace {

using Json = nlohmann::json;

const OptionRow* row_named(std::string_view key)
{
    const auto rows  = option_rows();
    const auto there = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& r) { return r.info.name == key; });
    return there == rows.end() ? nullptr : &*there;
}

/// JSON, or the text itself; Python's spellings are accepted, since the same options are written in Python.
Json value_of(std::string_view text)
{
    if (text == "True") return true;
    if (text == "False") return false;
    if (text == "None") return nullptr;
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(std::string(text)) : value;
}

/// "Give one of si, stage." or what else the value must look like.
std::string expected(const OptionInfo& option, std::string_view given)
{
    if (option.values.empty()) {
        if (option.type == "number" || option.type == "integer")
            return fmt::format("Give {} in range{}.", option.type == "integer" ? "a whole number" : "a finite number",
                               option.unit.empty() ? "" : fmt::format(" [{}]", option.unit));
        if (option.type == "pose") return "Give [x, y, z, qx, qy, qz, qw] with finite numbers and a quaternion.";
        return option.type == "list" ? "Give texts separated by commas." : "Give a text.";
    }
    const std::string near = did_you_mean(given, option.values);
    return fmt::format("{}{}Give {}{}.", near, near.empty() ? "" : " ",
                       option.type == "list" ? "any of " : "one of ", fmt::join(option.values, ", "));
}

}  // namespace

std::span<const std::string_view> legacy_rules()
{
    static constexpr std::string_view kNames[] = {"mjc-solref-limits", "physx-contact-offset-margin", "mass-pair-rule",
                                                  "hull-vertex-limit-name"};
    return kNames;
}

std::span<const OptionInfo> import_options()
{
    static const std::vector<OptionInfo> all = [] {
        std::vector<OptionInfo> out;
        for (const OptionRow& row : option_rows()) out.push_back(row.info);
        return out;
    }();
    return all;
}

namespace {

/// Sets an option from its value in JSON; `text` is how a message tells the value.
Result<void> set_json(ImportOptions& options, std::string_view key, const Json& value, std::string_view text)
{
    const OptionRow* row = row_named(key);
    if (row == nullptr) {
        std::vector<std::string> known;
        for (const OptionRow& one : option_rows()) known.emplace_back(one.info.name);
        const std::string near = did_you_mean(key, known);
        return make_diagnostic(codes::kArgOption, {}, fmt::format("there is no import option '{}'", key),
                               fmt::format("{}{}mechane schema options lists them all.", near, near.empty() ? "" : " "));
    }
    if (row->set(options, value)) return {};
    const Code& code = key == "joint_ordering" ? codes::kArgJointOrdering : codes::kArgOption;
    return make_diagnostic(code, {}, fmt::format("{} cannot be '{}'", key, text), expected(row->info, text));
}

Json to_json(const OptionValue& value)
{
    return std::visit(
        []<class T>(const T& v) {
            if constexpr (std::is_same_v<T, std::monostate>) return Json(nullptr);
            else return Json(v);
        },
        value);
}

}  // namespace

Result<void> set_option(ImportOptions& options, std::string_view key, std::string_view text)
{
    // "none" is what an option without a value prints.
    const OptionRow* row   = row_named(key);
    const bool       unset = text == "none" && row != nullptr && row->info.initial == "none";
    return set_json(options, key, unset ? Json(nullptr) : value_of(text), text);
}

Result<void> set_option_value(ImportOptions& options, std::string_view name, const OptionValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value)) return set_option(options, name, *text);
    const Json json = to_json(value);
    return set_json(options, name, json, json.dump());
}

std::string option_text(const ImportOptions& options, std::string_view key)
{
    const OptionRow* row = row_named(key);
    return row == nullptr ? std::string() : option_text(options, *row);
}

}  // namespace mechane::importer

#include "mechane/simulation/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "mechane/core/nearest.h"
#include "mechane/files/read.h"
#include "mechane/simulation/codes.h"
#include "simulation/command_cells.h"

namespace mechane::run {
namespace {

std::optional<Field> parse_field(std::string_view name, bool is_body)
{
    if (is_body) return name == "qd" ? std::optional(Field::body_qd) : std::nullopt;
    if (name == "target_q" || name == "target") return Field::target_q;
    if (name == "target_qd") return Field::target_qd;
    if (name == "f") return Field::joint_f;
    if (name == "q") return Field::joint_q;
    if (name == "qd") return Field::joint_qd;
    return std::nullopt;
}

/// The fields of a joint, the most similar first.
std::string near_field(std::string_view name)
{
    const std::vector<std::string> known{"target_q", "target_qd", "f", "q", "qd"};
    const std::string              near = did_you_mean(name, known);
    return fmt::format("{}{}Joints have {}.", near, near.empty() ? "" : " ", fmt::join(known, ", "));
}

bool is_coordinate(Field field) { return field == Field::target_q || field == Field::joint_q; }

Diagnostic unknown(std::string_view path, std::string message, std::string hint = {})
{ return make_diagnostic(kSetUnknown, {.prim = std::string(path)}, std::move(message), std::move(hint)); }

/// "PATH.field" without values.
Result<Setting> parse_target(const model::Model& model, std::string_view text)
{
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos) return unknown({}, fmt::format("'{}' is not of the form PATH.field", text));
    const std::string_view     path = trimmed(text.substr(0, dot));
    std::string_view           name = trimmed(text.substr(dot + 1));
    std::optional<std::size_t> entry;
    if (const std::size_t bracket = name.find('['); bracket != std::string_view::npos && name.ends_with(']')) {
        const std::string_view digits = name.substr(bracket + 1, name.size() - bracket - 2);
        std::size_t            index  = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc{})
            return unknown(path, fmt::format("'{}' is not an index", digits));
        entry = index;
        name  = name.substr(0, bracket);
    }

    Setting setting;
    if (const auto joints = find_label(model.joint_label, path); !joints.empty()) {
        const auto field = parse_field(name, false);
        if (!field) return unknown(path, fmt::format("a joint has no field '{}'", name), near_field(name));
        const auto& starts = is_coordinate(*field) ? model.joint_q_start : model.joint_qd_start;
        setting.field      = *field;
        for (const std::size_t joint : joints) setting.starts.push_back(static_cast<std::size_t>(starts[joint]));
        setting.count = static_cast<std::size_t>(starts[joints.front() + 1] - starts[joints.front()]);
    } else if (const auto bodies = find_label(model.body_label, path); !bodies.empty()) {
        const auto field = parse_field(name, true);
        if (!field)
            return unknown(path, fmt::format("a body has no field '{}'", name), "Bodies have qd: vx,vy,vz,wx,wy,wz.");
        setting.field  = *field;
        setting.starts = bodies;
        setting.count  = 6;
    } else {
        std::vector<std::string> known = model.joint_label;
        known.insert(known.end(), model.body_label.begin(), model.body_label.end());
        return unknown(path, fmt::format("no joint or body is called '{}', or several are", path),
                       did_you_mean(path, known));
    }
    if (entry) {
        if (*entry >= setting.count) return unknown(path, fmt::format("entry {} of {}", *entry, setting.count));
        if (setting.field == Field::body_qd)
            return unknown(path, "a body's velocity is set as a whole", "Give six values.");
        for (std::size_t& start : setting.starts) start += *entry;
        setting.count = 1;
    }
    if (setting.count == 0) return unknown(path, "the joint has no such entries", "Fixed joints cannot be set.");
    return setting;
}

}  // namespace

Result<Setting> parse_setting(const model::Model& model, std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return unknown({}, fmt::format("'{}' has no '='", text));
    auto setting = parse_target(model, text.substr(0, equals));
    if (!setting) return setting;
    for (std::string_view rest = text.substr(equals + 1);;) {
        const std::size_t comma  = rest.find(',');
        const auto        number = parse_number(rest.substr(0, comma));
        if (!number)
            return make_diagnostic(kArgument, {}, fmt::format("'{}' is not a finite number", rest.substr(0, comma)),
                                   "Write numbers with an optional unit: deg, rad, m, cm, mm.");
        setting->values.push_back(*number);
        if (comma == std::string_view::npos) break;
        rest = rest.substr(comma + 1);
    }
    if (setting->values.size() != 1 && setting->values.size() != setting->count)
        return make_diagnostic(
            kArgument, {},
            fmt::format("'{}' has {} values, expected 1 or {}", text, setting->values.size(), setting->count));
    return setting;
}

void apply_setting(const Setting& setting, model::State& state, model::Control& control)
{
    const auto value = [&](std::size_t i) {
        return static_cast<Real>(setting.values.size() == 1 ? setting.values[0] : setting.values[i]);
    };
    if (setting.field == Field::body_qd) {
        for (const std::size_t body : setting.starts)
            state.body_qd[body] = {{value(0), value(1), value(2)}, {value(3), value(4), value(5)}};
        return;
    }
    std::vector<Real>* array = nullptr;
    switch (setting.field) {
        case Field::target_q:
            array = &control.joint_target_q;
            break;
        case Field::target_qd:
            array = &control.joint_target_qd;
            break;
        case Field::joint_f:
            array = &control.joint_f;
            break;
        case Field::joint_q:
            array = &state.joint_q;
            break;
        case Field::joint_qd:
            array = &state.joint_qd;
            break;
        case Field::body_qd:
            return;
    }
    for (const std::size_t start : setting.starts)
        for (std::size_t i = 0; i < setting.count; ++i) (*array)[start + i] = value(i);
}

Result<std::string> read_control_file(const std::string& file)
{
    auto text = files::read_given(file);
    if (!text) return make_diagnostic(kControlFile, {.layer = file}, text.error().message);
    return text;
}

Result<ControlTable> parse_control_table(const model::Model& model, const std::string& text, const std::string& name,
                                         const std::vector<std::string>& others)
{
    const auto cells = read_cells(text, name);
    if (!cells) return cells.error();
    ControlTable             table;
    std::vector<std::size_t> own;  // which cells of a row
    for (std::size_t i = 0; i < cells->columns.size(); ++i) {
        if (std::find(others.begin(), others.end(), cells->columns[i]) != others.end()) continue;
        auto column = parse_target(model, cells->columns[i]);
        if (!column) {
            Diagnostic error = column.error();
            error.site.layer = name;
            error.site.line  = cells->header_line;
            return error;
        }
        own.push_back(i);
        table.columns.push_back(*std::move(column));
    }
    for (const CommandCells::Row& from : cells->rows) {
        std::vector<double> row;
        for (const std::size_t i : own) {
            const auto value = parse_number(from.cells[i]);
            if (!value)
                return make_diagnostic(kControlFile, {.layer = name, .line = from.line},
                                       fmt::format("'{}' is not a finite number", from.cells[i]));
            row.push_back(*value);
        }
        table.times.push_back(from.time);
        table.rows.push_back(std::move(row));
    }
    return table;
}

void apply_controls(const ControlTable& table, double t, model::State& state, model::Control& control)
{
    const auto after = std::upper_bound(table.times.begin(), table.times.end(), t);
    if (after == table.times.begin()) return;
    const std::vector<double>& row = table.rows[static_cast<std::size_t>(after - table.times.begin()) - 1];
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        Setting setting = table.columns[i];
        setting.values  = {row[i]};
        apply_setting(setting, state, control);
    }
}

}  // namespace mechane::run

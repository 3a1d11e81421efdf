#include "mechane/run/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "mechane/run/codes.h"

namespace mechane::run {
namespace {

struct Unit {
    std::string_view suffix;
    double           factor;
};
constexpr Unit kUnits[] = {{"deg", kDegrees}, {"rad", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"", 1}};

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

std::optional<double> parse_number(std::string_view text)
{
    text             = trimmed(text);
    double     value = 0;
    const auto end   = text.data() + text.size();
    const auto read  = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
    const std::string_view suffix = trimmed({read.ptr, static_cast<std::size_t>(end - read.ptr)});
    for (const Unit& unit : kUnits)
        if (unit.suffix == suffix) return value * unit.factor;
    return std::nullopt;
}

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

bool is_coordinate(Field field) { return field == Field::target_q || field == Field::joint_q; }

/// Indices of the label that equals `path` or, if there is exactly one such label, ends with "/path": one in each world
/// that has it.
std::vector<std::size_t> find_label(const std::vector<std::string>& labels, std::string_view path)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == path) found.push_back(i);
    if (!found.empty()) return found;
    const std::string tail = fmt::format("/{}", path);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!std::string_view(labels[i]).ends_with(tail)) continue;
        if (!found.empty() && labels[i] != labels[found.front()]) return {};
        found.push_back(i);
    }
    return found;
}

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
            return unknown(path, fmt::format("'{}' is no index", digits));
        entry = index;
        name  = name.substr(0, bracket);
    }

    Setting setting;
    if (const auto joints = find_label(model.joint_label, path); !joints.empty()) {
        const auto field = parse_field(name, false);
        if (!field) return unknown(path, fmt::format("a joint has no field '{}'", name));
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
        return unknown(path, fmt::format("no joint or body is called '{}', or several are", path));
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
            return make_diagnostic(kArgument, {}, fmt::format("'{}' is no finite number", rest.substr(0, comma)),
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
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return make_diagnostic(kControlFile, {.layer = file}, "the file cannot be opened");
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

Result<ControlTable> parse_control_table(const model::Model& model, const std::string& text, const std::string& name)
{
    std::istringstream stream(text);
    ControlTable       table;
    std::string        line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
        const auto bad = [&](std::string message) {
            return make_diagnostic(kControlFile, {.layer = name, .line = number}, std::move(message));
        };
        std::vector<std::string> cells;
        std::stringstream        split(line);
        for (std::string cell; std::getline(split, cell, ',');) cells.push_back(cell);
        if (table.columns.empty()) {
            if (cells.size() < 2 || trimmed(cells[0]) != "t")
                return bad("the first column must be 't', followed by PATH.field columns");
            for (std::size_t i = 1; i < cells.size(); ++i) {
                auto column = parse_target(model, trimmed(cells[i]));
                if (!column) {
                    Diagnostic error = column.error();
                    error.site.layer = name;
                    error.site.line  = number;
                    return error;
                }
                table.columns.push_back(*std::move(column));
            }
            continue;
        }
        if (cells.size() != table.columns.size() + 1)
            return bad(fmt::format("{} cells, expected {}", cells.size(), table.columns.size() + 1));
        std::vector<double> row;
        for (const std::string& cell : cells) {
            const auto value = parse_number(cell);
            if (!value) return bad(fmt::format("'{}' is no finite number", cell));
            row.push_back(*value);
        }
        if (!table.times.empty() && row[0] < table.times.back()) return bad("times must not decrease");
        table.times.push_back(row[0]);
        table.rows.emplace_back(row.begin() + 1, row.end());
    }
    if (table.columns.empty()) return make_diagnostic(kControlFile, {.layer = name}, "the file has no header row");
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

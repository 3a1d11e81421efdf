// Settings by text: "PATH.field=values" of the command line and columns of command files, onto state and control of a
// model. SI units, radians; suffixes deg, mm, cm are converted (command_cells.cpp).
// Checked here: names, number of values, and that a unit fits what the entry measures. Called by simulate.cpp and cli.
// A setting is a value object: names are looked up once, and applying it to a state only copies numbers.

#include "mechane/simulation/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "mechane/core/nearest.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/files/read.h"
#include "mechane/model/joint_table.h"
#include "mechane/simulation/codes.h"
#include "simulation/command_cells.h"

namespace mechane::run {
namespace {

// The names are those of Newton's arrays without "joint_".
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

// All names that cannot be found end in one code, with the path as the prim.
Diagnostic unknown(std::string_view path, std::string message, std::string hint = {})
{ return make_diagnostic(kSetUnknown, {.prim = std::string(path)}, std::move(message), std::move(hint)); }

/// What the entries of a joint's field measure.
std::vector<Unit> units_of(const model::Model& model, std::size_t joint, const Setting& setting)
{
    // Forces may be N or N m and have no unit in the texts.
    if (setting.field == Field::joint_f) return std::vector<Unit>(setting.count, Unit::none);
    const auto& info = model::joint_type_info(model.joint_type[joint]);
    // Coordinates of free and ball joints end in a quaternion, which has no unit.
    const bool by_pose = is_coordinate(setting.field) && (info.free_like || info.quaternion);
    // Linear dofs come before angular ones.
    // Free joints and the like have three linear dofs whatever their axes say.
    const auto straight = info.free_like ? std::size_t{3} : static_cast<std::size_t>(model.joint_dof_dim[joint][0]);
    std::vector<Unit> units;
    for (std::size_t i = 0; i < setting.count; ++i)
        units.push_back(i < straight ? Unit::length : by_pose ? Unit::none : Unit::angle);
    return units;
}

/// What is wrong with a unit behind a number; empty where it fits.
/// A wrong unit is an error and not a conversion: 0.5 m on a revolute joint is a mistake of the author.
std::string misfit(const Setting& setting, Unit unit, std::string_view text)
{
    if (unit == Unit::none) return {};
    for (const Unit wanted : setting.units)
        if (wanted != unit)
            return fmt::format("'{}' is {}, and {} takes {}", trimmed(text), unit_words(unit), setting.path,
                               wanted == Unit::none ? "a plain number" : unit_words(wanted));
    return {};
}

/// The same for one of several values.
std::string misfit(const Setting& setting, std::size_t entry, std::size_t values, Unit unit, std::string_view text)
{
    // A setting of one value is for all entries, so its unit must fit all of them.
    if (values == 1 || entry >= setting.units.size()) return misfit(setting, unit, text);
    Setting one = setting;
    one.units   = {setting.units[entry]};
    one.path += fmt::format("[{}]", entry);
    return misfit(one, unit, text);
}

/// "SPACE:ATTRIBUTE" or one entry of it, of a custom attribute that controls hold.
Result<Setting> parse_attribute(const model::Model& model, std::string_view text)
{
    const model::Control control = model::make_control(model);
    Setting              setting;
    setting.field = Field::attribute;
    setting.path = setting.key = std::string(text);
    std::optional<std::size_t> entry;
    // "[3]" behind the name is one entry.
    if (const std::size_t bracket = text.find('['); bracket != std::string_view::npos && text.ends_with(']')) {
        const std::string_view digits = text.substr(bracket + 1, text.size() - bracket - 2);
        std::size_t            index  = 0;
        const auto             read   = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
            return unknown(text, fmt::format("'{}' is not an index", digits));
        entry       = index;
        setting.key = std::string(text.substr(0, bracket));
    }
    const model::CustomArray* const array = control.custom_arrays.find(setting.key);
    if (array == nullptr) {
        std::vector<std::string> known;
        for (const model::CustomArray& one : control.custom_arrays.arrays) known.push_back(one.key);
        return unknown(text, fmt::format("the model's control has no attribute '{}'", setting.key),
                       known.empty() ? "It has none at all." : did_you_mean(setting.key, known));
    }
    if (array->type != model::CustomType::float32)
        return unknown(text, fmt::format("the entries of '{}' are not single numbers", setting.key));
    if (entry && *entry >= array->size()) return unknown(text, fmt::format("entry {} of {}", *entry, array->size()));
    if (array->size() == 0) return unknown(text, "it has no entries");
    setting.starts = {entry.value_or(0)};
    setting.count  = entry ? 1 : array->size();
    setting.units.assign(setting.count, Unit::none);
    return setting;
}

/// "PATH.field" without values.
Result<Setting> parse_target(const model::Model& model, std::string_view text)
{
    // A colon without slash and dot is a custom attribute: paths of prims begin with a slash.
    if (const std::string_view name = trimmed(text); name.find(':') != std::string_view::npos &&
                                                     name.find('/') == std::string_view::npos &&
                                                     name.find('.') == std::string_view::npos)
        return parse_attribute(model, name);
    // Paths may have dots before the field's.
    const std::size_t dot = text.rfind('.');
    // The last dot: what stands before it is the path.
    if (dot == std::string_view::npos) return unknown({}, fmt::format("'{}' is not of the form PATH.field", text));
    const std::string_view     path = trimmed(text.substr(0, dot));
    std::string_view           name = trimmed(text.substr(dot + 1));
    std::optional<std::size_t> entry;
    // "[2]" is an entry; units are in the column's header (without_unit).
    if (const std::size_t bracket = name.find('['); bracket != std::string_view::npos && name.ends_with(']')) {
        const std::string_view digits = name.substr(bracket + 1, name.size() - bracket - 2);
        std::size_t            index  = 0;
        const auto             read   = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
            return unknown(path, fmt::format("'{}' is not an index", digits));
        entry = index;
        name  = name.substr(0, bracket);
    }

    Setting setting;
    setting.path = std::string(trimmed(text));
    // Several joints share a label where worlds are replicas; all of them are set.
    if (const auto joints = find_label(model.joint_label, path); !joints.empty()) {
        const auto field = parse_field(name, false);
        if (!field) return unknown(path, fmt::format("a joint has no field '{}'", name), near_field(name));
        // Coordinates and dofs differ in number for joints with quaternions.
        const auto& starts = is_coordinate(*field) ? model.joint_q_start : model.joint_qd_start;
        setting.field      = *field;
        for (const std::size_t joint : joints) setting.starts.push_back(static_cast<std::size_t>(starts[joint]));
        setting.count = static_cast<std::size_t>(starts[joints.front() + 1] - starts[joints.front()]);
        setting.units = units_of(model, joints.front(), setting);
    } else if (const auto bodies = find_label(model.body_label, path); !bodies.empty()) {
        const auto field = parse_field(name, true);
        if (!field)
            return unknown(path, fmt::format("a body has no field '{}'", name), "Bodies have qd: vx,vy,vz,wx,wy,wz.");
        setting.field  = *field;
        setting.starts = bodies;
        // A velocity of a body: three linear entries, three angular ones.
        setting.count = 6;
        setting.units = {Unit::length, Unit::length, Unit::length, Unit::angle, Unit::angle, Unit::angle};
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
        // Replicas with one label are set alike.
        for (std::size_t& start : setting.starts) start += *entry;
        setting.count = 1;
        setting.units = {setting.units[*entry]};
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
    std::vector<Unit>             units;
    std::vector<std::string_view> written;
    // An empty piece between commas is no number and refused.
    for (std::string_view rest = text.substr(equals + 1);;) {
        const std::size_t comma  = rest.find(',');
        const auto        number = parse_quantity(rest.substr(0, comma));
        if (!number)
            return make_diagnostic(kArgument, {}, fmt::format("'{}' is not a finite number", rest.substr(0, comma)),
                                   "Write numbers with an optional unit: deg, rad, m, cm, mm.");
        setting->values.push_back(number->value);
        units.push_back(number->unit);
        written.push_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) break;
        rest = rest.substr(comma + 1);
    }
    if (setting->values.size() != 1 && setting->values.size() != setting->count)
        return make_diagnostic(
            kArgument, {},
            fmt::format("'{}' has {} values, expected 1 or {}", text, setting->values.size(), setting->count));
    for (std::size_t i = 0; i < units.size(); ++i)
        if (std::string why = misfit(*setting, i, units.size(), units[i], written[i]); !why.empty())
            return make_diagnostic(kArgument, {}, std::move(why),
                                   "Write the unit of the joint's axis, or none: rad, m.");
    return setting;
}

namespace {

// The world has no motion.
dynamics::BodyMotion motion_of(const model::State& state, std::int32_t body)
{
    if (body < 0) return {};
    const auto b = static_cast<std::size_t>(body);
    return {static_cast<Posed>(state.body_q[b]),
            {static_cast<Vec3d>(state.body_qd[b].linear), static_cast<Vec3d>(state.body_qd[b].angular)}};
}

/// The rates of the joints that carry a body follow from how it and what carries it move; coordinates stay.
void rates_from_bodies(const model::Model& model, std::int32_t body, model::State& state)
{
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        if (model.joint_child[j] != body) continue;
        const auto first = state.joint_q.begin() + model.joint_q_start[j],
                   last  = state.joint_q.begin() + model.joint_q_start[j + 1];
        // joint_state computes coordinates as well, which lose their turns: those are kept.
        const std::vector<Real> kept(first, last);
        dynamics::joint_state(model, static_cast<std::int32_t>(j), motion_of(state, model.joint_parent[j]),
                              motion_of(state, body), state.joint_q, state.joint_qd);
        std::copy(kept.begin(), kept.end(), first);
    }
}

}  // namespace

std::optional<Diagnostic> without_effect(const model::Model& model, const Setting& setting, std::string_view solver)
{
    constexpr std::string_view kControl = "mujoco:ctrl";
    if (setting.field != Field::attribute || setting.key != kControl) return std::nullopt;
    // A command that moves nothing would look like a robot that is broken, so it is refused.
    const auto refusal = [&](std::string message, std::string hint) {
        return make_diagnostic(kArgument, {}, std::move(message), std::move(hint));
    };
    // 0: a drive of its joint stands for the actuator, and follows the joint's target.
    const model::CustomArray* source   = model.custom_arrays.find("mujoco:ctrl_source");
    const auto                is_drive = [&](std::size_t entry) {
        return source != nullptr && entry < source->size() && source->at(entry)[0] == 0;
    };
    std::size_t drives = 0, entries = 0;
    for (const std::size_t start : setting.starts)
        for (std::size_t i = 0; i < setting.count; ++i, ++entries)
            if (is_drive(start + i)) ++drives;
    if (entries > 0 && drives == entries)
        return refusal(fmt::format("{} moves nothing: the actuator is the drive of its joint", setting.path),
                       "Set the joint's target: JOINT.target_q, or target_qd for a velocity servo.");
    // A registered solver may read what it likes.
    constexpr std::string_view kWithout[] = {"softstep", "xpbd", "semi-implicit", "featherstone", "vbd"};
    const std::string_view     name       = solver.substr(0, solver.find(':'));
    if (std::find(std::begin(kWithout), std::end(kWithout), name) != std::end(kWithout))
        return refusal(fmt::format("{} moves nothing: the solver {} does not read it", setting.path, name),
                       "Take --solver mujoco, or command the joint: JOINT.target_q, JOINT.f.");
    return std::nullopt;
}

void apply_setting(const model::Model& model, const Setting& setting, model::State& state, model::Control& control)
{
    // One value stands for all entries.
    const auto value = [&](std::size_t i) {
        return static_cast<Real>(setting.values.size() == 1 ? setting.values[0] : setting.values[i]);
    };
    if (setting.field == Field::attribute) {
        if (model::CustomArray* const array = control.custom_arrays.find(setting.key); array != nullptr)
            for (std::size_t i = 0; i < setting.count; ++i)
                array->set(setting.starts[0] + i, {static_cast<double>(value(i))});
        return;
    }
    if (setting.field == Field::body_qd) {
        for (const std::size_t body : setting.starts) {
            state.body_qd[body] = {{value(0), value(1), value(2)}, {value(3), value(4), value(5)}};
            rates_from_bodies(model, static_cast<std::int32_t>(body), state);
        }
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
        case Field::attribute:
            return;
    }
    // Replicas have the same number of entries each.
    for (const std::size_t start : setting.starts)
        for (std::size_t i = 0; i < setting.count; ++i) (*array)[start + i] = value(i);
}

Result<std::string> read_control_file(const std::string& file)
{
    auto text = files::read_given(file);
    // The reader's message is passed on under the code of command files.
    if (!text) return make_diagnostic(kControlFile, {.layer = file}, text.error().message);
    if (text->empty()) return make_diagnostic(kControlFile, {.layer = file}, "the file is empty");
    return text;
}

namespace {

/// "PATH.field [deg]" as its two parts; "PATH.field[2]" names an entry and no unit.
std::pair<std::string_view, std::string_view> without_unit(std::string_view column)
{
    const std::size_t open = column.rfind('[');
    if (open == std::string_view::npos || !column.ends_with(']')) return {column, {}};
    // Digits are an entry: "f[2]"; words are a unit: "target_q [deg]".
    const std::string_view inside = trimmed(column.substr(open + 1, column.size() - open - 2));
    if (inside.empty() || (inside.front() >= '0' && inside.front() <= '9')) return {column, {}};
    return {trimmed(column.substr(0, open)), inside};
}

}  // namespace

Result<ControlTable> parse_control_table(const model::Model& model, const std::string& text, const std::string& name,
                                         const std::vector<std::string>& others)
{
    // The table is checked as a whole before a run begins, so that no run fails at its end over a typing error.
    const auto cells = read_cells(text, name);
    if (!cells) return cells.error();
    ControlTable             table;
    std::vector<std::size_t> own;    // which cells of a row
    std::vector<Quantity>    units;  // that their columns name
    for (std::size_t i = 0; i < cells->columns.size(); ++i) {
        // Columns that belong to another reader, for example to sensors.
        if (std::find(others.begin(), others.end(), cells->columns[i]) != others.end()) continue;
        const auto [path, word] = without_unit(cells->columns[i]);
        const auto unit         = parse_unit(word);
        if (!unit)
            return make_diagnostic(kControlFile, {.layer = name, .line = cells->header_line},
                                   fmt::format("column '{}': '{}' is not a unit, expected deg, rad, m, cm or mm",
                                               cells->columns[i], word));
        auto column = parse_target(model, path);
        if (!column) {
            Diagnostic error = column.error();
            error.site.layer = name;
            error.site.line  = cells->header_line;
            return error;
        }
        if (std::string why = misfit(*column, unit->unit, fmt::format("[{}]", word)); !why.empty())
            return make_diagnostic(kControlFile, {.layer = name, .line = cells->header_line}, std::move(why));
        units.push_back(*unit);
        own.push_back(i);
        table.columns.push_back(*std::move(column));
    }
    for (const CommandCells::Row& from : cells->rows) {
        std::vector<double> row;
        for (std::size_t c = 0; c < own.size(); ++c) {
            // A cell holds one number for the column's setting, which then stands for all its entries.
            const std::string& cell  = from.cells[own[c]];
            const auto         value = parse_quantity(cell);
            if (!value)
                return make_diagnostic(kControlFile, {.layer = name, .line = from.line},
                                       fmt::format("'{}' is not a finite number", cell));
            if (std::string why = misfit(table.columns[c], value->unit, cell); !why.empty())
                return make_diagnostic(kControlFile, {.layer = name, .line = from.line}, std::move(why));
            // A unit in the cell goes before that of the column.
            row.push_back(value->unit == Unit::none ? value->value * units[c].value : value->value);
        }
        table.times.push_back(from.time);
        table.rows.push_back(std::move(row));
    }
    return table;
}

void apply_controls(const model::Model& model, const ControlTable& table, double t, model::State& state,
                    model::Control& control)
{
    // Times are in ascending order.
    // The last row at or before t holds until the next (zero-order hold); before the first row nothing is commanded.
    const auto after = std::upper_bound(table.times.begin(), table.times.end(), t);
    if (after == table.times.begin()) return;
    const std::vector<double>& row = table.rows[static_cast<std::size_t>(after - table.times.begin()) - 1];
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        Setting setting = table.columns[i];
        setting.values  = {row[i]};
        apply_setting(model, setting, state, control);
    }
}

}  // namespace mechane::run

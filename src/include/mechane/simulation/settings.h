#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::run {

/// What a setting changes. All in the layout of the named joint or body, SI units, radians.
enum class Field { target_q, target_qd, joint_f, joint_q, joint_qd, body_qd, attribute };

/// What an entry of a setting measures, so that a unit behind a number can be checked. Forces and quaternions: none.
enum class Unit : std::uint8_t { none, angle, length };

/// "PATH.field=value[,value...]" or "SPACE:ATTRIBUTE[i]=value", resolved against a model.
struct Setting {
    Field                    field = Field::target_q;
    std::vector<std::size_t> starts;     ///< first entry of the array it writes, once for each world that has the path
    std::vector<double>      values;     ///< one per entry, or one for all entries of the joint
    std::size_t              count = 0;  ///< entries of the joint or body
    std::vector<Unit>        units{};    ///< of each entry, of rates without their time
    std::string              path{};     ///< as it was written, for messages
    std::string              key{};      ///< of a custom attribute of the control
};

/// Reads one setting. Numbers may end in deg, rad, m, mm, cm; deg is converted to radians. The path is a joint or body
/// label, or its last elements if that is unambiguous; in copies of a world it means all of them. Fields: target_q
/// (target), target_qd, f, q, qd; one entry as field[i]. A name with a colon is a custom attribute that the control
/// holds, one number an entry: "mujoco:ctrl[2]" is the third actuator's, "mujoco:ctrl" all of them.
/// @error RUN_SET_UNKNOWN; RUN_ARGUMENT for a value that is no number, or whose unit is not that of the entry
Result<Setting> parse_setting(const model::Model& model, std::string_view text);

/// Why a setting has no effect under this solver; nothing where it has one. Controls of MuJoCo's own actuators are read
/// by the solver mujoco alone, and of them not those whose actuator became the drive of a joint.
/// @param solver  as chosen, perhaps with parameters behind a colon
/// @return RUN_ARGUMENT
std::optional<Diagnostic> without_effect(const model::Model& model, const Setting& setting, std::string_view solver);

/// Writes the values into state or control. The velocity of a body goes to the joints that carry it too, as far as
/// they allow it: joint_qd has the last word over body_qd.
/// @param model  that the setting was read for
void apply_setting(const model::Model& model, const Setting& setting, model::State& state, model::Control& control);

/// Commands over time: each column is a setting, held from its row's time until the next.
struct ControlTable {
    std::vector<double>              times;    ///< [s], ascending
    std::vector<Setting>             columns;  ///< without values
    std::vector<std::vector<double>> rows;     ///< [times][columns]
};

/// Text of a file of commands.
/// @error RUN_CONTROL_FILE
Result<std::string> read_control_file(const std::string& file);
/// Reads a CSV whose first row is `t,PATH.field,...`. A unit may follow in brackets, `PATH.field [deg]`: that of the
/// cells that have none of their own.
/// @param name    where the text comes from, for the diagnostics
/// @param others  columns, as they are written, that somebody else reads
/// @error RUN_CONTROL_FILE, RUN_SET_UNKNOWN
Result<ControlTable> parse_control_table(const model::Model& model, const std::string& text, const std::string& name,
                                         const std::vector<std::string>& others = {});

/// Applies the last row whose time is not after `t`; nothing before the first.
void apply_controls(const model::Model& model, const ControlTable& table, double t, model::State& state,
                    model::Control& control);

}  // namespace mechane::run

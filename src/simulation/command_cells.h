#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/simulation/settings.h"

namespace mechane::run {

std::string_view trimmed(std::string_view text);
/// A finite number with an optional unit: deg, rad, m, cm, mm.
struct Quantity {
    double value = 0;  ///< [rad, m], or as written
    Unit   unit  = Unit::none;
};
std::optional<Quantity> parse_quantity(std::string_view text);
/// What such a unit measures, and how many radians or metres it is; nothing for other words.
std::optional<Quantity> parse_unit(std::string_view word);
/// The units of what is measured, for messages.
std::string_view unit_words(Unit unit);
/// Indices of the label that equals `path` or, if there is exactly one such label, ends with "/path": one in each world
/// that has it.
std::vector<std::size_t> find_label(const std::vector<std::string>& labels, std::string_view path);

/// A file of commands as text: a header row `t,...`, then rows of as many cells.
struct CommandCells {
    struct Row {
        int                      line = 0;
        double                   time = 0;  ///< [s], not before that of the row above
        std::vector<std::string> cells;     ///< trimmed, without the time
    };
    int                      header_line = 0;
    std::vector<std::string> columns;  ///< trimmed, without "t"
    std::vector<Row>         rows;
};
/// @error RUN_CONTROL_FILE
Result<CommandCells> read_cells(const std::string& text, const std::string& name);

}  // namespace mechane::run

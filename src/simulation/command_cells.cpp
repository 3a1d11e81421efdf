// Cells of a command file (CSV): the header `t, PATH.field, ...`, rows of numbers with units. Output is text with line
// numbers; settings.cpp gives it meaning.
// Comma-separated without quotes; `#` begins a comment line; spaces around cells do not count.

#include "simulation/command_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "mechane/math/real.h"
#include "mechane/simulation/codes.h"

namespace mechane::run {
namespace {

struct Suffix {
    std::string_view word;
    double           factor;
    Unit             unit;
};
/// Longer suffixes need not come first: the whole rest of a cell is compared.
constexpr Suffix kSuffixes[] = {{"deg", kDegrees, Unit::angle}, {"rad", 1, Unit::angle}, {"mm", 1e-3, Unit::length},
                                {"cm", 1e-2, Unit::length},     {"m", 1, Unit::length},  {"", 1, Unit::none}};
/// Spreadsheets write it before the first cell.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The cells of a line; a comma at the end is followed by an empty cell.
std::vector<std::string> split(std::string_view line)
{
    std::vector<std::string> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        cells.emplace_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

}  // namespace

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    // Line ends of Windows.
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

std::optional<Quantity> parse_unit(std::string_view word)
{
    for (const Suffix& one : kSuffixes)
        if (one.word == word) return Quantity{one.factor, one.unit};
    return std::nullopt;
}

std::optional<Quantity> parse_quantity(std::string_view text)
{
    text             = trimmed(text);
    double     value = 0;
    const auto end   = text.data() + text.size();
    // Independent of the locale: a decimal comma is never read.
    const auto read  = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
    const auto unit = parse_unit(trimmed({read.ptr, static_cast<std::size_t>(end - read.ptr)}));
    if (!unit) return std::nullopt;
    return Quantity{value * unit->value, unit->unit};
}

std::string_view unit_words(Unit unit)
{ return unit == Unit::angle ? "an angle (deg, rad)" : unit == Unit::length ? "a length (m, cm, mm)" : "no unit"; }

std::vector<std::size_t> find_label(const std::vector<std::string>& labels, std::string_view path)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == path) found.push_back(i);
    if (!found.empty()) return found;
    // A path may be shortened from the left if one label alone ends so. Replicas share a label: all of them are meant.
    const std::string tail = fmt::format("/{}", path);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!std::string_view(labels[i]).ends_with(tail)) continue;
        if (!found.empty() && labels[i] != labels[found.front()]) return {};
        found.push_back(i);
    }
    return found;
}

Result<CommandCells> read_cells(const std::string& text, const std::string& name)
{
    std::istringstream stream(text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text);
    CommandCells       out;
    std::string        line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
        const auto bad = [&](std::string message) {
            return make_diagnostic(kControlFile, {.layer = name, .line = number}, std::move(message));
        };
        std::vector<std::string> cells = split(line);
        if (out.columns.empty()) {
            if (cells.size() < 2 || (cells[0] != "t" && cells[0] != "t [s]"))
                return bad("the first column must be 't', followed by PATH.field columns");
            out.header_line = number;
            out.columns.assign(cells.begin() + 1, cells.end());
            for (auto one = out.columns.begin(); one != out.columns.end(); ++one)
                if (!one->empty() && std::find(out.columns.begin(), one, *one) != one)
                    return bad(fmt::format("the column '{}' stands there twice", *one));
            continue;
        }
        if (cells.size() != out.columns.size() + 1)
            return bad(fmt::format("{} cells, expected {}", cells.size(), out.columns.size() + 1));
        const auto time = parse_quantity(cells[0]);
        if (!time || time->unit != Unit::none)
            return bad(fmt::format("'{}' is not a finite number of seconds", cells[0]));
        // Equal times are allowed: the later row wins (apply_controls).
        if (!out.rows.empty() && time->value < out.rows.back().time) return bad("times must not decrease");
        out.rows.push_back({number, time->value, {cells.begin() + 1, cells.end()}});
    }
    if (out.columns.empty()) return make_diagnostic(kControlFile, {.layer = name}, "the file has no header row");
    return out;
}

}  // namespace mechane::run

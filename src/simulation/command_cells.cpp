#include "simulation/command_cells.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "mechane/math/real.h"
#include "mechane/simulation/codes.h"

namespace mechane::run {
namespace {

struct Unit {
    std::string_view suffix;
    double           factor;
};
constexpr Unit kUnits[] = {{"deg", kDegrees}, {"rad", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"", 1}};

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

Result<CommandCells> read_cells(const std::string& text, const std::string& name)
{
    std::istringstream stream(text);
    CommandCells       out;
    std::string        line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
        const auto bad = [&](std::string message) {
            return make_diagnostic(kControlFile, {.layer = name, .line = number}, std::move(message));
        };
        std::vector<std::string> cells = split(line);
        if (out.columns.empty()) {
            if (cells.size() < 2 || cells[0] != "t")
                return bad("the first column must be 't', followed by PATH.field columns");
            out.header_line = number;
            out.columns.assign(cells.begin() + 1, cells.end());
            continue;
        }
        if (cells.size() != out.columns.size() + 1)
            return bad(fmt::format("{} cells, expected {}", cells.size(), out.columns.size() + 1));
        const auto time = parse_number(cells[0]);
        if (!time) return bad(fmt::format("'{}' is not a finite number", cells[0]));
        if (!out.rows.empty() && *time < out.rows.back().time) return bad("times must not decrease");
        out.rows.push_back({number, *time, {cells.begin() + 1, cells.end()}});
    }
    if (out.columns.empty()) return make_diagnostic(kControlFile, {.layer = name}, "the file has no header row");
    return out;
}

}  // namespace mechane::run

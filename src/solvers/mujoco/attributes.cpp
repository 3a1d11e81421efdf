// Attributes of the namespace `mujoco` as rows of numbers and texts, from the model's custom arrays or from tables of a
// caller (Python). Tables come first. Every reader names its default, and what is not finite counts as not said.

#include "solvers/mujoco/attributes.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "mechane/model/custom_rows.h"
#include "solvers/mujoco/live_values.h"

namespace mechane::solvers::mujoco {

namespace {

const model::CustomArray* own(const model::Model& model, std::string_view name)
{
    for (const model::CustomArray& array : model.custom_arrays.arrays)
        if (array.key.size() == name.size() + 7 && array.key.starts_with("mujoco:") && array.key.ends_with(name))
            return &array;
    return nullptr;
}

/// Numbers of one row that are entries of their own; else an entry is a row.
/// Newton registers per-row attributes either as rows of a fixed number of columns or as vectors of up to four numbers.
std::size_t entries(const model::CustomArray& array)
{ return model::is_rows(array.frequency) ? static_cast<std::size_t>(model::row_columns(array.frequency)) : 1; }

}  // namespace

Attributes::Attributes(const model::Model& model, MujocoTables tables)
    : model_(model), tables_(std::move(tables)), seen_(model.custom_arrays)
{
}

std::size_t Attributes::rows(std::string_view name) const
{
    if (const auto at = tables_.find(name); at != tables_.end())
        return at->second.texts.empty() ? at->second.numbers.size() / std::max<std::size_t>(1, at->second.columns)
                                        : at->second.texts.size();
    const model::CustomArray* const array = own(model_, name);
    return array == nullptr ? 0 : array->size() / entries(*array);
}

double Attributes::number(std::string_view name, std::size_t i, double otherwise, std::size_t c) const
{
    double value = otherwise;
    if (const auto at = tables_.find(name); at != tables_.end()) {
        const std::size_t k = i * at->second.columns + c;
        if (c >= at->second.columns || k >= at->second.numbers.size()) return otherwise;
        value = at->second.numbers[k];
    } else if (const model::CustomArray* const array = own(model_, name); array != nullptr) {
        const bool        rows = model::is_rows(array->frequency);
        const std::size_t n = rows ? entries(*array) : 4, k = rows ? i * n + c : i;
        if (k >= array->size() || c >= n) return otherwise;
        value = array->at(k)[rows ? 0 : c];
    }
    return std::isfinite(value) ? value : otherwise;
}

std::int32_t Attributes::whole(std::string_view name, std::size_t i, std::int32_t otherwise, std::size_t c) const
{
    const double value = number(name, i, otherwise, c);
    // Masks are written with or without a sign.
    if (value > 2147483647 && value < 4294967296) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    return value < -2147483648.0 || value > 2147483647 ? otherwise : static_cast<std::int32_t>(value);
}

std::string Attributes::text(std::string_view name, std::size_t i) const
{
    const auto at = tables_.find(name);
    return at != tables_.end() && i < at->second.texts.size() ? at->second.texts[i] : std::string();
}

/// Compares and remembers: a program may write into custom arrays between two steps.
bool Attributes::changed()
{
    bool any = false;
    for (std::size_t k = 0; !any && k < model_.custom_arrays.arrays.size() && k < seen_.arrays.size(); ++k) {
        const auto &now = model_.custom_arrays.arrays[k].data, &before = seen_.arrays[k].data;
        any = now.index() != before.index() ||
              !std::visit(
                  [&](const auto& values) {
                      return same_bytes(values, *std::get_if<std::remove_cvref_t<decltype(values)>>(&before));
                  },
                  now);
    }
    if (any) seen_ = model_.custom_arrays;
    return any;
}

}  // namespace mechane::solvers::mujoco

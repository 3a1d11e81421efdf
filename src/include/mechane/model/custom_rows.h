#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "mechane/model/custom.h"

// Custom attributes of more than one number for an entity, and of things that a model has no list of: MuJoCo's
// actuators, tendons and equalities. Such an attribute is a list of single numbers, row by row: number c of row i
// stands at i * columns + c. Its frequency says which rows and how many columns.

namespace mechane::model {

/// What the rows are. The first six are kinds of the namespace "mujoco"; the others are entities of the model.
enum class RowKind : std::uint8_t {
    actuator,
    tendon,
    tendon_joint,  ///< joints of fixed tendons
    tendon_wrap,   ///< sites, geoms and pulleys of spatial tendons
    equality_constraint,
    pair,
    shape,
    joint_dof,
};

inline constexpr std::uint8_t kFirstRows = 128;

/// The frequency of an attribute of 1 to 16 columns.
constexpr CustomFrequency rows_of(RowKind kind, int columns = 1)
{ return static_cast<CustomFrequency>(kFirstRows + 16 * static_cast<int>(kind) + columns - 1); }
constexpr bool    is_rows(CustomFrequency f) { return static_cast<std::uint8_t>(f) >= kFirstRows; }
constexpr RowKind row_kind(CustomFrequency f)
{ return static_cast<RowKind>((static_cast<std::uint8_t>(f) - kFirstRows) / 16); }
constexpr std::int32_t row_columns(CustomFrequency f) { return static_cast<std::uint8_t>(f) % 16 + 1; }
std::string_view       to_string(RowKind kind);

}  // namespace mechane::model

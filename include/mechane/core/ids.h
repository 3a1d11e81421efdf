#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace mechane {

/// A typed index: a `BodyId` cannot be passed where a `ShapeId` is meant. Negative means "none" (for a body: the
/// world).
/// The number counts from 0 within its kind. It is an index into the arrays of the model that gave it; nothing in it
/// says which model that was, so a wrong number is found by its range and a foreign id is not.
template <class Tag>
struct Id {
    std::int32_t value = -1;

    /// None.
    constexpr Id() = default;
    /// From a number, spelled out: an index of an array of building blocks.
    constexpr explicit Id(std::int32_t v) : value(v) {}
    constexpr explicit Id(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

    /// Not negative. Whether a model has it, the model says.
    [[nodiscard]] constexpr bool        valid() const noexcept { return value >= 0; }
    [[nodiscard]] constexpr std::size_t index() const noexcept { return static_cast<std::size_t>(value); }
    /// By the number, so that ids are keys of sorted containers; they have a hash too.
    constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace mechane

template <class Tag>
struct std::hash<mechane::Id<Tag>> {
    std::size_t operator()(mechane::Id<Tag> id) const noexcept { return std::hash<std::int32_t>{}(id.value); }
};

#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reader.h"

/// Values that the elements of a simulation geometry author: thicknesses and masses.
namespace mechane::importer {

/// How many values an array needs, by the word of its element type.
using ElementCounts = std::vector<std::pair<std::string_view, std::size_t>>;

/// The array `physics:NAME` with its element type. One that cannot be used is reported and counts as not authored.
/// @param untyped_points  an array without an element type is one value for each point, as an earlier revision had it
std::optional<ElementValues> element_values(const DeformableReader& read, const usd::Prim& prim, std::string_view name,
                                            const ElementCounts& counts, bool untyped_points = false);

/// Elements of a simulation geometry, each with as many points.
struct Elements {
    std::vector<std::vector<std::int32_t>> points;           ///< of each element
    std::vector<double>                    volumes;          ///< of each element, at rest
    std::vector<std::size_t>               sources;          ///< authored element of each; empty: its own number
    std::size_t                            authored    = 0;  ///< how many elements the stage has
    std::size_t                            point_count = 0;
};

/// Half shares: an element's mass goes to its points in equal parts.
std::vector<double> lumped(std::span<const double> masses, const Elements& elements);

/// Masses of elements from those of points, by volume; nothing when a point has no volume beside it.
std::optional<std::vector<double>> spread(std::span<const double> point_masses, const Elements& elements);

/// Masses of the points as `physics:masses` says; nothing when it says nothing that can be used.
/// @param element  the word for one element: "face", "tetrahedron"
std::optional<std::vector<double>> authored_masses(const DeformableReader& read, const usd::Prim& prim,
                                                   std::string_view element, const Elements& elements,
                                                   std::optional<ElementValues>& values);

}  // namespace mechane::importer

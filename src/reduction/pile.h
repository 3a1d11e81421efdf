#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mechane/reduction/reduce.h"

namespace mechane::reduction {

/// The layers of a stage, the root first, that name each other by their names here.
struct Pile {
    std::vector<ReducedLayer> layers;

    [[nodiscard]] Pile        copy() const;
    [[nodiscard]] std::string text() const;  ///< of all layers
    [[nodiscard]] std::size_t specs() const;
    [[nodiscard]] std::size_t prims() const;
};

/// Everything that the stage composes as one layer.
Pile flat_pile(const usd::Stage& stage, const std::string& stem);
/// The layers as they are, found from the root on; what is no layer keeps an absolute path.
Result<Pile> layered_pile(const std::string& file, const std::string& stem, const usd::OpenOptions& open);

/// Something that may go, or become simpler.
struct Unit {
    std::size_t                      layer = 0;
    std::string                      what;  ///< for the order and for messages
    std::function<void(usd::Layer&)> take;
};
using Units = std::vector<Unit>;

Units layer_units(const Pile& pile);
/// @param depth  1: the prims at the root
Units prim_units(const Pile& pile, int depth);
int   deepest(const Pile& pile);
Units field_units(const Pile& pile);
Units api_units(const Pile& pile);
Units property_units(const Pile& pile);
Units target_units(const Pile& pile);
Units sample_units(const Pile& pile);
Units mesh_units(const Pile& pile);
Units text_units(const Pile& pile);

/// Names of prims and of properties that no schema has, each once.
std::vector<std::string> names_of(const Pile& pile);
/// The names become hashes of theirs, wherever they stand.
Pile with_hashed_names(const Pile& pile, const std::vector<std::string>& names);

}  // namespace mechane::reduction

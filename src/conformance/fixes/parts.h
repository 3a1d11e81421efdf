#pragma once
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// What a spec is for, and so which layer of an asset it belongs to (rep-0158 2.6).
enum class Part {
    base,       ///< Xforms, scopes, cameras, lights
    instances,  ///< geometry as it is placed and bound
    material,
    physics,  ///< a vendor's words too, until they have a layer of their own
    ros
};
constexpr std::array<Part, 5> kParts{Part::base, Part::instances, Part::material, Part::physics, Part::ros};
/// "physics.usda".
std::string file_of(Part part);

/// Divides the specs of one layer by what they are for. A prim stands in one part, with its type, its metadata and what
/// is said of it in no part's own words; the other parts speak of it in an `over`.
class Parts {
  public:
    explicit Parts(const usd::Layer& source);

    [[nodiscard]] bool has(Part part) const { return held_.count(part) != 0; }
    [[nodiscard]] bool has_variants() const { return variants_; }
    /// A copy of the layer with what belongs to these parts alone.
    /// @param targets  prims that arcs of other layers name: they stay, as an `over` where nothing of theirs does
    [[nodiscard]] usd::Layer only(const std::set<Part>& parts, const std::set<usd::Path>& targets = {}) const;

  private:
    usd::Layer                source_;
    std::vector<usd::Path>    prims_;  ///< and variants, parents first
    std::map<usd::Path, Part> home_;
    std::set<Part>            held_;
    bool                      variants_ = false;

    [[nodiscard]] Part                   home_of(const usd::Path& prim) const;
    [[nodiscard]] std::vector<usd::Path> below(const usd::Path& prim) const;
};

/// What a layer says of itself (units, axis, time, default prim), on another one.
void copy_metadata(const usd::Layer& from, usd::Layer& to);

/// Moves large arrays to another layer, whose prims come by payload.
/// @param asset     how `layer` names that layer
/// @param prims     that have large arrays
void move_arrays(usd::Layer& layer, usd::Layer& geometry, const std::string& asset, const std::set<usd::Path>& prims);

}  // namespace mechane::conformance

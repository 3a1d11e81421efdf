#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/facts.h"

namespace mechane::conformance {

/// Where geometry, bodies and joint frames are in the world.
class Whereabouts {
  public:
    /// @param moments  [s] at which what is animated is looked at besides the default time; nothing: some of its
    /// samples
    explicit Whereabouts(const Facts& facts, const std::optional<std::vector<double>>& moments = {});
    [[nodiscard]] const std::vector<double>& moments() const { return moments_; }
    /// The first thing that is not at the place of `before`, turned and stretched; empty when everything is, axes
    /// within 1e-4 (matrices are authored with few digits, so that products of them are no exact rotations) and places
    /// within 1e-5 of the largest distance. Only what both have is compared.
    /// @param reversed  joints whose sides changed places: each frame is where the other side's was, or has made half a
    ///                  turn there
    /// @param baked     Gprims whose form took up this map, which stood in front of their placement before
    [[nodiscard]] std::string moved_since(const Whereabouts& before, const usd::Matrix4d& turned, double stretched,
                                          const std::set<std::string>&                reversed = {},
                                          const std::map<std::string, usd::Matrix4d>& baked    = {}) const;

  private:
    struct Place {
        usd::Matrix4d world;
        bool          rigid = false;  ///< scale does not count
    };
    std::map<std::string, Place> places_;   ///< by prim or side of a joint, and by moment
    std::vector<double>          moments_;  ///< [s]
};

/// What an asset measures or weighs otherwise after a repair of its units, in words; empty when it is what it was. Both
/// are taken in metres and kilograms and with z up: the box about all geometry, and the masses that bodies and colliders
/// author.
/// @param unsaid  metres that an unauthored unit of `before` means
std::string resized(const usd::Stage& before, const usd::Stage& after, double unsaid, char unsaid_up);

/// What a stage composes, whichever layers say it: every field of every spec, schemas in alphabetical order.
class Composition {
  public:
    explicit Composition(const usd::Stage& stage);
    /// The first spec and field that differ; empty when nothing does.
    [[nodiscard]] std::string differs_from(const Composition& other) const;

  private:
    std::map<std::string, std::string> fields_;  ///< "/a.b default" -> as text
};

}  // namespace mechane::conformance

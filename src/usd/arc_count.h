#pragma once
#include <pxr/sdf/path.h>

#include <cstddef>
#include <unordered_map>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// How many sites a prim is composed of at the least, from the arcs that the root layer stack authors to prims of its
/// own: what a chain of arcs costs OpenUSD grows with more than its square, so it is counted before.
class ArcCount {
  public:
    explicit ArcCount(const Stage::Impl& stage) : stage_(stage) {}

    /// Sites of a prim of the root layer stack; counting ends above `enough`.
    std::size_t count(const pxr::SdfPath& prim, std::size_t enough);

  private:
    [[nodiscard]] pxr::SdfPathVector targets(const pxr::SdfPath& prim) const;

    const Stage::Impl&                                                  stage_;
    std::unordered_map<pxr::SdfPath, std::size_t, pxr::SdfPath::Hash> known_;
};

}  // namespace mechane::usd

#pragma once
#include <pxr/sdf/path.h>

#include <map>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Which payloads a stage includes, from the rules of its options.
class LoadRules {
  public:
    explicit LoadRules(const OpenOptions& options);
    /// The rule in force at a path: that of the nearest prim at or above it. Where this is not `all`, and not `only` at
    /// the path itself, a rule further below can still ask for the way to it: then `only`, else `none`.
    [[nodiscard]] LoadRule effective(const pxr::SdfPath& path) const;
    [[nodiscard]] bool     loads(const pxr::SdfPath& path) const { return effective(path) != LoadRule::none; }

  private:
    std::map<pxr::SdfPath, LoadRule> rules_;
};

/// Adds to the mask of `options` the targets of those relationships of populated prims that the options name.
/// @return true when the mask has grown
bool expand_mask(const Stage::Impl& stage, OpenOptions& options);

}  // namespace mechane::usd

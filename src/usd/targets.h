#pragma once
#include <vector>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// Targets of a relationship, or connections of an attribute, composed and mapped into the stage's namespace.
std::vector<Path> compose_targets(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& name,
                                  bool connections);
/// Targets with those that are relationships replaced by their own, in order, once each.
std::vector<Path> forward_targets(const Stage& stage, const Path& relationship);

}  // namespace mechane::usd

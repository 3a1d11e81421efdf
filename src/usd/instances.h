#pragma once
#include <map>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// For every instance of the stage, by index, the first instance that shares its prototype (itself for the first of
/// its kind).
std::map<std::uint32_t, std::uint32_t> prototype_sources(const Stage::Impl& stage);

}  // namespace mechane::usd

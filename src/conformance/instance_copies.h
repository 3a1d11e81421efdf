#pragma once
#include <string>

#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// True of what an instance shows that an earlier instance shows too. Rules that are expensive, or that judge what is
/// authored, judge the first one alone.
bool is_copy(const usd::Prim& prim);

/// Where the first instance on the stage has what a proxy shows; the path itself for what is no proxy.
std::string first_shown(const usd::Stage& stage, const std::string& path);

}  // namespace mechane::conformance

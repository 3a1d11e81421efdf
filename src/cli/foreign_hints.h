#pragma once
#include <string>

#include "mechane/core/diagnostic.h"

namespace mechane::cli {

/// The hint of a finding about a file of another format (URDF, MJCF, SDFormat, meshes), in words that its author can
/// follow: who has no attributes of OpenUSD cannot author one.
std::string foreign_hint(const Diagnostic& finding);

}  // namespace mechane::cli

#pragma once
#include <memory>

#include "cli/command.h"
#include "mechane/exporter/gltf.h"

namespace mechane::cli {

/// Options of what is written as glTF.
void add_gltf_options(CLI::App& verb, std::shared_ptr<exporter::GltfOptions> options);

}  // namespace mechane::cli

#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mechane::cli {

/// What `mechane check` is asked.
struct CheckArgs {
    std::vector<std::string> assets;
    std::string              profile, format = "text", severity = "info", fail_on, config, variants = "default";
    std::vector<std::string> select, ignore, sections, interfaces;
    std::string              baseline, write_baseline, output, pictures, registry;
    std::size_t              max_per_rule = 20;
    std::size_t              max_states   = 64;
    std::size_t              batch        = 0;  ///< assets of one file; 0: all
    bool statistics = false, list_rules = false, exit_zero = false, all_variants = false, strict_payloads = false,
         ros_env = false, behaviour = false, manual = false, reread = false, by_asset = false, list_assets = false;
};

}  // namespace mechane::cli

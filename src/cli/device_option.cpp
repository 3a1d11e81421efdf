// What the verbs that step say of --device: which other options a device does not honour.

#include "cli/device_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mechane/device/codes.h"
#include "mechane/device/device_solver.h"

namespace mechane::cli {

Result<void> fit_device(const std::string& device, const run::SimulateOptions& options,
                        std::vector<std::string> left_out)
{
    const auto place = device::parse_device(device);
    if (!place) return place.error();
    if (!*place) return {};
    if (options.sleeping) left_out.emplace_back("--sleeping");
    if (!options.keep_pairs) left_out.emplace_back("--exact-contacts");
    if (!options.sweep_fast) left_out.emplace_back("--discrete");
    if (left_out.empty()) return {};
    return make_diagnostic(device::kNotSupported, {},
                           fmt::format("--device {} does not go with {}", device, fmt::join(left_out, ", ")),
                           "Leave them out, or run on the CPU.");
}

}  // namespace mechane::cli

#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "mechane/files/roots.h"
#include "mechane/sourceformats/loss.h"

namespace mechane::cli {

/// How OpenUSD that comes out is laid out.
enum class UsdLayout {
    rep0158,  ///< a folder, with the layers of REP-0158
    flat,     ///< one layer
    usdz      ///< a package
};
std::optional<UsdLayout> layout_of_word(std::string_view word);  ///< "rep0158", "flat", "single", "usdz"
/// By what the name of the result looks like; nothing where it is no OpenUSD.
std::optional<UsdLayout> layout_of_file(const std::string& file);

/// What was written.
struct LaidOut {
    std::string entry;
    std::size_t files  = 1;
    std::size_t errors = 0;  ///< that `mechane check` still finds
};
/// OpenUSD in another layout. REP-0158's comes of the repairs of `mechane fix`, which never move anything; what they
/// change and what they leave is in `losses`.
/// @error those of conformance::fix, usd::Stage::open, usd::write_package and usd::Layer::save
Result<LaidOut> lay_out(const std::string& file, UsdLayout layout, const std::string& output,
                        const usd::OpenOptions& open, Context& context, sourceformats::LossReport& losses,
                        Diagnostics& found);

}  // namespace mechane::cli

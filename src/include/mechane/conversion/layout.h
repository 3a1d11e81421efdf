#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/usd/stage.h"

namespace mechane::conversion {

/// How OpenUSD that comes out is laid out.
enum class UsdLayout {
    rep0158,  ///< a folder, with the layers of REP-0158
    flat,     ///< one layer
    usdz      ///< a package
};
std::optional<UsdLayout> layout_of_word(std::string_view word);  ///< "rep0158", "flat", "single", "usdz"
/// By what the name of the result looks like; nothing where it is no OpenUSD.
std::optional<UsdLayout> layout_of_file(const std::string& file);

/// Asked when all is computed and nothing is written yet, with what was lost; an error ends the conversion.
using Gate = std::function<Result<void>(const sourceformats::LossReport&)>;

/// What was written.
struct LaidOut {
    std::string              entry;
    std::vector<std::string> files;
    std::size_t              errors = 0;  ///< that `mechane check` still finds
};
/// OpenUSD in another layout. REP-0158's comes of the repairs of `mechane fix`, which never move anything; what they
/// change and what they leave is in `losses`.
/// @error those of conformance::fix, usd::Stage::open, usd::write_package and usd::Layer::save
Result<LaidOut> lay_out(const std::string& file, UsdLayout layout, const std::string& output,
                        const usd::OpenOptions& open, const Gate& before_writing, sourceformats::LossReport& losses,
                        Diagnostics& found);

}  // namespace mechane::conversion

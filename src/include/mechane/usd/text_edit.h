#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mechane/usd/layer.h"

namespace mechane::usd {

/// The text of a layer after an edit, by changing no more than the edit asks for: comments, the order of statements,
/// blank lines and the spelling of numbers stay as they are in `original`.
///
/// The result is read again, and says exactly what the layer says. Nothing where that cannot be reached: where sets of
/// variants come, go or change their order, where children change theirs, or where the text is not understood.
/// @param original  usda text that the layer was read from, before it was edited
std::optional<std::string> edited_text(std::string_view original, const Layer& layer);

/// Number of comments (#) in usda text, its first line not among them.
std::size_t count_comments(std::string_view text);

}  // namespace mechane::usd

#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// A stretch of usda text from the beginning of one prim to that of another.
struct TextPiece {
    std::string_view         text;
    std::vector<std::string> inside;  ///< names of the prims that are open where it begins, outermost first
};

/// Cuts usda text into pieces of about equal length, each at a line that begins a prim, at most three prims deep.
/// Text that is not well formed gives pieces of which one at least is not well formed either.
/// @return as many pieces as asked for, or fewer when the text has no such places
std::vector<TextPiece> cut_text(std::string_view text, std::size_t count);

/// One of the pieces as a text of its own: the first line of the whole, `over` for each prim that is open where the
/// piece begins, the piece, and what closes the prims that are open where it ends.
std::string text_of_piece(const std::vector<TextPiece>& pieces, std::size_t at);

}  // namespace mechane::usd

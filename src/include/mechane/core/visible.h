#pragma once
#include <string>
#include <string_view>

namespace mechane {

/// A text with everything in it that a terminal or a build server would obey instead of show: control characters, the
/// marks that turn the direction of writing, bytes that are no UTF-8, and lines that begin a command ("::", "##[",
/// "##vso["). They become \uXXXX, which JSON reads as what they were. Line breaks and tabs stay.
std::string visible(std::string_view text);

/// The same of a name or a sentence that stands within a line: line breaks and tabs are shown too.
std::string visible_in_line(std::string_view text);

}  // namespace mechane

#pragma once
#include <string>
#include <string_view>

namespace mechane {

/// Text between the tags of HTML or XML, or in an attribute in double quotes.
std::string markup_escaped(std::string_view text);

}  // namespace mechane

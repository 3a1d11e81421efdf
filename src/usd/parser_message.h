#pragma once
#include <string>

#include "mechane/core/diagnostic.h"

namespace mechane::usd {

/// Reads "path:line:col: text at 'found' in </prim>" out of a message of OpenUSD's parser: the place becomes the site,
/// the text a sentence of what was expected and what stands there.
Diagnostic from_parser_message(const Code& code, const std::string& file, const std::string& message);

}  // namespace mechane::usd

#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mechane::usd {

/// Walks the entries of a package as OpenUSD does, from one local header to the next, and calls `visit(name, content)`
/// for the stored ones. `visit` returns an empty text to go on, else what is wrong.
/// @return an empty text, or what is wrong: an entry that reaches past the file, two sizes that disagree
std::string check_zip(std::string_view                                                                   bytes,
                      const std::function<std::string(std::string_view name, std::string_view content)>& visit);

}  // namespace mechane::usd

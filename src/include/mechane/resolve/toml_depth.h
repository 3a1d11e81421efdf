#pragma once
#include <string_view>

namespace mechane::resolve {

/// The first line of a TOML text whose dotted key has more parts than any table of ours nests, else 0. A parser makes a
/// table of each part and takes them apart one inside the other, until its stack is full.
int too_deep_in_toml(std::string_view text);

}  // namespace mechane::resolve

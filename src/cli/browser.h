#pragma once
#include <string>

namespace mechane::cli {

/// Has the desktop open an address, without waiting for it and without its messages.
/// @return whether there is a program for that
bool open_in_browser(const std::string& url);

}  // namespace mechane::cli

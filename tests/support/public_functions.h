#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace mechane::test {

/// The public functions that a header declares, as "Model::find_body" or "replay", and how many overloads each has. A
/// constructor is "Model::Model". Left out are destructors, what is deleted or defaulted, friends and the namespaces
/// `detail`. Knows the C++ of our headers, not every C++.
std::map<std::string, int> public_functions(const std::filesystem::path& header);

}  // namespace mechane::test

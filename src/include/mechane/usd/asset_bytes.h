#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mechane::usd {

/// A file in a usdz package: "/a/robot.usdz" and "parts/arm.usda" of "/a/robot.usdz[parts/arm.usda]".
struct PackagedFile {
    std::string package;  ///< empty: the file lies in no package
    std::string inner;    ///< of a package itself its first layer
};
PackagedFile packaged_file(const std::string& file);

/// Names of the files in a package, in its order; empty for what is no package.
std::vector<std::string> package_files(const std::string& package);

/// The first bytes of a file, which may lie in a package; empty for what cannot be read or is no regular file.
std::string first_bytes(const std::string& file, std::size_t limit);

}  // namespace mechane::usd

#pragma once
#include <map>
#include <string>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::sourceformats {

/// Finds the files that a robot's description names.
class FileFinder {
  public:
    /// @param source    the description; packages are looked for in the folders above it too
    /// @param packages  name -> folder
    /// @param search    folders: of relative files, and of packages and models by their name
    FileFinder(std::string source, std::map<std::string, std::string> packages, std::vector<std::string> search);

    /// The folder of a ROS package or Gazebo model; empty when it is not known. In order: `packages`, the folders of
    /// the search, the environment (ROS), the folders at and above the description.
    [[nodiscard]] std::string package(const std::string& name) const;

    /// The file that an address names: package://, model://, file://, absolute, or relative to `folder`, then to the
    /// folders of the search.
    /// @return empty when there is no such regular file
    [[nodiscard]] std::string find(const std::string& address, const std::string& folder) const;

    /// Why `find` gave nothing, for a message: "package 'x' is not known", "there is no file y".
    [[nodiscard]] std::string why_not(const std::string& address, const std::string& folder) const;

    [[nodiscard]] const std::string& source() const { return source_; }

  private:
    std::string                        source_;
    std::map<std::string, std::string> packages_;
    std::vector<std::string>           search_;

    [[nodiscard]] std::string in_package(const std::string& address) const;
};

/// The folder of a file, "." for a bare name.
std::string folder_of(const std::string& file);

}  // namespace mechane::sourceformats

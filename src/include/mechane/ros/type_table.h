#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/ros/names.h"

namespace mechane::ros {

/// The interface types that are known: those of the packages that ROS 2 distributions ship (common_interfaces,
/// rcl_interfaces, control_msgs, geometry2, vision_msgs), and those of further folders.
class TypeTable {
  public:
    /// @param folders  of packages, "FOLDER/my_msgs/msg/Thing.msg", or installed ones, "FOLDER/share/my_msgs/..."
    explicit TypeTable(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}

    /// Whether the type exists; nothing when the package is unknown.
    [[nodiscard]] std::optional<bool> is_known(const InterfaceType& type) const;
    /// The only common type of a family that has these letters, in whatever case and with whatever between them;
    /// nothing where there is none or several. Without a package, of all packages.
    [[nodiscard]] static std::optional<InterfaceType> meant(std::string_view package, std::string_view family,
                                                            std::string_view name);
    /// Whether the message begins with a std_msgs/Header; nothing for unknown ones and for .idl files.
    [[nodiscard]] std::optional<bool> has_header(const InterfaceType& type) const;

  private:
    std::vector<std::string> folders_;

    [[nodiscard]] std::string file_of(const InterfaceType& type) const;  ///< empty: no folder has it
    [[nodiscard]] bool        has_package(const std::string& name) const;
};

}  // namespace mechane::ros

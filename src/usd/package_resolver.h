#pragma once
#include <map>
#include <string>

namespace mechane::usd {

/// Folders of `package://NAME/...` addresses, for stages opened from now on; they come before the packages of the ROS
/// environment (AMENT_PREFIX_PATH, then ROS_PACKAGE_PATH).
void set_packages(const std::map<std::string, std::string>& packages);
/// The package that a `package://NAME/...` address names, when nobody said where it is; else empty.
std::string unknown_package(const std::string& address);

}  // namespace mechane::usd

#pragma once
#include <map>
#include <string>

namespace mechane::usd {

/// The folder of a ROS package: as given, else as AMENT_PREFIX_PATH and ROS_PACKAGE_PATH have it (REP-0158 1.2.5).
/// @param given  name -> folder, for this question only
/// @return empty when it is not known
std::string package_folder(const std::string& name, const std::map<std::string, std::string>& given = {});

}  // namespace mechane::usd

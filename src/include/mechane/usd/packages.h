#pragma once
#include <map>
#include <string>

namespace mechane::usd {

/// The folder of a ROS package: as given, else as AMENT_PREFIX_PATH and ROS_PACKAGE_PATH have it (REP-0158 1.2.5).
/// @param given  name -> folder, for this question only
/// @return empty when it is not known
std::string package_folder(const std::string& name, const std::map<std::string, std::string>& given = {});

/// Has kept results (files/kept_results.h) ask where packages are now, with these folders given.
void answer_for_packages(const std::map<std::string, std::string>& packages);

}  // namespace mechane::usd

#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/ros/controllers.h"
#include "mechane/run/publish.h"

namespace mechane::run {

/// Which controllers are on when. A function of the asset and the switches alone, so that it is known before the run.
struct ControllerSchedule {
    struct Event {
        double      time = 0;  ///< [s]; -infinity: how the asset is loaded
        std::size_t controller;
        bool        on;
    };
    std::vector<Event> events;  ///< by time; at one time those that switch off come first
};

inline constexpr double kLoaded = -std::numeric_limits<double>::infinity();

/// @param switches  of controllers only; `of` says of which, for each
/// @param found     gets RUN_CONTROLLER_REFUSED, RUN_CONTROLLER_CONFLICT
ControllerSchedule schedule(const std::vector<ros::Controller>& controllers, const std::vector<Switch>& switches,
                            const std::vector<std::vector<std::size_t>>& of, Diagnostics& found);

}  // namespace mechane::run

// When which controller is on: from controllers that start enabled and switches by time, to a list of events. Two
// controllers never command one joint at a time; who comes second is refused and reported.
// Pure function of its input, order included: events of one time keep their order.

#include "run/controller_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "mechane/run/codes.h"

namespace mechane::run {
namespace {

class Owners {
  public:
    explicit Owners(const std::vector<ros::Controller>& controllers)
        : controllers_(controllers), on_(controllers.size())
    {
    }

    /// A conflict of a controller: the joint or body, and the controller that commands it. Schemas of one prim are one
    /// controller.
    struct Conflict {
        usd::Path   target;
        std::size_t owner;
    };
    [[nodiscard]] std::optional<Conflict> conflict(std::size_t controller) const
    {
        for (const ros::ControlledPrim& target : controllers_[controller].targets) {
            if (!target.commands) continue;
            const auto owner = owner_.find(target.path);
            // Schemas of one prim are one controller and do not exclude each other.
            if (owner != owner_.end() && controllers_[owner->second].prim != controllers_[controller].prim)
                return Conflict{target.path, owner->second};
        }
        return std::nullopt;
    }
    [[nodiscard]] bool is_on(std::size_t controller) const { return on_[controller]; }
    void               set(std::size_t controller, bool on)
    {
        on_[controller] = on;
        for (const ros::ControlledPrim& target : controllers_[controller].targets) {
            if (!target.commands) continue;
            if (on)
                owner_.emplace(target.path, controller);
            else if (const auto owner = owner_.find(target.path); owner != owner_.end() && owner->second == controller)
                owner_.erase(owner);
        }
    }

  private:
    const std::vector<ros::Controller>& controllers_;
    std::vector<bool>                   on_;
    std::map<usd::Path, std::size_t>    owner_;
};

}  // namespace

ControllerSchedule schedule(const std::vector<ros::Controller>& controllers, const std::vector<Switch>& switches,
                            const std::vector<std::vector<std::size_t>>& of, Diagnostics& found)
{
    // Order at one time: switching off, starting enabled, switching on. So a controller can hand over to another, and
    // one that is switched off at the beginning is never on.
    struct Wish {
        double      time;
        int         rank;
        std::size_t controller;
    };
    enum Rank { off, loaded, on };
    std::vector<Wish> wishes;
    for (std::size_t c = 0; c < controllers.size(); ++c)
        if (controllers[c].starts_enabled) wishes.push_back({0, loaded, c});
    for (std::size_t s = 0; s < switches.size(); ++s)
        for (const std::size_t c : of[s]) wishes.push_back({switches[s].time, switches[s].on ? on : off, c});
    std::stable_sort(wishes.begin(), wishes.end(),
                     [](const Wish& a, const Wish& b) { return a.time != b.time ? a.time < b.time : a.rank < b.rank; });

    ControllerSchedule       out;
    Owners                   owners(controllers);
    std::vector<std::size_t> never;  // switched off at the beginning
    for (const Wish& wish : wishes) {
        const ros::Controller& controller = controllers[wish.controller];
        if (wish.rank == off) {
            if (wish.time == 0) never.push_back(wish.controller);
            if (!owners.is_on(wish.controller)) continue;
            owners.set(wish.controller, false);
            out.events.push_back({wish.time, wish.controller, false});
            continue;
        }
        if (owners.is_on(wish.controller)) continue;
        if (wish.rank == loaded && std::find(never.begin(), never.end(), wish.controller) != never.end()) continue;
        if (const auto conflict = owners.conflict(wish.controller)) {
            const std::string& owner = controllers[conflict->owner].prim.path().text();
            if (wish.rank == loaded)
                found.add(
                    kControllerConflict, controller.prim.site(),
                    fmt::format("{} and {} both start enabled and command {}; {} stays off", owner,
                                controller.prim.path().text(), conflict->target.text(), controller.prim.path().text()));
            else
                found.add(kControllerRefused, controller.prim.site(),
                          fmt::format("{} is not switched on at {:g} s: {}, which is on, commands {}",
                                      controller.prim.path().text(), wish.time, owner, conflict->target.text()));
            continue;
        }
        owners.set(wish.controller, true);
        // A controller that starts enabled is on before the first step; `kLoaded` lies before all times.
        out.events.push_back({wish.rank == loaded ? kLoaded : wish.time, wish.controller, true});
    }
    // Those that start enabled come before all others.
    std::stable_sort(out.events.begin(), out.events.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    return out;
}

}  // namespace mechane::run

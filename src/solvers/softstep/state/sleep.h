#pragma once
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

/// Sizes the arrays; `bodies_asleep` [body_count] says who starts asleep.
void reset_sleep(System& system, const std::vector<std::uint8_t>& bodies_asleep);
void reset_sleep(Sleep& sleep, const System& system, const std::vector<std::uint8_t>& bodies_asleep);
/// Wakes groups whose commands, loads or gravity differ from what they slept with.
void wake_changed(System& system);
void wake_group(System& system, std::int32_t group);
/// Who sleeps in `old` sleeps on, as far as its trees are the same.
void carry_sleep(const System& old, System& now);
/// Drops contacts that cannot reach a sleeping group within `dt`, so that it sleeps on beside what passes.
void drop_far_contacts(System& system, double dt);
/// Whether a prescribed body moves fast enough to disturb what lies on it.
bool carries_motion(const System& system, std::int32_t body);
/// Contacts nearer than this may close within `dt`, with room to spare [m]; `p_W`: its points.
double wake_reach(const System& system, const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                  double dt);
/// What a joint ties to a prescribed body that moves, or that somebody put elsewhere (`moved` [body_count]), stays
/// awake.
void disturb_carried(System& system, const std::vector<std::uint8_t>& moved);
/// An island is awake if one of its groups is.
void spread_wakefulness(System& system);
/// Counts the time that groups are still; islands that have been for long enough stop.
void               fall_asleep(System& system, double dt);
[[nodiscard]] bool asleep(const System& system, std::int32_t link);

}  // namespace mechane::solvers::softstep

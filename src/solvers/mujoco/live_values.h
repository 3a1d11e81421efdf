#pragma once
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechane/model/model.h"

namespace mechane::solvers::mujoco {

/// What of a model `LiveValues` looks at.
inline auto live_arrays(const model::Model& m)
{
    return std::tie(m.joint_enabled, m.joint_armature, m.joint_friction, m.joint_damping, m.joint_stiffness,
                    m.joint_rest_q, m.joint_target_ke, m.joint_target_kd, m.joint_target_mode, m.joint_limit_lower,
                    m.joint_limit_upper, m.joint_limit_ke, m.joint_limit_kd, m.joint_effort_limit, m.gravity,
                    m.shape_material_ke, m.shape_material_kd, m.shape_material_mu, m.shape_material_mu_torsional,
                    m.shape_material_mu_rolling, m.body_flags);
}
/// The same bytes: a number that is none equals itself here.
template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{
    static_assert(std::is_trivially_copyable_v<T>);
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class... A, class... B>
bool same_bytes(const std::tuple<A...>& a, const std::tuple<B...>& b)
{
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return (same_bytes(std::get<i>(a), std::get<i>(b)) && ...);
    }(std::index_sequence_for<A...>{});
}
template <class... T>
std::tuple<T...> copies(const std::tuple<const T&...>& arrays)
{ return arrays; }

/// What a solver must notice without being told (solver.h: gains, limits, armature, gravity, contact materials, enabled
/// joints): copies of those arrays, compared at every step.
class LiveValues {
  public:
    explicit LiveValues(const model::Model& model) : model_(model), seen_(copies(live_arrays(model))) {}

    /// Whether the model was written to since the last call.
    bool changed()
    {
        if (same_bytes(live_arrays(model_), seen_)) return false;
        seen_ = live_arrays(model_);
        return true;
    }

  private:
    const model::Model&                                         model_;
    decltype(copies(live_arrays(std::declval<model::Model>()))) seen_;
};

}  // namespace mechane::solvers::mujoco

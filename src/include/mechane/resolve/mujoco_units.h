#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mechane/physics/deformable_units.h"
#include "mechane/physics/types.h"
#include "mechane/usd/stage.h"

namespace mechane::resolve {

/// The units of what MuJoCo's actuators, tendons and constraints author and no resolver reads.
///
/// MuJoCo's law of an actuator is force = gain u + b0 + b1 q + b2 qd, with the force (or torque) and the coordinate of
/// what it drives; u is a coordinate or its rate where the gain is that of a servo, else a bare number. The length of a
/// tendon is a length, whatever its path is made of: a coefficient of a hinge is a length to an angle.
class MujocoUnits {
  public:
    /// @param prim     an MjcActuator, an MjcTendon, a collider, a joint or an equality
    /// @param angular  whether what it drives or constrains turns, where the caller knows
    MujocoUnits(const usd::Stage& stage, const usd::Prim& prim, std::optional<bool> angular = std::nullopt);

    /// Of one number of an attribute; of a list, the number at `element`. No powers where it has no unit.
    [[nodiscard]] physics::UnitPowers of(std::string_view attribute, std::size_t element = 0) const;
    /// Its factor to SI.
    [[nodiscard]] double factor(const physics::UnitScale& scale, std::string_view attribute,
                                std::size_t element = 0) const;

  private:
    enum class Kind { other, actuator, tendon };

    Kind                kind_     = Kind::other;
    bool                turns_    = false;  ///< what is driven or constrained is an angle
    bool                servo_    = false;  ///< what an actuator is told is a coordinate or its rate
    bool                muscle_   = false;
    bool                affine_   = false;  ///< the gain depends on the coordinate
    bool                in_space_ = false;  ///< it acts on a site or a body
    bool                bias_     = false;  ///< there is a bias with a unit
    std::vector<double> bias_values_, spring_;
    std::vector<bool>   path_turns_;  ///< of a tendon, by the order of its coefficients

    [[nodiscard]] physics::UnitPowers of_actuator(std::string_view name, std::size_t element) const;
    [[nodiscard]] physics::UnitPowers of_tendon(std::string_view name, std::size_t element) const;
};

/// Equal as far as single precision and text with few digits tell.
bool same_gain(double a, double b);

}  // namespace mechane::resolve

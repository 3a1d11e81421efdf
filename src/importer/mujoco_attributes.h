#pragma once
#include <span>
#include <string_view>

#include "mechane/importer/mujoco_attributes.h"
#include "mechane/model/custom.h"

namespace mechane::importer {

inline constexpr std::string_view kMujocoSpace = "mujoco";

/// A token of MuJoCo's schema and the number that MuJoCo has for it.
struct MujocoToken {
    std::string_view name;
    double           value;
};

/// One of MuJoCo's attributes: where it is authored and what array it becomes.
struct MujocoAttribute {
    std::string_view             name;      ///< of the custom attribute, without namespace
    std::string_view             authored;  ///< "mjc:condim"
    model::CustomType            type;
    model::CustomFrequency       frequency;
    model::CustomValue           otherwise;
    bool                         angle = false;  ///< in degrees on hinges
    std::span<const MujocoToken> tokens{};       ///< of attributes that are tokens
};

/// The row of a declared attribute; null for attributes that are not MuJoCo's.
const MujocoAttribute* mujoco_attribute(const model::CustomAttribute& attribute);

}  // namespace mechane::importer

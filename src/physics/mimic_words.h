#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mechane/usd/stage.h"

/// What schemas say of a joint that follows another, in one table for the importer, the exporters and the fixers:
///
///     follower = offset + factor * leader
///
/// `offset` has the unit of the follower, degrees or the stage's length. Where both joints turn, or both slide, the
/// factor has no unit. Where one turns and the other slides, ExtendedPhysicsMimicAPI couples the values as they are
/// authored, lengths and degrees; NewtonMimicAPI and PhysxMimicJointAPI leave that open and couple the coordinates of
/// the engine, lengths and radians.
namespace mechane::physics {

struct MimicWords {
    std::string api;                    ///< as applied, with its instance
    std::string joint, factor, offset;  ///< names of the properties
    std::string enabled, leader_axis;   ///< names of the properties, or empty
    double      sign       = 1;         ///< -1 for PhysX: q + gearing * q_reference + offset = 0
    bool        by_degrees = false;     ///< the factor of joints of different kinds is per degree, else per radian

    [[nodiscard]] double                 offset_of(const usd::Prim& joint) const;
    [[nodiscard]] double                 factor_of(const usd::Prim& joint) const;
    [[nodiscard]] bool                   is_enabled(const usd::Prim& joint) const;
    [[nodiscard]] std::vector<usd::Path> leaders(const usd::Prim& joint) const;
};

/// The schemas that are applied to a joint, the one that wins first: ExtendedPhysicsMimicAPI, NewtonMimicAPI,
/// PhysxMimicJointAPI of each axis, and what REP-0158 retired, MimicJointAPI.
std::vector<MimicWords> mimic_words(const usd::Prim& joint);

/// The relationship beside a property that holds such a factor; empty for other properties.
std::string leader_beside(std::string_view factor);

/// What makes an authored factor one of radians and metres.
/// @param metres the stage's length [m]
double mimic_factor_to_si(const MimicWords& words, bool follower_turns, bool leader_turns, double metres);

}  // namespace mechane::physics

#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/solvers/materials.h"
#include "solvers/shared/bodies.h"

namespace mechane::solvers::shared {

/// What the materials of two shapes make together, in the sense of the pair's rules of combination.
struct PairMaterial {
    double ke = 0, kd = 0, kf = 0, ka = 0, mu = 0, restitution = 0, torsional = 0, rolling = 0;
};
PairMaterial pair_material(const model::Model& model, MaterialCombine rule, std::int32_t shape0, std::int32_t shape1);

/// A row of the contacts of a step. Points stay in their bodies while those move.
struct ContactPoint {
    std::int32_t                row = -1;  ///< of model::Contacts
    std::array<std::int32_t, 2> body{}, shape{};
    std::array<Vec3d, 2>        point, offset;  ///< body frames, or the world
    std::array<double, 2>       margin{};
    Vec3d                       n;  ///< world, from 0 to 1
    PairMaterial                material;
    bool                        own_stiffness = false;  ///< ke and kd of `material` are this contact's own
    Spatiald belt;  ///< motion of surface 1 by itself, less that of surface 0; world, in the tangent plane
};

/// A contact where its bodies are.
struct ContactPlace {
    std::array<Vec3d, 2> r;             ///< from the centres of mass to the points, margins included
    double               distance = 0;  ///< margins subtracted; negative in penetration
};

/// Rows that can be used, in order; those between a body and itself are left out.
void         read_contacts(const model::Contacts& contacts, const Bodies& bodies, MaterialCombine rule,
                           std::vector<ContactPoint>& out);
ContactPlace place_contact(const ContactPoint& c, const Bodies& bodies);

}  // namespace mechane::solvers::shared

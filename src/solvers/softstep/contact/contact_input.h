#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/solvers/materials.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

/// Whether all bytes are zero: the first is, and each is as the one before it.
template <class T>
[[nodiscard]] bool all_zero(const std::vector<T>& numbers)
{
    const std::size_t size  = sizeof(T) * numbers.size();
    const auto*       bytes = reinterpret_cast<const unsigned char*>(numbers.data());
    return size == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

/// What the materials of two shapes make together.
struct Materials {
    double mu_static = 0, mu_dynamic = 0, restitution = 0, torsional = 0, rolling = 0;
};

/// Makes room for as many contacts as the caller's buffer holds, so that steps allocate nothing later.
void reserve_contacts(System& system, std::size_t capacity);
/// Takes the contacts of this step over, in order, with what their predecessors remember, and gives each row its
/// storage.
void load_contacts(System& system, const model::Contacts& contacts, MaterialCombine rule, double h, int substeps);
[[nodiscard]] Materials materials_of(const model::Model& model, MaterialCombine rule,
                                     const std::array<std::int32_t, 2>& shape);
/// Motion of the surface of shape 1 by itself, less that of shape 0, where the core points are at `p_W`.
Spatiald surface_motion(const System& system, const std::array<std::int32_t, 2>& shapes,
                        const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                        const std::array<double, 2>& margin, const Vec3d& n);
/// Forces into the contact arrays and the memory for the next step; what the rows of worlds that are undone found is
/// dropped. Returns how deep the others are at the end of the step [m], at least 0.
double store_contacts(System& system, model::Contacts& contacts, double h, int substeps);

}  // namespace mechane::solvers::softstep

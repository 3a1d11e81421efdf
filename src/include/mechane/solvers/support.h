#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers {

enum class Support : std::uint8_t { full, approximated, ignored };
std::string_view to_string(Support support);

/// Something a model can have that a solver may or may not honour.
struct Feature {
    std::string_view id;    ///< "joint.rod"
    std::string_view what;  ///< for people
};

/// How one solver deals with one feature.
struct SupportRow {
    const Feature*   feature = nullptr;
    Support          support = Support::full;
    std::string_view consequence;  ///< what happens instead, empty when `full`
};

/// The support matrix: a row per feature, in one order for all solvers. Empty for a name that is not a solver's.
std::span<const SupportRow> support_of(std::string_view solver);

/// For solvers that understand contacts of particles alone.
/// @error SOLVER_CONTACTS  the contacts may hold rows of edges and triangles, which would be read as particles
Result<void> particle_contacts_only(std::string_view solver, const model::SoftContacts& contacts);

/// A feature that a model has, and the joints, bodies, shapes or particles that have it.
struct FeatureUse {
    const Feature*                feature = nullptr;
    std::vector<std::string_view> labels;  ///< of the model, in its order
};
/// Every feature of the matrix that the model has.
std::vector<FeatureUse> features_of(const model::Model& model);

}  // namespace mechane::solvers

#pragma once
#include <cstdint>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"
#include "solvers/soft/neighbours.h"
#include "solvers/xpbd/corrections.h"
#include "solvers/xpbd/particles.h"
#include "solvers/xpbd/soft_rows.h"

namespace mechane::solvers::xpbd {

/// Particles by the rows of xpbd beside bodies that another solver steps: bodies are where they would be without them
/// and give way by their mass, and what they are given is told.
class SoftSide {
  public:
    explicit SoftSide(const model::Model& model) : bodies_(model), corrections_(model.body_count()) {}
    void read(const model::Model& model);
    /// One substep of `h` [s]. @param at  poses of the bodies at its end  @param welded  bodies that do not give way
    void advance(const model::Model& model, const model::State& in, const model::Control& control,
                 const model::Contacts* contacts, const std::vector<Posed>& at, const std::vector<std::uint8_t>& welded,
                 double h);
    /// After the substep: where particles are, and where they started.
    [[nodiscard]] const std::vector<Vec3d>& places() const { return particles_.x; }
    [[nodiscard]] const std::vector<Vec3d>& starts() const { return particles_.start; }
    /// What each body was given, about its centre of mass [N s], [N m s].
    [[nodiscard]] const std::vector<Spatiald>& impulses() const { return impulse_; }

  private:
    static constexpr int    kPasses     = 2;  ///< as the solver xpbd has by default, and its relaxation
    static constexpr double kRelaxation = 0.9;

    shared::Bodies        bodies_;
    Corrections           corrections_;
    std::vector<Spatiald> impulse_;
    Particles             particles_;
    soft::Neighbours      neighbours_;
    EnergyRows            rows_;
    AttachmentRows        attachments_;
};

}  // namespace mechane::solvers::xpbd

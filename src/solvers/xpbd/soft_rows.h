#pragma once
#include <vector>

#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"
#include "solvers/soft/elements.h"
#include "solvers/soft/neighbours.h"

/// What holds particles together and apart, as rows of XPBD (Macklin, Mueller, Chentanez 2016).
namespace mechane::solvers::xpbd {

/// The particles that rows move: positions, velocities and where they were at the start of the substep.
struct Moving {
    std::vector<Vec3d>&        x;
    std::vector<Vec3d>&        v;
    std::vector<Vec3d>&        start;
    const std::vector<double>& inv_mass;
    double                     h = 0;
};

/// Rows by the laws of the solver `vbd`: each element is one row C = sqrt(2 U) of its energy U over the least that it
/// can have, with the compliance 1, so that static shapes are those of the energy whatever the number of passes. Rows
/// are solved one after the other.
class EnergyRows {
  public:
    void read(const model::Model& model) { elements_ = soft::elements_of(model); }
    /// Before the passes of a substep: multipliers are zero.
    void               begin(const model::Model& model, const model::Control& control);
    void               solve(Moving& p);
    [[nodiscard]] bool any() const
    {
        return !(elements_.springs.empty() && elements_.triangles.empty() && elements_.edges.empty() &&
                 elements_.tets.empty());
    }

  private:
    soft::Elements      elements_;
    std::vector<double> springs_, triangles_, edges_, tets_;  ///< multipliers
};

/// Rows as Newton 1.8 has them: springs, bending edges and tetrahedra, all from the positions before the pass.
/// Triangles do not resist, and tetrahedra do only if both of their parameters are positive.
class NewtonRows {
  public:
    void begin(const model::Model& model);
    /// Adds what the rows move to `correction`.
    void collect(const model::Model& model, const model::Control& control, double relaxation, const Moving& p,
                 std::vector<Vec3d>& correction);

  private:
    std::vector<double> springs_, edges_, tets_;
};

/// Particles at points of bodies: rows of three directions with the compliance 1/stiffness, solved one after the other,
/// so that a body may hold many.
class AttachmentRows {
  public:
    void begin(const model::Model& model) { multipliers_.assign(model.attachment_particle_body_count(), {}); }
    /// @param given  adds what each body gets, about its centre of mass [N s]; null: nobody asks
    void solve(const model::Model& model, Moving& p, shared::Bodies& bodies, std::vector<Spatiald>* given = nullptr);

  private:
    std::vector<Vec3d> multipliers_;
};

/// Balls against each other, from the positions before the pass.
/// @param laws  friction only brakes; else as in Newton 1.8
void collect_balls(const model::Model& model, const soft::Neighbours& neighbours, double relaxation, bool laws,
                   const Moving& p, std::vector<Vec3d>& correction);
/// Balls that overlap at the start are moved apart, and where they started with them, so that this becomes no velocity.
void separate_balls(const model::Model& model, const soft::Neighbours& neighbours, Moving& p);

}  // namespace mechane::solvers::xpbd

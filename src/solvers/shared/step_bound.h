#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"
#include "solvers/shared/contacts.h"
#include "solvers/shared/joints.h"
#include "solvers/soft/elements.h"

namespace mechane::solvers::shared {

/// The longest step that an explicit solver can take over springs and dampers between masses.
///
/// A row is an element with a positive semidefinite stiffness matrix k over a few masses. With k_c the norm of its
/// block at mass c and w_c that mass' inverse, x.kx <= (sum k_c w_c / s_c) sum s_c x_c.x_c / w_c for any shares s_c of
/// the masses (Cauchy); with shares in proportion to the stiffness at each mass, the square of the highest frequency of
/// the whole is at most the largest sum, over the masses of a row, of all k w at them (Irons and Treharne 1971). The
/// same holds for dampers. Semi-implicit Euler with explicit damping is stable while h^2 f + 2 h d < 4, with these
/// bounds f [1/s^2] and d [1/s].
class StepBound {
  public:
    struct End {
        std::int32_t mass = -1;     ///< -1: it does not move
        double       k = 0, d = 0;  ///< stiffness and damping there times the inverse mass [1/s^2], [1/s]
    };
    explicit StepBound(std::size_t masses) : k_(masses, 0.0), d_(masses, 0.0) {}

    /// @param what  names the row: "spring 3"
    void add(const std::array<End, 4>& ends, std::string what);
    /// The longest stable step [s], infinite without rows, and the row that asks for it.
    [[nodiscard]] double longest(std::string& what) const;

  private:
    struct Row {
        std::array<std::int32_t, 4> mass{};
        std::string                 what;
    };
    std::vector<Row>    rows_;
    std::vector<double> k_, d_;
};

/// Elements between particles at the positions `x`; masses are particles.
void add_element_rows(const model::Model& model, const std::vector<Vec3d>& x, StepBound& out);
/// Contacts as springs that are within reach; masses from `first` on are bodies.
void add_contact_rows(const std::vector<ContactPoint>& contacts, const Bodies& bodies, std::size_t first,
                      StepBound& out);
/// Drives, limits, springs and dampers of joints.
/// @param attach_ke, attach_kd  of locked directions, 0 where these are exact
void add_joint_rows(const model::Model& model, const model::Control& control, const std::vector<JointLayout>& joints,
                    double attach_ke, double attach_kd, const Bodies& bodies, std::size_t first, StepBound& out);

}  // namespace mechane::solvers::shared

#pragma once
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"

namespace mechane::solvers {

/// Bodies or shapes by their labels; `*` and `?` stand for any characters and for one.
/// Patterns are matched against whole labels, which of a loaded model are prim paths.
struct SensorContactOptions {
    std::vector<std::string> bodies{}, shapes{};  ///< what senses: patterns of one of the two
    std::vector<std::string> counterpart_bodies,
        counterpart_shapes{};  ///< whose forces are kept apart: patterns of one of the two, or of none
};

/// Adds up the forces of contacts on some bodies or shapes, world axes [N]. Its arrays are made once.
/// A contact between two sensing objects counts for both, with opposite signs. Torques, and contacts of particles, are
/// not counted.
class SensorContact {
  public:
    /// @error SOLVER_SENSOR  patterns of both kinds or of none, or one that nothing matches
    /// What it needs of the model is copied; contacts have to be of that model.
    static Result<SensorContact> make(const model::Model& model, const SensorContactOptions& options);

    /// Reads the forces that the last step left in `contacts`.
    /// After a step. Costs one pass over the rows, and allocates nothing.
    void update(const model::Contacts& contacts);

    /// Rows and columns of the sums, in the order of the model, each once however many patterns match it.
    [[nodiscard]] const std::vector<std::string>& sensing() const { return sensing_; }            ///< labels, [n]
    [[nodiscard]] const std::vector<std::string>& counterparts() const { return counterparts_; }  ///< labels, [m]
    /// Force of all contacts on each sensing object, shape [n].
    [[nodiscard]] std::span<const Vec3> net_force() const { return net_; }
    /// Force of each counterpart on each sensing object, row by row, shape [n * m].
    [[nodiscard]] std::span<const Vec3> force_matrix() const { return matrix_; }

  private:
    /// By shape: which sensing object or counterpart it belongs to, -1: none.
    std::vector<std::int32_t> row_of_, column_of_;
    std::vector<std::string>  sensing_, counterparts_;
    std::vector<Vec3>         net_, matrix_;  ///< forces, world axes [N]
};

}  // namespace mechane::solvers

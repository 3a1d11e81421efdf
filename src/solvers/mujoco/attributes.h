#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "mechane/model/model.h"
#include "mechane/solvers/mujoco.h"

namespace mechane::solvers::mujoco {

/// Attributes of the namespace "mujoco", from tables or from the arrays of a model. Index 0 serves attributes of which
/// there is one.
class Attributes {
  public:
    Attributes(const model::Model& model, MujocoTables tables);

    /// Rows of an attribute; 0: there is none.
    [[nodiscard]] std::size_t rows(std::string_view name) const;
    [[nodiscard]] bool        has(std::string_view name) const { return rows(name) > 0; }
    /// Component `c` of row `i`; `otherwise` where it is not there, or no finite number.
    [[nodiscard]] double       number(std::string_view name, std::size_t i, double otherwise, std::size_t c = 0) const;
    [[nodiscard]] std::int32_t whole(std::string_view name, std::size_t i, std::int32_t otherwise,
                                     std::size_t c = 0) const;
    [[nodiscard]] bool         flag(std::string_view name, std::size_t i, bool otherwise) const
    { return number(name, i, otherwise ? 1 : 0) != 0; }
    template <std::size_t n>
    [[nodiscard]] std::array<double, n> numbers(std::string_view name, std::size_t i,
                                                std::array<double, n> otherwise) const
    {
        if (i >= rows(name)) return otherwise;
        for (std::size_t c = 0; c < n; ++c) otherwise[c] = number(name, i, otherwise[c], c);
        return otherwise;
    }
    [[nodiscard]] std::string text(std::string_view name, std::size_t i) const;
    void                      set_tables(MujocoTables tables) { tables_ = std::move(tables); }
    /// Whether arrays of the model were written to since the last call.
    bool changed();

  private:
    const model::Model& model_;
    MujocoTables        tables_;
    model::CustomArrays seen_;
};

}  // namespace mechane::solvers::mujoco

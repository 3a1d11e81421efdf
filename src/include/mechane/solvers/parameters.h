#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::solvers {

/// A number that a solver can be given. Names and defaults are those of Newton 1.8 where it has the parameter.
struct Parameter {
    std::string_view name, unit;  ///< "joint_attach_ke", "N/m"; the unit of a number without one is "1"
    double           value = 0;   ///< default
    double           least = 0, most = 0;
    enum class Kind : unsigned char { number, whole, flag, word } kind = Kind::number;
    std::string_view meaning;
    std::string_view words;  ///< of a word: those that stand for 0, 1, ..., with blanks between
};
std::string_view to_string(Parameter::Kind kind);

/// What a solver of the library can be given, in a fixed order; empty for other names. Aliases are understood.
std::span<const Parameter> parameters_of(std::string_view solver);

/// A parameter with the value that was chosen for it.
struct Setting {
    std::string name;
    double      value = 0;
};

/// A solver whose parameters may change between two steps.
class Adjustable {
  public:
    virtual ~Adjustable() = default;
    /// The next step goes by the new value.
    /// @return false, with nothing changed, for a parameter that the solver does not have or a value out of its range
    virtual bool configure(const Setting& setting) = 0;
};

/// A solver with the parameters that differ from their defaults, as one text: "xpbd", or "xpbd:iterations=4,...".
/// `make_solver` takes this text for a name. Recordings and checkpoints hold this text, so that a replay steps with the
/// same parameters.
struct SolverChoice {
    std::string          name;      ///< canonical
    std::vector<Setting> settings;  ///< in the order of `parameters_of`, each once
};

/// The canonical name of a solver: aliases are Newton's class names and the short forms ("SolverXPBD", "semi",
/// "semi_implicit", "feather", "hybrid"). Other names come back as they are.
std::string_view canonical_name(std::string_view name);

/// Reads "NAME" or "NAME:PARAMETER=VALUE,...". A flag takes true, false, 1 or 0; a word takes its number as well.
/// @error SOLVER_PARAMETER  a parameter that the solver does not have, or a value out of its range
Result<SolverChoice> choose_solver(std::string_view text);
/// One parameter of a solver, read from "PARAMETER=VALUE".
/// @error SOLVER_PARAMETER
Result<Setting> read_setting(std::string_view solver, std::string_view text);
/// The text that `choose_solver` reads; parameters at their defaults are left out.
std::string to_text(const SolverChoice& choice);

}  // namespace mechane::solvers

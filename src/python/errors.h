#pragma once
#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"

namespace mechane::python {

namespace nb = nanobind;

/// What a binding throws where the library returned a diagnostic. Becomes the Python exception that
/// `mechane.core.diagnostics.error_from` chooses by the id.
class DiagnosticError : public std::exception {
  public:
    explicit DiagnosticError(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}
    [[nodiscard]] const Diagnostic& diagnostic() const { return diagnostic_; }
    [[nodiscard]] const char*       what() const noexcept override { return diagnostic_.message.c_str(); }

  private:
    Diagnostic diagnostic_;
};

template <class T>
T unwrap(Result<T> result)
{
    if (!result) throw DiagnosticError(result.error());
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Fields of a diagnostic as a dict, by the names of `mechane.Diagnostic`.
nb::dict to_python(const Diagnostic& diagnostic);
nb::list to_python(const Diagnostics& diagnostics);

void bind_errors(nb::module_& m);

}  // namespace mechane::python

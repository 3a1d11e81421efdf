// The compiled module `mechane._core`.
// It offers plain functions and classes to the package's Python files, which give them their documented names, defaults
// and messages. Each bind_* function belongs to the file of the same name.

#include "python/module.h"

#include <nanobind/nanobind.h>

#include "mechane/math/real.h"
#include "mechane/sourceformats/convert.h"
#include "python/errors.h"
#include "python/live_page.h"

namespace mechane::python {

NB_MODULE(_core, m)
{
    m.doc() = "The compiled part of mechane. Its names are not an API: use the package.";
    // Objects that a program still holds at its end are no leak; the module prints nothing. tests/python/test_memory.py
    // looks for real ones.
    nb::set_leak_warnings(false);
    m.attr("version") = MECHANE_VERSION;
    m.attr("real")    = sizeof(Real) == sizeof(double) ? "float64" : "float32";
    // URDF, MJCF and SDFormat files may be opened as stages; room usd cannot depend on room sourceformats, so the
    // reader is registered at the start.
    sourceformats::let_stages_open_robots();
    bind_errors(m);
    bind_pool(m);
    bind_geometry(m);
    bind_fields(m);
    bind_builder(m);
    bind_builder_columns(m);
    bind_model(m);
    bind_soft(m);
    bind_usd(m);
    bind_resolvers(m);
    bind_importer(m);
    bind_contacts(m);
    bind_dynamics(m);
    bind_solvers(m);
    bind_device(m);
    bind_queries(m);
    bind_record(m);
    bind_live_page(m);
    bind_checker(m);
    bind_convert(m);
    bind_files(m);
    bind_program(m);
}

}  // namespace mechane::python

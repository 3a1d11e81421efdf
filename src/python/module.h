#pragma once
#include <nanobind/nanobind.h>

/// One function for each file of bindings, called in this order: types before what takes them.
namespace mechane::python {

namespace nb = nanobind;

void bind_pool(nb::module_& m);
void bind_geometry(nb::module_& m);
void bind_fields(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_builder_columns(nb::module_& m);
void bind_model(nb::module_& m);
void bind_soft(nb::module_& m);
void bind_usd(nb::module_& m);
void bind_resolvers(nb::module_& m);
void bind_importer(nb::module_& m);
void bind_contacts(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_device(nb::module_& m);
void bind_queries(nb::module_& m);
void bind_record(nb::module_& m);
void bind_checker(nb::module_& m);
void bind_convert(nb::module_& m);
void bind_files(nb::module_& m);
void bind_program(nb::module_& m);

}  // namespace mechane::python

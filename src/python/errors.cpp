// Diagnostics as dicts, and the translation of DiagnosticError into Python's exceptions.
// The classes live in the facade (`mechane.core.diagnostics`), whose `error_from` chooses one: a program catches the
// facade's class and reads code, site and hint as attributes. C++ knows none of these classes; it imports the module at
// the moment an error is translated, so that the extension can be loaded alone.
// The fields of a site stand on the same level as those of its diagnostic.

#include "python/errors.h"

#include <nanobind/stl/string.h>

#include "mechane/usd/foreign.h"

namespace mechane::python {

nb::dict to_python(const Diagnostic& diagnostic)
{
    const std::string hint =
        usd::is_foreign(diagnostic.site.layer) ? usd::foreign_hint(diagnostic.id, diagnostic.hint) : diagnostic.hint;
    nb::dict out;
    out["code"]     = nb::str(diagnostic.id.c_str());
    out["severity"] = nb::str(std::string(to_string(diagnostic.severity)).c_str());
    out["message"]  = nb::str(diagnostic.message.c_str(), diagnostic.message.size());
    out["hint"]     = nb::str(hint.c_str(), hint.size());
    out["path"]     = nb::str(diagnostic.site.prim.c_str());
    out["property"] = nb::str(diagnostic.site.property.c_str());
    out["layer"]    = nb::str(diagnostic.site.layer.c_str());
    out["line"]     = nb::int_(diagnostic.site.line);
    out["column"]   = nb::int_(diagnostic.site.column);
    out["count"]    = nb::int_(diagnostic.count);
    out["alias"]    = nb::str(diagnostic.alias.c_str());
    return out;
}

nb::list to_python(const Diagnostics& diagnostics)
{
    nb::list out;
    for (const Diagnostic& diagnostic : diagnostics) out.append(to_python(diagnostic));
    return out;
}

void bind_errors(nb::module_&)
{
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const DiagnosticError& error) {
            const nb::object exception =
                nb::module_::import_("mechane.core.diagnostics").attr("error_from")(to_python(error.diagnostic()));
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
        }
    });
}

}  // namespace mechane::python

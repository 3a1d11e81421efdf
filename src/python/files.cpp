// Writing of files by the facade under the rules of room files: a file is replaced as a whole (written beside and
// renamed), never half written, and a file that was read for it is never its target.
// `inputs` names what the content was made of. It is told to a ReadWatch, by which room files refuses to overwrite a
// source by accident.
// `try_output` asks the same before a long computation; `recover` ends what an interrupted program left.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/files/transaction.h"
#include "python/errors.h"
#include "python/module.h"

namespace mechane::python {

void bind_files(nb::module_& m)
{
    // While something is written, what it was made of is protected.
    m.def("write_file", [](const std::string& file, const nb::bytes& content, const std::vector<std::string>& inputs) {
        const std::string_view       text(content.c_str(), content.size());
        const nb::gil_scoped_release released;
        const files::ReadWatch       watch;
        for (const std::string& input : inputs) files::note_read(input);
        unwrap(files::replace(file, text));
    });
    m.def("try_output", [](const std::string& file, const std::vector<std::string>& inputs) {
        const nb::gil_scoped_release released;
        const files::ReadWatch       watch;
        for (const std::string& input : inputs) files::note_read(input);
        unwrap(files::try_target(file));
    });
    nb::class_<files::ReadWatch>(m, "ReadWatch")
        .def(nb::init<>())
        .def("files", [](const files::ReadWatch&) { return files::remembered_reads(); });
    m.def("recover", [](const std::string& file) {
        Diagnostics found;
        unwrap(files::recover(file, found));
        return to_python(found);
    });
}

}  // namespace mechane::python

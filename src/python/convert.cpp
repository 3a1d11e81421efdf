// Python's conversions: the library's `conversion::convert` with its options as keyword arguments. Losses and what
// `verify` finds travel as JSON, in the documents of the command line.

#include "mechane/conversion/convert.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechane/usd/flatten.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"
#include "python/errors.h"
#include "python/module.h"

namespace mechane::python {

namespace {

using conversion::Conversion;

/// What --verify found, as the command line prints it; empty where nobody asked.
std::string verdict(const Conversion& done)
{ return done.verified ? conversion::to_json(*done.verified, done.input, done.entry) : std::string(); }

bool holds(const Conversion& done) { return !done.verified || conversion::holds(*done.verified); }

/// @return what came of it and what is wrong with the input; what came is None where the conversion failed
nb::tuple convert(const std::string& input, const std::string& output, const conversion::Options& options)
{
    Diagnostics        found;
    Result<Conversion> done = [&] {
        const nb::gil_scoped_release released;
        return conversion::convert(input, output, options, found);
    }();
    if (!done) {
        found.add(done.error());
        return nb::make_tuple(nb::none(), to_python(found));
    }
    nb::dict out;
    out["input"]  = done->input;
    out["entry"]  = done->entry;
    out["files"]  = done->files;
    out["losses"] = sourceformats::to_json(done->losses);
    out["verify"] = verdict(*done);
    out["holds"]  = holds(*done);
    out["errors"] = done->errors;
    return nb::make_tuple(out, to_python(found));
}

/// What a live stage shows, as a layer whose files are found from anywhere.
void save_flat(const usd::Stage& stage, const std::string& file)
{
    const nb::gil_scoped_release released;
    unwrap(usd::flatten(stage).save(file));
}

}  // namespace

void bind_convert(nb::module_& m)
{
    using conversion::Options;
    nb::enum_<sourceformats::Base>(m, "ConvertBase")
        .value("auto", sourceformats::Base::automatic)
        .value("floating", sourceformats::Base::floating)
        .value("fixed", sourceformats::Base::fixed);
    nb::enum_<exporter::Udim>(m, "ConvertUdim")
        .value("refuse", exporter::Udim::refuse)
        .value("atlas", exporter::Udim::atlas)
        .value("split", exporter::Udim::split);
    nb::class_<Options> options(m, "ConvertOptions");
    options.def(nb::init<>());
    const auto field = [&options](const char* name, auto access) {
        using Value = std::remove_cvref_t<decltype(access(std::declval<Options&>()))>;
        options.def_prop_rw(
            name, [access](Options& o) -> Value { return access(o); },
            [access](Options& o, Value value) { access(o) = std::move(value); });
    };
    // Names and meanings are those of the struct's parts: read, write, gltf.
    field("base", [](Options& o) -> auto& { return o.read.base; });
    field("default_mass", [](Options& o) -> auto& { return o.read.default_mass; });
    field("visuals_collide", [](Options& o) -> auto& { return o.read.visuals_collide; });
    field("name", [](Options& o) -> auto& { return o.read.name; });
    field("mesh_unit", [](Options& o) -> auto& { return o.read.mesh_unit; });
    field("xacro_arguments", [](Options& o) -> auto& { return o.read.xacro_arguments; });
    field("package", [](Options& o) -> auto& { return o.write.package; });
    field("default_effort", [](Options& o) -> auto& { return o.write.default_effort; });
    field("default_velocity", [](Options& o) -> auto& { return o.write.default_velocity; });
    field("keep_frames", [](Options& o) -> auto& { return o.write.keep_frames; });
    field("mjcf_sdf", [](Options& o) -> auto& { return o.write.mjcf_sdf; });
    field("sdf_version", [](Options& o) -> auto& { return o.write.sdf_version; });
    field("ros_plugin", [](Options& o) -> auto& { return o.write.ros_plugin; });
    field("purposes", [](Options& o) -> auto& { return o.gltf.purposes; });
    field("front_z", [](Options& o) -> auto& { return o.gltf.front_z; });
    field("prune", [](Options& o) -> auto& { return o.gltf.prune; });
    field("keep_colors", [](Options& o) -> auto& { return o.gltf.keep_colors; });
    field("expand_instances", [](Options& o) -> auto& { return o.gltf.expand_instances; });
    field("approximate_lights", [](Options& o) -> auto& { return o.gltf.approximate_lights; });
    field("material_variants", [](Options& o) -> auto& { return o.gltf.material_variants; });
    field("openpbr", [](Options& o) -> auto& { return o.gltf.openpbr; });
    field("extras", [](Options& o) -> auto& { return o.gltf.extras; });
    field("segments", [](Options& o) -> auto& { return o.gltf.segments; });
    field("influences", [](Options& o) -> auto& { return o.gltf.influences; });
    field("udim", [](Options& o) -> auto& { return o.gltf.udim; });
    field("strict", [](Options& o) -> auto& { return o.strict; });
    field("verify", [](Options& o) -> auto& { return o.verify; });
    field("threads", [](Options& o) -> auto& { return o.threads; });
    // Readers of robots and of stages look for files in the same places.
    options.def(
        "look_in",
        [](Options& o, const std::vector<std::string>& folders, const std::map<std::string, std::string>& packages) {
            o.read.search_paths = o.scene.open.search_paths = folders;
            o.read.packages = o.scene.open.packages = packages;
        },
        nb::arg("folders"), nb::arg("packages"));
    options.def(
        "select",
        [](Options& o, const std::vector<std::pair<std::string, std::string>>& variants) {
            o.scene.open.variant_selections = variants;
        },
        nb::arg("variants"));
    m.def("convert", &convert, nb::arg("input"), nb::arg("output"), nb::arg("options"));
    m.def("save_flat", &save_flat, nb::arg("stage"), nb::arg("file"));
}

}  // namespace mechane::python

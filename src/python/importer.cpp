// Opening of stages, their import into a builder, and explanations of what an import made of a prim.
// A result is a dict under the names of Newton's `add_usd` result; keys beside them are Mechane's own. Paths are texts
// of USD prim paths, indices those of the builder that was imported into.
// Values of USD attributes go through JSON, because types of attributes are open and the facade has a parser for it.
// Long calls free the interpreter's lock. Resolvers of a user's are Python functions and take it again (resolvers.cpp).

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "mechane/importer/dump.h"
#include "mechane/importer/explain.h"
#include "mechane/importer/import_usd.h"
#include "mechane/importer/option_value.h"
#include "mechane/importer/picture.h"
#include "mechane/usd/dump.h"
#include "mechane/usd/selections.h"
#include "mechane/usd/stage.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/joint_config.h"
#include "python/module.h"
#include "python/pool.h"
#include "python/resolvers.h"
#include "python/values.h"

namespace mechane::python {

namespace {

using python::to_python;

using importer::ImportOptions;
using importer::ImportResult;

/// What import_usd needs to be explained later, kept together.
struct Import {
    std::shared_ptr<const usd::Stage> stage;
    ImportOptions                     options;
    ImportResult                      result;
};

// Rows from the top, four bytes a pixel.
nb::object pixels(std::vector<std::uint8_t> rgba, int width, int height)
{ return owned(std::move(rgba), {static_cast<std::size_t>(height), static_cast<std::size_t>(width), std::size_t{4}}); }

/// Pixels of a picture with linear colours, encoded for display; of others the file's name.
nb::object picture(const importer::Texture& texture)
{
    if (texture.pixels.empty()) return nb::cast(texture.file);
    return pixels(texture.pixels, texture.width, texture.height);
}

/// The number of an object that has one: NumPy's scalars too.
/// float() is asked for, because NumPy's scalars are no Python floats and nanobind's cast to double refuses them.
double number(nb::handle value) { return nb::cast<double>(nb::float_(value)); }

bool is_number(nb::handle value)
{ return !nb::isinstance<nb::str>(value) && !nb::isinstance<nb::bytes>(value) && PyNumber_Check(value.ptr()) != 0; }

/// What a user gives for an option.
importer::OptionValue option_value(const std::string& name, nb::handle value)
{
    const auto refuse = [&] {
        return nb::type_error(
            fmt::format("{}: expected a flag, a number, a text, or a list of texts or numbers, not {}", name,
                        nb::cast<std::string>(value.type().attr("__name__")))
                .c_str());
    };
    if (value.is_none()) return std::monostate{};
    // Before the integers: a Python bool is an int, and `True` for a flag would become the number 1.
    if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
    if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
    // Integers and whatever offers __index__ (NumPy's integers), but no floats.
    if (PyIndex_Check(value.ptr()) != 0) {
        const long long n = PyLong_AsLongLong(nb::int_(value).ptr());
        if (n == -1 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw nb::value_error(fmt::format("{}: the number is too large", name).c_str());
        }
        return std::int64_t{n};
    }
    if (is_number(value)) return number(value);
    // A dict iterates over its keys and bytes over numbers: both would be accepted as lists without a word.
    if (nb::isinstance<nb::dict>(value) || nb::isinstance<nb::bytes>(value) || !nb::hasattr(value, "__iter__"))
        throw refuse();
    std::vector<std::string> texts;
    std::vector<double>      numbers;
    for (nb::handle item : value) {
        if (nb::isinstance<nb::str>(item))
            texts.push_back(nb::cast<std::string>(item));
        else if (is_number(item))
            numbers.push_back(number(item));
        else
            throw refuse();
    }
    // An empty sequence is an empty list of texts; a mixed one is neither.
    if (!texts.empty() && !numbers.empty()) throw refuse();
    if (numbers.empty()) return texts;
    return numbers;
}

nb::str text(const std::string& s) { return nb::str(s.c_str(), s.size()); }

/// JSON of a value; the facade parses it.
nb::str json(const usd::Value& value) { return text(value.to_json(0)); }

nb::dict site(const Site& s)
{
    nb::dict out;
    out["layer"] = text(s.layer);
    out["line"]  = s.line;
    return out;
}

// A row for each authored property, in the order of the stage.
nb::list ledger(const ImportResult& result)
{
    nb::list out;
    for (const importer::LedgerEntry& e : result.ledger) {
        nb::dict row    = site(e.site);
        row["prim"]     = text(e.prim);
        row["property"] = text(e.property);
        row["value"]    = text(e.value);
        row["verdict"]  = text(std::string(to_string(e.verdict)));
        row["note"]     = text(e.note);
        out.append(row);
    }
    return out;
}

nb::object values_of(const importer::ElementValues& values)
{
    nb::dict out;
    out["values"]       = nb::cast(values.values);
    out["element_type"] = text(values.element_type);
    // Whether the values had no type of their own and count as masses of points.
    out["legacy_implicit_type"] = values.direct;
    return out;
}

/// Deformables by kind and path, and attachments: what an import made of them and what it read.
/// Ranges are half open, [begin, end), in the builder's numbers; what was read of each prim stands in maps of its own
/// beside them.
nb::dict deformables(const ImportResult& r)
{
    nb::dict   maps[3], attributes[3], held, held_attributes;
    const auto range = [](const model::SoftObject::Range& at) { return nb::make_tuple(at[0], at[1]); };
    for (const importer::ImportedDeformable& d : r.deformables) {
        const auto kind = static_cast<std::size_t>(d.kind);
        nb::dict   row, read;
        if (d.kind == importer::ImportedDeformable::Kind::cable) {
            maps[kind][text(d.path)] = nb::make_tuple(nb::cast(d.bodies), nb::cast(d.joints));
            read["closed"]           = d.closed;
            if (!d.graph.empty()) read["graph_component"] = text(d.graph);
        } else {
            row["particle"] = range(d.particle);
            if (d.kind == importer::ImportedDeformable::Kind::cloth) {
                row["tri"]                       = range(d.tri);
                row["edge"]                      = range(d.edge);
                read["rest_bend_angles_default"] = text(d.rest_bend_angles);
            } else {
                row["tet"] = range(d.tet);
            }
            maps[kind][text(d.path)] = row;
        }
        if (d.kind != importer::ImportedDeformable::Kind::volume) {
            nb::dict material;
            for (const auto& [name, value] : d.material) material[text(name)] = value;
            read["material"] = material;
        }
        read["resolved_density"] = d.density;
        nb::dict simulation;
        if (d.thicknesses) {
            nb::dict thick = nb::cast<nb::dict>(values_of(*d.thicknesses));
            nb::del(thick["legacy_implicit_type"]);
            simulation["thicknesses"] = thick;
        }
        if (d.masses) simulation["masses"] = values_of(*d.masses);
        if (simulation.size() > 0) read["simulation"] = simulation;
        attributes[kind][text(d.path)] = read;
    }
    for (const importer::ImportedAttachment& a : r.attachments) {
        // A welded attachment made no element: the bodies were joined instead.
        if (a.welded) continue;
        nb::dict read;
        read["src0"]      = text(a.source0);
        read["src1"]      = text(a.source1);
        read["type0"]     = text(a.type0);
        read["type1"]     = text(a.type1);
        read["indices0"]  = nb::cast(a.indices0);
        read["indices1"]  = nb::cast(a.indices1);
        const auto points = [](const std::vector<Vec3d>& from) {
            nb::list out;
            for (const Vec3d& p : from) out.append(to_python(p));
            return out;
        };
        read["coords0"]   = points(a.coords0);
        read["coords1"]   = points(a.coords1);
        read["enabled"]   = a.enabled;
        read["stiffness"] = a.stiffness;
        read["damping"]   = a.damping;
        if (!a.joints.empty()) {
            held[text(a.path)]    = nb::cast(a.joints);
            read["joint_indices"] = nb::cast(a.joints);
        }
        if (!a.attachments.empty()) read["attachment_particle_body_indices"] = nb::cast(a.attachments);
        if (!a.unsupported.empty()) {
            read["unsupported"]        = true;
            read["unsupported_reason"] = text(a.unsupported);
        }
        held_attributes[text(a.path)] = read;
    }
    nb::dict          out;
    const char* const names[] = {"cable", "cloth", "soft"};
    for (std::size_t k = 0; k < 3; ++k) {
        out[fmt::format("path_{}_map", names[k]).c_str()]   = maps[k];
        out[fmt::format("path_{}_attrs", names[k]).c_str()] = attributes[k];
    }
    // A key of Newton's result that is always empty here.
    out["path_deformable_visual_map"] = nb::dict();
    out["path_attachment_map"]        = held;
    out["path_attachment_attrs"]      = held_attributes;
    return out;
}

nb::dict to_python(const ImportResult& r)
{
    nb::dict out;
    out["fps"]            = r.fps;
    out["resolvers"]      = nb::cast(r.resolvers);
    out["duration"]       = r.duration;
    out["up_axis"]        = text(std::string(1, r.up_axis));
    out["linear_unit"]    = r.linear_unit;
    out["mass_unit"]      = r.mass_unit;
    out["path_body_map"]  = nb::cast(r.path_body_map);
    out["path_joint_map"] = nb::cast(r.path_joint_map);
    // For the facade only.
    out["_path_joint_axis"]         = nb::cast(r.path_joint_axis);
    out["path_shape_map"]           = nb::cast(r.path_shape_map);
    out["path_original_body_map"]   = nb::cast(r.path_original_body_map);
    out["path_collision_group_map"] = nb::cast(r.path_collision_group_map);
    nb::dict scales;
    for (const auto& [path, scale] : r.path_shape_scale) scales[text(path)] = to_python(scale);
    out["path_shape_scale"] = scales;
    nb::dict textures;
    for (const auto& [path, texture] : r.path_shape_texture) textures[text(path)] = picture(*texture);
    out["path_shape_texture"] = textures;
    nb::dict relative;
    for (const auto& [path, X] : r.path_body_relative_transform) relative[text(path)] = to_python(X);
    out["path_body_relative_transform"] = relative;
    nb::dict scene;
    for (const auto& [name, value] : r.scene_attributes) scene[text(name)] = json(value);
    // Values as JSON text: their types are open.
    out["scene_attributes"] = scene;
    nb::dict vendors;
    for (const auto& [resolver, prims] : r.schema_attrs) {
        nb::dict by_prim;
        for (const auto& [prim, values] : prims) {
            nb::dict by_name;
            for (const auto& [name, value] : values) by_name[text(name)] = json(value);
            by_prim[text(prim)] = by_name;
        }
        vendors[text(resolver)] = by_prim;
    }
    out["schema_attrs"]       = vendors;
    out["physics_scene_path"] = r.physics_scene_path ? nb::object(text(*r.physics_scene_path)) : nb::none();
    out["physics_dt"]         = to_python(r.physics_dt);
    out["max_solver_iterations"] =
        r.max_solver_iterations ? nb::object(nb::int_(*r.max_solver_iterations)) : nb::none();
    out["actuator_count"] = r.actuator_count;
    nb::list scenes;
    for (const importer::ImportedScene& s : r.scenes) {
        nb::dict row;
        row["path"]                = text(s.path);
        row["world"]               = s.world;
        row["gravity"]             = to_python(s.gravity);
        row["physics_dt"]          = s.physics_dt;
        row["physics_dt_authored"] = s.physics_dt_authored;
        // A text for people: path of the property and layer.
        row["physics_dt_source"] =
            s.physics_dt_authored
                ? nb::object(text(fmt::format("<{}.{}>{}{}", s.physics_dt_site.prim, s.physics_dt_site.property,
                                              s.physics_dt_site.layer.empty() ? "" : " ", s.physics_dt_site.layer)))
                : nb::none();
        row["max_solver_iterations"] =
            s.max_solver_iterations ? nb::object(nb::int_(*s.max_solver_iterations)) : nb::none();
        scenes.append(row);
    }
    out["scenes"] = scenes;
    nb::list actuators;
    for (const importer::ImportedActuator& a : r.actuators) {
        nb::dict row;
        row["path"]         = text(a.path);
        row["joint"]        = a.joint;
        row["dof"]          = a.dof;
        row["coord"]        = a.coord;
        row["control"]      = text(a.control);
        row["kp"]           = a.kp;
        row["kd"]           = a.kd;
        row["ki"]           = a.ki;
        row["const_effort"] = a.const_effort;
        row["integral_max"] = a.integral_max;
        row["max_effort"]   = a.max_effort;
        row["delay_steps"]  = a.delay_steps;
        row["is_drive"]     = a.is_drive;
        actuators.append(row);
    }
    out["actuators"] = actuators;
    if (r.collapse_results) {
        nb::dict collapsed;
        collapsed["body_remap"]         = nb::cast(r.collapse_results->body_remap);
        collapsed["joint_remap"]        = nb::cast(r.collapse_results->joint_remap);
        collapsed["body_merged_parent"] = nb::cast(r.collapse_results->body_merged_parent);
        out["collapse_results"]         = collapsed;
    } else {
        out["collapse_results"] = nb::none();
    }
    return out;
}

std::shared_ptr<const usd::Stage> opened(Result<std::shared_ptr<const usd::Stage>> stage)
{ return unwrap(std::move(stage)); }

/// The stage, if it has what was selected on it.
std::shared_ptr<usd::Stage> selected(const std::shared_ptr<const usd::Stage>& stage, const usd::OpenOptions& options)
{
    // A selection that matches no variant set is an error here, whereas composition would pass over it in silence.
    if (const Diagnostics wrong = usd::check_selections(*stage, options.variant_selections); !wrong.empty())
        unwrap(Result<void>(*wrong.begin()));
    // The class that Python sees is not const; its functions do not change the stage.
    return std::const_pointer_cast<usd::Stage>(stage);
}

usd::OpenOptions open_options(std::vector<std::string>                         search_paths,
                              std::vector<std::pair<std::string, std::string>> variants, std::vector<std::string> muted,
                              std::string session)
{
    usd::OpenOptions options;
    options.search_paths       = std::move(search_paths);
    options.variant_selections = std::move(variants);
    options.muted_layers       = std::move(muted);
    options.session_text       = std::move(session);
    options.threads            = wanted_threads();
    return options;
}

nb::list to_python(const std::vector<importer::Candidate>& candidates)
{
    nb::list out;
    for (const importer::Candidate& c : candidates) {
        nb::dict row    = site(c.site);
        row["prim"]     = text(c.prim);
        row["property"] = text(c.property);
        row["value"]    = text(c.value);
        row["verdict"]  = text(std::string(to_string(c.verdict)));
        row["note"]     = text(c.note);
        row["resolver"] = text(c.resolver);
        row["rank"]     = c.rank;
        out.append(row);
    }
    return out;
}

/// From a dict: `type`, `linear_axes`, `angular_axes`, `label`, `collision_filter_parent`, `enabled`.
model::BuilderJoint base_joint_from(nb::handle from)
{
    model::BuilderJoint joint =
        joint_of(nb::cast<std::int32_t>(from["type"]), from["linear_axes"], from["angular_axes"]);
    joint.label                   = nb::cast<std::string>(from["label"]);
    joint.collision_filter_parent = nb::cast<bool>(from["collision_filter_parent"]);
    joint.enabled                 = nb::cast<bool>(from["enabled"]);
    return joint;
}

nb::list explain(const Import& import, const model::Model& model, const std::string& path)
{
    const importer::ExplainInput input{*import.stage, import.options, import.result, model};
    auto                         answer = unwrap(importer::explain(input, path));
    // Conventions that would have given another value are added to each explanation.
    importer::find_decisions(input, path, answer);
    nb::list out;
    for (const importer::Explanation& e : answer) {
        nb::list decisions;
        for (const importer::Decision& d : e.decisions) {
            nb::dict one;
            one["name"]      = text(d.convention);
            one["question"]  = text(d.question);
            one["answer"]    = text(d.answer);
            one["otherwise"] = text(d.otherwise);
            one["instead"]   = text(d.instead);
            decisions.append(one);
        }
        nb::dict row;
        row["subject"]     = text(e.subject);
        row["field"]       = text(e.field);
        row["array"]       = text(e.array);
        row["dof"]         = text(e.dof);
        row["value"]       = text(e.value);
        row["unit"]        = text(e.unit);
        row["won"]         = to_python(e.won);
        row["lost"]        = to_python(e.lost);
        row["absent"]      = nb::cast(e.absent);
        row["source"]      = text(e.source);
        row["conventions"] = decisions;
        out.append(row);
    }
    return out;
}

}  // namespace

void bind_importer(nb::module_& m)
{
    nb::class_<usd::Stage>(m, "Stage")
        .def_static("open",
                    [](const std::string& file, std::vector<std::string> search_paths,
                       std::vector<std::pair<std::string, std::string>> variants, std::vector<std::string> muted,
                       std::string session) {
                        const auto options = open_options(std::move(search_paths), std::move(variants),
                                                          std::move(muted), std::move(session));
                        const nb::gil_scoped_release released;
                        return selected(opened(usd::Stage::open(file, options)), options);
                    })
        .def_static("open_text",
                    [](const std::string& usda, const std::string& folder, std::vector<std::string> search_paths,
                       std::vector<std::pair<std::string, std::string>> variants) {
                        const auto options = open_options(std::move(search_paths), std::move(variants), {}, {});
                        const nb::gil_scoped_release released;
                        return selected(opened(usd::Stage::open_text(usda, folder, options)), options);
                    })
        .def_prop_ro("source", &usd::Stage::source)
        .def_prop_ro("prim_count", &usd::Stage::prim_count)
        .def_prop_ro("used_layers", &usd::Stage::used_layers)
        .def("diagnostics", [](const usd::Stage& s) { return to_python(s.diagnostics()); })
        .def("dump", [](const usd::Stage& s, std::size_t limit) { return usd::dump_stage(s, limit); })
        .def(
            "dump_model",
            [](const usd::Stage& s, const ImportOptions& options, std::size_t limit) {
                return unwrap(importer::dump_model(s, options, limit));
            },
            nb::arg("options"), nb::arg("limit"));

    nb::class_<ImportOptions>(m, "ImportOptions")
        .def(nb::init<>())
        .def(
            "set",
            [](ImportOptions& options, const std::string& name, nb::handle value) {
                unwrap(importer::set_option_value(options, name, option_value(name, value)));
            },
            nb::arg("name"), nb::arg("value").none());

    nb::class_<Import>(m, "Import")
        .def("result", [](const Import& i) { return to_python(i.result); })
        .def("deformables", [](const Import& i) { return deformables(i.result); })
        .def("ledger", [](const Import& i) { return ledger(i.result); })
        .def("explain", &explain);

    m.def("read_picture", [](const std::string& file, bool linear) -> nb::object {
        auto read = [&] {
            const nb::gil_scoped_release released;
            return importer::read_picture(file, linear);
        }();
        if (!read) return nb::none();
        return pixels(std::move(read->rgba), read->width, read->height);
    });
    m.def("import_options", [] {
        nb::list out;
        for (const importer::OptionInfo& o : importer::import_options()) {
            nb::dict row;
            row["name"]    = text(std::string(o.name));
            row["type"]    = text(std::string(o.type));
            row["default"] = text(o.initial);
            row["unit"]    = text(std::string(o.unit));
            row["meaning"] = text(std::string(o.meaning));
            row["values"]  = nb::cast(o.values);
            out.append(row);
        }
        return out;
    });
    m.def(
        "import_usd",
        [](std::shared_ptr<usd::Stage> stage, const ImportOptions& options, model::ModelBuilder& builder,
           nb::handle resolvers, nb::handle base_joint) {
            // Options are copied: what the user's resolvers add is of this import alone.
            auto       import             = std::make_shared<Import>(Import{stage, options, {}});
            const auto calls              = std::make_shared<Callbacks>();
            import->options.own_resolvers = resolvers_from(resolvers, stage, calls);
            import->options.threads       = wanted_threads();
            if (!base_joint.is_none()) import->options.base_joint = base_joint_from(base_joint);
            Diagnostics                         found;
            std::optional<Result<ImportResult>> done;
            {
                const nb::gil_scoped_release released;
                for (Diagnostic one : stage->diagnostics()) {
                    // With allow_missing a part that is missing is a warning, and what is there is imported.
                    if (import->options.allow_missing && usd::is_missing_part(one.id) &&
                        one.severity == Severity::error)
                        one.severity = Severity::warning;
                    found.add(std::move(one));
                }
                done = importer::import_usd(*stage, import->options, builder, found);
            }
            // Functions of the user's may hold what holds this import: a circle that no collector sees through.
            import->options.own_resolvers.clear();
            calls->raise();
            import->result = unwrap(std::move(*done));
            if (import->result.stage) import->stage = import->result.stage;
            return std::pair(import, to_python(found));
        },
        nb::arg("stage"), nb::arg("options"), nb::arg("builder"), nb::arg("resolvers"), nb::arg("base_joint").none());
}

}  // namespace mechane::python

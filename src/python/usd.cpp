// Python's view of stages and layers: prims, attributes, relationships, metadata, bounds, transforms, and edits of one
// layer.
// A value is a pair (type name, payload): numbers, texts and tuples for single values, arrays or lists for array
// values. Payloads that have no form of their own travel as JSON. Matrices are row by row, with vectors as rows
// (OpenUSD's convention); quaternions are x y z w, unlike the files, which write the real part first.
// A StagePrim holds its stage, so that a prim outlives the variable that the stage was in.
// Nothing here changes a stage; LayerEdits changes a layer's own specs and writes it.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/resolve/port_sdf.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/packages.h"
#include "mechane/usd/text_edit.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/prim.h"

namespace mechane::python {

namespace {

nb::str text(const std::string& s) { return nb::str(s.c_str(), s.size()); }

bool one_of(const std::string& name, std::initializer_list<std::string_view> names)
{ return std::find(names.begin(), names.end(), name) != names.end(); }

nb::object texts(const std::vector<std::string>& values)
{
    nb::list out;
    for (const std::string& v : values) out.append(text(v));
    return out;
}

/// Rows of numbers as a new array.
template <class T, class Write>
nb::object rows(const std::vector<T>& values, std::size_t width, Write write)
{
    std::vector<double> numbers;
    numbers.reserve(values.size() * width);
    for (const T& v : values) write(numbers, v);
    return owned(std::move(numbers), {values.size(), width});
}

/// get<> converts between kinds of numbers, so that the element type decides first: an array of ints read as doubles
/// would lose its type.
nb::object array_payload(const usd::Value& value, const std::string& element)
{
    if (one_of(element, {"string", "token"})) {
        if (const auto v = value.get<std::vector<std::string>>()) return texts(*v);
    } else if (element == "asset") {
        if (const auto v = value.get<std::vector<usd::AssetPath>>()) {
            nb::list out;
            for (const usd::AssetPath& a : *v) out.append(text(a.authored));
            return out;
        }
    } else if (element == "int") {
        if (auto v = value.get<std::vector<int>>()) {
            const std::size_t n = v->size();
            return owned(std::move(*v), {n});
        }
    } else if (auto reals = value.get<std::vector<double>>()) {
        const std::size_t n = reals->size();
        return owned(std::move(*reals), {n});
    } else if (const auto v2 = value.get<std::vector<Vec2d>>()) {
        return rows(*v2, 2, [](auto& out, const Vec2d& v) { out.insert(out.end(), {v.x, v.y}); });
    } else if (const auto v3 = value.get<std::vector<Vec3d>>()) {
        return rows(*v3, 3, [](auto& out, const Vec3d& v) { out.insert(out.end(), {v.x, v.y, v.z}); });
    } else if (const auto q = value.get<std::vector<Quatd>>()) {
        return rows(*q, 4, [](auto& out, const Quatd& v) { out.insert(out.end(), {v.x, v.y, v.z, v.w}); });
    }
    return nb::none();
}

nb::object single_payload(const usd::Value& value, const std::string& type)
{
    if (type == "bool") return nb::bool_(value.get<bool>().value_or(false));
    if (one_of(type, {"string", "token"})) return text(value.get<std::string>().value_or(""));
    if (type == "asset") {
        const usd::AssetPath path = value.get<usd::AssetPath>().value_or(usd::AssetPath{});
        return nb::make_tuple(text(path.authored), text(path.resolved));
    }
    // One conversion for all integers; what it refuses is tried as a double below.
    if (one_of(type, {"int", "uchar", "uint", "int64", "uint64"}))
        if (const auto v = value.get<std::int64_t>()) return nb::int_(*v);
    if (const auto v = value.get<double>()) return nb::float_(*v);
    if (type.starts_with("quat"))
        if (const auto v = value.get<Quatd>()) return nb::make_tuple(v->x, v->y, v->z, v->w);
    if (const auto v = value.get<Vec2d>()) return nb::make_tuple(v->x, v->y);
    if (const auto v = value.get<Vec3d>()) return nb::make_tuple(v->x, v->y, v->z);
    if (const auto v = value.get<std::array<double, 4>>()) return nb::make_tuple((*v)[0], (*v)[1], (*v)[2], (*v)[3]);
    if (const auto v = value.get<usd::Matrix4d>())
        return owned(std::vector<double>(v->m.begin(), v->m.end()), {std::size_t{4}, std::size_t{4}});
    return nb::none();
}

/// What a port of PhysX's distance fields would author: (prim, attribute, type, value), and the schemas to apply.
/// The port authors into an empty layer `over`. Its properties and schemas are listed for the facade, and its text is
/// given as well.
nb::tuple port_sdf(const usd::Stage& stage, bool physx_defaults)
{
    using Defaults = resolve::PortOptions::Defaults;
    usd::Layer        over;
    Diagnostics       found;
    const std::size_t count = unwrap(resolve::port_physx_sdf_to_newton(
        stage, over, {.defaults = physx_defaults ? Defaults::physx : Defaults::newton}, found));
    nb::list          values, schemas;
    for (const usd::Path& path : over.specs()) {
        if (path.is_property())
            values.append(
                nb::make_tuple(text(path.prim().text()), text(path.name().text()), to_python(over.value(path))));
        else
            for (const usd::Token& api : over.apis(path))
                schemas.append(nb::make_tuple(text(path.text()), text(api.text())));
    }
    return nb::make_tuple(count, values, schemas, to_python(found), text(over.to_text()));
}

StagePrim at(const StagePrim& of, usd::Prim prim) { return {of.stage, prim}; }

nb::list prims(const std::shared_ptr<const usd::Stage>& stage, const std::vector<usd::Prim>& of)
{
    nb::list out;
    for (const usd::Prim& prim : of) out.append(StagePrim{stage, prim});
    return out;
}

nb::list names(const std::vector<usd::Token>& tokens)
{
    nb::list out;
    for (const usd::Token& token : tokens) out.append(text(token.text()));
    return out;
}

nb::object matrix(const usd::Matrix4d& m)
{ return owned(std::vector<double>(m.m.begin(), m.m.end()), {std::size_t{4}, std::size_t{4}}); }

nb::list paths(const std::vector<usd::Path>& of)
{
    nb::list out;
    for (const usd::Path& path : of) out.append(text(path.text()));
    return out;
}

}  // namespace

nb::object to_python(const usd::Value& value)
{
    if (value.empty()) return nb::none();
    const std::string type  = value.type_name();
    const bool        array = type.ends_with("[]");
    nb::object payload = array ? array_payload(value, type.substr(0, type.size() - 2)) : single_payload(value, type);
    if (payload.is_none())
        payload =
            nb::module_::import_("json").attr("loads")(text(value.to_json(std::numeric_limits<std::size_t>::max())));
    return nb::make_tuple(text(type), payload);
}

namespace {

/// A layer that a program edits, with the text that it was read from.
/// Saving a text layer changes only the lines of what was edited, as far as the writer can find them in `original`;
/// comments and order of the rest stay. A crate is written anew.
struct LayerEdits {
    usd::Layer  layer;
    std::string original;  ///< usda; empty for a crate

    static LayerEdits open(const std::string& file)
    {
        LayerEdits out{unwrap(usd::Layer::open(file)), {}};
        const auto bytes = unwrap(files::read(file));
        if (bytes.starts_with("#usda")) out.original = bytes;
        return out;
    }
    [[nodiscard]] std::string to_text() const
    {
        const auto kept = original.empty() ? std::nullopt : usd::edited_text(original, layer);
        return kept ? *kept : layer.to_text();
    }
    /// @return what a package leaves out
    [[nodiscard]] nb::list save(const std::string& file) const
    {
        Diagnostics found;
        // A text may stand in a .usda and in a .usd file, never in a crate or a package.
        if (usd::is_package_name(file))
            unwrap(usd::write_package(layer, file, {}, found));
        else if (original.empty() || files::has_suffix(file, {".usdc"}))
            unwrap(layer.save(file));
        else
            unwrap(files::replace(file, to_text(), {}));
        return to_python(found);
    }
    // Edits are made where a prim or a variant has a spec in this layer; a path that only other layers know is refused.
    [[nodiscard]] usd::Path prim(const std::string& path) const
    {
        const usd::Path at(path);
        if (layer.kind(at) != usd::SpecKind::prim && layer.kind(at) != usd::SpecKind::variant)
            throw nb::key_error(fmt::format("no opinion about '{}' in this layer", path).c_str());
        return at;
    }
};

}  // namespace

void bind_usd(nb::module_& m)
{
    nb::class_<LayerEdits>(m, "LayerEdits")
        .def_static("open", &LayerEdits::open)
        .def("apply_api",
             [](LayerEdits& l, const std::string& prim, const std::string& schema, bool over) {
                 unwrap(l.layer.apply_api(over ? usd::Path(prim) : l.prim(prim), usd::Token(schema)));
             })
        .def("remove_api",
             [](LayerEdits& l, const std::string& prim, const std::string& schema, bool over) {
                 unwrap(l.layer.remove_api(over ? usd::Path(prim) : l.prim(prim), usd::Token(schema)));
             })
        .def("text", [](const LayerEdits& l) { return text(l.to_text()); })
        .def("save", &LayerEdits::save);
    using Self = const StagePrim&;
    nb::class_<StagePrim>(m, "Prim")
        .def_prop_ro("valid", [](Self s) { return static_cast<bool>(s.prim); })
        .def_prop_ro("path", [](Self s) { return s.prim ? text(s.prim.path().text()) : nb::str(""); })
        .def_prop_ro("name", [](Self s) { return text(s.prim.name().text()); })
        .def_prop_ro("type_name", [](Self s) { return text(s.prim.type_name().text()); })
        .def_prop_ro("active", [](Self s) { return s.prim.active(); })
        .def_prop_ro("defined", [](Self s) { return s.prim.defined(); })
        .def_prop_ro("abstract", [](Self s) { return s.prim.abstract(); })
        .def_prop_ro("instance", [](Self s) { return s.prim.is_instance(); })
        .def_prop_ro("instance_proxy", [](Self s) { return s.prim.is_instance_proxy(); })
        .def_prop_ro("parent", [](Self s) { return at(s, s.prim.parent()); })
        .def("children", [](Self s) { return prims(s.stage, s.prim.children()); })
        .def("subtree", [](Self s) { return prims(s.stage, s.prim.subtree()); })
        .def("is_a", [](Self s, const std::string& schema) { return s.prim.is_a(schema); })
        .def("has_api", [](Self s, const std::string& schema) { return s.prim.has_api(schema); })
        .def("applied_apis", [](Self s) { return names(s.prim.applied_apis()); })
        .def("authored_apis", [](Self s) { return names(s.prim.authored_apis()); })
        .def("property_names", [](Self s) { return names(s.prim.property_names()); })
        .def("authored_property_names", [](Self s) { return names(s.prim.authored_property_names()); })
        .def("metadata", [](Self s, const std::string& key) { return to_python(s.prim.metadata(key)); })
        .def("has_attribute",
             [](Self s, const std::string& name) {
                 return static_cast<bool>(s.prim.attribute(name)) && !s.prim.relationship(name).authored();
             })
        .def("attribute_type", [](Self s, const std::string& name) { return text(s.prim.attribute(name).type_name()); })
        .def("attribute_authored", [](Self s, const std::string& name) { return s.prim.attribute(name).authored(); })
        .def(
            "attribute_value",
            [](Self s, const std::string& name, nb::handle time) {
                return to_python(s.prim.attribute(name).value(time.is_none() ? usd::TimeCode()
                                                                             : usd::TimeCode(nb::cast<double>(time))));
            },
            nb::arg("name"), nb::arg("time").none())
        .def("attribute_metadata",
             [](Self s, const std::string& name, const std::string& key) {
                 return to_python(s.prim.attribute(name).metadata(key));
             })
        .def("attribute_samples", [](Self s, const std::string& name) { return s.prim.attribute(name).time_samples(); })
        .def("attribute_connections",
             [](Self s, const std::string& name) { return paths(s.prim.attribute(name).connections()); })
        .def("has_relationship",
             [](Self s, const std::string& name) { return static_cast<bool>(s.prim.relationship(name)); })
        .def("relationship_targets",
             [](Self s, const std::string& name) { return paths(s.prim.relationship(name).targets()); })
        .def("local_matrix", [](Self s) { return matrix(s.stage->local_matrix(s.prim)); })
        .def("world_matrix", [](Self s) { return matrix(s.stage->world_matrix(s.prim)); })
        .def("resets_transform", [](Self s) { return s.stage->resets_transform(s.prim); })
        .def("bound_material",
             [](Self s, const std::string& purpose) { return at(s, s.stage->bound_material(s.prim, purpose)); })
        .def("same", [](Self s, Self other) { return s.stage == other.stage && s.prim == other.prim; })
        .def_prop_ro("index", [](Self s) { return s.prim.index(); })
        .def_prop_ro("stage", [](Self s) { return std::const_pointer_cast<usd::Stage>(s.stage); });

    m.def("prim_at", [](const std::shared_ptr<usd::Stage>& stage, const std::string& path) {
        return StagePrim{stage, stage->prim_at(usd::Path(path))};
    });
    m.def("pseudo_root",
          [](const std::shared_ptr<usd::Stage>& stage) { return StagePrim{stage, stage->pseudo_root()}; });
    m.def("default_prim",
          [](const std::shared_ptr<usd::Stage>& stage) { return StagePrim{stage, stage->default_prim()}; });
    m.def("traverse", [](const std::shared_ptr<usd::Stage>& stage, bool all) {
        return prims(stage, stage->traverse({.all = all, .instance_proxies = all}));
    });
    m.def("port_sdf", [](const std::shared_ptr<usd::Stage>& stage, bool physx_defaults) {
        return port_sdf(*stage, physx_defaults);
    });
    m.def("root_metadata", [](const std::shared_ptr<usd::Stage>& stage, const std::string& key) {
        return to_python(stage->root_metadata(key));
    });
}

}  // namespace mechane::python

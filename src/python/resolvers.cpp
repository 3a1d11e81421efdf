// Resolvers that a program writes in Python: rows of attributes, fallbacks and functions, handed to the importer as
// resolve::Resolver.
// A resolver answers for each key (a physical quantity) from the attributes of its vendor's schema. Rows with a
// function ask it with the prim; rows without take the first authored attribute.
// The importer runs without the interpreter's lock; each call of a function takes it. An exception is kept in Callbacks
// and raised once the importer has returned, since it must not pass through C++ frames of other rooms; after the first
// exception no function is called any more.
// Values of these resolvers are in SI (`Unit::si`): the unit conversions of built-in resolvers do not apply.

#include "python/resolvers.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "mechane/resolve/resolvers.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/prim.h"

namespace mechane::python {

namespace {

using resolve::Inputs;
using resolve::Row;

/// A Python object that may be copied and dropped where the interpreter's lock is not held.
/// Copies of a resolver are made and dropped on threads of the importer; only the last drop touches the reference
/// count, and takes the lock for it.
std::shared_ptr<PyObject> shared(nb::handle object)
{
    Py_INCREF(object.ptr());
    return {object.ptr(), [](PyObject* p) {
                if (Py_IsInitialized() == 0) return;
                const nb::gil_scoped_acquire locked;
                Py_DECREF(p);
            }};
}

nb::object to_python(const resolve::Value& value)
{
    if (const auto* b = std::get_if<bool>(&value)) return nb::bool_(*b);
    if (const auto* x = std::get_if<double>(&value)) return nb::float_(*x);
    if (const auto* s = std::get_if<std::string>(&value)) return nb::str(s->c_str(), s->size());
    nb::list out;
    for (const double x : std::get<std::vector<double>>(value)) out.append(nb::float_(x));
    return nb::tuple(out);
}

/// Numbers, flags, text and sequences of numbers; nothing for None.
std::optional<resolve::Value> value_from(nb::handle value)
{
    if (value.is_none()) return std::nullopt;
    if (nb::isinstance<nb::bool_>(value)) return resolve::Value(nb::cast<bool>(value));
    if (nb::isinstance<nb::str>(value)) return resolve::Value(nb::cast<std::string>(value));
    double number = 0;
    if (nb::try_cast(value, number)) return resolve::Value(number);
    if (nb::hasattr(value, "__float__") && !nb::hasattr(value, "__len__"))
        return resolve::Value(nb::cast<double>(nb::float_(value)));
    std::vector<double> numbers;
    for (const nb::handle item : value) numbers.push_back(nb::cast<double>(nb::float_(item)));
    return resolve::Value(std::move(numbers));
}

std::optional<resolve::Value> first_authored(const Inputs& in)
{
    for (const auto& value : in.authored)
        if (value) return value;
    return std::nullopt;
}

/// Asks a function of the user's; its fallback is answered without it.
resolve::Convert asking(nb::handle function, std::optional<resolve::Value> fallback,
                        std::vector<std::string> attributes, std::shared_ptr<const usd::Stage> stage,
                        std::shared_ptr<Callbacks> calls)
{
    return [call = shared(function), fallback = std::move(fallback), attributes = std::move(attributes),
            stage = std::move(stage), calls = std::move(calls)](const Inputs& in) -> std::optional<resolve::Value> {
        // A value that equals the fallback and is nowhere authored comes from the fallback itself; the function would
        // be asked for nothing, once for each prim.
        const bool nothing_authored = std::none_of(attributes.begin(), attributes.end(), [&](const std::string& name) {
            return in.prim.attribute(name).authored();
        });
        const auto given            = first_authored(in);
        if (fallback && given && nothing_authored && *given == *fallback) return fallback;
        const nb::gil_scoped_acquire locked;
        if (calls->error != nullptr) return std::nullopt;
        try {
            return value_from(nb::handle(call.get())(StagePrim{stage, in.prim}));
        } catch (nb::python_error& error) {
            calls->error = error.value().inc_ref().ptr();
        } catch (const std::exception& error) {
            PyErr_SetString(PyExc_TypeError, error.what());
            nb::python_error wrapped;
            calls->error = wrapped.value().inc_ref().ptr();
        }
        return std::nullopt;
    };
}

resolve::Resolver built_in(const std::string& name)
{ return unwrap(resolve::resolvers_named(std::vector<std::string>{name})).resolvers().front(); }

}  // namespace

Callbacks::~Callbacks()
{
    // At the end of the process the interpreter may be gone: the reference is then left to die with it.
    if (error == nullptr || Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire locked;
    Py_DECREF(error);
}

void Callbacks::raise()
{
    if (error == nullptr) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
    throw nb::python_error();
}

std::vector<resolve::Resolver> resolvers_from(nb::handle specifications, std::shared_ptr<const usd::Stage> stage,
                                              const std::shared_ptr<Callbacks>& calls)
{
    std::vector<resolve::Resolver> out;
    for (const nb::handle spec : specifications) {
        resolve::Resolver resolver;
        resolver.name       = nb::cast<std::string>(spec["name"]);
        resolver.namespaces = nb::cast<std::vector<std::string>>(spec["namespaces"]);
        for (const nb::handle entry : spec["rows"]) {
            const auto key = resolve::key_from(nb::cast<std::string>(entry[0]));
            if (!key) continue;  // nothing in the importer asks for it
            Row row;
            row.key        = *key;
            row.attributes = nb::cast<std::vector<std::string>>(entry[1]);
            row.unit       = resolve::Unit::si;
            row.fallback   = value_from(entry[2]);
            row.convert = nb::object(entry[3]).is_none() ? resolve::Convert(first_authored)
                                                         : asking(entry[3], row.fallback, row.attributes, stage, calls);
            resolver.rows.push_back(std::move(row));
        }
        out.push_back(std::move(resolver));
    }
    return out;
}

void bind_resolvers(nb::module_& m)
{
    m.def("resolver_rows", [](const std::string& name) {
        nb::list out;
        for (const Row& row : built_in(name).rows) {
            nb::object fallback = row.fallback ? to_python(*row.fallback) : nb::none();
            out.append(nb::make_tuple(nb::str(std::string(resolve::to_string(row.key)).c_str()),
                                      nb::cast(row.attributes), fallback));
        }
        return out;
    });
    m.def("resolver_namespaces", [](const std::string& name) { return built_in(name).namespaces; });
    m.def("resolver_keys", [] {
        nb::list out;
        for (std::uint16_t k = 0; k < static_cast<std::uint16_t>(resolve::Key::count_); ++k) {
            const auto key = static_cast<resolve::Key>(k);
            out.append(nb::make_tuple(nb::str(std::string(resolve::to_string(resolve::prim_kind(key))).c_str()),
                                      nb::str(std::string(resolve::to_string(key)).c_str())));
        }
        return out;
    });
    m.def("resolver_convert", [](const std::string& name, std::size_t index, nb::list authored) -> nb::object {
        const resolve::Resolver resolver = built_in(name);
        if (index >= resolver.rows.size()) throw nb::index_error("there is no such row");
        std::vector<std::optional<resolve::Value>> values;
        for (const nb::handle v : authored) values.push_back(value_from(v));
        const resolve::Context context;
        const usd::Prim        nowhere;
        const auto             value = resolver.rows[index].convert({nowhere, values, context});
        return value ? to_python(*value) : nb::none();
    });
}

}  // namespace mechane::python

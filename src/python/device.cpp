// Binding of device/ for Python: memory on a device, states that are stepped there, graphs of launches. Memory is kept
// alive by the arrays that look at it. Calls that wait for a device release the lock of the interpreter.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "mechane/device/device_solver.h"
#include "mechane/device/driver.h"
#include "mechane/device/memory.h"
#include "mechane/model/contacts.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/pool.h"

/// Memory and steps on a device. The classes of the package (core/device_array.py, model/device_state.py) are made of
/// these.
namespace mechane::python {

namespace {

using device::Executor;
using device::Memory;
using device::Where;

Executor executor_of(const std::string& name)
{
    const std::optional<Executor> found = unwrap(device::parse_device(name));
    if (!found) throw nb::value_error("the cpu is not a device");
    return *found;
}

/// What a device is, or an error that says what is missing.
nb::dict device_info(const std::string& name)
{
    const Executor executor = executor_of(name);
    nb::dict       out;
    out["device"] = device::to_text(executor);
    if (executor.kind == Executor::Kind::host) {
        out["name"] = "the device's kernels on the host";
        return out;
    }
    const auto named = [&](Diagnostic d) {
        d.message = fmt::format("{}: {}", device::to_text(executor), d.message);
        return d;
    };
    if (const auto driver = device::driver_info(); !driver) throw DiagnosticError(named(driver.error()));
    const device::DriverInfo driver = unwrap(device::driver_info());
    const device::DeviceInfo info   = unwrap(device::device_info(executor.ordinal));
    out["name"]                     = info.name;
    out["compute_capability"]       = nb::make_tuple(info.major, info.minor);
    out["memory"]                   = info.memory;
    out["multiprocessors"]          = info.multiprocessors;
    out["driver"]                   = nb::make_tuple(driver.version / 1000, driver.version % 1000 / 10);
    out["kernels"]                  = nb::cast(unwrap(device::find_kernels(driver.version)));
    return out;
}

std::shared_ptr<Memory> make_memory(const std::string& name, std::size_t bytes)
{ return unwrap(Memory::make(unwrap(Where::of(executor_of(name))), bytes)); }

using Bytes         = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WritableBytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void write_memory(Memory& memory, std::size_t offset, const Bytes& from)
{ unwrap(memory.write(offset, std::as_bytes(std::span(from.data(), from.size())))); }

void read_memory(const Memory& memory, std::size_t offset, const WritableBytes& to)
{
    const std::span<std::byte>   bytes = std::as_writable_bytes(std::span(to.data(), to.size()));
    const nb::gil_scoped_release released;
    const Result<void>           done = memory.read(offset, bytes);
    if (!done) throw DiagnosticError(done.error());
}

void copy_memory(Memory& to, std::size_t offset, const Memory& from, std::size_t from_offset, std::size_t bytes)
{
    // Not as sums, which could wrap.
    if (offset > to.size() || bytes > to.size() - offset || from_offset > from.size() ||
        bytes > from.size() - from_offset)
        throw nb::value_error("beyond the end of the memory");
    if (device::to_text(to.where()->executor()) != device::to_text(from.where()->executor())) {  // by way of the host
        std::vector<std::byte> between(bytes);
        unwrap(from.read(from_offset, between));
        return unwrap(to.write(offset, between));
    }
    unwrap(to.where()->copy(static_cast<std::byte*>(to.data()) + offset,
                            static_cast<const std::byte*>(from.data()) + from_offset, bytes));
}

/// The capsule of DLPack for rows of the memory, which it keeps alive. What was asked for so far is done before what is
/// put into `stream` afterwards; 0: nobody waits.
nb::object dlpack(nb::handle owner, std::size_t offset, const std::vector<std::size_t>& shape, bool integers,
                  std::uintptr_t stream)
{
    Memory&    memory = nb::cast<Memory&>(owner);
    const auto kind   = memory.where()->executor();
    unwrap(memory.where()->let_wait(stream));
    static std::byte none{};
    void* const      data = memory.data() == nullptr ? &none : static_cast<std::byte*>(memory.data()) + offset;
    return nb::cast(nb::ndarray<>(
        data, shape.size(), shape.data(), owner, nullptr, integers ? nb::dtype<std::int32_t>() : nb::dtype<float>(),
        kind.kind == Executor::Kind::cuda ? nb::device::cuda::value : nb::device::cpu::value, kind.ordinal));
}

/// Steps states that stay on a device. One thread at a time.
class BoundStepper {
  public:
    BoundStepper(std::shared_ptr<model::Model> model, const std::string& device, double dt, int substeps,
                 std::int32_t contacts_per_world)
        : model_(std::move(model)), pool_(current_pool())
    {
        stepper_ = unwrap(device::Stepper::make(*model_, {.executor           = executor_of(device),
                                                          .dt                 = dt,
                                                          .substeps           = substeps,
                                                          .contacts_per_world = contacts_per_world,
                                                          .pool               = pool_.get()}));
    }

    using Arrays = std::vector<std::shared_ptr<Memory>>;  ///< of a state, of commands
    void step(const Arrays& in, const Arrays& control, const Arrays& out)
    {
        if (in.size() != 5 || control.size() != 3 || out.size() != 5)
            throw nb::value_error("5 arrays of states and 3 of controls are wanted");
        const device::StateMemory   from{in[0], in[1], in[2], in[3], in[4]}, to{out[0], out[1], out[2], out[3], out[4]};
        const device::ControlMemory commands{control[0], control[1], control[2]};
        const nb::gil_scoped_release released;
        const Result<void>           done = stepper_->step(from, commands, to);
        if (!done) throw DiagnosticError(done.error());
    }
    void update() { unwrap(stepper_->batch().update(*model_)); }
    void reset(const nb::bytes& worlds)
    { unwrap(stepper_->batch().reset({reinterpret_cast<const std::uint8_t*>(worlds.data()), worlds.size()})); }
    /// As many as there is room for: arrays that Python sees keep their sizes.
    void read_contacts(model::Contacts& to)
    {
        model::Contacts found;
        unwrap(stepper_->batch().read(found));
        const std::size_t rows = std::min(static_cast<std::size_t>(found.rigid_contact_count), to.capacity());
        const auto        take = [&](auto field) {
            if ((to.*field).size() >= rows && (found.*field).size() >= rows)
                std::copy_n((found.*field).begin(), rows, (to.*field).begin());
        };
        using C = model::Contacts;
        take(&C::rigid_contact_shape0), take(&C::rigid_contact_shape1), take(&C::rigid_contact_point0),
            take(&C::rigid_contact_point1);
        take(&C::rigid_contact_offset0), take(&C::rigid_contact_offset1), take(&C::rigid_contact_normal),
            take(&C::rigid_contact_margin0);
        take(&C::rigid_contact_margin1), take(&C::rigid_contact_distance), take(&C::rigid_contact_feature),
            take(&C::rigid_contact_force);
        take(&C::rigid_contact_stiffness), take(&C::rigid_contact_damping), take(&C::rigid_contact_friction);
        to.rigid_contact_count  = static_cast<std::int32_t>(rows);
        to.rigid_contact_needed = found.rigid_contact_count;
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> faults()
    {
        std::vector<std::pair<std::int32_t, std::int32_t>> out;
        for (const device::WorldFault& f : unwrap(stepper_->batch().faults())) out.emplace_back(f.world, f.bits);
        return out;
    }
    [[nodiscard]] std::string where() { return stepper_->batch().where(); }
    [[nodiscard]] std::size_t bytes_per_world() { return stepper_->batch().bytes_per_world(); }
    void                      synchronize()
    {
        const nb::gil_scoped_release released;
        const Result<void>           done = stepper_->batch().synchronize();
        if (!done) throw DiagnosticError(done.error());
    }

  private:
    std::shared_ptr<model::Model>      model_;
    std::shared_ptr<const tasks::Pool> pool_;
    std::unique_ptr<device::Stepper>   stepper_;
};

/// Calls for a CUDA device, taken down and launched as one.
class BoundGraph {
  public:
    BoundGraph(const std::string& name, const nb::callable& body) : where_(unwrap(Where::of(executor_of(name))))
    {
        if (!where_->is_cuda()) throw nb::value_error("a graph is of a CUDA device");
        device::Place& place = *where_->place();
        place.capturing      = true;
        std::exception_ptr          raised;
        const Result<device::Graph> graph = device::Graph::capture(place.stream, [&]() -> Result<void> {
            try {
                body();
            } catch (...) {
                raised = std::current_exception();
            }
            return {};
        });
        place.capturing                   = false;
        if (raised) std::rethrow_exception(raised);
        if (!graph) throw DiagnosticError(graph.error());
        graph_ = std::move(const_cast<device::Graph&>(*graph));
    }
    void                      launch() { unwrap(graph_.launch(where_->place()->stream)); }
    [[nodiscard]] std::size_t nodes() const { return graph_.nodes(); }

  private:
    std::shared_ptr<const Where> where_;
    device::Graph                graph_;
};

}  // namespace

void bind_device(nb::module_& m)
{
    m.def("device_info", &device_info, nb::arg("device"));
    nb::class_<Memory>(m, "DeviceMemory")
        .def_prop_ro("ptr", [](const Memory& a) { return reinterpret_cast<std::uintptr_t>(a.data()); })
        .def_prop_ro("size", &Memory::size)
        .def_prop_ro("device", [](const Memory& a) { return device::to_text(a.where()->executor()); })
        .def_prop_ro("ordinal", [](const Memory& a) { return a.where()->executor().ordinal; })
        .def_prop_ro("is_cuda", [](const Memory& a) { return a.where()->is_cuda(); })
        .def("write", &write_memory, nb::arg("offset"), nb::arg("source"))
        .def("read", &read_memory, nb::arg("offset"), nb::arg("to"))
        .def("copy", &copy_memory, nb::arg("offset"), nb::arg("source"), nb::arg("source_offset"), nb::arg("size"))
        .def(
            "fill",
            [](Memory& a, std::size_t first, std::size_t count, std::uint32_t word) {
                unwrap(a.fill(first, count, word));
            },
            nb::arg("first"), nb::arg("count"), nb::arg("word"))
        .def("synchronize", [](const Memory& a) { unwrap(a.where()->synchronize()); });
    m.def("device_memory", &make_memory, nb::arg("device"), nb::arg("size"));
    m.def("device_dlpack", &dlpack, nb::arg("memory"), nb::arg("offset"), nb::arg("shape"), nb::arg("integers"),
          nb::arg("stream"));
    nb::class_<BoundStepper>(m, "DeviceStepper")
        .def(nb::init<std::shared_ptr<model::Model>, std::string, double, int, std::int32_t>(), nb::arg("model"),
             nb::arg("device"), nb::arg("dt"), nb::arg("substeps"), nb::arg("contacts_per_world"))
        .def("step", &BoundStepper::step, nb::arg("state_in"), nb::arg("control"), nb::arg("state_out"))
        .def("update", &BoundStepper::update)
        .def("reset", &BoundStepper::reset, nb::arg("worlds"))
        .def("read_contacts", &BoundStepper::read_contacts, nb::arg("to"))
        .def("faults", &BoundStepper::faults)
        .def("synchronize", &BoundStepper::synchronize)
        .def_prop_ro("where", &BoundStepper::where)
        .def_prop_ro("bytes_per_world", &BoundStepper::bytes_per_world);
    nb::class_<BoundGraph>(m, "DeviceGraph")
        .def(nb::init<std::string, nb::callable>(), nb::arg("device"), nb::arg("body"))
        .def("launch", &BoundGraph::launch)
        .def_prop_ro("nodes", &BoundGraph::nodes);
}

}  // namespace mechane::python

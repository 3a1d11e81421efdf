#include "mechane/model/contacts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "mechane/collision/pipeline.h"
#include "python/arrays.h"
#include "python/module.h"
#include "python/pool.h"

namespace mechane::python {

namespace {

using model::Contacts;
using model::Model;
using model::State;

struct ContactArray {
    const char* name;
    nb::object (*view)(Contacts&, nb::handle owner);
};

#define MCH_ROW(name)                                                            \
    ContactArray                                                                 \
    {                                                                            \
        #name, [](Contacts& c, nb::handle owner) { return view(c.name, owner); } \
    }
#define MCH_SCALAR(name)                                                               \
    ContactArray                                                                       \
    {                                                                                  \
        #name, [](Contacts& c, nb::handle owner) { return view(&c.name, {1}, owner); } \
    }

constexpr ContactArray kArrays[] = {
    MCH_SCALAR(rigid_contact_count), MCH_SCALAR(contact_generation), MCH_ROW(rigid_contact_shape0),
    MCH_ROW(rigid_contact_shape1),   MCH_ROW(rigid_contact_point0),  MCH_ROW(rigid_contact_point1),
    MCH_ROW(rigid_contact_offset0),  MCH_ROW(rigid_contact_offset1), MCH_ROW(rigid_contact_normal),
    MCH_ROW(rigid_contact_margin0),  MCH_ROW(rigid_contact_margin1), MCH_ROW(rigid_contact_distance),
    MCH_ROW(rigid_contact_feature),  MCH_ROW(rigid_contact_force),
};

#undef MCH_ROW
#undef MCH_SCALAR

/// A pipeline with what it needs to live. Its buffers have one size for ever, so that views of them never dangle: what
/// does not fit is counted, and the deepest contacts are kept.
class Pipeline {
  public:
    Pipeline(std::shared_ptr<Model> model, std::size_t capacity, double speculative_max)
        : model_(std::move(model)), pool_(current_pool())
    {
        if (capacity == 0) capacity = std::max<std::size_t>(1000, 32 * model_->shape_count());
        capacity_ = capacity;
        pipeline_ = std::make_unique<collision::CollisionPipeline>(
            *model_, collision::PipelineOptions{
                         .pool = pool_.get(), .rigid_contact_max = capacity, .speculative_max = speculative_max});
    }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] Contacts    make_contacts() const { return pipeline_->make_contacts(); }

    nb::dict collide(const State& state, double dt, Contacts& contacts)
    {
        if (state.body_q.size() != model_->body_count()) throw nb::value_error("state: of another model");
        if (contacts.capacity() != capacity_)
            throw nb::value_error("contacts: of another pipeline; their capacity differs");
        collision::CollideStatus status;
        {
            const nb::gil_scoped_release released;
            status = pipeline_->collide(state, dt, contacts);
        }
        nb::dict out;
        out["contacts"]        = status.contacts;
        out["needed"]          = contacts.rigid_contact_needed;
        out["candidate_pairs"] = status.candidate_pairs;
        out["unsound_bodies"]  = status.unsound_bodies;
        out["overflow"]        = status.overflow;
        out["broad_phase_s"]   = status.broad_phase_s;
        out["narrow_phase_s"]  = status.narrow_phase_s;
        return out;
    }

  private:
    std::shared_ptr<Model>                        model_;
    std::shared_ptr<const tasks::Pool>            pool_;
    std::size_t                                   capacity_ = 0;
    std::unique_ptr<collision::CollisionPipeline> pipeline_;
};

}  // namespace

void bind_contacts(nb::module_& m)
{
    nb::class_<Contacts>(m, "Contacts")
        .def("array",
             [](nb::handle self, const std::string& name) {
                 for (const ContactArray& row : kArrays)
                     if (name == row.name) return row.view(nb::cast<Contacts&>(self), self);
                 throw nb::attribute_error(name.c_str());
             })
        .def_prop_ro("capacity", &Contacts::capacity)
        .def_prop_ro("needed", [](const Contacts& c) { return c.rigid_contact_needed; })
        .def("clear",
             [](Contacts& c) {
                 c.rigid_contact_count  = 0;
                 c.rigid_contact_needed = 0;
             })
        .def("copy", [](const Contacts& c) { return Contacts(c); })
        .def_static("array_names", [] {
            nb::list out;
            for (const ContactArray& row : kArrays) out.append(nb::str(row.name));
            return out;
        });

    nb::class_<Pipeline>(m, "Pipeline")
        .def(nb::init<std::shared_ptr<Model>, std::size_t, double>(), nb::arg("model"), nb::arg("capacity"),
             nb::arg("speculative_max"))
        .def_prop_ro("capacity", &Pipeline::capacity)
        .def("make_contacts", &Pipeline::make_contacts)
        .def("collide", &Pipeline::collide, nb::arg("state"), nb::arg("dt"), nb::arg("contacts"));
}

}  // namespace mechane::python

// Python's contacts and collision pipeline.
// `Contacts` shows the arrays of model::Contacts as NumPy views without copies; shapes are numbers of the model, points
// are in the frames of their bodies, normals in the world frame from shape 0 to shape 1, lengths in metres.
// `Pipeline` finds them: broad phase, narrow phase, reduction, matching with the last call. It keeps model and thread
// pool alive as long as Python keeps the pipeline, because views and the pipeline refer to them.
// Errors of options come as DiagnosticError with the text of collision::validate.

#include "mechane/model/contacts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/collision/rest_overlaps.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/model/belongs.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/indices.h"
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
    MCH_SCALAR(rigid_contact_count),    MCH_SCALAR(contact_generation),    MCH_ROW(rigid_contact_shape0),
    MCH_ROW(rigid_contact_shape1),      MCH_ROW(rigid_contact_point0),     MCH_ROW(rigid_contact_point1),
    MCH_ROW(rigid_contact_offset0),     MCH_ROW(rigid_contact_offset1),    MCH_ROW(rigid_contact_normal),
    MCH_ROW(rigid_contact_margin0),     MCH_ROW(rigid_contact_margin1),    MCH_ROW(rigid_contact_distance),
    MCH_ROW(rigid_contact_feature),     MCH_ROW(rigid_contact_force),      MCH_ROW(rigid_contact_torque),
    MCH_ROW(rigid_contact_stiffness),   MCH_ROW(rigid_contact_damping),    MCH_ROW(rigid_contact_friction),
    MCH_ROW(rigid_contact_match_index), MCH_SCALAR(soft_contact_count),    MCH_ROW(soft_contact_particle),
    MCH_ROW(soft_contact_indices),      MCH_ROW(soft_contact_barycentric), MCH_ROW(soft_contact_shape),
    MCH_ROW(soft_contact_body_pos),     MCH_ROW(soft_contact_body_vel),    MCH_ROW(soft_contact_normal),
};

#undef MCH_ROW
#undef MCH_SCALAR

template <class T>
void take(const nb::dict& from, const char* name, T& value)
{
    // A key that the facade left out keeps the C++ default, so that defaults stand in one place.
    if (from.contains(name)) value = nb::cast<T>(from[name]);
}

/// By the names of collision::PipelineOptions and collision::HydroelasticOptions; what is not there keeps its default.
collision::PipelineOptions pipeline_options(const nb::dict& from)
{
    collision::PipelineOptions out;
    std::string                name;
    take(from, "broad_phase", name);
    if (!name.empty()) out.broad_phase = unwrap(collision::broad_phase_mode(name));
    take(from, "rigid_contact_max", out.rigid_contact_max);
    take(from, "speculative_max", out.speculative_max);
    take(from, "shape_pairs_max", out.shape_pairs_max);
    take(from, "include_static_kinematic_pairs", out.include_static_kinematic_pairs);
    take(from, "contact_matching_pos_threshold", out.contact_matching_pos_threshold);
    take(from, "contact_matching_normal_dot_threshold", out.contact_matching_normal_dot_threshold);
    take(from, "contact_report", out.contact_report);
    take(from, "reduce_contacts", out.reduce_contacts);
    std::size_t soft = 0;
    take(from, "soft_contact_max", soft);
    out.soft_contact_max = soft;
    std::string matching = "disabled";
    take(from, "contact_matching", matching);
    // Other words leave the default `disabled`; the facade has refused them before.
    if (matching == "latest") out.contact_matching = collision::ContactMatching::latest;
    if (matching == "sticky") out.contact_matching = collision::ContactMatching::sticky;
    std::string overflow;
    take(from, "overflow_policy", overflow);
    if (!overflow.empty())
        out.overflow = overflow == "error" ? collision::OverflowPolicy::error : collision::OverflowPolicy::report;
    if (from.contains("hydroelastic")) {
        const nb::dict                  given = nb::cast<nb::dict>(from["hydroelastic"]);
        collision::HydroelasticOptions& h     = out.hydroelastic;
        take(given, "reduce_contacts", h.reduce_contacts);
        take(given, "pre_prune_contacts", h.pre_prune_contacts);
        take(given, "mc_edge_clamp_min", h.mc_edge_clamp_min);
        take(given, "normal_matching", h.normal_matching);
        take(given, "anchor_contact", h.anchor_contact);
        take(given, "moment_matching", h.moment_matching);
        take(given, "margin_contact_area", h.margin_contact_area);
        take(given, "buffer_fraction", h.buffer_fraction);
        take(given, "buffer_mult_contact", h.buffer_mult_contact);
        take(given, "output_contact_surface", h.output_contact_surface);
        bool series = false;
        take(given, "series", series);
        if (series) h.pair_stiffness = collision::PairStiffness::series;
    }
    unwrap(collision::validate(out));
    return out;
}

/// Pairs of a list, whatever the model's filters say of them. Infinite planes have no boxes: they are tested as planes,
/// with what the list has not excluded.
class ListedPairs final : public collision::BroadPhase {
  public:
    // Filters of the base are opened for every pair: bodies all differ (the shape's own number stands for its body) and
    // all are mobile. The list alone decides.
    ListedPairs(const Model& m, std::vector<collision::ShapePair> pairs)
        : BroadPhase(every_shape(m), not_listed(m, pairs)), boxes_(m.shape_count(), pairs)
    {
    }

  private:
    static bool plane(const Model& m, std::size_t i)
    { return m.shape_type[i] == model::GeoType::plane && m.shape_scale[i].x == 0 && m.shape_scale[i].y == 0; }
    static std::vector<collision::ShapeFilter> every_shape(const Model& m)
    {
        std::vector<collision::ShapeFilter> out(m.shape_count());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = {.body = static_cast<std::int32_t>(i), .active = true, .mobile = true, .plane = plane(m, i)};
        return out;
    }
    // The base pairs infinite planes with everything, since they have no box. Exclusions are the only way to say which
    // of these pairs the list has, hence all others of a plane are collected: planes x shapes entries.
    static std::vector<collision::ShapePair> not_listed(const Model& m, const std::vector<collision::ShapePair>& pairs)
    {
        std::set<collision::ShapePair> listed;
        for (const auto& [a, b] : pairs) listed.insert({std::min(a, b), std::max(a, b)});
        std::vector<collision::ShapePair> out;
        const auto                        n = static_cast<std::int32_t>(m.shape_count());
        for (std::int32_t p = 0; p < n; ++p)
            for (std::int32_t s = 0; plane(m, static_cast<std::size_t>(p)) && s < n; ++s)
                if (const collision::ShapePair pair{std::min(p, s), std::max(p, s)}; !listed.contains(pair))
                    out.push_back(pair);
        return out;
    }
    // One more than the limit, so that the caller sees that something was left out.
    void find_boxes(Boxes boxes, std::vector<collision::ShapePair>& out, std::size_t limit) override
    {
        boxes_.find_pairs(boxes, {}, found_, limit + 1);
        out.insert(out.end(), found_.begin(), found_.end());
    }

    collision::BroadPhaseExplicit     boxes_;
    std::vector<collision::ShapePair> found_;
};

/// A pipeline with what it needs to live. Its buffers have one size for ever, so that views of them never dangle: what
/// does not fit is counted, and the deepest contacts are kept.
class Pipeline {
  public:
    Pipeline(std::shared_ptr<Model> model, const nb::dict& from) : model_(std::move(model)), pool_(current_pool())
    {
        check_indices(*model_);
        collision::PipelineOptions options = pipeline_options(from);
        // The narrow phase stays Mechane's own; a broad phase of the user's needs one of the user's, so it is named.
        if (from.contains("shape_pairs")) {
            options.user_broad_phase = std::make_shared<ListedPairs>(
                *model_, nb::cast<std::vector<collision::ShapePair>>(from["shape_pairs"]));
            options.user_narrow_phase = [](const collision::Shape& a, const collision::Shape& b, double reach,
                                           collision::Manifold& out) { collision::collide(a, b, reach, out); };
        }
        // An estimate of 32 contacts a shape, at least 1000. Python's views refer to the arrays' memory, so that the
        // number cannot grow later.
        if (options.rigid_contact_max == 0)
            options.rigid_contact_max = std::max<std::size_t>(1000, 32 * model_->shape_count());
        options.pool = pool_.get();
        take(from, "no_rigid_contacts", rigidless_);
        capacity_ = rigidless_ ? 0 : options.rigid_contact_max;
        soft_     = *options.soft_contact_max;
        matches_  = options.contact_matching != collision::ContactMatching::disabled;
        const nb::gil_scoped_release released;  // distance fields may take a while
        pipeline_ = std::make_unique<collision::CollisionPipeline>(*model_, options);
    }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] std::size_t soft_capacity() const { return soft_; }
    [[nodiscard]] Contacts    make_contacts() const
    {
        Contacts out = pipeline_->make_contacts();
        if (rigidless_) out.resize(0);
        if (out.soft_capacity() != soft_) out.resize_soft(soft_);
        if (matches_) out.rigid_contact_match_index.resize(out.capacity(), -1);
        return out;
    }
    [[nodiscard]] std::size_t sdf_count() const { return pipeline_->sdf_count(); }
    [[nodiscard]] nb::list    diagnostics() const { return to_python(pipeline_->diagnostics()); }
    void                      reset_contact_matching(const BytesIn& worlds)
    {
        const nb::gil_scoped_release released;
        const std::lock_guard        lock(*inside_);
        pipeline_->reset_contact_matching({worlds.data(), worlds.size()});
    }

    /// Triangles of the surfaces of pressure contact: corners [n, 3, 3], depths [n], shapes [n, 2].
    [[nodiscard]] nb::tuple contact_surface() const
    {
        std::vector<double>                       points, depth;
        std::vector<std::int32_t>                 shapes;
        const std::vector<collision::ContactFace> faces = [&] {
            const nb::gil_scoped_release released;
            const std::lock_guard        lock(*inside_);
            const auto&                  now = pipeline_->contact_surface();
            return std::vector<collision::ContactFace>(now.begin(), now.end());
        }();
        for (const collision::ContactFace& face : faces) {
            for (const Vec3d& p : face.points) points.insert(points.end(), {p.x, p.y, p.z});
            depth.push_back(face.distance);
            shapes.insert(shapes.end(), {face.shape0, face.shape1});
        }
        const std::size_t n = depth.size();
        return nb::make_tuple(owned(std::move(points), {n, std::size_t{3}, std::size_t{3}}),
                              owned(std::move(depth), {n}), owned(std::move(shapes), {n, std::size_t{2}}));
    }

    nb::dict collide(const State& state, double dt, double soft_gap, Contacts& contacts)
    {
        if (!(soft_gap >= 0) || !std::isfinite(soft_gap))
            throw nb::value_error("soft_contact_gap: expected a finite number of at least 0");
        if (state.body_q.size() != model_->body_count() || state.particle_q.size() != model_->particle_count())
            throw nb::value_error("state: of another model");
        // Contacts made by another pipeline have arrays of other sizes: writing into them would leave their end.
        if (contacts.capacity() != capacity_ || contacts.soft_capacity() != soft_)
            throw nb::value_error("contacts: of another pipeline; their capacity differs");
        check_indices(*model_);
        collision::CollideStatus status;
        {
            const nb::gil_scoped_release released;  // first: who waits for the lock must not hold it
            const std::lock_guard        lock(*inside_);
            pipeline_->set_soft_contact_gap(soft_gap);
            status = pipeline_->collide(state, dt, contacts);
        }
        nb::dict out;
        out["contacts"]        = status.contacts;
        out["needed"]          = contacts.rigid_contact_needed;
        out["soft_contacts"]   = contacts.soft_contact_count;
        out["soft_needed"]     = contacts.soft_contact_needed;
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
    std::size_t                                   capacity_ = 0, soft_ = 0;
    bool                                          matches_ = false, rigidless_ = false;
    std::unique_ptr<collision::CollisionPipeline> pipeline_;
    /// A model shares its pipeline among threads: one at a time may be inside.
    std::unique_ptr<std::mutex> inside_ = std::make_unique<std::mutex>();
};

}  // namespace

void bind_contacts(nb::module_& m)
{
    nb::class_<Contacts>(m, "Contacts")
        .def(nb::new_([](std::size_t capacity, std::size_t soft_capacity, bool matching, bool stiffness) {
                 Contacts out;
                 out.resize(capacity);
                 out.resize_soft(soft_capacity);
                 if (matching) out.rigid_contact_match_index.resize(capacity, -1);
                 if (stiffness) out.with_stiffness();
                 return out;
             }),
             nb::arg("capacity"), nb::arg("soft_capacity"), nb::arg("matching"), nb::arg("stiffness"))
        .def("array",
             [](nb::handle self, const std::string& name) {
                 for (const ContactArray& row : kArrays)
                     if (name == row.name) return row.view(nb::cast<Contacts&>(self), self);
                 throw nb::attribute_error(name.c_str());
             })
        .def_prop_ro("capacity", &Contacts::capacity)
        .def_prop_ro("soft_capacity", &Contacts::soft_capacity)
        .def_prop_ro("needed", [](const Contacts& c) { return c.rigid_contact_needed; })
        .def("clear",
             [](Contacts& c) {
                 c.rigid_contact_count = c.rigid_contact_needed = 0;
                 c.soft_contact_count = c.soft_contact_needed = 0;
             })
        .def("copy", [](const Contacts& c) { return Contacts(c); })
        .def("report",
             [](const Contacts& c) {
                 std::vector<std::int32_t> fresh = c.rigid_contact_new_indices, broken = c.rigid_contact_broken_indices;
                 const std::size_t         n = fresh.size(), k = broken.size();
                 return nb::make_tuple(owned(std::move(fresh), {n}), owned(std::move(broken), {k}));
             })
        .def_static("array_names", [] {
            nb::list out;
            for (const ContactArray& row : kArrays) out.append(nb::str(row.name));
            return out;
        });

    m.def(
        "create_soft_contacts",
        [](const Model& model, const State& state, Contacts& contacts, double gap) {
            if (state.particle_q.size() != model.particle_count()) throw nb::value_error("state: of another model");
            check_indices(model);
            const nb::gil_scoped_release released;
            collision::SoftContactFinder(model).find(state, collision::particles_of(model, state), gap, contacts,
                                                     contacts.soft_capacity());
            return contacts.soft_contact_needed;
        },
        nb::arg("model"), nb::arg("state"), nb::arg("contacts"), nb::arg("gap"));

    nb::class_<collision::RestOverlaps>(m, "RestOverlaps")
        .def(nb::new_([](const Model& model, const Contacts& contacts) {
                 if (!model::fits(model, contacts)) throw nb::value_error("contacts: of another model");
                 return collision::RestOverlaps(model, contacts);
             }),
             nb::arg("model"), nb::arg("contacts"))
        .def(
            "apply",
            [](const collision::RestOverlaps& rest, const Model& model, const State& state, Contacts& contacts) {
                if (state.body_q.size() != model.body_count()) throw nb::value_error("state: of another model");
                if (!model::fits(model, contacts)) throw nb::value_error("contacts: of another model");
                rest.apply(model, state, contacts);
            },
            nb::arg("model"), nb::arg("state"), nb::arg("contacts"))
        .def("pairs", [](const collision::RestOverlaps& rest) {
            nb::list out;
            for (const auto& pair : rest.pairs())
                out.append(nb::make_tuple(pair.shape0, pair.shape1, static_cast<double>(pair.depth)));
            return out;
        });

    nb::class_<Pipeline>(m, "Pipeline")
        .def(nb::init<std::shared_ptr<Model>, const nb::dict&>(), nb::arg("model"), nb::arg("options"))
        .def_prop_ro("sdf_count", &Pipeline::sdf_count)
        .def("diagnostics", &Pipeline::diagnostics)
        .def("reset_contact_matching", &Pipeline::reset_contact_matching, nb::arg("worlds"))
        .def("contact_surface", &Pipeline::contact_surface)
        .def_prop_ro("capacity", &Pipeline::capacity)
        .def_prop_ro("soft_capacity", &Pipeline::soft_capacity)
        .def("make_contacts", &Pipeline::make_contacts)
        .def("collide", &Pipeline::collide, nb::arg("state"), nb::arg("dt"), nb::arg("soft_gap"), nb::arg("contacts"));
}

}  // namespace mechane::python

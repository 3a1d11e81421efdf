// The face of the batch: what a program reads and writes, in the model's layout, over all worlds. How a step is made,
// and where the memory lies, is the runner's: host_runner.cpp on threads, cuda_runner.cpp on a device.
//
// Arrays of the device are single precision whatever `Real` is, and so is the state between steps. A step begins with
// the coordinates and rates of joints; poses and twists of bodies are results.
#include "mechane/device/device_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/batch/runner.h"
#include "mechane/device/codes.h"
#include "mechane/model/belongs.h"

namespace mechane::device {

namespace {

constexpr Array kStateArrays[] = {Array::joint_q, Array::joint_qd, Array::body_q, Array::body_qd};

/// The numbers of an array of vectors or poses.
/// Vec3, Pose and Spatial hold nothing but numbers of type Real, one after the other: they are read as one flat array.
template <class V>
std::vector<float> numbers_of(const std::vector<V>& values)
{
    static_assert(sizeof(V) % sizeof(Real) == 0);
    std::vector<float> out(values.size() * (sizeof(V) / sizeof(Real)));
    const Real*        from = reinterpret_cast<const Real*>(values.data());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(from[i]);
    return out;
}
template <class V>
void set_numbers(std::vector<V>& values, const std::vector<float>& from)
{
    Real* to = reinterpret_cast<Real*>(values.data());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<Real>(from[i]);
}

Diagnostic wrong_size(const char* what, std::size_t is, std::size_t expected)
{
    return make_diagnostic(kOption, {.property = what},
                           fmt::format("{} has {} numbers, expected {}", what, is, expected));
}

}  // namespace

struct DeviceBatch::Impl {
    BatchOptions            options;
    Plan                    plan;
    std::unique_ptr<Runner> runner;
    ArraySizes              sizes;
    std::int64_t            steps = 0;
    // The time is counted in steps and multiplied, so that it does not drift as a sum of many dt would.
    double      start  = 0;  ///< time before them [s]
    std::size_t bodies = 0;

    Impl(BatchOptions o, Plan p) : options(std::move(o)), plan(std::move(p)), sizes(plan) {}

    template <class V>
    Result<void> put(Array array, const std::vector<V>& values)
    {
        const std::vector<float> now = numbers_of(values);
        return runner->write(array, now.data(), 0, now.size());
    }
    Result<std::vector<float>> get(Array array)
    {
        std::vector<float> now(sizes.of(array));
        if (auto done = runner->read(array, now.data(), 0, now.size()); !done) return done.error();
        return now;
    }
};

DeviceBatch::DeviceBatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeviceBatch::DeviceBatch(DeviceBatch&&) noexcept            = default;
DeviceBatch& DeviceBatch::operator=(DeviceBatch&&) noexcept = default;
DeviceBatch::~DeviceBatch()                                 = default;

Result<DeviceBatch> DeviceBatch::make(const model::Model& model, const BatchOptions& options)
{
    auto plan = make_plan(model, options);
    if (!plan) return plan.error();
    auto impl    = std::make_unique<Impl>(options, *std::move(plan));
    impl->bodies = model.body_count();
    auto runner  = options.executor.kind == Executor::Kind::host ? make_host_runner(impl->plan, options)
                                                                 : make_cuda_runner(impl->plan, options);
    if (!runner) return runner.error();
    impl->runner = *std::move(runner);
    DeviceBatch batch(std::move(impl));
    // Controls begin with the targets that the model stores, and every world with its start state.
    if (auto done = batch.write(model::make_control(model)); !done) return done.error();
    const std::vector<std::uint8_t> all(static_cast<std::size_t>(batch.world_count()), 1);
    if (auto done = batch.reset(all); !done) return done.error();
    return batch;
}

Result<void> DeviceBatch::step(int n)
{
    if (n < 0)
        return make_diagnostic(kOption, {.property = "n"},
                               fmt::format("n is {}, expected no negative number of steps", n));
    if (auto done = impl_->runner->step(n); !done) return done;
    impl_->steps += n;
    return {};
}
Result<void> DeviceBatch::synchronize() { return impl_->runner->synchronize(); }

ArrayView DeviceBatch::view(Array array) const
{
    ArrayView  out{.data = impl_->runner->data(array)};
    const auto count = static_cast<std::int64_t>(impl_->sizes.of(array));
    // Elements per row: a pose is a position and a quaternion x y z w (7), a twist or a wrench six numbers.
    const bool poses = array == Array::body_q, twists = array == Array::body_qd || array == Array::body_f;
    out.element = array == Array::contact_count || array == Array::faults ? Element::int32 : Element::float32;
    out.rank    = poses || twists ? 2 : 1;
    out.shape   = {poses ? count / 7 : twists ? count / 6 : count, poses ? 7 : twists ? 6 : 1};
    return out;
}

Result<void> DeviceBatch::read(Array array, std::span<float> to)
{
    if (view(array).element != Element::float32 || to.size() != impl_->sizes.of(array))
        return wrong_size("to", to.size(), impl_->sizes.of(array));
    return impl_->runner->read(array, to.data(), 0, to.size());
}
Result<void> DeviceBatch::read(Array array, std::span<std::int32_t> to)
{
    if (view(array).element != Element::int32 || to.size() != impl_->sizes.of(array))
        return wrong_size("to", to.size(), impl_->sizes.of(array));
    return impl_->runner->read(array, to.data(), 0, to.size());
}
Result<void> DeviceBatch::write(Array array, std::span<const float> from)
{
    if (view(array).element != Element::float32 || from.size() != impl_->sizes.of(array))
        return wrong_size("from", from.size(), impl_->sizes.of(array));
    return impl_->runner->write(array, from.data(), 0, from.size());
}

Result<void> DeviceBatch::read(model::State& to)
{
    if (to.body_q.size() != impl_->bodies) return wrong_size("body_q", 7 * to.body_q.size(), 7 * impl_->bodies);
    std::array<std::vector<float>, 4> now;
    for (std::size_t i = 0; i < now.size(); ++i) {
        auto got = impl_->get(kStateArrays[i]);
        if (!got) return got.error();
        // body_f is not read: it is an input, and the device does not change it.
        now[i] = *std::move(got);
    }
    to.joint_q.resize(now[0].size()), to.joint_qd.resize(now[1].size()), to.body_qd.resize(to.body_q.size());
    set_numbers(to.joint_q, now[0]), set_numbers(to.joint_qd, now[1]);
    set_numbers(to.body_q, now[2]), set_numbers(to.body_qd, now[3]);
    to.time = time();
    return {};
}

Result<void> DeviceBatch::write(const model::State& from)
{
    const std::vector<float> q = numbers_of(from.joint_q), qd = numbers_of(from.joint_qd);
    if (q.size() != impl_->sizes.of(Array::joint_q))
        return wrong_size("joint_q", q.size(), impl_->sizes.of(Array::joint_q));
    if (qd.size() != impl_->sizes.of(Array::joint_qd))
        return wrong_size("joint_qd", qd.size(), impl_->sizes.of(Array::joint_qd));
    // Only worlds whose coordinates changed forget their contacts: a program that moves one robot keeps the warm
    // start of the others. Bits are compared, since a value that was read back and written again must count as
    // unchanged.
    const auto old_q = impl_->get(Array::joint_q), old_qd = impl_->get(Array::joint_qd);
    if (!old_q) return old_q.error();
    if (!old_qd) return old_qd.error();
    const auto                worlds = static_cast<std::size_t>(world_count());
    std::vector<std::uint8_t> modes(worlds, kLeave);
    for (std::size_t w = 0; w < worlds; ++w) {
        const auto differs = [&](const std::vector<float>& a, const std::vector<float>& b) {
            const std::size_t each = a.size() / worlds;
            return each > 0 && std::memcmp(a.data() + w * each, b.data() + w * each, each * sizeof(float)) != 0;
        };
        // New coordinates: contacts and impulses belong to another place. New rates alone: they stay valid as a first
        // guess.
        modes[w] = differs(q, *old_q) ? kPlaceAndForget : differs(qd, *old_qd) ? kPlace : kLeave;
    }
    impl_->start = from.time, impl_->steps = 0;
    if (from.body_f.size() == impl_->bodies)
        if (auto done = impl_->put(Array::body_f, from.body_f); !done) return done;
    if (std::all_of(modes.begin(), modes.end(), [](std::uint8_t mode) { return mode == kLeave; })) return {};
    if (auto done = impl_->runner->write(Array::joint_q, q.data(), 0, q.size()); !done) return done;
    if (auto done = impl_->runner->write(Array::joint_qd, qd.data(), 0, qd.size()); !done) return done;
    return impl_->runner->place(modes);
}

Result<void> DeviceBatch::write(const model::Control& from)
{
    for (const auto& [array, values] :
         {std::pair{Array::joint_target_q, &from.joint_target_q},
          std::pair{Array::joint_target_qd, &from.joint_target_qd}, std::pair{Array::joint_f, &from.joint_f}}) {
        // An empty array leaves what the device has.
        if (values->empty()) continue;
        if (values->size() != impl_->sizes.of(array))
            return wrong_size("control", values->size(), impl_->sizes.of(array));
        if (auto done = impl_->put(array, *values); !done) return done;
    }
    return {};
}

Result<void> DeviceBatch::read(model::Contacts& to)
{
    std::vector<std::int32_t> counts(impl_->sizes.of(Array::contact_count));
    if (auto done = read(Array::contact_count, std::span(counts)); !done) return done;
    auto poses = impl_->get(Array::body_q);
    if (!poses) return poses.error();
    // Counts first, so that the arrays of the caller are made large enough once for all worlds.
    std::size_t total = 0;
    for (const std::int32_t n : counts) total += static_cast<std::size_t>(n);
    if (to.capacity() < total) to.resize(total);
    const Plan& plan = impl_->plan;
    // Worlds one after the other, and within a world the order of pairs: the same order from run to run.
    std::vector<FoundOf> found;
    std::size_t          row = 0;
    for (std::int32_t w = 0; w < plan.worlds; ++w) {
        found.clear();
        if (auto done = impl_->runner->read_contacts(w, counts[static_cast<std::size_t>(w)], found); !done) return done;
        for (const FoundOf& f : found) {
            // The kernels' rows name shapes of a world. The caller wants those of the model.
            const PairPlan& pair   = plan.structure.pairs[static_cast<std::size_t>(f.pair)];
            const auto      vector = [](const double* x) {
                return Vec3{static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])};
            };
            const Vec3d n{f.normal[0], f.normal[1], f.normal[2]};
            const auto  shape = [&](std::int16_t s) {
                return plan
                    .shape_of[static_cast<std::size_t>(w) * plan.structure.shapes.size() + static_cast<std::size_t>(s)];
            };
            // The surface lies `m` along the normal from the core point. It is given in the body's frame, as the core
            // point is.
            const auto offset = [&](std::int16_t s, double m) {
                const std::int16_t link = plan.structure.shapes[static_cast<std::size_t>(s)].link;
                // A static shape has no link; its body frame is the world.
                if (link < 0) return static_cast<Vec3>(m * n);
                const float* X =
                    poses->data() +
                    7 * (static_cast<std::size_t>(w) * static_cast<std::size_t>(plan.at.bodies) +
                         static_cast<std::size_t>(plan.structure.links[static_cast<std::size_t>(link)].body));
                return static_cast<Vec3>(rotate_inverse(Quatd{X[3], X[4], X[5], X[6]}, m * n));
            };
            to.rigid_contact_shape0[row]  = shape(pair.shape0);
            to.rigid_contact_shape1[row]  = shape(pair.shape1);
            to.rigid_contact_point0[row]  = vector(f.point[0]);
            to.rigid_contact_point1[row]  = vector(f.point[1]);
            to.rigid_contact_offset0[row] = offset(pair.shape0, f.margin[0]);
            to.rigid_contact_offset1[row] = offset(pair.shape1, -f.margin[1]);
            // The normal points from shape 0 to shape 1, so that the margin of shape 1 is taken against it.
            to.rigid_contact_normal[row]   = vector(f.normal);
            to.rigid_contact_margin0[row]  = static_cast<Real>(f.margin[0]);
            to.rigid_contact_margin1[row]  = static_cast<Real>(f.margin[1]);
            to.rigid_contact_distance[row] = static_cast<Real>(f.distance);
            to.rigid_contact_feature[row]  = f.feature;
            to.rigid_contact_force[row]    = vector(f.force);
            // Zero means that the contact has no material of its own: the shapes' values hold.
            if (!to.rigid_contact_stiffness.empty())
                to.rigid_contact_stiffness[row] = to.rigid_contact_damping[row] = to.rigid_contact_friction[row] = 0;
            ++row;
        }
    }
    to.rigid_contact_count = to.rigid_contact_needed = static_cast<std::int32_t>(row);
    return {};
}

Result<void> DeviceBatch::reset(std::span<const std::uint8_t> worlds)
{
    if (worlds.size() != static_cast<std::size_t>(world_count()))
        return wrong_size("worlds", worlds.size(), static_cast<std::size_t>(world_count()));
    std::vector<std::uint8_t> modes(worlds.size());
    for (std::size_t w = 0; w < modes.size(); ++w) modes[w] = worlds[w] != 0 ? kReset : kLeave;
    return impl_->runner->place(modes);
}

Result<void> DeviceBatch::update(const model::Model& model)
{
    BatchOptions options = impl_->options;
    // Room for contacts stays that of the batch, which decides the layout of its memory.
    options.contacts_per_world = impl_->plan.at.contacts;
    auto plan                  = make_plan(model, options);
    if (!plan) return plan.error();
    // Numbers may change, structure may not: the arrays of the kernels are laid out for it.
    if (!(plan->structure == impl_->plan.structure) || plan->worlds != impl_->plan.worlds ||
        plan->at.rows > impl_->plan.at.rows)
        return make_diagnostic(kNotAlike, {},
                               "the model has another structure than the one that the batch was made of");
    // Friction against turning may have been switched off. The room of its rows is kept, for the layout to stay.
    plan->at.rows = impl_->plan.at.rows;
    if (auto done = impl_->runner->set_numbers(*plan); !done) return done;
    impl_->plan = *std::move(plan);
    return {};
}

Result<std::vector<WorldFault>> DeviceBatch::faults()
{
    std::vector<std::int32_t> bits(impl_->sizes.of(Array::faults));
    if (auto done = read(Array::faults, std::span(bits)); !done) return done.error();
    std::vector<WorldFault> out;
    for (std::size_t w = 0; w < bits.size(); ++w)
        if (bits[w] != 0) out.push_back({static_cast<std::int32_t>(w), bits[w]});
    return out;
}

std::int32_t DeviceBatch::world_count() const { return impl_->plan.worlds; }
double       DeviceBatch::time() const { return impl_->start + static_cast<double>(impl_->steps) * impl_->options.dt; }
const BatchOptions& DeviceBatch::options() const { return impl_->options; }
std::string         DeviceBatch::where() const { return impl_->runner->where(); }
std::size_t         DeviceBatch::bytes_per_world() const
{ return impl_->runner->bytes() / static_cast<std::size_t>(std::max(1, impl_->plan.worlds)); }

}  // namespace mechane::device

// One frame of a live simulation as bytes for the page.
// Layout (little-endian, "MLM3"): flags, time (double), realtime factor, energies, counts; then floats (particles,
// positions of bodies, contacts, patches of pressure, joints), then int16 (rotations, normals), and a bit for each body
// that was sent where some were not. The wider numbers come first, so that the page can look at them in place, without
// a copy. web/src reads the same layout. Units: metres, radians, seconds; poses in the world. The magic changes with
// the layout. Called by LivePage::show.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "mechane/viewer/live_page.h"

namespace mechane::viewer {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

constexpr std::uint32_t kMagic = 0x334d'4c4d;  ///< "MLM3"
/// A frame stays below a few megabytes, whatever the scene; the page says how many contacts there are in all.
constexpr std::size_t kMostContacts = 4096, kMostParticles = 200'000, kMostFaces = 20'000;
constexpr std::size_t kHeader = 60, kFace = 40;  ///< bytes

class Bytes {
  public:
    template <class T>
    void put(T value)
    {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        text_.append(raw, sizeof value);
    }
    void put(const Vec3& v)
    { put(static_cast<float>(v.x)), put(static_cast<float>(v.y)), put(static_cast<float>(v.z)); }
    void unit(double value)
    {
        const double clamped = std::clamp(std::isfinite(value) ? value : 0.0, -1.0, 1.0);
        put(static_cast<std::int16_t>(std::lround(32767 * clamped)));
    }
    void        reserve(std::size_t bytes) { text_.reserve(bytes); }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

/// Where a fixed joint holds its body, as far as a picture shows: half of a step of 16 bits of a turn, and a hundredth
/// of a millimetre.
constexpr double kStill = 1e-5;

/// Half of the angle between two turns [rad], where it is small.
double apart(const Quatd& a, const Quatd& b)
{
    const double sign = dot(a, b) < 0 ? -1 : 1;
    return std::hypot(std::hypot(a.x - sign * b.x, a.y - sign * b.y), std::hypot(a.z - sign * b.z, a.w - sign * b.w));
}

/// Which bodies stand elsewhere than the others and their joints say: a solver may let a fixed joint give way.
std::vector<std::uint8_t> bodies_to_send(const record::Frame& frame, std::span<const FixedBody> fixed,
                                         std::size_t bodies)
{
    std::vector<std::uint8_t> out(bodies, 1);
    for (const FixedBody& one : fixed) {
        const auto b = static_cast<std::size_t>(one.body), p = static_cast<std::size_t>(one.parent);
        if (b >= bodies || p >= bodies) continue;
        const Posed X_WP = static_cast<Posed>(frame.body_q[p]), X_WB = static_cast<Posed>(frame.body_q[b]);
        const Posed due = X_WP * one.X_PB;
        // The least that single precision can tell grows with the distance from the origin.
        const double may = kStill + 1e-6 * length(due.p);
        if (length(due.p - X_WB.p) <= may && apart(due.q, X_WB.q) <= kStill) out[b] = 0;
    }
    return out;
}

std::vector<const record::ContactSample*> drawable(const record::Frame& frame, bool wanted)
{
    std::vector<const record::ContactSample*> out;
    for (const record::ContactSample& c : frame.contacts) {
        if (!wanted || out.size() == kMostContacts) break;
        if (is_finite(c.point) && is_finite(c.normal)) out.push_back(&c);
    }
    return out;
}

/// NaN tells the page that a joint has no such coordinate.
float value_at(const std::vector<Real>& values, std::int32_t index)
{
    const auto i = static_cast<std::size_t>(index);
    return index >= 0 && i < values.size() ? static_cast<float>(values[i]) : std::nanf("");
}

/// Coordinate, rate and target of each dof. A target is a rate where the drive holds one.
void put_dofs(Bytes& out, const model::Model& model, const record::Frame& frame, const model::Control& control,
              std::int32_t first, std::int32_t count)
{
    std::vector<std::int32_t> joint(static_cast<std::size_t>(count));
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        for (std::int32_t d = std::max(first, model.joint_qd_start[j]);
             d < std::min(first + count, model.joint_qd_start[j + 1]); ++d)
            joint[static_cast<std::size_t>(d - first)] = static_cast<std::int32_t>(j);
    const auto coordinate = [&](std::int32_t d) {
        return coordinate_of(model, joint[static_cast<std::size_t>(d - first)], d);
    };
    for (std::int32_t d = first; d < first + count; ++d) out.put(value_at(frame.joint_q, coordinate(d)));
    for (std::int32_t d = first; d < first + count; ++d) out.put(value_at(frame.joint_qd, d));
    for (std::int32_t d = first; d < first + count; ++d) {
        const bool rate = model.joint_target_mode[static_cast<std::size_t>(d)] == model::TargetMode::velocity;
        out.put(rate ? value_at(control.joint_target_qd.empty() ? model.joint_target_qd : control.joint_target_qd, d)
                     : value_at(control.joint_target_q.empty() ? model.joint_target_q : control.joint_target_q,
                                coordinate(d)));
    }
}

}  // namespace

std::vector<FixedBody> fixed_bodies(const model::Model& model)
{
    std::vector<std::int32_t> joint(model.body_count(), -1);
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        if (model.joint_type[j] == model::JointType::fixed && model.joint_parent[j] >= 0 && model.joint_child[j] >= 0 &&
            joint[static_cast<std::size_t>(model.joint_child[j])] < 0)
            joint[static_cast<std::size_t>(model.joint_child[j])] = static_cast<std::int32_t>(j);
    std::vector<FixedBody>    out;
    std::vector<std::uint8_t> seen(model.body_count());  // 1: on the way, 2: done
    std::vector<std::int32_t> way;
    for (std::size_t b = 0; b < model.body_count(); ++b) {
        // Up to a body that is done, or to where a circle closes: its first body has no parent then.
        way.clear();
        for (auto at = static_cast<std::int32_t>(b); seen[static_cast<std::size_t>(at)] == 0;) {
            seen[static_cast<std::size_t>(at)] = 1;
            way.push_back(at);
            const std::int32_t j = joint[static_cast<std::size_t>(at)];
            if (j < 0) break;
            at = model.joint_parent[static_cast<std::size_t>(j)];
            if (seen[static_cast<std::size_t>(at)] == 1) joint[static_cast<std::size_t>(way.back())] = -1;
        }
        for (auto at = way.rbegin(); at != way.rend(); ++at) {
            seen[static_cast<std::size_t>(*at)] = 2;
            const std::int32_t j                = joint[static_cast<std::size_t>(*at)];
            if (j < 0) continue;
            const auto k = static_cast<std::size_t>(j);
            out.push_back({*at, model.joint_parent[k],
                           static_cast<Posed>(model.joint_X_p[k]) * inverse(static_cast<Posed>(model.joint_X_c[k]))});
        }
    }
    return out;
}

std::string live_frame(const model::Model& model, const record::Frame& frame, const model::Control& control,
                       const LiveStatus& status, bool with_contacts, std::int32_t first, std::int32_t count,
                       std::span<const collision::ContactFace> patches, std::span<const FixedBody> fixed)
{
    patches             = patches.first(std::min(patches.size(), kMostFaces));
    const auto contacts = drawable(frame, with_contacts);
    const auto bodies   = std::min(model.body_count(), frame.body_q.size());
    const auto all_dofs = static_cast<std::int32_t>(model.joint_dof_count());
    first               = std::clamp(first, 0, all_dofs);
    count               = std::clamp(count, 0, all_dofs - first);
    const auto send     = bodies_to_send(frame, fixed, bodies);
    const auto sent     = static_cast<std::size_t>(std::count(send.begin(), send.end(), std::uint8_t{1}));
    Bytes      out;
    out.reserve(kHeader + kFace * patches.size() + 12 * frame.particle_q.size() + bodies / 8 + sent * 20 +
                contacts.size() * 30 + static_cast<std::size_t>(count) * 12);
    out.put(kMagic);
    out.put(
        static_cast<std::uint32_t>((status.playing ? 1 : 0) | (status.recording ? 2 : 0) | (status.diverged ? 4 : 0)));
    out.put(frame.t);
    out.put(static_cast<float>(status.realtime));
    out.put(static_cast<float>(frame.kinetic));
    out.put(static_cast<float>(frame.potential));
    out.put(static_cast<std::uint32_t>(bodies));
    out.put(static_cast<std::uint32_t>(contacts.size()));
    out.put(static_cast<std::uint32_t>(frame.contacts.size()));
    out.put(static_cast<std::uint32_t>(first));
    out.put(static_cast<std::uint32_t>(count));
    const std::size_t particles = std::min(frame.particle_q.size(), kMostParticles);
    out.put(static_cast<std::uint32_t>(particles));
    out.put(static_cast<std::uint32_t>(patches.size()));
    out.put(static_cast<std::uint32_t>(sent));
    for (std::size_t i = 0; i < particles; ++i) out.put(frame.particle_q[i]);
    for (std::size_t i = 0; i < bodies; ++i)
        if (send[i] != 0) out.put(frame.body_q[i].p);
    for (const auto* c : contacts) out.put(c->point);
    for (const auto* c : contacts) out.put(is_finite(c->force) ? c->force : Vec3{});
    for (const collision::ContactFace& face : patches)
        for (const Vec3d& corner : face.points) out.put(static_cast<Vec3>(is_finite(corner) ? corner : Vec3d{}));
    for (const collision::ContactFace& face : patches)
        out.put(std::isfinite(face.distance) ? static_cast<float>(-face.distance) : 0.0F);
    put_dofs(out, model, frame, control, first, count);
    for (std::size_t i = 0; i < bodies; ++i) {
        if (send[i] == 0) continue;
        const Quatd q = normalized(static_cast<Quatd>(frame.body_q[i].q));
        for (const double part : {q.x, q.y, q.z, q.w}) out.unit(part);
    }
    for (const auto* c : contacts)
        for (const Real part : {c->normal.x, c->normal.y, c->normal.z}) out.unit(static_cast<double>(part));
    for (std::size_t i = 0; sent < bodies && i < bodies; i += 8) {
        unsigned bits = 0;
        for (std::size_t k = i; k < std::min(i + 8, bodies); ++k) bits |= static_cast<unsigned>(send[k]) << (k - i);
        out.put(static_cast<std::uint8_t>(bits));
    }
    return out.take();
}

}  // namespace mechane::viewer

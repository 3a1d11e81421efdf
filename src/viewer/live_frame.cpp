// One frame of a live simulation as bytes for the page.
// Layout (little-endian, "MLM2"): flags, time (double), realtime factor, energies, counts; then floats (particles,
// positions of bodies, contacts, joints), then int16 (rotations, normals). The wider numbers come first, so that the
// page can look at them in place, without a copy. web/src reads the same layout.
// Units: metres, radians, seconds; poses in the world. The magic changes with the layout.
// Called by LivePage::show.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "mechane/viewer/live_page.h"

namespace mechane::viewer {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

constexpr std::uint32_t kMagic        = 0x324d'4c4d;  ///< "MLM2"
/// A frame stays below a few megabytes, whatever the scene; the page says how many contacts there are in all.
constexpr std::size_t   kMostContacts = 4096, kMostParticles = 200'000;

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

std::string live_frame(const model::Model& model, const record::Frame& frame, const model::Control& control,
                       const LiveStatus& status, bool with_contacts, std::int32_t first, std::int32_t count)
{
    const auto contacts = drawable(frame, with_contacts);
    const auto bodies   = std::min(model.body_count(), frame.body_q.size());
    const auto all_dofs = static_cast<std::int32_t>(model.joint_dof_count());
    first               = std::clamp(first, 0, all_dofs);
    count               = std::clamp(count, 0, all_dofs - first);
    Bytes out;
    out.reserve(52 + 12 * frame.particle_q.size() + bodies * 20 + contacts.size() * 30 +
                static_cast<std::size_t>(count) * 12);
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
    for (std::size_t i = 0; i < particles; ++i) out.put(frame.particle_q[i]);
    for (std::size_t i = 0; i < bodies; ++i) out.put(frame.body_q[i].p);
    for (const auto* c : contacts) out.put(c->point);
    for (const auto* c : contacts) out.put(is_finite(c->force) ? c->force : Vec3{});
    put_dofs(out, model, frame, control, first, count);
    for (std::size_t i = 0; i < bodies; ++i) {
        const Quatd q = normalized(static_cast<Quatd>(frame.body_q[i].q));
        for (const double part : {q.x, q.y, q.z, q.w}) out.unit(part);
    }
    for (const auto* c : contacts)
        for (const Real part : {c->normal.x, c->normal.y, c->normal.z}) out.unit(static_cast<double>(part));
    return out.take();
}

}  // namespace mechane::viewer

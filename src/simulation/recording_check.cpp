// Whether a recording that was read is sound against its model, and digests of recordings. Checksums have been checked
// by recording_file.cpp; here are times, sizes and indices.
// The digest is SHA-256 over the content, with a key HMAC (RFC 2104), so that a signature can be checked by ordinary
// tools.

#include "mechane/simulation/recording_check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mechane/core/sha256.h"
#include "mechane/simulation/codes.h"
#include "simulation/recording_bytes.h"

namespace mechane::record {
namespace {

/// The fault of one frame; empty if there is none.
std::string check_frame(const Frame& frame, const model::Model& model)
{
    const std::size_t bodies = model.body_q.size(), shapes = model.shape_type.size();
    if (frame.body_q.size() != bodies || frame.body_qd.size() != bodies)
        return fmt::format("it has {} poses and {} velocities, the model has {} bodies", frame.body_q.size(),
                           frame.body_qd.size(), bodies);
    if (frame.joint_q.size() != model.joint_q.size() || frame.joint_qd.size() != model.joint_qd.size())
        return fmt::format("it has {} coordinates and {} speeds, the model has {} and {}", frame.joint_q.size(),
                           frame.joint_qd.size(), model.joint_q.size(), model.joint_qd.size());
    if (frame.particle_q.size() != model.particle_count() || frame.particle_qd.size() != model.particle_count())
        return fmt::format("it has {} places of particles and {} velocities, the model has {} particles",
                           frame.particle_q.size(), frame.particle_qd.size(), model.particle_count());
    const auto is_shape = [&](std::int32_t shape) {
        return shape >= -1 && (shape < 0 || static_cast<std::size_t>(shape) < shapes);
    };
    for (const ContactSample& contact : frame.contacts)
        if (!is_shape(contact.shape0) || !is_shape(contact.shape1))
            return fmt::format("a contact is between the shapes {} and {} of {}", contact.shape0, contact.shape1,
                               shapes);
    return {};
}

Diagnostic inconsistent(const std::string& name, std::string message)
{ return make_diagnostic(kInconsistent, {.layer = name}, std::move(message)); }

/// SHA-256 as bytes.
std::string digest_of(const std::string& text)
{
    Sha256 hash;
    hash.update(text);
    const std::string hex   = hash.finish();
    const auto        digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string       out;
    for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    return out;
}

}  // namespace

std::optional<Diagnostic> check_recording(const RecordingFile& file, const model::Model& model, const std::string& name)
{
    if (!(std::isfinite(file.header.dt) && file.header.dt > 0))
        return inconsistent(name, fmt::format("its step is {} s", file.header.dt));
    // Times are sums or products of dt: half a step separates neighbours.
    const double step = file.header.dt, slack = 0.5 * step;
    const double begin = step * static_cast<double>(file.first_step);
    // In a truncated recording the last frame may lack its hash.
    // A run may be cut off between a frame and the hash of its step.
    const double end  = begin + step * static_cast<double>(file.recording.steps + (file.complete ? 0 : 1));
    double       last = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < file.recording.frames.size(); ++i) {
        const Frame& frame = file.recording.frames[i];
        // Times increase strictly. Written so that not-a-number fails.
        if (!(frame.t >= begin - slack && frame.t <= end + slack && frame.t > last))
            return inconsistent(
                name, fmt::format("frame {} is at {} s, the one before at {} s; recorded were {} s to {} s", i, frame.t,
                                  last, begin, end));
        last = frame.t;
        if (const std::string what = check_frame(frame, model); !what.empty())
            return inconsistent(name, fmt::format("frame {} ({:.6g} s): {}", i, frame.t, what));
    }
    return std::nullopt;
}

/// By bits: -0 and 0 differ, as they do in hashes.
bool same(const Frame& a, const Frame& b) { return bytes_of(a) == bytes_of(b); }

std::string recording_digest(const RecordingFile& file, const std::string& key)
{
    const std::string content = bytes_of(file);
    if (key.empty()) {
        Sha256 hash;
        hash.update(content);
        return hash.finish();
    }
    constexpr std::size_t kBlock = 64;
    // HMAC: H((K ^ opad) | H((K ^ ipad) | text)); a key longer than a block is hashed first.
    std::string           padded = key.size() > kBlock ? digest_of(key) : key;
    padded.resize(kBlock, '\0');
    std::string inner = padded, outer = padded;
    for (char& c : inner) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
    Sha256 hash;
    hash.update(outer + digest_of(inner + content));
    return hash.finish();
}

}  // namespace mechane::record

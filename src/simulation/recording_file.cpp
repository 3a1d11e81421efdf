// The file of a recording: preamble (magic, version, size of Real), then chunks of kind, size, payload, checksum.
// Written while the run goes on; whatever ends the program leaves a file that can be read up to the last whole chunk.
// Hashes are written every step, frames as asked; `finish` writes the end chunk, which says that nothing is missing.
// Little-endian, as in memory.

#include "mechane/simulation/recording_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/files/codes.h"
#include "mechane/files/limit.h"
#include "mechane/files/read.h"
#include "mechane/simulation/codes.h"
#include "simulation/custom_bytes.h"
#include "simulation/recording_bytes.h"

namespace mechane::record {

namespace {

constexpr std::array<char, 8> kMagic{'M', 'C', 'H', 'R', 'E', 'C', 'R', 'D'};
/// Version 3 has no particles in frames, version 4 no forces of particles and no activations in inputs, version 5 no
/// custom attributes in inputs.
constexpr std::uint32_t kVersion = 6, kWithoutForces = 4, kWithoutParticles = 3;

enum Kind : char { header_chunk = 'H', step_chunk = 'S', frame_chunk = 'F', input_chunk = 'I', end_chunk = 'E' };

template <class Bytes, class H>
void visit_header(Bytes&& bytes, H& h)
{
    bytes(h.program);
    bytes(h.source);
    bytes(h.scene);
    bytes(h.model);
    bytes(h.solver);
    bytes(h.dt);
    bytes(h.substeps);
    bytes(h.sleeping);
    bytes(h.keep_pairs);
    bytes(h.sweep_fast);
    bytes(h.control);
    bytes(h.start);
}

/// @param particles  frames of version 3 have none
template <class Bytes, class F>
void visit_frame(Bytes&& bytes, F& f, bool particles = true)
{
    bytes(f.t);
    bytes(f.body_q);
    bytes(f.body_qd);
    bytes(f.joint_q);
    bytes(f.joint_qd);
    bytes(f.contacts);
    bytes(f.kinetic);
    bytes(f.potential);
    if (!particles) return;
    bytes(f.particle_q);
    bytes(f.particle_qd);
}

/// The parts of an input that are there, by a bit each. Inputs without custom attributes have the bytes, and digests,
/// that earlier versions gave them.
enum Part : std::uint8_t { state_part = 1, control_part = 2, wrench_part = 4, state_custom = 8, control_custom = 16 };

/// @param soft  whether forces of particles and activations are there: version 4 has none
template <class Bytes, class I>
void visit_input(Bytes&& bytes, std::uint8_t parts, I& input, bool soft = true)
{
    bytes(input.reset);
    if (parts & state_part) {
        auto& s = *input.state;
        bytes(s.body_q), bytes(s.body_qd), bytes(s.joint_q), bytes(s.joint_qd), bytes(s.particle_q),
            bytes(s.particle_qd);
        if (soft) bytes(s.particle_f);
        if (parts & state_custom) bytes(s.custom_arrays);
    }
    if (parts & control_part) {
        auto& c = *input.control;
        bytes(c.joint_target_q), bytes(c.joint_target_qd), bytes(c.joint_f), bytes(c.joint_act), bytes(c.body_target_q);
        if (soft) bytes(c.tri_activations), bytes(c.tet_activations);
        if (parts & control_custom) bytes(c.custom_arrays);
    }
    if (parts & wrench_part) bytes(*input.wrench);
}

void put_input(ByteWriter& out, const StepInput& input)
{
    const auto has_custom = [](const auto& of) { return of && !of->custom_arrays.arrays.empty(); };
    const auto parts      = static_cast<std::uint8_t>(
        (input.state ? state_part : 0) | (input.control ? control_part : 0) | (input.wrench ? wrench_part : 0) |
        (has_custom(input.state) ? state_custom : 0) | (has_custom(input.control) ? control_custom : 0));
    out.put(input.step);
    out.put(parts);
    visit_input([&](const auto& value) { put(out, value); }, parts, input);
}

StepInput take_input(ByteReader& in, bool soft)
{
    StepInput input;
    input.step       = in.take<std::int64_t>();
    const auto parts = in.take<std::uint8_t>();
    if (parts & state_part) input.state.emplace();
    if (parts & control_part) input.control.emplace();
    if (parts & wrench_part) input.wrench.emplace();
    visit_input([&](auto& value) { get(in, value); }, parts, input, soft);
    return input;
}

/// The kind is in the sum: a chunk cannot pass for another kind.
std::uint64_t checksum(char kind, std::span<const std::byte> payload)
{ return hash_bytes(payload.data(), payload.size(), static_cast<std::uint64_t>(kind)); }

bool read_header(ByteReader& in, RecordingHeader& header)
{
    visit_header([&](auto& value) { in.get(value); }, header);
    const auto settings = in.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < settings && in.good(); ++i) header.set.push_back(in.take<std::string>());
    return in.done();
}

/// Splits a file into its chunks, up to the first incomplete one.
class Chunks {
  public:
    Chunks(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

    struct Chunk {
        char                       kind = 0;
        std::span<const std::byte> payload;
    };
    /// Nothing at the end of the file or at a damaged part.
    std::optional<Chunk> next()
    {
        if (at_ == bytes_.size() || damage_) return std::nullopt;
        // Sizes are compared before anything is added: a size near 2^64 cannot overflow.
        constexpr std::size_t kHead = sizeof(char) + sizeof(std::uint64_t), kTail = sizeof(std::uint64_t);
        const std::size_t     left = bytes_.size() - at_;
        if (left < kHead) return stop(kCutOff);
        ByteReader head(bytes_.subspan(at_, kHead));
        const auto kind = head.take<char>();
        const auto size = head.take<std::uint64_t>();
        // An unknown kind means damage, as the version says which kinds there are.
        if (kind != header_chunk && kind != step_chunk && kind != frame_chunk && kind != input_chunk &&
            kind != end_chunk)
            return stop(kDamaged);
        if (left < kHead + kTail || size > left - kHead - kTail) return stop(kCutOff);
        const auto payload = bytes_.subspan(at_ + kHead, static_cast<std::size_t>(size));
        ByteReader tail(bytes_.subspan(at_ + kHead + payload.size(), kTail));
        if (tail.take<std::uint64_t>() != checksum(kind, payload)) return stop(kDamaged);
        at_ += kHead + payload.size() + kTail;
        return Chunk{kind, payload};
    }
    [[nodiscard]] const std::optional<Diagnostic>& damage() const { return damage_; }

    std::nullopt_t stop(const Code& code)
    {
        damage_ = make_diagnostic(code, {.layer = file_},
                                  fmt::format("{} bytes at the end are left out", bytes_.size() - at_));
        return std::nullopt;
    }

  private:
    std::span<const std::byte> bytes_;
    std::string                file_;
    std::size_t                at_ = 0;
    std::optional<Diagnostic>  damage_;
};

/// Turns a diagnostic of `files` into one of this module.
Diagnostic as_ours(const Diagnostic& error)
{ return error.id == files::kWriteFailed.id ? make_diagnostic(kWriteFailed, error.site, error.message) : error; }
void put_header(ByteWriter& out, const RecordingHeader& header)
{
    visit_header([&](const auto& value) { out.put(value); }, header);
    out.put(static_cast<std::uint64_t>(header.set.size()));
    for (const std::string& text : header.set) out.put(text);
}

std::string text_of(const ByteWriter& bytes)
{ return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()}; }

}  // namespace

std::string bytes_of(const Frame& frame)
{
    ByteWriter out;
    visit_frame([&](const auto& value) { out.put(value); }, frame);
    return text_of(out);
}

std::string bytes_of(const RecordingFile& file)
{
    ByteWriter out;
    put_header(out, file.header);
    out.put(file.first_step);
    out.put(file.hashes);
    for (const StepInput& input : file.inputs) put_input(out, input);
    for (const Frame& frame : file.recording.frames) visit_frame([&](const auto& value) { out.put(value); }, frame);
    return text_of(out);
}

Result<RecordingWriter> RecordingWriter::create(const std::string& file, const RecordingHeader& header)
{
    auto growing = files::GrowingFile::create(file);
    if (!growing) return as_ours(growing.error());
    // Frames and header are flushed at once; steps in between may be lost.
    RecordingWriter writer(*std::move(growing));
    ByteWriter      preamble;
    for (const char c : kMagic) preamble.put(c);
    preamble.put(kVersion);
    preamble.put(static_cast<std::uint32_t>(sizeof(Real)));
    writer.file_.append(preamble.bytes());
    ByteWriter out;
    put_header(out, header);
    writer.chunk(header_chunk, out.bytes());
    writer.file_.flush();
    return writer;
}

void RecordingWriter::step(std::int64_t step, std::uint64_t hash)
{
    ByteWriter out;
    out.put(step);
    out.put(hash);
    chunk(step_chunk, out.bytes());
}

void RecordingWriter::frame(const Frame& frame)
{
    ByteWriter out;
    visit_frame([&](const auto& value) { out.put(value); }, frame);
    chunk(frame_chunk, out.bytes());
    file_.flush();
}

void RecordingWriter::input(const StepInput& input)
{
    ByteWriter out;
    put_input(out, input);
    chunk(input_chunk, out.bytes());
}

Result<void> RecordingWriter::finish()
{
    chunk(end_chunk, {});
    auto done = file_.finish();
    return done ? Result<void>() : Result<void>(as_ours(done.error()));
}

void RecordingWriter::chunk(char kind, const std::vector<std::byte>& payload)
{
    ByteWriter head, tail;
    head.put(kind);
    head.put(static_cast<std::uint64_t>(payload.size()));
    tail.put(checksum(kind, payload));
    for (const auto* part : {&head.bytes(), &payload, &tail.bytes()}) file_.append(*part);
}

Result<RecordingFile> read_recording(const std::string& file)
{
    const auto bad = [&](std::string message) {
        return make_diagnostic(kRecordingFile, {.layer = file}, std::move(message));
    };
    const auto head = files::read_head(file, kMagic.size());
    if (!head) return bad(head.error().message);
    if (*head != std::string_view(kMagic.data(), kMagic.size())) return bad("the file is not a recording");
    const auto text = files::read(file, files::read_limit());
    if (!text) return bad(text.error().message);
    const auto bytes = std::as_bytes(std::span<const char>(*text));

    constexpr std::size_t kPreamble = kMagic.size() + 2 * sizeof(std::uint32_t);
    if (bytes.size() < kPreamble || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
        return bad("the file is not a recording");
    ByteReader preamble(bytes.subspan(kMagic.size(), kPreamble - kMagic.size()));
    const auto version = preamble.take<std::uint32_t>(), real = preamble.take<std::uint32_t>();
    if (version < kWithoutParticles || version > kVersion)
        return bad(fmt::format("the recording has version {}, expected {}", version, kVersion));
    if (real != sizeof(Real))
        return bad(
            fmt::format("the recording holds numbers of {} bytes, this build computes with {}", real, sizeof(Real)));

    RecordingFile out;
    Chunks        chunks(bytes.subspan(kPreamble), file);
    const auto    first = chunks.next();
    if (!first || first->kind != header_chunk) return bad("the header of the recording is damaged");
    if (ByteReader in(first->payload); !read_header(in, out.header))
        return bad("the header of the recording is damaged");

    while (const auto chunk = chunks.next()) {
        ByteReader in(chunk->payload);
        if (chunk->kind == step_chunk) {
            const auto step = in.take<std::int64_t>();
            if (out.hashes.empty()) out.first_step = step;
            // Steps are numbered without gaps; a gap is damage, and what was read so far holds.
            const bool follows = step >= 0 && step == out.first_step + static_cast<std::int64_t>(out.hashes.size());
            out.hashes.push_back(in.take<std::uint64_t>());
            if (!follows) {
                out.hashes.pop_back();
                chunks.stop(kDamaged);
                break;
            }
        } else if (chunk->kind == input_chunk) {
            out.inputs.push_back(take_input(in, version > kWithoutForces));
        } else if (chunk->kind == frame_chunk) {
            visit_frame([&](auto& value) { in.get(value); }, out.recording.frames.emplace_back(),
                        version != kWithoutParticles);
        } else {
            out.complete = chunk->kind == end_chunk;
        }
        if (!in.done()) {  // a checksum that holds over a content that does not: written by something else
            chunks.stop(kDamaged);
            break;
        }
    }
    out.damage = chunks.damage();
    if (!out.complete && !out.damage) {
        chunks.stop(kCutOff);
        out.damage = chunks.damage();
    }
    out.recording.source = out.header.source;
    out.recording.solver = out.header.solver;
    out.recording.dt     = out.header.dt;
    // The first hash is that of the start.
    out.recording.steps = out.hashes.empty() ? 0 : static_cast<std::int64_t>(out.hashes.size()) - 1;
    out.recording.hash  = out.hashes.empty() ? 0 : out.hashes.back();
    return out;
}

}  // namespace mechane::record

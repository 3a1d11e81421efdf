// Results that are kept between runs, with what they depend on.
// Input: a configuration (version and options), a description of the work, and the trace of a computation. Output: the
// same bytes as before if every dependency still holds, else nothing.
// A few states are kept for each work, so that switching between two versions of a file finds both.
// Invariants: a result whose dependencies could not be told for sure is never kept; a result without dependencies is
// none.
// Called by `mechane check` and others through --cache.

#include "mechane/files/kept_results.h"

#include <span>
#include <vector>

#include "mechane/core/bytes.h"
#include "mechane/core/sha256.h"
#include "mechane/files/inputs.h"

namespace mechane::files {
namespace {

constexpr std::size_t kStates = 4;  ///< of the files of one work

struct State {
    std::vector<Dependency> on;
    std::string             result;
};

/// Lengths stand before the parts, so that no two pairs of texts give the same bytes.
std::string key_of(const std::string& configuration, const std::string& work)
{
    Sha256 sum;
    for (const std::string* part : {&configuration, &work}) {
        const std::uint64_t size = part->size();
        sum.update(&size, sizeof(size));
        sum.update(*part);
    }
    return sum.finish();
}

std::string to_bytes(const std::vector<State>& states)
{
    ByteWriter out;
    out.put(static_cast<std::uint32_t>(states.size()));
    for (const State& state : states) {
        out.put(static_cast<std::uint32_t>(state.on.size()));
        for (const Dependency& one : state.on) {
            out.put(one.what);
            out.put(one.kind);
            out.put(static_cast<std::uint8_t>(one.settled));
            out.put(one.stamp);
            out.put(one.name);
            out.put(one.digest);
        }
        out.put(state.result);
    }
    const auto& bytes = out.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Empty for bytes that hold no states.
std::vector<State> from_bytes(std::string_view bytes)
{
    ByteReader         in(std::as_bytes(std::span(bytes.data(), bytes.size())));
    std::vector<State> states;
    const auto         count = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        State&     state = states.emplace_back();
        const auto on    = in.take<std::uint32_t>();
        for (std::uint32_t d = 0; d < on && in.good(); ++d) {
            Dependency& one = state.on.emplace_back();
            in.get(one.what);
            in.get(one.kind);
            one.settled = in.take<std::uint8_t>() != 0;
            in.get(one.stamp);
            in.get(one.name);
            in.get(one.digest);
        }
        in.get(state.result);
    }
    // Bytes left over mean that the entry is of another version.
    return in.done() ? states : std::vector<State>();
}

/// The files that a result depends on, also those that were only looked for.
std::vector<std::string> files_of(const std::vector<Dependency>& on)
{
    std::vector<std::string> files;
    for (const Dependency& one : on)
        if (one.what != Dependency::What::answer && one.kind == Kind::file) files.push_back(one.name);
    return files;
}

}  // namespace

std::optional<std::string> KeptResults::find(const std::string& work)
{
    const std::string key   = key_of(configuration_, work);
    const auto        bytes = folder_.load(key);
    if (!bytes) return std::nullopt;
    std::vector<State> states = from_bytes(*bytes);
    for (State& state : states) {
        bool refreshed = false;
        if (state.on.empty() || !still_hold(state.on, reread_, refreshed)) continue;
        // A file was touched but has the same content. The new stamps are stored, so that the next run need not read
        // it.
        if (refreshed) folder_.store(key, to_bytes(states));
        // The work is not done again, but its result stands for it: what it read must not be replaced.
        note_known_reads(files_of(state.on));
        ++found_;
        return std::move(state.result);
    }
    return std::nullopt;
}

void KeptResults::keep(const std::string& work, Trace& trace, std::string_view result)
{
    auto on = trace.finish();
    if (!on || on->empty()) return;
    const std::string  key     = key_of(configuration_, work);
    const auto         bytes   = folder_.load(key);
    std::vector<State> earlier = bytes ? from_bytes(*bytes) : std::vector<State>();
    std::vector<State> states{{*std::move(on), std::string(result)}};
    for (State& state : earlier)
        if (states.size() < kStates) states.push_back(std::move(state));
    folder_.store(key, to_bytes(states));
    ++kept_;
}

}  // namespace mechane::files

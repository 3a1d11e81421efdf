#include "mechane/files/kept_results.h"

#include <span>
#include <vector>

#include "mechane/core/bytes.h"
#include "mechane/core/sha256.h"

namespace mechane::files {
namespace {

constexpr std::size_t kStates = 4;  ///< of the files of one work

struct State {
    std::vector<Dependency> on;
    std::string             result;
};

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
    return in.done() ? states : std::vector<State>();
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
        if (refreshed) folder_.store(key, to_bytes(states));
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

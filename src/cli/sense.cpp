// --sense: contact forces on bodies or shapes whose labels match a pattern.
// A pattern may mean bodies or shapes; the first reading that matches anything is taken, bodies first.
// Output: one track for each sensing object, or for each pair where PATH=OTHER asks for counterparts [N, world].
// Called by sim.cpp.

#include "cli/sense.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "mechane/model/contacts.h"
#include "mechane/solvers/sensor_contact.h"

namespace mechane::cli {
namespace {

Result<solvers::SensorContact> sensor_of(const model::Model& model, const std::string& text)
{
    const std::size_t equals  = text.find('=');
    const std::string pattern = text.substr(0, equals);
    const std::string other   = equals == std::string::npos ? "" : text.substr(equals + 1);
    const auto        made    = [&](bool bodies, bool other_bodies) {
        solvers::SensorContactOptions options;
        (bodies ? options.bodies : options.shapes) = {pattern};
        if (equals != std::string::npos)
            (other_bodies ? options.counterpart_bodies : options.counterpart_shapes) = {other};
        return solvers::SensorContact::make(model, options);
    };
    auto first = made(true, true);
    if (first) return first;
    for (const auto& [bodies, other_bodies] : {std::pair{true, false}, {false, true}, {false, false}})
        if (auto next = made(bodies, other_bodies)) return next;
    return first;
}

/// The contacts of a frame as a sensor reads them.
model::Contacts contacts_of(const record::Frame& frame)
{
    model::Contacts out;
    out.resize(frame.contacts.size());
    out.rigid_contact_count = static_cast<std::int32_t>(frame.contacts.size());
    for (std::size_t i = 0; i < frame.contacts.size(); ++i) {
        out.rigid_contact_shape0[i] = frame.contacts[i].shape0;
        out.rigid_contact_shape1[i] = frame.contacts[i].shape1;
        out.rigid_contact_force[i]  = frame.contacts[i].force;
    }
    return out;
}

/// Copies in several worlds have one label and come in the order of the worlds.
std::vector<std::string> of_worlds(const std::vector<std::string>& labels)
{
    std::map<std::string_view, int> count, seen;
    for (const std::string& label : labels) ++count[label];
    std::vector<std::string> out;
    for (const std::string& label : labels)
        out.push_back(count[label] > 1 ? fmt::format("world {}: {}", seen[label]++, label) : label);
    return out;
}

}  // namespace

Result<void> try_sense(const model::Model& model, const std::vector<std::string>& patterns)
{
    for (const std::string& pattern : patterns)
        if (const auto sensor = sensor_of(model, pattern); !sensor) return sensor.error();
    return {};
}

Result<std::vector<record::SensorTrack>> sense(const model::Model& model, const std::vector<std::string>& patterns,
                                               const record::Recording& recording)
{
    std::vector<record::SensorTrack> tracks;
    for (const std::string& pattern : patterns) {
        auto sensor = sensor_of(model, pattern);
        if (!sensor) return sensor.error();
        const bool        apart = !sensor->counterparts().empty();
        const std::size_t first = tracks.size(), columns = apart ? sensor->counterparts().size() : 1;
        for (const std::string& label : of_worlds(sensor->sensing()))
            for (std::size_t c = 0; c < columns; ++c)
                tracks.push_back({apart ? label + "=" + sensor->counterparts()[c] : label, {}});
        for (const record::Frame& frame : recording.frames) {
            sensor->update(contacts_of(frame));
            const auto forces = apart ? sensor->force_matrix() : sensor->net_force();
            for (std::size_t i = 0; i < forces.size(); ++i) tracks[first + i].force.push_back(forces[i]);
        }
    }
    return tracks;
}

}  // namespace mechane::cli

// Writes a recording as comma-separated values, one line a frame (RFC 4180, with line feeds).
// Columns: time [s]; for each body its pose in the world [m, unit quaternion x y z w] and the velocity of its centre of
// mass [m/s, rad/s]; for each joint its coordinates and velocities; for each particle its position and velocity [m,
// m/s], "particle 0.px [m]"; energies [J], the number of contacts, forces of sensors [N]. The header names the unit of
// every column; of several worlds it begins with the world, "world 1: /robot/arm.px [m]".
// Numbers are printed with the fewest digits that read back to the same value, so two equal runs give equal files.
// Called by record::write.

#include <fmt/format.h>

#include <algorithm>

#include "mechane/record/write.h"
#include "number_text.h"

namespace mechane::record {
namespace {

/// A field, quoted if RFC 4180 requires it.
std::string quoted(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

class Header {
  public:
    void add(const std::string& text)
    {
        if (!out_.empty()) out_ += ',';
        out_ += quoted(text);
    }
    std::string finish() && { return std::move(out_) + "\n"; }

  private:
    std::string out_;
};

/// Copies in several worlds have one label; columns are told apart by the world.
std::string of_world(const model::Model& model, const std::string& label, std::int32_t world)
{ return model.world_count > 1 && world >= 0 ? fmt::format("world {}: {}", world, label) : label; }

/// Coordinates of a joint: position and quaternion of FREE-like joints, the quaternion of balls, one per axis
/// otherwise.
void coordinate_columns(Header& header, const model::Model& model, std::size_t joint)
{
    const std::string  label  = of_world(model, model.joint_label[joint], model.joint_world[joint]);
    const auto         count  = static_cast<std::size_t>(model.joint_q_start[joint + 1] - model.joint_q_start[joint]);
    const auto         linear = static_cast<std::size_t>(model.joint_dof_dim[joint][0]);
    static constexpr const char* kPose[] = {"px [m]", "py [m]", "pz [m]", "qx", "qy", "qz", "qw"};
    // Seven coordinates are a pose. A ball has the last four of them, which is why the loop begins at 7 - count.
    if (count == 7 || model.joint_type[joint] == model::JointType::ball) {
        for (std::size_t i = 7 - count; i < 7; ++i) header.add(fmt::format("{}.{}", label, kPose[i]));
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        header.add(fmt::format("{}.q{} [{}]", label, count == 1 ? "" : std::to_string(i), i < linear ? "m" : "rad"));
}

void velocity_columns(Header& header, const model::Model& model, std::size_t joint)
{
    const auto count  = static_cast<std::size_t>(model.joint_qd_start[joint + 1] - model.joint_qd_start[joint]);
    const auto linear = static_cast<std::size_t>(model.joint_dof_dim[joint][0]);
    const auto label  = of_world(model, model.joint_label[joint], model.joint_world[joint]);
    for (std::size_t i = 0; i < count; ++i)
        header.add(fmt::format("{}.qd{} [{}]", label, count == 1 ? "" : std::to_string(i),
                               i < linear ? "m/s" : "rad/s"));
}

void field(std::string& out, double value)
{
    out += ',';
    append_number(out, value);
}
void field(std::string& out, float value)
{
    out += ',';
    append_number(out, value);
}

}  // namespace

std::string to_csv(const model::Model& model, const Recording& recording, std::span<const SensorTrack> sensors)
{
    Header header;
    header.add("t [s]");
    for (std::size_t body = 0; body < model.body_count(); ++body)
        for (const char* column : {"px [m]", "py [m]", "pz [m]", "qx", "qy", "qz", "qw", "vx [m/s]", "vy [m/s]",
                                   "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]"})
            header.add(fmt::format("{}.{}", of_world(model, model.body_label[body], model.body_world[body]), column));
    for (std::size_t joint = 0; joint < model.joint_count(); ++joint) {
        coordinate_columns(header, model, joint);
        velocity_columns(header, model, joint);
    }
    for (std::size_t particle = 0; particle < model.particle_count(); ++particle)
        for (const char* column : {"px [m]", "py [m]", "pz [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]"})
            header.add(fmt::format("particle {}.{}", particle, column));
    for (const char* column : {"kinetic [J]", "potential [J]", "contacts"}) header.add(column);
    for (const SensorTrack& sensor : sensors)
        for (const char* column : {"fx [N]", "fy [N]", "fz [N]"})
            header.add(fmt::format("{}.{}", sensor.label, column));

    std::string out = std::move(header).finish();
    for (std::size_t f = 0; f < recording.frames.size(); ++f) {
        const Frame& frame = recording.frames[f];
        append_number(out, frame.t);
        for (std::size_t body = 0; body < frame.body_q.size(); ++body) {
            const Pose& x = frame.body_q[body];
            // A recording that was read from a file may lack velocities; its lines keep their columns.
            const Spatial v = body < frame.body_qd.size() ? frame.body_qd[body] : Spatial{};
            for (const Real value : {x.p.x, x.p.y, x.p.z, x.q.x, x.q.y, x.q.z, x.q.w}) field(out, value);
            for (const Real value : {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z})
                field(out, value);
        }
        for (std::size_t joint = 0; joint < model.joint_count(); ++joint) {
            for (auto i = model.joint_q_start[joint]; i < model.joint_q_start[joint + 1]; ++i)
                field(out, frame.joint_q[static_cast<std::size_t>(i)]);
            for (auto i = model.joint_qd_start[joint]; i < model.joint_qd_start[joint + 1]; ++i)
                field(out, frame.joint_qd[static_cast<std::size_t>(i)]);
        }
        for (std::size_t particle = 0; particle < model.particle_count(); ++particle) {
            // As of bodies: lines of a recording that lacks them keep their columns.
            const Vec3 x = particle < frame.particle_q.size() ? frame.particle_q[particle] : Vec3{},
                       v = particle < frame.particle_qd.size() ? frame.particle_qd[particle] : Vec3{};
            for (const Real value : {x.x, x.y, x.z, v.x, v.y, v.z}) field(out, value);
        }
        field(out, frame.kinetic);
        field(out, frame.potential);
        out += ',';
        append_number(out, frame.contacts.size());
        for (const SensorTrack& sensor : sensors) {
            const Vec3 force = f < sensor.force.size() ? sensor.force[f] : Vec3{};
            for (const Real value : {force.x, force.y, force.z}) field(out, value);
        }
        out += '\n';
    }
    return out;
}

}  // namespace mechane::record

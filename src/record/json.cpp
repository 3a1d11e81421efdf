// Writes a recording as JSON of the schema mechane.trajectory/1.
// Contents: names of bodies and joints, what particles belong to, frames (poses x y z and quaternion x y z w in the
// world, velocities of centres of mass, coordinates, contacts, energies), the hash of the run and a report. Units are
// SI.
// Invariant: with `reproducible`, equal runs give equal bytes: keys are sorted and wall times are left out.
// Called by record::write.

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "mechane/core/hash.h"
#include "mechane/record/write.h"
#include "number_text.h"

// Frames are printed by hand: a document object of a long run would take many times the memory of its text.
namespace mechane::record {
namespace {

/// Prints an object whose members are given in the order of reading, or sorts them.
class Object {
  public:
    // Keys in alphabetical order make files that can be compared byte by byte with those of other programs; the order
    // of reading is for people.
    Object(std::string& out, bool sorted) : out_(out), sorted_(sorted) {}

    void member(const char* key, std::function<void()> print) { members_.emplace_back(key, std::move(print)); }
    void close()
    {
        if (sorted_)
            std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        char before = '{';
        for (const auto& [key, print] : members_) {
            out_ += before;
            out_ += '"';
            out_ += key;
            out_ += "\":";
            print();
            before = ',';
        }
        out_ += members_.empty() ? "{}" : "}";
    }

  private:
    std::string&                                               out_;
    bool                                                       sorted_;
    std::vector<std::pair<std::string, std::function<void()>>> members_;
};

class Printer {
  public:
    Printer(const model::Model& model, const Recording& recording, const JsonOptions& options)
        : model_(model), recording_(recording), options_(options)
    {
    }

    std::string print()
    {
        Object root(out_, options_.reproducible);
        root.member("schema", [&] { text("mechane.trajectory/1"); });
        root.member("source", [&] { text(recording_.source); });
        root.member("solver", [&] { text(recording_.solver); });
        root.member("dt", [&] { number(recording_.dt); });
        root.member("steps", [&] { number(recording_.steps); });
        root.member("bodies", [&] { list(model_.body_label, [&](const std::string& label) { text(label); }); });
        root.member("joints", [&] { list(model_.joint_label, [&](const std::string& label) { text(label); }); });
        if (model_.particle_count() > 0) root.member("deformables", [&] { deformables(); });
        root.member("frames", [&] {
            list(recording_.frames, [&](const Frame& f) {
                out_ += '\n';
                frame(f);
            });
        });
        root.member("hash", [&] { text(to_hex(recording_.hash)); });
        // Files of recordings hold no sums over the run, and none are made up: a run has taken time.
        if (!recording_.report.wall_s.empty()) root.member("report", [&] { report(recording_.report); });
        if (!options_.sensors.empty())
            root.member("sensors", [&] { list(options_.sensors, [&](const SensorTrack& s) { sensor(s); }); });
        root.close();
        out_ += '\n';
        return std::move(out_);
    }

  private:
    // JSON knows no infinity and no NaN: those are printed as words within quotes.
    template <class Number>
    void number(Number value)
    { append_number(out_, value, "\""); }
    // Labels may hold any bytes; those that are not UTF-8 become U+FFFD.
    void text(const std::string& value)
    { out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }
    template <class List, class Print>
    void list(const List& values, Print print)
    {
        out_ += '[';
        bool first = true;
        for (const auto& value : values) {
            if (!first) out_ += ',';
            first = false;
            print(value);
        }
        out_ += ']';
    }
    void reals(const Real* begin, std::size_t count)
    {
        out_ += '[';
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out_ += ',';
            number(begin[i]);
        }
        out_ += ']';
    }
    void vec(const Vec3& v)
    {
        const Real values[] = {v.x, v.y, v.z};
        reals(values, 3);
    }
    void pose(const Pose& v)
    {
        const Real values[] = {v.p.x, v.p.y, v.p.z, v.q.x, v.q.y, v.q.z, v.q.w};
        reals(values, 7);
    }
    void spatial(const Spatial& v)
    {
        const Real values[] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
        reals(values, 6);
    }
    void shape(std::int32_t index)
    {
        if (index < 0 || static_cast<std::size_t>(index) >= model_.shape_label.size())
            out_ += "null";
        else
            text(model_.shape_label[static_cast<std::size_t>(index)]);
    }
    void contact(const ContactSample& c)
    {
        Object o(out_, options_.reproducible);
        o.member("shapes", [&] {
            out_ += '[';
            shape(c.shape0);
            out_ += ',';
            shape(c.shape1);
            out_ += ']';
        });
        o.member("point", [&] { vec(c.point); });
        o.member("normal", [&] { vec(c.normal); });
        o.member("force", [&] { vec(c.force); });
        o.member("distance", [&] { number(c.distance); });
        o.close();
    }
    void frame(const Frame& f)
    {
        Object o(out_, options_.reproducible);
        o.member("t", [&] { number(f.t); });
        o.member("body_q", [&] { list(f.body_q, [&](const Pose& v) { pose(v); }); });
        o.member("body_qd", [&] { list(f.body_qd, [&](const Spatial& v) { spatial(v); }); });
        o.member("joint_q", [&] { reals(f.joint_q.data(), f.joint_q.size()); });
        o.member("joint_qd", [&] { reals(f.joint_qd.data(), f.joint_qd.size()); });
        if (!f.particle_q.empty()) {
            o.member("particle_q", [&] { list(f.particle_q, [&](const Vec3& v) { vec(v); }); });
            o.member("particle_qd", [&] { list(f.particle_qd, [&](const Vec3& v) { vec(v); }); });
        }
        o.member("contacts", [&] { number(f.contacts.size()); });
        if (options_.contact_points)
            o.member("contact_points", [&] { list(f.contacts, [&](const ContactSample& c) { contact(c); }); });
        o.member("energy", [&] {
            Object energy(out_, options_.reproducible);
            energy.member("kinetic", [&] { number(f.kinetic); });
            energy.member("potential", [&] { number(f.potential); });
            energy.close();
        });
        o.close();
    }
    /// What the particles are part of, once for all frames.
    void deformables()
    {
        Object o(out_, options_.reproducible);
        o.member("particle_count", [&] { number(model_.particle_count()); });
        o.member("particle_radius", [&] { reals(model_.particle_radius.data(), model_.particle_radius.size()); });
        const auto corners = [&](const auto& rows) {
            list(rows, [&](const auto& row) { list(row, [&](std::int32_t i) { number(i); }); });
        };
        o.member("triangles", [&] { corners(model_.tri_indices); });
        o.member("tetrahedra", [&] { corners(model_.tet_indices); });
        o.member("springs", [&] { list(model_.spring_indices, [&](std::int32_t i) { number(i); }); });
        const auto range = [&](Object& to, const char* name, const model::SoftObject::Range& ends) {
            to.member(name, [&, ends] { list(ends, [&](std::int32_t i) { number(i); }); });
        };
        const auto objects = [&](const std::vector<model::SoftObject>& all, bool volume) {
            list(all, [&](const model::SoftObject& one) {
                Object item(out_, options_.reproducible);
                item.member("label", [&] { text(one.label); });
                range(item, "particles", one.particle);
                if (volume)
                    range(item, "tetrahedra", one.tet);
                else
                    range(item, "triangles", one.tri);
                item.close();
            });
        };
        o.member("surfaces", [&] { objects(model_.surfaces, false); });
        o.member("volumes", [&] { objects(model_.volumes, true); });
        o.close();
    }
    void sensor(const SensorTrack& s)
    {
        Object o(out_, options_.reproducible);
        o.member("label", [&] { text(s.label); });
        o.member("force", [&] { list(s.force, [&](const Vec3& v) { vec(v); }); });
        o.close();
    }
    void broken(const BreakEvent& e)
    {
        Object o(out_, options_.reproducible);
        o.member("joint", [&] { text(model_.joint_label[static_cast<std::size_t>(e.joint)]); });
        o.member("t", [&] { number(e.t); });
        o.member("force", [&] { number(e.force); });
        o.member("torque", [&] { number(e.torque); });
        o.close();
    }
    void report(const RunReport& r)
    {
        Object o(out_, options_.reproducible);
        if (!r.dt_source.empty()) o.member("dt_source", [&] { text(r.dt_source); });
        o.member("contacts_max", [&] { number(r.contacts_max); });
        o.member("contacts_mean", [&] { number(r.contacts_mean); });
        o.member("deepest_penetration", [&] { number(r.deepest_penetration); });
        o.member("final_penetration", [&] { number(r.final_penetration); });
        o.member("start_overlap", [&] { number(r.start_overlap); });
        o.member("final_overlap", [&] { number(r.final_overlap); });
        o.member("joint_error_linear", [&] { number(r.joint_error_linear); });
        o.member("joint_error_angular", [&] { number(r.joint_error_angular); });
        o.member("clamped_velocities", [&] { number(r.clamped_velocities); });
        o.member("broken_joints", [&] { list(r.broken, [&](const BreakEvent& e) { broken(e); }); });
        // Wall times differ from run to run, and are left out where files must be the same.
        if (!options_.reproducible)
            o.member("wall_s", [&] {
                Object wall(out_, true);
                for (const auto& [phase, seconds] : r.wall_s)
                    wall.member(phase.c_str(), [this, s = seconds] { number(s); });
                wall.close();
            });
        o.close();
    }

    const model::Model& model_;
    const Recording&    recording_;
    JsonOptions         options_;
    std::string         out_;
};

}  // namespace

std::string to_json(const model::Model& model, const Recording& recording, const JsonOptions& options)
{ return Printer(model, recording, options).print(); }

}  // namespace mechane::record

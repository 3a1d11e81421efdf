// Recordings for the viewer Rerun (.rrd), by its Python package in a child process.
// The format belongs to that package, so it writes the file; it is given a line of JSON and arrays of bytes.
// Meshes are static below the entity of their body, and bodies have columns of poses over time.
// Called by write_output.

#include "cli/rrd.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "cli/child.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/viewer/codes.h"
#include "mechane/viewer/scene.h"

namespace mechane::cli {
namespace {

using nlohmann::json;

/// What Rerun's package is told: a line of JSON, then the arrays that it names, one after the other.
constexpr const char* kScript = R"PY(
import json, sys
try:
    import rerun as rr
    import numpy as np  # which rerun needs too
except ImportError as missing:
    sys.exit(f"the package rerun-sdk is not there ({missing})" if missing.name == "rerun" else f"rerun-sdk is not complete ({missing})")
source = sys.stdin.buffer
head = json.loads(source.readline())
def array(spec):
    kind = np.dtype(spec["type"])
    count = int(np.prod(spec["shape"], dtype=np.int64))
    return np.frombuffer(source.read(count * kind.itemsize), kind).reshape(spec["shape"])
arrays = [array(spec) for spec in head["arrays"]]
out = rr.RecordingStream("mechane", recording_id=head["id"])
out.save(sys.argv[1])
out.log("/", (rr.ViewCoordinates.RIGHT_HAND_X_UP, rr.ViewCoordinates.RIGHT_HAND_Y_UP, rr.ViewCoordinates.RIGHT_HAND_Z_UP)[head["up"]], static=True)
for item in head["items"]:
    mesh = item["mesh"]
    out.log(item["entity"], rr.Mesh3D(vertex_positions=arrays[mesh], vertex_normals=arrays[mesh + 1], triangle_indices=arrays[mesh + 2],
                                      albedo_factor=item["color"]),
            rr.Transform3D(translation=item["p"], quaternion=rr.Quaternion(xyzw=item["q"])), static=True)
times = arrays[head["times"]]
for body in head["bodies"]:
    poses = arrays[body["poses"]]
    out.send_columns(body["entity"], indexes=[rr.TimeColumn("time", duration=times)],
                     columns=rr.Transform3D.columns(translation=poses[:, :3], quaternion=poses[:, 3:]))
out.flush()
)PY";

/// The arrays behind the line of JSON.
class Arrays {
  public:
    template <class T>
    std::size_t add(std::span<const T> values, const char* type, std::vector<std::size_t> shape)
    {
        specs_.push_back({{"type", type}, {"shape", std::move(shape)}});
        const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
        bytes_.insert(bytes_.end(), bytes, bytes + values.size_bytes());
        return specs_.size() - 1;
    }
    [[nodiscard]] const json&                       specs() const { return specs_; }
    [[nodiscard]] const std::vector<unsigned char>& bytes() const { return bytes_; }

  private:
    json                       specs_ = json::array();
    std::vector<unsigned char> bytes_;
};

/// An entity path of Rerun: of a label what it may hold as it is, with the number where two bodies have one label.
std::string entity_of(const model::Model& model, std::int32_t body)
{
    if (body < 0) return "/world";
    std::string out;
    for (const char c : model.body_label[static_cast<std::size_t>(body)])
        out +=
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' || c == '.' ? c : '_';
    if (!out.starts_with('/')) out = "/" + out;
    return fmt::format("{}/body_{}", out, body);
}

json numbers(const Vec3d& v) { return {v.x, v.y, v.z}; }

}  // namespace

bool is_rrd(const std::string& file) { return files::has_suffix(file, {".rrd"}); }

Result<void> write_rrd(const model::Model& model, const record::Recording& recording, const std::string& file)
{
    const auto python = python_program();
    if (!python)
        return make_diagnostic(viewer::kRrdPackage, {.layer = file},
                               "no python3 is on the path, which rerun-sdk needs");
    const viewer::Scene      scene = viewer::build_scene(model);
    Arrays                   arrays;
    std::vector<std::size_t> first_of_mesh;
    for (const viewer::DrawMesh& mesh : scene.meshes) {
        first_of_mesh.push_back(arrays.add(std::span(mesh.positions), "<f4", {mesh.positions.size(), 3}));
        arrays.add(std::span(mesh.normals), "<f4", {mesh.normals.size(), 3});
        arrays.add(std::span(mesh.triangles), "<u4", {mesh.triangles.size(), 3});
    }
    json items = json::array(), bodies = json::array();
    for (const viewer::DrawItem& item : scene.items) {
        if (!item.solid) continue;
        // What is soft is no shape: it has a number of its own.
        const std::string what =
            item.soft >= 0 ? fmt::format("soft_{}", item.soft) : fmt::format("shape_{}", item.shape);
        items.push_back({{"entity", fmt::format("{}/{}", entity_of(model, item.body), what)},
                         {"mesh", first_of_mesh[static_cast<std::size_t>(item.mesh)]},
                         {"p", numbers(item.X_BS.p)},
                         {"q", {item.X_BS.q.x, item.X_BS.q.y, item.X_BS.q.z, item.X_BS.q.w}},
                         {"color", {item.color.x, item.color.y, item.color.z, item.opacity}}});
    }
    std::vector<double> times;
    for (const record::Frame& frame : recording.frames) times.push_back(frame.t);
    const std::size_t when = arrays.add(std::span<const double>(times), "<f8", {times.size()});
    for (std::size_t body = 0; body < model.body_count(); ++body) {
        std::vector<float> poses;
        for (const record::Frame& frame : recording.frames) {
            const Pose& at = frame.body_q[body];
            for (const Real number : {at.p.x, at.p.y, at.p.z, at.q.x, at.q.y, at.q.z, at.q.w})
                poses.push_back(static_cast<float>(number));
        }
        bodies.push_back({{"entity", entity_of(model, static_cast<std::int32_t>(body))},
                          {"poses", arrays.add(std::span<const float>(poses), "<f4", {times.size(), 7})}});
    }
    const std::string head = json{{"id", fmt::format("mechane-{}", recording.source)},
                                  {"up", scene.up_axis},
                                  {"arrays", arrays.specs()},
                                  {"items", items},
                                  {"times", when},
                                  {"bodies", bodies}}
                                 .dump(-1, ' ', true, json::error_handler_t::replace) +
                             "\n";
    Result<void>      done;
    const auto        write = [&](const std::string& temporary) {
        auto child = Child::start({*python, "-c", kScript, temporary});
        if (child) {
            child->write(std::span(reinterpret_cast<const unsigned char*>(head.data()), head.size()));
            child->write(arrays.bytes());
        }
        const auto status = child ? child->wait(std::chrono::minutes(10)) : std::nullopt;
        if (status != 0) {
            std::string said = child ? child->errors() : std::string();
            while (said.ends_with('\n')) said.pop_back();
            done =
                make_diagnostic(viewer::kRrdPackage, {.layer = file},
                                fmt::format("{} could not write it: {}", *python, said.substr(said.rfind('\n') + 1)));
        }
        return status == 0;
    };
    auto replaced = files::replace_with(file, write);
    return done ? replaced : done;
}

}  // namespace mechane::cli

// Writes the page of the viewer: the bundle of web/, with the model and the frames embedded as JSON.
// The bundle is linked into the program. Its data stand at a mark, as one JSON document "mechane.view/1" whose arrays
// are base64 of little-endian numbers: poses [m], quaternions as int16, normals as int8, points of meshes as fractions
// of their box in 16 bits. One file shows everything without a server.
// Invariants: the page runs no code but its own (labels cannot end the script); the same inputs give the same bytes.
// Called by `mechane view`, `mechane diff` and the notebooks.

#include "mechane/viewer/html.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base64.h"
#include "jpeg.h"
#include "mechane/simulation/atomic_file.h"
#include "mechane/viewer/scene.h"
#include "png.h"
#include "viewer/parts.h"

// web/src/view.ts is the other side of this format, "mechane.view/1".
static_assert(std::endian::native == std::endian::little, "arrays are embedded as they lie in memory");

extern "C" {
extern const char mechane_viewer_page_begin[];
extern const char mechane_viewer_page_end[];
}

namespace mechane::viewer {
namespace {

using nlohmann::json;

constexpr std::string_view kMark = "\"--view--\"";

template <class T>
std::string encode(const std::vector<T>& values)
{ return base64(std::as_bytes(std::span<const T>(values))); }

/// Numbers that are not finite become 0: they cannot be drawn, and JSON cannot hold them.
template <class Int>
Int quantised(double unit, double largest)
{ return static_cast<Int>(std::lround(std::clamp(std::isfinite(unit) ? unit : 0.0, -1.0, 1.0) * largest)); }

/// Drawing needs no more digits, and a short text keeps the page small.
json number(double value) { return std::round(value * 1e6) / 1e6; }
json pose_json(const Posed& x)
{
    return json::array(
        {number(x.p.x), number(x.p.y), number(x.p.z), number(x.q.x), number(x.q.y), number(x.q.z), number(x.q.w)});
}
json vec_json(const Vec3f& v) { return json::array({number(v.x), number(v.y), number(v.z)}); }

json mesh_json(const DrawMesh& mesh)
{
    Vec3f lower{INFINITY, INFINITY, INFINITY}, upper{-INFINITY, -INFINITY, -INFINITY};
    for (const Vec3f& p : mesh.positions) {
        lower = min(lower, p);
        upper = max(upper, p);
    }
    const Vec3f                extent = upper - lower;
    std::vector<std::uint16_t> positions;
    std::vector<std::int8_t>   normals;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            positions.push_back(
                quantised<std::uint16_t>(extent[k] > 0 ? (mesh.positions[i][k] - lower[k]) / extent[k] : 0, 65535));
            normals.push_back(quantised<std::int8_t>(mesh.normals[i][k], 127));
        }
    // Indices fit 16 bits in most meshes, which halves their size.
    const bool wide    = mesh.positions.size() > 65535;
    const auto indices = [&](const auto& tuples) {
        std::vector<std::uint32_t> flat;
        for (const auto& tuple : tuples) flat.insert(flat.end(), tuple.begin(), tuple.end());
        if (wide) return encode(flat);
        std::vector<std::uint16_t> narrow(flat.size());
        std::transform(flat.begin(), flat.end(), narrow.begin(),
                       [](std::uint32_t i) { return static_cast<std::uint16_t>(i); });
        return encode(narrow);
    };
    // The box must be exact: the fractions refer to it.
    const auto exact = [](const Vec3f& v) { return json::array({v.x, v.y, v.z}); };
    json       out{{"lower", exact(lower)},
                   {"extent", exact(extent)},
                   {"positions", encode(positions)},
                   {"normals", encode(normals)},
                   {"triangles", indices(mesh.triangles)},
                   {"lines", indices(mesh.lines)},
                   {"wide", wide}};
    if (!mesh.uvs.empty()) out["uvs"] = encode(mesh.uvs);
    return out;
}

/// The largest size of a picture whose edges are no longer than this.
const model::Pixels& fitting(const DrawPicture& picture, int edge)
{
    for (const model::Pixels& level : picture.levels)
        if (level.width <= edge && level.height <= edge) return level;
    return picture.levels.back();
}

std::string picture_uri(const model::Pixels& from)
{
    Image image{from.width, from.height, {}};
    for (std::size_t i = 0; i < from.rgba.size(); ++i)
        if (i % 4 != 3) image.pixels.push_back(from.rgba[i]);
    const std::string png = encode_png(image);
    // Small pictures have edges that matter; of large ones the smaller file.
    constexpr std::size_t kExact = std::size_t{64} * 64 * 3;
    const std::string     jpeg   = image.pixels.size() > kExact ? encode_jpeg(image) : std::string();
    const bool            exact  = jpeg.empty() || png.size() <= jpeg.size();
    return (exact ? "data:image/png;base64," : "data:image/jpeg;base64,") +
           base64(std::as_bytes(std::span<const char>(exact ? png : jpeg)));
}

/// All pictures, smaller until they are short enough together.
/// Halving the longest edge quarters the bytes, so the loop ends after few rounds.
json pictures_json(const Scene& scene)
{
    for (int edge = kPagePictureEdge;; edge /= 2) {
        json        out  = json::array();
        std::size_t size = 0;
        for (const DrawPicture& picture : scene.pictures) {
            out.push_back(picture_uri(fitting(picture, edge)));
            size += out.back().get_ref<const std::string&>().size();
        }
        if (size <= kPagePictureBytes || edge <= 16) return out;
    }
}

const char* wrap_name(model::Wrap wrap)
{
    switch (wrap) {
        case model::Wrap::black:
            return "black";
        case model::Wrap::clamp:
            return "clamp";
        case model::Wrap::mirror:
            return "mirror";
        case model::Wrap::repeat:
            break;
    }
    return "repeat";
}

json frames_json(const model::Model& model, const record::Recording& recording, bool with_contacts)
{
    std::vector<float>        times, positions, points, forces;
    std::vector<std::int16_t> rotations, normals;
    // Contacts of all frames stand in one array; start[f] to start[f + 1] are those of frame f.
    std::vector<std::uint32_t> start{0};
    const auto                 push = [](std::vector<float>& to, const Vec3& v) {
        for (const Real x : {v.x, v.y, v.z}) to.push_back(static_cast<float>(x));
    };
    for (const record::Frame& frame : recording.frames) {
        times.push_back(static_cast<float>(frame.t));
        for (std::size_t body = 0; body < model.body_count(); ++body) {
            const Pose x = body < frame.body_q.size() ? frame.body_q[body] : model.body_q[body];
            push(positions, x.p);
            const Quatd q = normalized(static_cast<Quatd>(x.q));
            for (const double c : {q.x, q.y, q.z, q.w}) rotations.push_back(quantised<std::int16_t>(c, 32767));
        }
        if (with_contacts)
            for (const record::ContactSample& c : frame.contacts) {
                if (!is_finite(c.point)) continue;
                push(points, c.point);
                push(forces, is_finite(c.force) ? c.force : Vec3{});
                for (const Real n : {c.normal.x, c.normal.y, c.normal.z})
                    normals.push_back(quantised<std::int16_t>(n, 32767));
            }
        start.push_back(static_cast<std::uint32_t>(points.size() / 3));
    }
    return {{"times", encode(times)},
            {"positions", encode(positions)},
            {"rotations", encode(rotations)},
            {"contacts",
             {{"start", encode(start)},
              {"points", encode(points)},
              {"normals", encode(normals)},
              {"forces", encode(forces)}}}};
}

/// The particles that are drawn, each once, in order.
std::vector<std::int32_t> drawn_particles(const Scene& scene)
{
    std::vector<std::int32_t> out;
    for (const DrawSoft& soft : scene.softs) out.insert(out.end(), soft.particles.begin(), soft.particles.end());
    for (const DrawBall& ball : scene.balls) out.push_back(ball.particle);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Surfaces and balls of particles: what they are made of, and where the particles are in each frame, as fractions of
/// one box.
void put_softs(json& out, const Scene& scene, const record::Recording& recording, bool single)
{
    const std::vector<std::int32_t> drawn = drawn_particles(scene);
    if (drawn.empty()) return;
    const auto row_of = [&](std::int32_t p) {
        return static_cast<std::uint32_t>(std::lower_bound(drawn.begin(), drawn.end(), p) - drawn.begin());
    };
    out["softs"] = json::array();
    for (const DrawItem& item : scene.items) {
        if (item.soft < 0) continue;
        const DrawSoft&            soft = scene.softs[static_cast<std::size_t>(item.soft)];
        std::vector<std::uint32_t> rows, corners;
        for (const std::int32_t p : soft.particles) rows.push_back(row_of(p));
        for (const auto& t : scene.meshes[static_cast<std::size_t>(item.mesh)].triangles)
            corners.insert(corners.end(), t.begin(), t.end());
        out["softs"].push_back({{"label", soft.label},
                                {"particles", encode(rows)},
                                {"triangles", encode(corners)},
                                {"color", vec_json(item.color)},
                                {"opacity", number(item.opacity)}});
    }
    if (!scene.balls.empty()) {
        std::vector<std::uint32_t> rows;
        std::vector<float>         radii;
        for (const DrawBall& ball : scene.balls) rows.push_back(row_of(ball.particle)), radii.push_back(ball.radius);
        out["balls"] = {{"particles", encode(rows)}, {"radii", encode(radii)}, {"color", vec_json(kBallColor)}};
    }
    const auto place = [&](const record::Frame& frame, std::int32_t p) {
        const auto at = static_cast<std::size_t>(p);
        return at < frame.particle_q.size() && is_finite(frame.particle_q[at])
                   ? static_cast<Vec3f>(frame.particle_q[at])
                   : Vec3f{};
    };
    Vec3f lower{INFINITY, INFINITY, INFINITY}, upper{-INFINITY, -INFINITY, -INFINITY};
    for (const record::Frame& frame : recording.frames)
        for (const std::int32_t p : drawn) lower = min(lower, place(frame, p)), upper = max(upper, place(frame, p));
    const Vec3f                extent = upper - lower;
    std::vector<std::uint16_t> places;
    for (const record::Frame& frame : recording.frames)
        for (const std::int32_t p : drawn)
            for (std::size_t k = 0; k < 3; ++k)
                places.push_back(
                    quantised<std::uint16_t>(extent[k] > 0 ? (place(frame, p)[k] - lower[k]) / extent[k] : 0, 65535));
    out["particles"] = {{"count", drawn.size()},
                        {"lower", json::array({lower.x, lower.y, lower.z})},
                        {"extent", json::array({extent.x, extent.y, extent.z})},
                        {"places", encode(places)}};
    if (single) out["particles"]["drawn"] = encode(std::vector<std::uint32_t>(drawn.begin(), drawn.end()));
}

json document(const model::Model& model, const record::Recording& recording, const HtmlOptions& options)
{
    const Scene scene = build_scene(model);
    json        out   = frames_json(model, recording, options.contacts);
    out["schema"]     = "mechane.view/1";
    out["title"]  = options.title.empty() ? std::filesystem::path(recording.source).filename().string() : options.title;
    out["solver"] = recording.solver;
    out["up"]     = model.up_axis;
    out["bodies"] = model.body_count();
    out["meshes"] = out["items"] = out["grounds"] = json::array();
    put_softs(out, scene, recording, !options.live.empty());
    // Meshes of particles come last, and their vertices with the frames.
    const auto rigid =
        std::find_if(scene.items.begin(), scene.items.end(), [](const DrawItem& i) { return i.soft >= 0; });
    const auto count = rigid != scene.items.end() ? static_cast<std::size_t>(rigid->mesh)
                       : scene.ball_mesh >= 0     ? static_cast<std::size_t>(scene.ball_mesh)
                                                  : scene.meshes.size();
    for (std::size_t i = 0; i < count; ++i) out["meshes"].push_back(mesh_json(scene.meshes[i]));
    if (!scene.pictures.empty()) out["pictures"] = pictures_json(scene);
    for (const DrawItem& item : scene.items) {
        if (item.soft >= 0) continue;
        out["items"].push_back({{"label", model.shape_label[static_cast<std::size_t>(item.shape)]},
                                {"shape", item.shape},
                                {"body", item.body},
                                {"mesh", item.mesh},
                                {"pose", pose_json(item.X_BS)},
                                {"color", vec_json(item.color)},
                                {"opacity", number(item.opacity)},
                                {"solid", item.solid},
                                {"collider", item.collider}});
        if (item.picture < 0) continue;
        out["items"].back()["picture"] = item.picture;
        out["items"].back()["wrap"]    = {wrap_name(item.wrap_s), wrap_name(item.wrap_t)};
    }
    for (const Ground& ground : scene.grounds)
        out["grounds"].push_back(
            {{"body", ground.body}, {"pose", pose_json(ground.X_BS)}, {"color", vec_json(ground.color)}});
    out["parts"] = parts_json(model);
    if (!options.looks.empty()) out["looks"] = json::parse(options.looks, nullptr, false);
    if (!options.live.empty()) out["live"] = json::parse(options.live, nullptr, false);
    return out;
}

/// The page with a nonce on its script and on its style; the bundle holds one of each, before the body.
std::string with_nonce(std::string page, const std::string& nonce)
{
    for (const std::string_view element : {"<script", "<style"})
        for (std::size_t at = page.find(element); at != std::string::npos && at < page.find("<body");
             at             = page.find(element, at + 1))
            page.insert(at + element.size(), " nonce=\"" + nonce + "\"");
    return page;
}

}  // namespace

std::string to_html(const model::Model& model, const record::Recording& recording, const HtmlOptions& options)
{
    std::string page(mechane_viewer_page_begin, mechane_viewer_page_end);
    if (!options.nonce.empty()) page = with_nonce(std::move(page), options.nonce);
    const std::size_t mark = page.find(kMark);
    MCH_CHECK(mark != std::string::npos);
    // A label must not end the script element early: "<" is written as an escape, which JSON reads back as itself.
    const std::string data = document(model, recording, options).dump(-1, ' ', false, json::error_handler_t::replace);
    std::string       out  = page.substr(0, mark);
    out.reserve(page.size() + data.size());
    for (const char c : data) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    out += std::string_view(page).substr(mark + kMark.size());
    return out;
}

Result<void> write_html(const model::Model& model, const record::Recording& recording, const std::string& file,
                        const HtmlOptions& options)
{ return record::write_file(file, to_html(model, recording, options)); }

}  // namespace mechane::viewer

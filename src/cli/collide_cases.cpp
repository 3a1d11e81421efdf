// Contacts of pairs of shapes from a file (mechane.cases/1), for comparisons with other libraries and for bug reports.
// Each case is a model of two shapes. "auto" goes through the collision pipeline; "mpr" and "gjk" call the algorithms
// directly with the support maps below.
// A fault in one case is told in its row and does not end the others.
// Sizes: half extents of boxes, radius and half height of round shapes, full sizes of planes [m].
// Called by collide.cpp.

#include "cli/collide_cases.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/contact_rows.h"
#include "mechane/collision/pipeline.h"
#include "mechane/collision/support_map.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/model/builder.h"

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

constexpr Code kCases{"CLI_CASES", Severity::error, "A file of collision cases is invalid.",
                      "Write {\"schema\": \"mechane.cases/1\", \"cases\": [{\"id\", \"a\", \"b\", \"gap\"}, ...]}."};

/// The fault of one case; its row in the output has the text.
/// Errors of a case are texts and no diagnostics: a file of cases has no sites.
struct CaseError {
    std::string text;
};
template <class T>
using Read = std::variant<T, CaseError>;

CaseError bad(std::string text) { return {std::move(text)}; }

// The bound keeps a file from taking memory before its shape is known.
std::optional<std::vector<double>> numbers(const Json& value, std::size_t most)
{
    if (!value.is_array() || value.size() > most) return std::nullopt;
    std::vector<double> out;
    for (const Json& x : value) {
        if (!x.is_number()) return std::nullopt;
        out.push_back(x.get<double>());
    }
    return out;
}

// `sizes` is how many numbers of "scale" the type needs.
struct Type {
    const char*    name;
    model::GeoType type;
    std::size_t    sizes;
};
constexpr Type kTypes[] = {{"plane", model::GeoType::plane, 2},   {"heightfield", model::GeoType::heightfield, 0},
                           {"sphere", model::GeoType::sphere, 1}, {"capsule", model::GeoType::capsule, 2},
                           {"box", model::GeoType::box, 3},       {"cylinder", model::GeoType::cylinder, 2},
                           {"cone", model::GeoType::cone, 2},     {"ellipsoid", model::GeoType::ellipsoid, 3},
                           {"mesh", model::GeoType::mesh, 0},     {"convex_mesh", model::GeoType::convex_mesh, 0}};

// A convex mesh may come without triangles: its hull is made of the points.
Read<std::shared_ptr<const geometry::Mesh>> mesh_of(const Json& json)
{
    geometry::Mesh mesh;
    if (!json.contains("vertices")) return bad("a mesh without vertices");
    for (const Json& v : json["vertices"]) {
        const auto p = numbers(v, 3);
        if (!p || p->size() != 3) return bad(fmt::format("vertex {} is not three numbers", mesh.points.size()));
        mesh.points.push_back({(*p)[0], (*p)[1], (*p)[2]});
        if (!is_finite(mesh.points.back())) return bad(fmt::format("vertex {} is not finite", mesh.points.size() - 1));
    }
    for (const Json& t : json.value("indices", Json::array())) {
        const auto i = numbers(t, 3);
        if (!i || i->size() != 3) return bad(fmt::format("triangle {} is not three indices", mesh.triangles.size()));
        auto& triangle = mesh.triangles.emplace_back();
        // Indices come as numbers of JSON and may be fractions.
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = (*i)[k];
            if (!(x >= 0 && x < static_cast<double>(mesh.points.size())) || x != std::floor(x))
                return bad(
                    fmt::format("triangle {} names vertex {} of {}", mesh.triangles.size() - 1, x, mesh.points.size()));
            triangle[k] = static_cast<std::int32_t>(x);
        }
    }
    return std::make_shared<const geometry::Mesh>(std::move(mesh));
}

Read<std::shared_ptr<const geometry::Mesh>> field_of(const Json& json)
{
    if (!json.contains("heightfield") || !json["heightfield"].is_object()) return bad("a heightfield without its grid");
    const Json&          h = json["heightfield"];
    geometry::HeightGrid grid;
    grid.rows    = h.value("rows", 0);
    grid.columns = h.value("cols", 0);
    grid.half_x  = h.value("hx", 1.0);
    grid.half_y  = h.value("hy", 1.0);
    // 16 million heights, as in a grid of 4096 by 4096.
    const auto data = numbers(h.value("data", Json::array()), std::size_t{1} << 24);
    if (!data) return bad("the data of the heightfield are not numbers");
    grid.elevations = *data;
    auto mesh       = geometry::heightfield_mesh(grid);
    if (!mesh) return bad(mesh.error().message);
    return std::make_shared<const geometry::Mesh>(*std::move(mesh));
}

Read<model::BuilderShape> shape_of(const Json& json)
{
    if (!json.is_object()) return bad("a shape is not an object");
    const std::string name = json.value("type", "");
    const auto type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return name == t.name; });
    if (type == std::end(kTypes)) return bad(fmt::format("there is no shape '{}'", name));
    model::BuilderShape shape;
    shape.type       = type->type;
    const auto sizes = numbers(json.value("scale", Json::array()), 3);
    if (!sizes || sizes->size() < type->sizes)
        return bad(fmt::format("scale of a {} takes {} numbers", name, type->sizes));
    // Meshes have a factor as their scale, 1 by default; the sizes of other shapes begin at zero.
    if (type->sizes > 0) shape.scale = {};
    for (std::size_t i = 0; i < sizes->size(); ++i) {
        shape.scale[i] = (*sizes)[i];
        if (!std::isfinite(shape.scale[i]) || (type->sizes > 0 && shape.scale[i] < 0))
            return bad(fmt::format("scale[{}] of a {} is {}", i, name, shape.scale[i]));
    }
    // Poses of both shapes are in the world.
    const auto pose = numbers(json.value("pose", Json{0, 0, 0, 0, 0, 0, 1}), 7);
    if (!pose || pose->size() != 7) return bad("pose takes seven numbers, px py pz qx qy qz qw");
    shape.xform = {{(*pose)[0], (*pose)[1], (*pose)[2]}, {(*pose)[3], (*pose)[4], (*pose)[5], (*pose)[6]}};
    if (!is_finite(shape.xform) || std::abs(dot(shape.xform.q, shape.xform.q) - 1) > 1e-3)
        return bad("pose is not finite, or its quaternion not a unit one");
    shape.config.margin = json.value("margin", 0.0);
    if (type->type == model::GeoType::mesh || type->type == model::GeoType::convex_mesh ||
        type->type == model::GeoType::heightfield) {
        auto mesh = type->type == model::GeoType::heightfield ? field_of(json) : mesh_of(json);
        if (const auto* error = std::get_if<CaseError>(&mesh)) return *error;
        shape.source = std::get<0>(mesh);
    }
    // The names are those of Newton's SDF options.
    if (const auto sdf = json.find("sdf"); sdf != json.end() && sdf->is_object()) {
        model::SdfConfig config;
        config.force_sdf = true;
        if (sdf->contains("max_resolution")) config.sdf_max_resolution = (*sdf)["max_resolution"].get<int>();
        if (sdf->contains("target_voxel_size"))
            config.sdf_target_voxel_size = (*sdf)["target_voxel_size"].get<double>();
        if (sdf->contains("padding")) config.sdf_padding = (*sdf)["padding"].get<double>();
        config.sdf_narrow_band_inner = sdf->value("narrow_band_inner", config.sdf_narrow_band_inner);
        config.sdf_narrow_band_outer = sdf->value("narrow_band_outer", config.sdf_narrow_band_outer);
        shape.config.sdf             = config;
        shape.config.is_hydroelastic = sdf->value("hydroelastic", false);
        shape.config.kh              = sdf->value("stiffness", shape.config.kh);
    }
    return shape;
}

// Shapes that cannot have a body that moves.
bool stays(model::GeoType type) { return type == model::GeoType::plane || type == model::GeoType::heightfield; }

/// The contacts of one case, through the pipeline.
Read<Json> answer(const Json& json)
{
    model::ModelBuilder builder;
    const double        gap = json.value("gap", 0.0);
    if (!std::isfinite(gap)) return bad("gap is not finite");
    for (const char* side : {"a", "b"}) {
        auto shape = shape_of(json.value(side, Json()));
        if (const auto* error = std::get_if<CaseError>(&shape)) return bad(fmt::format("{}: {}", side, error->text));
        auto& s      = std::get<0>(shape);
        s.label      = side;
        s.config.gap = 0.5 * gap;  // the gap of a pair is the sum of both shapes' gaps
        // Without density a body needs no valid volume; masses are of no matter to contacts.
        s.config.density = 0;
        // The body carries the pose, so that the shape's own stays the identity.
        if (!stays(s.type)) {
            s.body  = builder.add_body(s.xform, side);
            s.xform = {};
        }
        builder.add_shape(std::move(s));
    }
    Diagnostics found;
    const auto  model = builder.finalize({}, found);
    if (!model) return bad(model.error().message);
    // The pipeline would leave the shape out without a word in the row.
    if (const Diagnostic* unusable = found.find("MODEL_SHAPE_DEGENERATE")) return bad(unusable->message);
    collision::CollisionPipeline pipeline(*model);
    for (const Diagnostic& d : pipeline.diagnostics().items())
        if (d.severity == Severity::error) return bad(d.message);
    auto       contacts = pipeline.make_contacts();
    const auto state    = model::make_state(*model);
    pipeline.collide(state, 0, contacts);
    Json rows = Json::array();
    // The smallest distance of all contacts of the case.
    double distance = kInfinity;
    for (ContactRow row : contact_rows(*model, state, contacts)) {
        // Rows always speak of a first and b second; the pipeline may have ordered them the other way.
        if (row.shape0 != 0) row = reversed(row);
        distance = std::min(distance, row.distance);
        rows.push_back(to_json(row));
    }
    Json out{{"contacts", std::move(rows)}, {"distance", nullptr}};
    if (std::isfinite(distance)) out["distance"] = distance;
    return out;
}

/// Support map: the point of a convex shape that lies farthest along a direction, in the shape's frame.
/// The support map h(d) = argmax over the shape of d . p. For a scaled ball it is S^2 d / |S d|; for the cylinder and
/// the cone the disk and the axis are chosen apart.
Vec3d support_of(const model::BuilderShape& shape, const Vec3d& d)
{
    const Vec3d  s = shape.scale;
    const double r = std::hypot(d.x, d.y), l = length(d), up = std::copysign(1.0, d.z);
    switch (shape.type) {
        case model::GeoType::sphere:
            return (s.x / l) * d;
        case model::GeoType::capsule:
            return (s.x / l) * d + Vec3d{0, 0, up * s.y};
        case model::GeoType::ellipsoid: {
            const Vec3d m = scale(s, d);
            return length(m) > 0 ? (1 / length(m)) * scale(s, m) : Vec3d{};
        }
        case model::GeoType::cylinder:
            return {r > 0 ? s.x * d.x / r : 0, r > 0 ? s.x * d.y / r : 0, up * s.y};
        case model::GeoType::cone:
            // d is steeper than the side's normal (2 h, r) if 2 h d_z > r |d_xy|.
            // The apex, if the direction is steeper than the normal of the side.
            if (2 * s.y * d.z > s.x * r) return {0, 0, s.y};
            return {r > 0 ? s.x * d.x / r : 0, r > 0 ? s.x * d.y / r : 0, -s.y};
        case model::GeoType::box:
            return {std::copysign(s.x, d.x), std::copysign(s.y, d.y), std::copysign(s.z, d.z)};
        case model::GeoType::convex_mesh:
        case model::GeoType::mesh:
        case model::GeoType::plane:
        case model::GeoType::heightfield:
        case model::GeoType::none:
        case model::GeoType::gaussian:
            break;
    }
    // The best vertex by looking at all, which is as good as a search for meshes of cases.
    Vec3d  best;
    double most = -kInfinity;
    for (const Vec3d& point : shape.source->points)
        if (const Vec3d p = scale(s, point); dot(p, d) > most) most = dot(p, d), best = p;
    return best;
}

/// The same case by support maps.
/// Only the support maps and the algorithms of collision/ take part, no margins, caches or broad phase.
Read<Json> answer_by_supports(const Json& json, bool portals)
{
    std::array<model::BuilderShape, 2> shapes;
    double                             reach = json.value("gap", 0.0);
    if (!std::isfinite(reach)) return bad("gap is not finite");
    for (std::size_t i = 0; i < 2; ++i) {
        const char* side = i == 0 ? "a" : "b";
        auto        read = shape_of(json.value(side, Json()));
        if (const auto* error = std::get_if<CaseError>(&read)) return bad(fmt::format("{}: {}", side, error->text));
        shapes[i] = std::move(std::get<0>(read));
        // Margins widen the reach, as the pipeline looks for contacts up to the sum of margins and gap.
        reach += shapes[i].config.margin;
        using model::GeoType;
        const GeoType type = shapes[i].type;
        if (type == GeoType::plane || type == GeoType::heightfield || type == GeoType::mesh)
            return bad(fmt::format("{}: a {} has no support map; use --algorithm auto", side, to_string(type)));
        if (type == GeoType::convex_mesh && shapes[i].source->points.empty())
            return bad(fmt::format("{}: a mesh without points", side));
    }
    Json       rows = Json::array();
    const auto row  = [&](const Vec3d& a, const Vec3d& b, const Vec3d& n, double distance) {
        const auto list = [](const Vec3d& v) { return Json::array({v.x, v.y, v.z}); };
        rows.push_back({{"point_a", list(a)}, {"point_b", list(b)}, {"normal", list(n)}, {"distance", distance}});
    };
    const model::BuilderShape &a = shapes[0], &b = shapes[1];
    Json                       out{{"distance", nullptr}};
    // MPR gives one contact; the manifold around it may have several points.
    if (portals) {
        const auto single   = collision::create_solve_mpr(support_of)(a, a.xform, b, b.xform);
        const auto manifold = collision::create_solve_convex_multi_contact(
            support_of, [&](const collision::SupportContact& c) { row(c.point_a, c.point_b, c.normal, c.distance); },
            [](collision::SupportContact&) {});
        manifold(a, a.xform, b, b.xform, reach);
        if (single.distance <= reach) out["distance"] = single.distance;
    } else {
        const auto c = collision::create_solve_closest_distance(support_of)(a, a.xform, b, b.xform);
        if (!c.separated) return bad("the shapes overlap, and gjk computes no depth; use --algorithm mpr or auto");
        if (c.distance <= reach) {
            row(c.point_a, c.point_b, c.normal, c.distance);
            out["distance"] = c.distance;
        }
    }
    out["contacts"] = std::move(rows);
    return out;
}

}  // namespace

Result<std::string> collide_cases(const std::string& text, const std::string& where, const std::string& algorithm)
{
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return make_diagnostic(kCases, {.layer = where}, "the file is not JSON");
    if (!document.is_object() || document.value("schema", "") != "mechane.cases/1" || !document.contains("cases") ||
        !document["cases"].is_array())
        return make_diagnostic(kCases, {.layer = where}, "the document is not of schema mechane.cases/1");
    Json rows = Json::array();
    // Rows come in the order of the cases, each with its id.
    for (const Json& one : document["cases"]) {
        Json row{{"id", one.is_object() ? one.value("id", Json()) : Json()}};
        // The JSON library throws on a member of an unexpected type; the message goes to the row of this case.
        Read<Json> result = bad("the case is not an object");
        if (one.is_object()) {
            try {
                result = algorithm == "auto" ? answer(one) : answer_by_supports(one, algorithm == "mpr");
            } catch (const Json::exception& error) {
                result = bad(error.what());
            }
        }
        if (const auto* error = std::get_if<CaseError>(&result)) {
            row["error"]    = error->text;
            row["contacts"] = Json::array();
            row["distance"] = nullptr;
        } else {
            row.update(std::get<0>(result));
        }
        rows.push_back(std::move(row));
    }
    return Json{{"schema", "mechane.contacts/1"}, {"cases", std::move(rows)}}.dump(1) + "\n";
}

}  // namespace mechane::cli

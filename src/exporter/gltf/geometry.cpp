// Prims as vertices and corners (export 4.3).
// A Geometry is what one glTF primitive list needs: unique vertices (point, normal, coordinates, colour) and corners
// that index them, split into parts by material. USD lets every primvar vary by point, face or corner, glTF only by
// vertex; a vertex is therefore made for each distinct row of values.
// Points stay in the prim's local space and units; the node's matrix places them. `source` keeps the USD point of each
// vertex, by which skins and blend shapes find theirs.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

#include "exporter/forms.h"
#include "exporter/gltf/writer.h"
#include "mechane/core/hash.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/physics/solid_size.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/start_value.h"

namespace mechane::exporter::gltf {
namespace {

/// Values of a primvar by point, face or corner.
template <class T>
struct Varying {
    enum class By { all, face, point, corner } by = By::all;
    std::vector<T>   values;
    std::vector<int> indices;
    bool             good = false;

    Varying() = default;
    Varying(const usd::Attribute& attribute, const std::string& kind, std::size_t points, std::size_t faces,
            std::size_t corners)
    {
        if (!attribute) return;
        values = usd::start_as<std::vector<T>>(attribute).value_or(std::vector<T>());
        if (values.empty())
            if (const auto one = usd::start_as<T>(attribute)) values.push_back(*one);
        indices = usd::start_as<std::vector<int>>(attribute.prim().attribute(attribute.name().text() + ":indices"))
                      .value_or(std::vector<int>());
        by      = kind == "faceVarying" ? By::corner
                  : kind == "uniform"   ? By::face
                  : kind == "constant"  ? By::all
                                        : By::point;
        const std::size_t have = indices.empty() ? values.size() : indices.size(), need = by == By::corner ? corners
                                                                                          : by == By::face ? faces
                                                                                          : by == By::all  ? 1
                                                                                                           : points;
        // Interpolation needs at least that many values; an index outside the values makes the primvar unusable as a
        // whole, as in OpenUSD.
        good = !values.empty() && have >= need;
        for (const int i : indices) good = good && i >= 0 && gltf::at(i) < values.size();
    }
    [[nodiscard]] std::uint32_t place(std::size_t point, std::size_t face, std::size_t corner) const
    {
        const std::size_t i = by == By::corner ? corner : by == By::face ? face : by == By::all ? 0 : point;
        return static_cast<std::uint32_t>(indices.empty() ? i : gltf::at(indices[i]));
    }
    [[nodiscard]] bool splits() const { return by == By::corner || by == By::face; }
    /// Equal values get one number, the first one's place.
    /// Vertices are told apart by these numbers, not by positions in the arrays.
    /// Equal values under different indices would split vertices for nothing: authoring tools often write one value for
    /// each corner.
    void number()
    {
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> seen;
        numbers.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto&      equal = seen[hash_bytes(&values[i], sizeof(T))];
            const auto hit =
                std::find_if(equal.begin(), equal.end(), [&](std::uint32_t k) { return values[k] == values[i]; });
            numbers[i] = hit == equal.end() ? static_cast<std::uint32_t>(i) : *hit;
            if (hit == equal.end()) equal.push_back(static_cast<std::uint32_t>(i));
        }
    }
    [[nodiscard]] std::uint32_t same(std::size_t point, std::size_t face, std::size_t corner) const
    { return numbers[place(point, face, corner)]; }

    std::vector<std::uint32_t> numbers;
};

Vec3d unit_or(const Vec3d& v, const Vec3d& otherwise)
{
    const double n = length(v);
    return n > 1e-30 && std::isfinite(n) ? v / n : otherwise;
}

/// Normals of corners: those of the faces around the point, weighted by area; faces across an edge of more than
/// `crease` do not count. By point where nothing is sharp.
std::vector<Vec3d> corner_normals(const std::vector<Vec3d>&                        points,
                                  const std::vector<std::array<std::uint32_t, 3>>& triangles, double crease)
{
    std::vector<Vec3d>                      flat(triangles.size());
    std::vector<std::vector<std::uint32_t>> around(points.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto& [a, b, c] = triangles[t];
        // The cross product's length is twice the area, so the sum is weighted by area without further work.
        flat[t] = cross(points[b] - points[a], points[c] - points[a]);
        for (const std::uint32_t p : triangles[t]) around[p].push_back(static_cast<std::uint32_t>(t));
    }
    // The cosine of the crease with some room for rounding.
    const double       least = std::cos(crease) - 1e-9;
    std::vector<Vec3d> out(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Vec3d own = unit_or(flat[t], {0, 0, 1});
        for (std::size_t k = 0; k < 3; ++k) {
            Vec3d       sum;
            const auto& ring = around[triangles[t][k]];
            // A point with very many faces is left faceted: the work grows with the square of their number.
            if (crease > 3 || ring.size() <= 256) {
                for (const std::uint32_t other : ring)
                    if (crease > 3 || dot(unit_or(flat[other], own), own) >= least) sum += flat[other];
            } else {
                sum = flat[t];
            }
            out[3 * t + k] = unit_or(sum, own);
        }
    }
    return out;
}

/// Rows of whole numbers as one key.
struct RowHash {
    std::size_t operator()(const std::vector<std::uint32_t>& row) const
    { return hash_bytes(row.data(), 4 * row.size()); }
};

void read_mesh(Writer& w, const usd::Prim& prim, Geometry& out)
{
    std::vector<Vec3d> points  = list<Vec3d>(prim, "points");
    const auto         counts  = list<int>(prim, "faceVertexCounts");
    const auto         indices = list<int>(prim, "faceVertexIndices");
    const auto         holes   = list<int>(prim, "holeIndices");
    const bool         left    = prim.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded";
    const std::string  scheme  = prim.attribute("subdivisionScheme").get_or<std::string>("catmullClark");
    out.point_count            = points.size();

    // Corners as points, so that triangles say which corner they are of.
    // A point that an index misses becomes NaN, by which triangulate drops the faces that use it.
    std::vector<Vec3d>        spread(indices.size());
    std::vector<std::int32_t> order(indices.size());
    constexpr double          kNot = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < indices.size(); ++i) {
        order[i] = static_cast<std::int32_t>(i);
        spread[i] =
            indices[i] >= 0 && at(indices[i]) < points.size() ? points[at(indices[i])] : Vec3d{kNot, kNot, kNot};
    }
    const auto cut = geometry::triangulate({spread, counts, order, holes, left});
    if (!cut.dropped.empty())
        w.lose_class("faces", Severity::info, sf::LossAction::dropped, "visual", prim,
                     "faces without area, or with too few or wrong corners", "they show nothing");
    std::size_t                               flat = 0;
    std::vector<std::array<std::uint32_t, 3>> triangles, point_triangles;
    std::vector<std::uint32_t>                face_of;
    for (std::size_t t = 0; t < cut.mesh.triangles.size(); ++t) {
        const auto& tri = cut.mesh.triangles[t];
        const auto  p   = [&](std::size_t k) { return static_cast<std::uint32_t>(indices[at(tri[k])]); };
        if (length(cross(points[p(1)] - points[p(0)], points[p(2)] - points[p(0)])) == 0) {
            ++flat;
            continue;
        }
        triangles.push_back({static_cast<std::uint32_t>(tri[0]), static_cast<std::uint32_t>(tri[1]),
                             static_cast<std::uint32_t>(tri[2])});
        point_triangles.push_back({p(0), p(1), p(2)});
        face_of.push_back(static_cast<std::uint32_t>(cut.triangle_to_face[t]));
    }
    if (flat > 0)
        w.lose_class("degenerate", Severity::info, sf::LossAction::dropped, "visual", prim, "triangles without area",
                     "they show nothing");
    if (triangles.empty()) return;
    for (Vec3d& p : points)
        if (!is_finite(p)) p = {};

    // -- what varies
    const std::size_t faces = counts.size(), corners = indices.size();
    const auto        own = [&](const char* primvar, const char* plain) {
        const usd::Attribute a = prim.attribute(primvar);
        return a.authored() ? a : prim.attribute(plain);
    };
    const usd::Attribute normal_source = own("primvars:normals", "normals");
    Varying<Vec3d>       normals(normal_source,
                                 normal_source.metadata("interpolation")
                                     .get<std::string>()
                                     .value_or(normal_source.name().text() == "normals" ? "vertex" : "constant"),
                                 points.size(), faces, corners);
    if (normal_source.authored() && !normals.good)
        w.lose("primvar", Severity::warning, sf::LossAction::dropped, "visual", prim, normal_source.name().text(), {},
               "it has not as many values as its interpolation needs");
    if (!normals.good) {
        // Computed: smooth where the prim is a surface of subdivision, else with edges.
        const bool smooth = scheme != "none";
        if (smooth)
            w.lose_class("subdivision", Severity::info, sf::LossAction::approximated, "visual", prim,
                         "surfaces of subdivision", "their control meshes are shown, with smooth normals");
        // 30 degrees separate an edge from a curve where a mesh has no normals of its own.
        normals.values = corner_normals(points, point_triangles, smooth ? 4 : std::numbers::pi / 6);
        normals.good   = true;
        normals.by     = Varying<Vec3d>::By::corner;
        normals.indices.clear();
        // Equal normals share a number, so that a smooth mesh is not split.
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> seen;
        std::vector<int>                                              index(corners, 0);
        std::vector<Vec3d>                                            unique;
        for (std::size_t t = 0; t < triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3d& n = normals.values[3 * t + k];
                // Hashed in single precision, as they will be written.
                float f[3] = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
                auto& same = seen[hash_bytes(f, sizeof f)];
                auto  hit  = std::find_if(same.begin(), same.end(),
                                          [&](std::uint32_t i) { return length(unique[i] - n) < 1e-7; });
                if (hit == same.end())
                    same.push_back(static_cast<std::uint32_t>(unique.size())), unique.push_back(n),
                        hit = same.end() - 1;
                index[triangles[t][k]] = static_cast<int>(*hit);
            }
        normals.values  = std::move(unique);
        normals.indices = std::move(index);
    }
    struct Uv {
        std::string    name;
        Varying<Vec2d> values;
    };
    std::vector<Uv> uvs;
    for (const usd::Token& name : prim.authored_property_names()) {
        const std::string& text = name.text();
        if (!text.starts_with("primvars:") || text.ends_with(":indices")) continue;
        const usd::Attribute a    = prim.attribute(name);
        const std::string    type = a.type_name();
        if (!type.starts_with("texCoord2") && type != "float2[]" && type != "double2[]" && type != "half2[]") continue;
        Uv uv{text.substr(9), {a, usd::primvar_interpolation(a), points.size(), faces, corners}};
        if (!uv.values.good) {
            w.lose("primvar", Severity::warning, sf::LossAction::dropped, "visual", prim, text, {},
                   "it has not as many values as its interpolation needs");
            continue;
        }
        uvs.push_back(std::move(uv));
    }
    const usd::Attribute color_source   = usd::find_primvar(prim, "displayColor"),
                         opacity_source = usd::find_primvar(prim, "displayOpacity");
    const auto           kind           = [](const usd::Attribute& a) {
        return a ? usd::primvar_interpolation(a) : std::string("constant");
    };
    Varying<Vec3d>  colors(color_source, kind(color_source), points.size(), faces, corners);
    Varying<double> opacities(opacity_source, kind(opacity_source), points.size(), faces, corners);
    if (colors.by == Varying<Vec3d>::By::all) colors.good = false;  // one colour is the material's
    if (opacities.by == Varying<double>::By::all && !colors.good) opacities.good = false;

    // -- unique vertices
    bool split = normals.splits() || (colors.good && colors.splits()) || (opacities.good && opacities.splits());
    for (const Uv& uv : uvs) split = split || uv.values.splits();
    std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, RowHash> known;
    const auto push = [&](std::size_t point, std::size_t face, std::size_t corner) {
        const auto vertex = static_cast<std::uint32_t>(out.points.size());
        out.points.push_back(points[point]);
        out.source.push_back(static_cast<std::uint32_t>(point));
        out.normals.push_back(unit_or(normals.values[normals.place(point, face, corner)], {0, 0, 1}));
        for (std::size_t u = 0; u < uvs.size(); ++u) {
            const Vec2d v = uvs[u].values.values[uvs[u].values.place(point, face, corner)];
            out.uvs[u].values.push_back(std::isfinite(v.x) && std::isfinite(v.y) ? v : Vec2d{});
        }
        if (colors.good || opacities.good) {
            const Vec3d  c  = colors.good ? colors.values[colors.place(point, face, corner)] : Vec3d{1, 1, 1};
            const double a  = opacities.good ? opacities.values[opacities.place(point, face, corner)] : 1;
            const auto   in = [](double v) { return std::isfinite(v) ? std::clamp(v, 0.0, 1.0) : 0.0; };
            out.colors.push_back({in(c.x), in(c.y), in(c.z), in(a)});
        }
        return vertex;
    };
    for (const Uv& uv : uvs) out.uvs.push_back({uv.name, {}});
    std::vector<std::array<std::uint32_t, 3>> made = point_triangles;
    // Without values by face or corner the points are the vertices, in their order.
    if (!split) {
        for (std::size_t p = 0; p < points.size(); ++p) push(p, 0, 0);
    } else {
        normals.number();
        for (Uv& uv : uvs) uv.values.number();
        if (colors.good) colors.number();
        if (opacities.good) opacities.number();
        std::vector<std::uint32_t> row;
        for (std::size_t t = 0; t < triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t point = point_triangles[t][k], face = face_of[t], corner = triangles[t][k];
                row.clear();
                // A vertex is known by its point and the numbers of its values; the colour of a vertex is part of it.
                row.push_back(static_cast<std::uint32_t>(point));
                row.push_back(normals.same(point, face, corner));
                for (const Uv& uv : uvs) row.push_back(uv.values.same(point, face, corner));
                if (colors.good) row.push_back(colors.same(point, face, corner));
                if (opacities.good) row.push_back(opacities.same(point, face, corner));
                const auto [slot, fresh] = known.try_emplace(row, 0);
                if (fresh) slot->second = push(point, face, corner);
                made[t][k] = slot->second;
            }
    }

    // -- parts
    std::vector<int> part_of(faces, 0);
    out.parts.emplace_back();
    for (const usd::Prim& child : prim.children()) {
        if (child.type_name().text() != "GeomSubset" ||
            child.attribute("elementType").get_or<std::string>("face") != "face")
            continue;
        // Subsets of another family are no parts of the look, unless a material is bound to them.
        if (child.attribute("familyName").get_or<std::string>("") != "materialBind" && !bound_look(w.stage, child))
            continue;
        out.subsets.push_back(child);
        out.parts.push_back({static_cast<int>(out.subsets.size()) - 1, {}});
        for (const int f : list<int>(child, "indices"))
            // The first subset that has a face keeps it.
            if (f >= 0 && at(f) < faces && part_of[at(f)] == 0) part_of[at(f)] = static_cast<int>(out.parts.size()) - 1;
    }
    for (std::size_t t = 0; t < made.size(); ++t) {
        auto& to = out.parts[at(part_of[face_of[t]])].corners;
        to.insert(to.end(), made[t].begin(), made[t].end());
    }
    std::erase_if(out.parts, [](const Part& p) { return p.corners.empty(); });
}

void read_curves(Writer& w, const usd::Prim& prim, Geometry& out)
{
    const auto points = list<Vec3d>(prim, "points");
    const auto counts = list<int>(prim, "curveVertexCounts");
    const bool closed = prim.attribute("wrap").get_or<std::string>("nonperiodic") == "periodic";
    if (prim.attribute("type").get_or<std::string>("cubic") != "linear")
        w.lose_class("curves", Severity::info, sf::LossAction::approximated, "visual", prim, "smooth curves",
                     "their control points are joined by lines");
    if (prim.attribute("widths").authored())
        w.lose_class("widths", Severity::info, sf::LossAction::dropped, "visual", prim, "widths of curves",
                     "lines of glTF have none");
    out.mode = 1;
    out.parts.emplace_back();
    for (const Vec3d& p : points) out.points.push_back(is_finite(p) ? p : Vec3d{});
    std::size_t begin = 0;
    for (const int n : counts) {
        if (n < 0 || begin + at(n) > points.size()) break;
        for (std::size_t i = 0; i + 1 < at(n); ++i)
            out.parts[0].corners.insert(out.parts[0].corners.end(), {static_cast<std::uint32_t>(begin + i),
                                                                     static_cast<std::uint32_t>(begin + i + 1)});
        if (closed && n > 2)
            out.parts[0].corners.insert(out.parts[0].corners.end(), {static_cast<std::uint32_t>(begin + at(n) - 1),
                                                                     static_cast<std::uint32_t>(begin)});
        begin += at(n);
    }
    for (std::size_t i = 0; i < points.size(); ++i) out.source.push_back(static_cast<std::uint32_t>(i));
    if (out.parts[0].corners.empty()) out.parts.clear();
}

void read_points(Writer& w, const usd::Prim& prim, Geometry& out)
{
    const auto points = list<Vec3d>(prim, "points");
    if (prim.attribute("widths").authored())
        w.lose_class("widths", Severity::info, sf::LossAction::dropped, "visual", prim, "widths of points",
                     "points of glTF have none");
    Varying<Vec3d> colors(prim.attribute("primvars:displayColor"),
                          usd::primvar_interpolation(prim.attribute("primvars:displayColor")), points.size(), 1,
                          points.size());
    out.mode = 0;
    out.parts.emplace_back();
    for (std::size_t i = 0; i < points.size(); ++i) {
        out.points.push_back(is_finite(points[i]) ? points[i] : Vec3d{});
        out.source.push_back(static_cast<std::uint32_t>(i));
        out.parts[0].corners.push_back(static_cast<std::uint32_t>(i));
        if (colors.good && colors.by != Varying<Vec3d>::By::all) {
            const Vec3d c = colors.values[colors.place(i, 0, i)];
            out.colors.push_back({std::clamp(c.x, 0.0, 1.0), std::clamp(c.y, 0.0, 1.0), std::clamp(c.z, 0.0, 1.0), 1});
        }
    }
    if (points.empty()) out.parts.clear();
}

/// A vertex of a solid of revolution about z.
struct Ring {
    double r, z, nr, nz;
};

/// Rings from bottom to top; quads between them as two triangles, seen from outside counter-clockwise. A ring of radius
/// zero (pole) makes one of the two vanish.
void turned(Geometry& out, const std::vector<Ring>& rings, int segments)
{
    const auto first = static_cast<std::uint32_t>(out.points.size());
    const auto n     = static_cast<std::uint32_t>(segments);
    for (const Ring& ring : rings)
        for (std::uint32_t s = 0; s < n; ++s) {
            const double a = 2 * std::numbers::pi * s / n, c = std::cos(a), d = std::sin(a);
            out.points.push_back({ring.r * c, ring.r * d, ring.z});
            out.normals.push_back(unit_or({ring.nr * c, ring.nr * d, ring.nz}, {0, 0, 1}));
        }
    auto& to = out.parts[0].corners;
    // A ring of radius zero is a tip: one of the two triangles there has no area and is left out.
    for (std::uint32_t r = 0; r + 1 < rings.size(); ++r)
        for (std::uint32_t s = 0; s < n; ++s) {
            const std::uint32_t t = (s + 1) % n, a = first + r * n, b = a + n;
            if (rings[r].r > 0) to.insert(to.end(), {a + s, a + t, b + t});
            if (rings[r + 1].r > 0) to.insert(to.end(), {a + s, b + t, b + s});
        }
}

void disk(Geometry& out, double radius, double z, double up, int segments)
{
    if (!(radius > 0)) return;
    const auto first = static_cast<std::uint32_t>(out.points.size());
    const auto n     = static_cast<std::uint32_t>(segments);
    for (std::uint32_t s = 0; s < n; ++s) {
        const double a = 2 * std::numbers::pi * s / n;
        out.points.push_back({radius * std::cos(a), radius * std::sin(a), z});
        out.normals.push_back({0, 0, up});
    }
    for (std::uint32_t s = 1; s + 1 < n; ++s) {
        const std::uint32_t b = up > 0 ? s : s + 1, c = up > 0 ? s + 1 : s;
        out.parts[0].corners.insert(out.parts[0].corners.end(), {first, first + b, first + c});
    }
}

/// The arc of a cap in the profile, from its rim to the pole or back; the pole is exact, so that no sliver remains.
void arc(std::vector<Ring>& rings, const physics::CapsuleCap& cap, bool top, int segments)
{
    const int    n   = std::max(segments / 4, 2);
    const double rim = std::asin(cap.rise), up = top ? 1 : -1;
    for (int i = 0; i <= n; ++i) {
        const int    k    = top ? i : n - i;  // from the rim
        const double a    = rim + (std::numbers::pi / 2 - rim) * k / n;
        const bool   pole = k == n;
        rings.push_back({pole ? 0 : cap.radius * std::cos(a), up * (cap.centre + cap.radius * std::sin(a)),
                         pole ? 0 : std::cos(a), up * std::sin(a)});
    }
}

}  // namespace

Geometry form_geometry(const usd::Prim& prim, int segments)
{
    using Kind = physics::SolidSize::Kind;
    Geometry out;
    out.parts.emplace_back();
    const auto size = physics::solid_size(prim);
    if (!size) return out;
    if (size->kind == Kind::cube) {
        const double h = size->half_edge;
        for (std::size_t a = 0; a < 3; ++a)
            for (const double side : {-1.0, 1.0}) {
                // Four vertices a side, since the normals differ at the edges.
                const auto first = static_cast<std::uint32_t>(out.points.size());
                for (int k = 0; k < 4; ++k) {
                    Vec3d p;
                    p[a]           = side * h;
                    p[(a + 1) % 3] = (k == 1 || k == 2 ? h : -h);
                    p[(a + 2) % 3] = (k >= 2 ? h : -h);
                    Vec3d n;
                    n[a] = side;
                    out.points.push_back(p), out.normals.push_back(n);
                }
                const std::uint32_t b = side > 0 ? 1 : 3, d = side > 0 ? 3 : 1;
                out.parts[0].corners.insert(out.parts[0].corners.end(),
                                            {first, first + b, first + 2, first, first + 2, first + d});
            }
        return out;
    }
    if (size->kind == Kind::plane) {
        const double w = size->half_width, l = size->half_length;
        out.points           = {{-w, -l, 0}, {w, -l, 0}, {w, l, 0}, {-w, l, 0}};
        out.normals          = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
        out.parts[0].corners = {0, 1, 2, 0, 2, 3};
        // USD: axis X has width along z and length along y; axis Y has width along x and length along z.
        const auto turn = [&](Vec3d& v) {
            v = size->axis == 0 ? Vec3d{v.z, v.y, -v.x} : size->axis == 1 ? Vec3d{v.x, v.z, -v.y} : v;
        };
        for (Vec3d& p : out.points) turn(p);
        for (Vec3d& n : out.normals) turn(n);
        return out;
    }
    std::vector<Ring> rings;
    if (size->kind == Kind::sphere) {
        const double r = size->bottom;
        arc(rings, physics::capsule_cap(r, r, 0), false, segments);
        rings.pop_back();
        arc(rings, physics::capsule_cap(r, r, 0), true, segments);
        turned(out, rings, segments);
        return out;
    }
    const double h = size->half_height, bottom = size->bottom, top = size->top;
    if (size->kind == Kind::capsule) {
        arc(rings, physics::capsule_cap(bottom, top, h), false, segments);
        arc(rings, physics::capsule_cap(top, bottom, h), true, segments);
        turned(out, rings, segments);
    } else {
        // The profile of the side runs from (bottom, -h) to (top, h); its outward normal is (2h, bottom - top).
        const Vec2d  side{2 * h, bottom - top};  // the normal of the side: outwards, upwards
        const double n = std::hypot(side.x, side.y) > 0 ? std::hypot(side.x, side.y) : 1;
        // The tip of a cone is a ring of radius zero whose normals differ around it.
        turned(out, {{bottom, -h, side.x / n, side.y / n}, {top, h, side.x / n, side.y / n}}, segments);
        disk(out, bottom, -h, -1, segments);
        disk(out, top, h, 1, segments);
    }
    // z -> x or y, by the turns that keep the sense of rotation.
    const auto turn = [&](Vec3d& v) {
        v = size->axis == 0 ? Vec3d{v.z, v.x, v.y} : size->axis == 1 ? Vec3d{v.y, v.z, v.x} : v;
    };
    for (Vec3d& p : out.points) turn(p);
    for (Vec3d& m : out.normals) turn(m);
    return out;
}

Geometry read_geometry(Writer& w, const usd::Prim& prim)
{
    Geometry          out;
    const std::string type = prim.type_name().text();
    for (const usd::Token& name : prim.authored_property_names())
        if (const std::string& text = name.text();
            !text.starts_with("xformOp:") && text != "visibility" && text != "extent")
            if (const usd::Attribute attribute = prim.attribute(name); attribute && attribute.varying())
                w.lose("animation", Severity::warning, sf::LossAction::dropped, "visual", prim, "samples of " + text,
                       "the value at the start", "glTF animates nodes and not the form of a surface");
    if (type == "Mesh") {
        read_mesh(w, prim, out);
    } else if (type == "BasisCurves") {
        read_curves(w, prim, out);
    } else if (type == "Points") {
        read_points(w, prim, out);
    } else if (type == "Cube" || type == "Sphere" || type == "Cylinder" || type == "Cylinder_1" || type == "Capsule" ||
               type == "Capsule_1" || type == "Cone" || type == "Plane") {
        out = form_geometry(prim, w.options.segments);
        std::erase_if(out.parts, [](const Part& p) { return p.corners.empty(); });
    } else {
        w.lose("shape", Severity::warning, sf::LossAction::dropped, "visual", prim, type, {}, "glTF has no such shape");
    }
    return out;
}

/// Tangents as MikkTSpace defines them in outline: the direction of u on each triangle, weighted by the angle at the
/// corner, made perpendicular to the normal.
/// The fourth component says whether the texture is mirrored; a vertex of both senses is split.
void add_tangents(Geometry& g, std::size_t uv_set)
{
    if (uv_set >= g.uvs.size() || g.normals.empty() || g.mode != 4) return;
    const std::vector<Vec2d>& uv       = g.uvs[uv_set].values;
    const std::size_t         n        = g.points.size();
    std::vector<Vec3d>        sum[2]   = {std::vector<Vec3d>(n), std::vector<Vec3d>(n)};
    std::vector<bool>         used[2]  = {std::vector<bool>(n, false), std::vector<bool>(n, false)};
    const auto                mirrored = [&](const std::uint32_t* t) {
        const Vec2d a{uv[t[1]].x - uv[t[0]].x, uv[t[1]].y - uv[t[0]].y},
            b{uv[t[2]].x - uv[t[0]].x, uv[t[2]].y - uv[t[0]].y};
        return a.x * b.y - a.y * b.x < 0;
    };
    for (const Part& part : g.parts)
        for (std::size_t c = 0; c + 2 < part.corners.size(); c += 3) {
            const std::uint32_t* t  = part.corners.data() + c;
            const Vec3d          d1 = g.points[t[1]] - g.points[t[0]], d2 = g.points[t[2]] - g.points[t[0]];
            const double         t1 = uv[t[1]].y - uv[t[0]].y, t2 = uv[t[2]].y - uv[t[0]].y;
            const std::size_t    side = mirrored(t) ? 1 : 0;
            // From d1 = u1 T + v1 B, d2 = u2 T + v2 B: T is along v2 d1 - v1 d2, up to the sign of the determinant.
            const Vec3d along = unit_or((side == 1 ? -1.0 : 1.0) * (t2 * d1 - t1 * d2), {});
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t v    = t[k];
                const Vec3d         N    = g.normals[v];
                const auto          flat = [&](const Vec3d& e) { return unit_or(e - dot(N, e) * N, {}); };
                const Vec3d         p    = flat(g.points[t[(k + 1) % 3]] - g.points[v]),
                                    q    = flat(g.points[t[(k + 2) % 3]] - g.points[v]);
                sum[side][v] += std::acos(std::clamp(dot(p, q), -1.0, 1.0)) * flat(along);
                used[side][v] = true;
            }
        }
    // What has both senses becomes two vertices.
    std::vector<std::uint32_t> twin(n, 0);
    const auto                 tangent = [&](std::size_t side, std::size_t v) {
        const Vec3d t = unit_or(sum[side][v], any_perpendicular(g.normals[v]));
        return std::array<double, 4>{t.x, t.y, t.z, side == 1 ? -1.0 : 1.0};
    };
    for (std::size_t v = 0; v < n; ++v) g.tangents.push_back(tangent(used[0][v] || !used[1][v] ? 0 : 1, v));
    for (std::size_t v = 0; v < n; ++v) {
        twin[v] = static_cast<std::uint32_t>(v);
        if (!used[0][v] || !used[1][v]) continue;
        twin[v] = static_cast<std::uint32_t>(g.points.size());
        g.points.push_back(g.points[v]), g.normals.push_back(g.normals[v]);
        if (!g.source.empty()) g.source.push_back(g.source[v]);
        if (!g.colors.empty()) g.colors.push_back(g.colors[v]);
        for (UvSet& set : g.uvs) set.values.push_back(set.values[v]);
        g.tangents.push_back(tangent(1, v));
    }
    for (Part& part : g.parts)
        for (std::size_t c = 0; c + 2 < part.corners.size(); c += 3) {
            std::uint32_t* t = part.corners.data() + c;
            if (mirrored(t))
                for (std::size_t k = 0; k < 3; ++k) t[k] = twin[t[k]];
        }
}

}  // namespace mechane::exporter::gltf

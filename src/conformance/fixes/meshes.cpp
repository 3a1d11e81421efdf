// Repairs of the faces of meshes (phases P2 and P5): triangulation, orientation, welding, faces without area, with
// everything that is said about faces and corners.
// Invariants: points stay; primvars, normals, holes and subsets follow their faces; faces that name missing points are
// refused.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "conformance/fixes/repair.h"
#include "conformance/variant_specs.h"
#include "mechane/geometry/facing.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/geometry/weld.h"
#include "mechane/usd/primvar.h"

/// P2 and P5: faces of meshes, with everything that is said about faces and corners.
/// Triangulation and orientation of meshes. A Regrouping names for each new corner and face the old one, by which
/// primvars, normals, holes and subsets follow.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

using Indices = std::vector<int>;

/// New faces made of old corners: where each new corner and each new face comes from.
struct Regrouping {
    Indices counts;   ///< of the new faces
    Indices corners;  ///< old corner of each new corner
    Indices faces;    ///< old face of each new face
};

Indices integers(const usd::Prim& prim, const usd::Token& name)
{ return prim.attribute(name).get<Indices>().value_or(Indices{}); }

Indices picked(const Indices& from, const Indices& which)
{
    Indices out;
    out.reserve(which.size());
    for (const int i : which) out.push_back(from[static_cast<std::size_t>(i)]);
    return out;
}

/// The values of a primvar by face or corner stay; its indices say which one is where now.
void regroup_primvar(Repair& repair, const usd::Prim& mesh, const usd::Attribute& primvar, const Indices& sources)
{
    const std::string interpolation = usd::primvar_interpolation(primvar);
    const usd::Token  name(primvar.name().text() + ":indices");
    const Indices     old = integers(mesh, name);
    if (!old.empty() && old.size() < static_cast<std::size_t>(1 + *std::max_element(sources.begin(), sources.end())))
        return repair.refuse("bad-primvar", primvar.name().text() + " has too few indices");
    const EditPlace at = repair.place(mesh, primvar.name());
    repair.set(at, name, "int[]", usd::make_value("int[]", old.empty() ? sources : picked(old, sources)));
}

/// `normals` is no primvar and has no indices: its values are put in order.
void regroup_normals(Repair& repair, const usd::Prim& mesh, const Indices& sources)
{
    const auto values = mesh.attribute("normals").authored_as<std::vector<Vec3d>>();
    if (!values || values->size() < static_cast<std::size_t>(1 + *std::max_element(sources.begin(), sources.end())))
        return;
    std::vector<Vec3d> now;
    for (const int i : sources) now.push_back((*values)[static_cast<std::size_t>(i)]);
    repair.set(mesh, "normals", "normal3f[]", usd::make_value("normal3f[]", now));
}

void regroup_faces(Repair& repair, const usd::Prim& mesh, const Indices& new_face_sources)
{
    std::vector<Indices> of_old;
    for (std::size_t f = 0; f < new_face_sources.size(); ++f) {
        const auto old = static_cast<std::size_t>(new_face_sources[f]);
        if (of_old.size() <= old) of_old.resize(old + 1);
        of_old[old].push_back(static_cast<int>(f));
    }
    const auto mapped = [&](const Indices& faces) {
        Indices out;
        for (const int f : faces)
            if (f >= 0 && static_cast<std::size_t>(f) < of_old.size())
                out.insert(out.end(), of_old[static_cast<std::size_t>(f)].begin(),
                           of_old[static_cast<std::size_t>(f)].end());
        std::sort(out.begin(), out.end());
        return out;
    };
    if (const Indices holes = integers(mesh, "holeIndices"); !holes.empty())
        repair.set(mesh, "holeIndices", "int[]", usd::make_value("int[]", mapped(holes)));
    for (const usd::Prim& subset : mesh.children()) {
        if (!subset.is_a("GeomSubset") || subset.attribute("elementType").get<std::string>().value_or("face") != "face")
            continue;
        repair.set(subset, "indices", "int[]", usd::make_value("int[]", mapped(integers(subset, "indices"))));
    }
}

void regroup(Repair& repair, const usd::Prim& mesh, const Regrouping& to)
{
    repair.regrouped.insert(mesh.path());
    const bool      same_faces = to.faces.empty();
    const EditPlace at         = repair.place(mesh, "faceVertexIndices");
    if (!at) return repair.refuse("external-layer", "the faces are authored outside the asset");
    if (!same_faces) repair.set(mesh, "faceVertexCounts", "int[]", usd::make_value("int[]", to.counts));
    repair.set(at, "faceVertexIndices", "int[]",
               usd::make_value("int[]", picked(integers(mesh, "faceVertexIndices"), to.corners)));
    for (const usd::Token& name : mesh.authored_property_names()) {
        const std::string& text = name.text();
        // Only values by corner and by face move; those by point and by mesh stay.
        if (!text.starts_with("primvars:") || text.ends_with(":indices")) continue;
        const usd::Attribute primvar       = mesh.attribute(name);
        const std::string    interpolation = usd::primvar_interpolation(primvar);
        if (interpolation == "faceVarying") regroup_primvar(repair, mesh, primvar, to.corners);
        if (interpolation == "uniform" && !same_faces) regroup_primvar(repair, mesh, primvar, to.faces);
    }
    const auto by = mesh.attribute("normals").metadata("interpolation").get<std::string>().value_or("vertex");
    if (by == "faceVarying") regroup_normals(repair, mesh, to.corners);
    if (by == "uniform" && !same_faces) regroup_normals(repair, mesh, to.faces);
    if (!same_faces) regroup_faces(repair, mesh, to.faces);
}

bool animated_topology(Repair& repair, const usd::Prim& mesh)
{
    if (!mesh.attribute("faceVertexIndices").varying() && !mesh.attribute("faceVertexCounts").varying()) return false;
    repair.refuse("animated-topology", "the faces change over time");
    return true;
}

/// At the default time, else at the first sample: where points move, the diagonals of the first pose serve for all.
std::vector<Vec3d> points_of(const usd::Prim& mesh)
{
    const usd::Attribute points = mesh.attribute("points");
    auto                 found  = points.get<std::vector<Vec3d>>();
    if (const auto times = points.time_samples(); (!found || found->empty()) && !times.empty())
        found = points.get<std::vector<Vec3d>>(usd::TimeCode(times.front()));
    return found.value_or(std::vector<Vec3d>{});
}

/// Whether the faces name corners that are there; a repair of others would only move the fault.
bool sound_faces(Repair& repair, const usd::Prim& mesh)
{
    if (repair.regrouped.contains(mesh.path())) return repair.defer(), false;
    const Indices counts = integers(mesh, "faceVertexCounts"), indices = integers(mesh, "faceVertexIndices");
    const auto    points   = points_of(mesh).size();
    std::uint64_t corners  = 0;
    bool          negative = false;
    for (const int count : counts) {
        negative = negative || count < 0;
        corners += static_cast<std::uint64_t>(std::max(count, 0));
    }
    const bool inside = std::all_of(indices.begin(), indices.end(),
                                    [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < points; });
    if (!negative && corners > 0 && corners == indices.size() && inside) return true;
    repair.refuse("bad-mesh", inside ? "the faces do not add up" : "a face names a point that is not there");
    return false;
}

/// Triangles in place of faces. Faces of fewer than three corners have no area and go; faces whose corners lie on a
/// line become the triangles of their fan.
std::optional<Regrouping> triangles_of(const Indices& counts, const Indices& indices, const std::vector<Vec3d>& points)
{
    // Each corner a point of its own: the triangles then name corners.
    std::vector<Vec3d> corner_points;
    for (const int i : indices) {
        if (i < 0 || static_cast<std::size_t>(i) >= points.size()) return std::nullopt;
        corner_points.push_back(points[static_cast<std::size_t>(i)]);
    }
    Indices corners(indices.size());
    std::iota(corners.begin(), corners.end(), 0);
    const geometry::Triangulation cut = geometry::triangulate(
        {.points = corner_points, .face_vertex_counts = counts, .face_vertex_indices = corners, .hole_indices = {}});
    std::map<std::int32_t, std::vector<std::array<int, 3>>> faces;
    for (std::size_t t = 0; t < cut.mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = cut.mesh.triangles[t];
        faces[cut.triangle_to_face[t]].push_back({static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)});
    }
    Indices begins;
    int     at = 0;
    for (const int count : counts) begins.push_back(at), at += count;
    for (const geometry::DroppedFace& dropped : cut.dropped) {
        if (dropped.fault == geometry::FaceFault::too_few_corners) continue;
        if (dropped.fault != geometry::FaceFault::no_area) return std::nullopt;
        const auto f = static_cast<std::size_t>(dropped.face);
        for (int i = 1; i + 1 < counts[f]; ++i)
            faces[dropped.face].push_back({begins[f], begins[f] + i, begins[f] + i + 1});
    }
    Regrouping to;
    for (const auto& [face, triangles] : faces)
        for (const auto& triangle : triangles) {
            to.counts.push_back(3);
            to.corners.insert(to.corners.end(), triangle.begin(), triangle.end());
            to.faces.push_back(face);
        }
    return to;
}

/// Whether something is said of single faces or corners, which one regrouping for all times cannot follow.
bool speaks_of_faces(const usd::Prim& mesh)
{
    if (mesh.attribute("holeIndices").authored() || mesh.attribute("normals").authored()) return true;
    for (const usd::Prim& child : mesh.children())
        if (child.is_a("GeomSubset")) return true;
    return std::ranges::any_of(mesh.authored_property_names(), [&](const usd::Token& name) {
        if (!name.text().starts_with("primvars:") || name.text().ends_with(":indices")) return false;
        const std::string by = usd::primvar_interpolation(mesh.attribute(name));
        return by == "faceVarying" || by == "uniform";
    });
}

/// Faces that change over time are cut at every time at which they, or the points, are said.
void triangulate_samples(Repair& repair, const usd::Prim& mesh)
{
    const usd::Token kCounts("faceVertexCounts"), kIndices("faceVertexIndices"), kPoints("points");
    if (!repair.regrouped.insert(mesh.path()).second) return repair.defer();
    if (speaks_of_faces(mesh))
        return repair.refuse("animated-topology", "the faces change over time, and so would what is said of them");
    std::set<double> times;
    for (const usd::Token* name : {&kCounts, &kIndices, &kPoints})
        for (const double time : mesh.attribute(*name).time_samples()) times.insert(time);
    struct Cut {
        std::optional<double> time;
        Regrouping            faces;
        Indices               indices;
    };
    std::vector<Cut> cuts;
    const auto       cut = [&](std::optional<double> time) {
        const usd::TimeCode at     = time ? usd::TimeCode(*time) : usd::TimeCode();
        const auto          counts = mesh.attribute(kCounts).get<Indices>(at).value_or(Indices{});
        const auto          points = mesh.attribute(kPoints).get<std::vector<Vec3d>>(at).value_or(std::vector<Vec3d>{});
        Indices             all    = mesh.attribute(kIndices).get<Indices>(at).value_or(Indices{});
        std::int64_t        corners = 0;
        for (const int count : counts) corners += count < 0 ? std::int64_t{1} << 40 : count;
        if (corners != static_cast<std::int64_t>(all.size())) return false;
        auto faces = triangles_of(counts, all, points);
        if (!faces) return false;
        cuts.push_back({time, std::move(*faces), std::move(all)});
        return true;
    };
    const bool unsampled =
        mesh.attribute(kCounts).authored_as<Indices>() && mesh.attribute(kIndices).authored_as<Indices>();
    if (unsampled && !cut(std::nullopt)) return repair.refuse("bad-mesh", "the faces do not add up");
    for (const double time : times)
        if (!cut(time)) return repair.refuse("bad-mesh", "the faces do not add up at time " + std::to_string(time));
    const EditPlace counts_at = repair.place(mesh, kCounts), indices_at = repair.place(mesh, kIndices);
    if (!counts_at || !indices_at) return repair.refuse("external-layer", "the faces are authored outside the asset");
    for (const Cut& one : cuts) {
        const usd::Value counts  = usd::make_value("int[]", one.faces.counts),
                         corners = usd::make_value("int[]", picked(one.indices, one.faces.corners));
        if (one.time) {
            repair.set_sample(counts_at, kCounts, "int[]", *one.time, counts);
            repair.set_sample(indices_at, kIndices, "int[]", *one.time, corners);
        } else {
            repair.set(counts_at, kCounts, "int[]", counts);
            repair.set(indices_at, kIndices, "int[]", corners);
        }
    }
}

bool is_sampled(const usd::Prim& mesh)
{
    return !mesh.attribute("faceVertexIndices").time_samples().empty() ||
           !mesh.attribute("faceVertexCounts").time_samples().empty();
}

/// Whether a viewer shows the prim without being asked for guides and proxies.
bool is_drawn(const Repair& repair, const usd::Prim& prim)
{
    const std::string purpose = repair.facts.stage.purpose(prim).text();
    return purpose != "guide" && purpose != "proxy";
}

void triangulate(Repair& repair, const Finding& finding)
{
    const usd::Prim mesh = prim_of(repair, finding);
    if (is_sampled(mesh)) return triangulate_samples(repair, mesh);
    if (!sound_faces(repair, mesh)) return;
    // Pairs of faces that a cloth bends at: a pair of polygons is no pair of triangles, and what the author meant by
    // the rest angle between quads is not said of the new edges inside them.
    for (const usd::Token& name : mesh.authored_property_names())
        if (name.text().ends_with("restAdjTriPairs") && !integers(mesh, name).empty())
            return repair.refuse("face-pairs", "restAdjTriPairs names the faces as they are");
    // Triangles subdivide to another surface than the faces that they are made of.
    if (mesh.attribute("subdivisionScheme").get_or<std::string>("catmullClark") != "none" && is_drawn(repair, mesh))
        return repair.refuse("subdivision",
                             "the mesh is drawn as a smooth surface that triangles would change; draw "
                             "another mesh, or write subdivisionScheme = \"none\"");
    const auto to =
        triangles_of(integers(mesh, "faceVertexCounts"), integers(mesh, "faceVertexIndices"), points_of(mesh));
    if (!to || to->faces.empty())
        return repair.refuse("bad-mesh", to ? "no face has three corners" : "a face names a corner that is nowhere");
    regroup(repair, mesh, *to);
}

/// The corners of a face in its order, or the other way round. The first one stays: readers cut a polygon from there,
/// and have to find the same triangles.
void add_corners(Regrouping& to, int first, int count, bool turned)
{
    if (count > 0) to.corners.push_back(first);
    for (int i = 1; i < count; ++i) to.corners.push_back(turned ? first + count - i : first + i);
}

/// Faces turn for everybody who shows them. False where another prim or another variant says that they look the other
/// way, or where one of several could keep its own values by face and corner.
bool turns_alone(Repair& repair, const usd::Prim& mesh)
{
    const usd::Token kIndices("faceVertexIndices"), kOrientation("orientation");
    const EditPlace  faces = repair.place(mesh, kIndices), said = repair.place(mesh, kOrientation);
    const auto       speaks_of = [](const EditPlace& at, const usd::Prim& prim) {
        return std::ranges::any_of(usd::spec_places(prim), [&](const usd::SpecPlace& place) {
            return place.layer == at.file && place.path == at.path;
        });
    };
    const EditPlace own    = repair.own_place(mesh, kIndices);
    const bool      shared = own.path != faces.path || own.file != faces.file;
    for (const usd::Prim& other :
         shared ? repair.facts.stage.traverse({.all = true, .instance_proxies = true}) : std::vector<usd::Prim>()) {
        if (other == mesh || other.abstract() || !speaks_of(faces, other)) continue;
        if (speaks_of(said, other) && other.attribute(kOrientation).get_or<std::string>("rightHanded") ==
                                          mesh.attribute(kOrientation).get_or<std::string>("rightHanded"))
            continue;
        repair.refuse("shared-faces", other.path().text() + " shows the same faces and does not say so of them: say " +
                                          "it where the faces are, or give each mesh its own");
        return false;
    }
    // What a variant says of the orientation holds in that variant alone, and the faces change in all of them.
    const auto refuse = [&](const std::string& variant) {
        repair.refuse("state-dependent-edit",
                      variant + ": a variant says how the faces are oriented that all variants share");
        return false;
    };
    if (said.path.text().find('{') != std::string::npos && said.path != faces.path) return refuse(said.path.text());
    for (const VariantSpec& other : unselected_specs(repair.facts, mesh.path())) {
        const auto names = other.layer->properties(other.path);
        if (!faces.path.text().starts_with(other.set) && std::ranges::find(names, kOrientation) != names.end())
            return refuse(other.path.text());
    }
    return true;
}

void turn_over(Repair& repair, const Finding& finding)
{
    const usd::Prim mesh = prim_of(repair, finding);
    if (animated_topology(repair, mesh) || !sound_faces(repair, mesh) || !turns_alone(repair, mesh)) return;
    const Indices counts = integers(mesh, "faceVertexCounts");
    Regrouping    to;
    int           at = 0;
    for (const int count : counts) {
        add_corners(to, at, count, true);
        at += count;
    }
    if (at > 0) regroup(repair, mesh, to);
    repair.set(mesh, "orientation", "token", usd::make_value("token", usd::Token("rightHanded")), true);
}

// -- faces that look the wrong way

/// The two faces of an edge, and whether each runs along it from the lower point to the higher one.
using Sides = std::vector<std::pair<int, bool>>;

/// The sides of every edge, or nothing where one does not join two faces.
std::optional<std::map<std::pair<int, int>, Sides>> edges_of(const Indices& counts, const Indices& indices)
{
    std::map<std::pair<int, int>, Sides> edges;
    std::size_t                          at = 0;
    for (std::size_t f = 0; f < counts.size(); ++f) {
        const auto count = static_cast<std::size_t>(counts[f]);
        for (std::size_t i = 0; i < count; ++i) {
            const int a = indices[at + i], b = indices[at + (i + 1) % count];
            edges[std::minmax(a, b)].emplace_back(static_cast<int>(f), a < b);
        }
        at += count;
    }
    if (std::ranges::any_of(edges, [](const auto& edge) { return edge.second.size() != 2; })) return std::nullopt;
    return edges;
}

/// Which way the faces of a closed surface look; nothing for an open one, and for one that no turning makes whole.
std::optional<geometry::Facing> facing_of_closed(const Indices& counts, const Indices& indices)
{
    const auto edges = edges_of(counts, indices);
    if (!edges) return std::nullopt;
    std::vector<geometry::FacePair> pairs;
    for (const auto& [ends, sides] : *edges)
        pairs.push_back({sides[0].first, sides[1].first, sides[0].second != sides[1].second});
    geometry::Facing facing = geometry::facing_of(counts.size(), pairs);
    if (facing.one_sided) return std::nullopt;
    return facing;
}

struct Extent {
    Vec3d  low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
    double volume6 = 0;  ///< six times the signed volume
};

/// Box and volume of each piece, its faces turned.
std::vector<Extent> extents_of(const geometry::Facing& facing, const Indices& counts, const Indices& indices,
                               const std::vector<Vec3d>& points)
{
    std::vector<Extent> all(static_cast<std::size_t>(facing.pieces));
    const Vec3d&        o  = points[static_cast<std::size_t>(indices.front())];
    std::size_t         at = 0;
    for (std::size_t f = 0; f < counts.size(); ++f) {
        Extent&    extent = all[static_cast<std::size_t>(facing.piece[f])];
        const auto point  = [&](int i) {
            return points[static_cast<std::size_t>(indices[at + static_cast<std::size_t>(i)])] - o;
        };
        for (int i = 0; i < counts[f]; ++i)
            extent.low = min(extent.low, point(i)), extent.high = max(extent.high, point(i));
        for (int i = 1; i + 1 < counts[f]; ++i)
            extent.volume6 += (facing.against[f] ? -1 : 1) * dot(point(0), cross(point(i), point(i + 1)));
        at += static_cast<std::size_t>(counts[f]);
    }
    return all;
}

/// A piece inside another may be a hollow, whose faces look inwards.
bool some_overlap(const std::vector<Extent>& all)
{
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
            if (all[i].low.x <= all[j].high.x && all[j].low.x <= all[i].high.x && all[i].low.y <= all[j].high.y &&
                all[j].low.y <= all[i].high.y && all[i].low.z <= all[j].high.z && all[j].low.z <= all[i].high.z)
                return true;
    return false;
}

/// The faces of a closed mesh look outwards, which only turning them over makes so.
void face_outwards(Repair& repair, const Finding& finding)
{
    if (finding.variant == "normals")
        return repair.refuse("normals", "the author must decide whether the faces or the normals are wrong");
    if (finding.variant == "open")
        return repair.refuse(
            "open",
            "a sheet that is seen from both sides needs a thickness, or one side: the author must decide which");
    const usd::Prim mesh = prim_of(repair, finding);
    if (animated_topology(repair, mesh) || !sound_faces(repair, mesh)) return;
    const Indices counts = integers(mesh, "faceVertexCounts"), indices = integers(mesh, "faceVertexIndices");
    const auto    facing = facing_of_closed(counts, indices);
    if (!facing)
        return repair.refuse("open", "the mesh is not closed: which of its faces look the right way is not known");
    const std::vector<Extent> extents = extents_of(*facing, counts, indices, points_of(mesh));
    if (some_overlap(extents))
        return repair.refuse("pieces", "a piece of the mesh may be a hollow in another: the author must decide");
    if (!turns_alone(repair, mesh)) return;
    const bool left = mesh.attribute("orientation").get<std::string>().value_or("") == "leftHanded";
    Regrouping to;
    int        at = 0;
    for (std::size_t f = 0; f < counts.size(); ++f) {
        const bool inside = (extents[static_cast<std::size_t>(facing->piece[f])].volume6 < 0) != left;
        add_corners(to, at, counts[f], facing->against[f] != inside);
        at += counts[f];
    }
    regroup(repair, mesh, to);
}

// -- points at one place

/// Whether something is said of single points: points at one place may differ in it, as along a seam of a texture.
bool speaks_of_points(const usd::Prim& mesh)
{
    if (mesh.attribute("normals").authored() &&
        mesh.attribute("normals").metadata("interpolation").get<std::string>().value_or("vertex") != "faceVarying")
        return true;
    for (const usd::Prim& child : mesh.children())
        if (child.is_a("GeomSubset") && child.attribute("elementType").get<std::string>().value_or("face") != "face")
            return true;
    return std::ranges::any_of(mesh.authored_property_names(), [&](const usd::Token& name) {
        if (!name.text().starts_with("primvars:") || name.text().ends_with(":indices")) return false;
        const std::string by = usd::primvar_interpolation(mesh.attribute(name));
        return by == "vertex" || by == "varying";
    });
}

/// Faces name the first of the points at one place. Points stay, so that what is said of each stays with it.
void weld(Repair& repair, const Finding& finding)
{
    if (finding.variant != "needs-weld") return repair.refuse("open", "the missing faces are the author's to model");
    const usd::Prim mesh = prim_of(repair, finding);
    if (animated_topology(repair, mesh) || !sound_faces(repair, mesh)) return;
    if (mesh.attribute("points").varying()) return repair.refuse("animated-points", "points at one place may part");
    if (speaks_of_points(mesh)) return repair.refuse("seams", "points at one place may differ in what is said of them");
    const std::vector<Vec3d> points = points_of(mesh);
    Vec3d                    low = points.front(), high = low;
    for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
    constexpr double kClose = 1e-6;  // of the extent, as REP-3.4-e has it
    const Indices    firsts = geometry::first_at_place(points, kClose * length(high - low));
    const Indices    joined = picked(firsts, integers(mesh, "faceVertexIndices"));
    const EditPlace  at     = repair.place(mesh, "faceVertexIndices");
    if (!at) return repair.refuse("external-layer", "the faces are authored outside the asset");
    repair.regrouped.insert(mesh.path());
    repair.set(at, "faceVertexIndices", "int[]", usd::make_value("int[]", joined));
}

/// Faces whose corners lie on a line show nothing and go.
void drop_flat_faces(Repair& repair, const Finding& finding)
{
    if (finding.variant != "flat") return repair.refuse("bad-mesh", "the shape has to be exported again");
    const usd::Prim mesh = prim_of(repair, finding);
    if (animated_topology(repair, mesh) || !sound_faces(repair, mesh)) return;
    if (mesh.attribute("points").varying()) return repair.refuse("animated-points", "the faces may open over time");
    const Indices            counts = integers(mesh, "faceVertexCounts"), indices = integers(mesh, "faceVertexIndices");
    const std::vector<Vec3d> points = points_of(mesh);
    Vec3d                    low = points.front(), high = low;
    for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
    const double least = 1e-12 * dot(high - low, high - low);  // as REP-3.4-g has it
    Regrouping   to;
    int          at = 0;
    for (std::size_t f = 0; f < counts.size(); ++f) {
        const auto point = [&](int i) {
            return points[static_cast<std::size_t>(indices[static_cast<std::size_t>(at + i)])];
        };
        Vec3d sum{};
        for (int i = 1; i + 1 < counts[f]; ++i) sum = sum + cross(point(i) - point(0), point(i + 1) - point(0));
        if (length(sum) > least) {
            to.counts.push_back(counts[f]);
            to.faces.push_back(static_cast<int>(f));
            add_corners(to, at, counts[f], false);
        }
        at += counts[f];
    }
    if (to.faces.empty()) return repair.refuse("bad-mesh", "no face has an area");
    regroup(repair, mesh, to);
}

constexpr std::array kRepairs{
    RepairOf{"REP-3.4-b", Phase::transforms, turn_over},   RepairOf{"REP-3.4-a", Phase::metadata, triangulate},
    RepairOf{"REP-3.4-c", Phase::metadata, face_outwards}, RepairOf{"REP-3.4-d", Phase::metadata, face_outwards},
    RepairOf{"REP-3.4-e", Phase::metadata, weld},          RepairOf{"REP-3.4-g", Phase::metadata, drop_flat_faces}};

}  // namespace

std::span<const RepairOf> mesh_repairs() { return kRepairs; }

}  // namespace mechane::conformance

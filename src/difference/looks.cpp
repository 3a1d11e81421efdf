// Compares what two stages show: which shapes are seen, materials, the form of surfaces, lights and cameras.
// The other comparisons ask what a robot is and how it moves; a file that differs in colours alone would be equal.
// Shapes are paired first: by path, else by the name of their body and their own, else by where they lie in their body.
// A material that many shapes show is compared once and told once, with how many show it.
// Surfaces are compared by numbers that do not depend on the frame or on the order of points: how far the points are
// from their middle, how normals lean from their faces. Where a shape lies is compared as its visual.
// Output: entries of Quantity::looks in a Comparison. Called by `mechane diff`.

#include "mechane/difference/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "difference/look_values.h"
#include "difference/values.h"
#include "mechane/physics/solid_size.h"
#include "mechane/usd/instancer_copies.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/start_value.h"

namespace mechane::difference {
namespace {

constexpr double kSizeTolerance = 1e-4;  ///< of a surface's size

/// Something that is seen or lights: with where it belongs.
struct Thing {
    usd::Prim                         prim;
    std::string                       body, name;  ///< of the nearest rigid body above, of itself
    std::string                       path;        ///< below the default prim
    std::string                       hidden;      ///< why it is not seen; empty: it is
    std::optional<usd::Matrix4d>      in_body;     ///< from its frame to its body's, or to a world with z up [m]
    std::optional<physics::OwnBounds> box;         ///< in that frame [m]
};

/// The nearest rigid body at or above a prim; invalid where the world holds it.
usd::Prim body_of(usd::Prim prim)
{
    for (; prim && !prim.path().is_root(); prim = prim.parent())
        if (prim.has_api("PhysicsRigidBodyAPI")) return prim;
    return {};
}

bool is_light(const usd::Prim& prim)
{ return prim.is_a("BoundableLightBase") || prim.is_a("NonboundableLightBase") || prim.has_api("LightAPI"); }

/// Of an instancer what it copies is not seen where it stands.
bool is_prototype(const usd::Prim& prim)
{
    if (usd::instancer_copy(prim)) return false;
    for (usd::Prim above = prim.parent(); above && !above.path().is_root(); above = above.parent())
        if (above.type_name().text() == "PointInstancer") return true;
    return false;
}

/// One of the two stages.
class Scenery {
  public:
    explicit Scenery(const usd::Stage& stage) : stage_(&stage), looks(stage)
    {
        const usd::StageMetadata& meta = stage.metadata();
        unit_                          = meta.meters_per_unit;
        up_                            = meta.up_axis == 'Y'   ? from_axis_angle(Vec3d{1, 0, 0}, std::numbers::pi / 2)
                                         : meta.up_axis == 'X' ? from_axis_angle(Vec3d{0, 1, 0}, -std::numbers::pi / 2)
                                                               : Quatd{};
        for (const usd::Prim& prim : stage.traverse()) {
            const bool light = is_light(prim), camera = prim.is_a("Camera"), shape = prim.is_a("Gprim");
            if ((!light && !camera && !shape) || is_prototype(prim)) continue;
            Thing thing = placed(prim);
            if (light) lights.push_back(thing);
            if (camera) cameras.push_back(thing);
            if (shape) shapes.push_back(std::move(thing));
        }
    }

  private:
    const usd::Stage* stage_;
    double            unit_ = 1;
    Quatd             up_;

    Thing placed(const usd::Prim& prim) const
    {
        Thing           out;
        const usd::Prim body = body_of(prim);
        const usd::Prim root = stage_->default_prim();
        out.prim             = prim;
        out.name             = prim.name().text();
        out.body             = body ? body.name().text() : "";
        out.path             = prim.path().text();
        if (root && prim.path().has_prefix(root.path())) out.path = out.path.substr(root.path().text().size());
        const std::string purpose = stage_->purpose(prim).text();
        if (!stage_->visible(prim, usd::start_of(prim.attribute("visibility"))))
            out.hidden = "invisible";
        else if (purpose != "default" && purpose != "render")
            out.hidden = purpose;
        usd::Matrix4d base = usd::from_pose({{}, up_});
        if (body) {
            // The body's pose without its scale, which is the prim's as well.
            const usd::Decomposition d = usd::decompose(stage_->world_matrix(body));
            if (const auto back = usd::inverse(usd::from_pose({d.translation, d.rotation})); back && !d.singular)
                base = *back;
            else
                return out;
        }
        usd::Matrix4d metres;
        for (int i = 0; i < 3; ++i) metres(i, i) = unit_;
        out.in_body = stage_->world_matrix(prim) * base * metres;
        if (const auto own = physics::own_bounds(prim)) {
            for (int corner = 0; corner < 8; ++corner) {
                const auto  at = [&](std::size_t i) { return (*own)[(corner >> i) & 1][i]; };
                const Vec3d p  = usd::transform_point(*out.in_body, {at(0), at(1), at(2)});
                out.box        = out.box ? physics::OwnBounds{min((*out.box)[0], p), max((*out.box)[1], p)}
                                         : physics::OwnBounds{p, p};
            }
            if (!is_finite((*out.box)[0]) || !is_finite((*out.box)[1])) out.box.reset();
        }
        return out;
    }

  public:
    LookReader         looks;
    std::vector<Thing> shapes, lights, cameras;

    [[nodiscard]] double            unit() const { return unit_; }
    [[nodiscard]] const usd::Stage& stage() const { return *stage_; }
};

/// Pairs of two lists, and what is left of each.
struct Pairs {
    std::vector<std::pair<std::size_t, std::size_t>> same;
    std::vector<std::size_t>                         only_a, only_b;
};

Pairs pairs_of(const std::vector<Thing>& a, const std::vector<Thing>& b)
{
    Pairs            out;
    std::vector<int> in_a(a.size(), -1), in_b(b.size(), -1);
    const auto       pair = [&](std::size_t i, std::size_t k) {
        if (in_a[i] >= 0 || in_b[k] >= 0) return;
        in_a[i] = static_cast<int>(k), in_b[k] = static_cast<int>(i);
    };
    const auto by = [&](const auto& key) {
        std::multimap<std::string, std::size_t> known;
        for (std::size_t k = 0; k < b.size(); ++k)
            if (in_b[k] < 0) known.emplace(key(b[k]), k);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (in_a[i] >= 0) continue;
            const auto found = known.find(key(a[i]));
            if (found == known.end()) continue;
            pair(i, found->second);
            known.erase(found);
        }
    };
    by([](const Thing& t) { return t.path; });
    by([](const Thing& t) { return t.body + "/" + t.name; });
    // What is called otherwise and fills the same room of the same body.
    std::multimap<std::string, std::size_t> rest;
    for (std::size_t k = 0; k < b.size(); ++k)
        if (in_b[k] < 0 && b[k].box && b[k].hidden.empty()) rest.emplace(b[k].body, k);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (in_a[i] >= 0 || !a[i].box || !a[i].hidden.empty()) continue;
        const Vec3d &low = (*a[i].box)[0], &high = (*a[i].box)[1];
        const auto [begin, end] = rest.equal_range(a[i].body);
        for (auto it = begin; it != end; ++it) {
            const auto& box = *b[it->second].box;
            if (length(low - box[0]) + length(high - box[1]) > 1e-3 * length(high - low) + 1e-6) continue;
            pair(i, it->second);
            rest.erase(it);
            break;
        }
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (in_a[i] >= 0)
            out.same.emplace_back(i, at(in_a[i]));
        else
            out.only_a.push_back(i);
    }
    for (std::size_t k = 0; k < b.size(); ++k)
        if (in_b[k] < 0) out.only_b.push_back(k);
    return out;
}

/// What a surface is, whatever its frame and the order of its points.
struct Surface {
    std::vector<double> radii;  ///< of the points from their middle, ascending [m]
    std::vector<double> lean;   ///< of each corner's normal from its face: 1 is upright; empty: faces are flat
    std::size_t         faces = 0;
    double              size  = 0;  ///< [m]
};

std::vector<Vec3d> points_of(const Thing& thing)
{
    auto points = usd::start_as<std::vector<Vec3d>>(thing.prim.attribute("points")).value_or(std::vector<Vec3d>());
    for (Vec3d& p : points) p = usd::transform_point(*thing.in_body, p);
    return points;
}

/// Normals at the corners of a mesh, in its frame; empty where it has none that fit.
std::vector<Vec3d> corner_normals(const usd::Prim& mesh, const std::vector<int>& counts,
                                  const std::vector<int>& corners)
{
    usd::Attribute normals = mesh.attribute("primvars:normals");
    const bool     primvar = normals && normals.authored();
    if (!primvar) normals = mesh.attribute("normals");
    Diagnostics        quiet;
    std::vector<Vec3d> values, out;
    if (primvar)
        values = usd::flattened_primvar<Vec3d>(normals, quiet, usd::start_of(normals));
    else
        values = usd::start_as<std::vector<Vec3d>>(normals).value_or(std::vector<Vec3d>());
    std::string by = normals.metadata("interpolation").get<std::string>().value_or(primvar ? "constant" : "vertex");
    for (std::size_t f = 0, c = 0; f < counts.size(); ++f)
        for (int k = 0; k < counts[f]; ++k, ++c) {
            if (c >= corners.size() || corners[c] < 0) return {};
            const std::size_t i = by == "faceVarying" ? c : by == "uniform" ? f : by == "constant" ? 0 : at(corners[c]);
            if (i >= values.size()) return {};
            out.push_back(values[i]);
        }
    return out;
}

Surface surface_of(const Thing& thing)
{
    Surface                  out;
    const std::vector<Vec3d> points = points_of(thing);
    const auto               counts =
        usd::start_as<std::vector<int>>(thing.prim.attribute("faceVertexCounts")).value_or(std::vector<int>());
    const auto corners =
        usd::start_as<std::vector<int>>(thing.prim.attribute("faceVertexIndices")).value_or(std::vector<int>());
    out.faces = counts.size();
    // Points that no face uses are not seen.
    std::set<int>      used(corners.begin(), corners.end());
    std::vector<Vec3d> seen;
    for (std::size_t p = 0; p < points.size(); ++p)
        if ((corners.empty() || used.contains(static_cast<int>(p))) && is_finite(points[p])) seen.push_back(points[p]);
    Vec3d middle;
    for (const Vec3d& p : seen) middle = middle + p / static_cast<double>(seen.size());
    for (const Vec3d& p : seen) out.radii.push_back(length(p - middle));
    std::sort(out.radii.begin(), out.radii.end());
    out.size = out.radii.empty() ? 0 : 2 * out.radii.back();
    if (thing.prim.attribute("subdivisionScheme").get_or<std::string>("catmullClark") != "none") return out;
    const std::vector<Vec3d> normals = corner_normals(thing.prim, counts, corners);
    const auto own = usd::start_as<std::vector<Vec3d>>(thing.prim.attribute("points")).value_or(std::vector<Vec3d>());
    for (std::size_t f = 0, c = 0; f < counts.size() && !normals.empty(); c += at(std::max(counts[f], 0)), ++f) {
        Vec3d face;
        for (int k = 1; k + 1 < counts[f]; ++k) {
            const auto p = [&](int i) { return own[std::min(at(corners[c + at(i)]), own.size() - 1)]; };
            face         = face + cross(p(k) - p(0), p(k + 1) - p(0));
        }
        for (int k = 0; k < counts[f]; ++k) {
            const Vec3d& n    = normals[c + at(k)];
            const double size = length(n) * length(face);
            out.lean.push_back(size > 0 && std::isfinite(size) ? std::abs(dot(n, face)) / size : 1);
        }
    }
    std::sort(out.lean.begin(), out.lean.end());
    // Upright everywhere is how a mesh without normals is drawn.
    if (!out.lean.empty() && out.lean.front() > 0.999) out.lean.clear();
    return out;
}

class LookComparer {
  public:
    LookComparer(Comparison& out, const usd::Stage& a, const usd::Stage& b, const CompareOptions& options)
        : out_(out),
          a_(a),
          b_(b),
          options_(options),
          tolerance_(tolerances()[static_cast<std::size_t>(Quantity::looks)])
    {
    }

    void run()
    {
        const Pairs shapes = pairs_of(a_.shapes, b_.shapes);
        for (const auto& [i, k] : shapes.same) shape(a_.shapes[i], b_.shapes[k]);
        for (const std::size_t i : shapes.only_a) alone(a_.shapes[i], true);
        for (const std::size_t k : shapes.only_b) alone(b_.shapes[k], false);
        for (const Met& met : materials_) tell(met);
        both(a_.lights, b_.lights, "light");
        both(a_.cameras, b_.cameras, "camera");
    }

  private:
    /// Two materials that a pair of shapes shows.
    struct Met {
        const Look*              a = nullptr;
        const Look*              b = nullptr;
        std::vector<std::string> shown_by;
    };
    Comparison&                                                out_;
    Scenery                                                    a_, b_;
    const CompareOptions&                                      options_;
    const Tolerance&                                           tolerance_;
    std::map<std::pair<const Look*, const Look*>, std::size_t> index_;
    std::vector<Met>                                           materials_;

    static std::string item_of(const Thing& thing, const char* what)
    {
        std::string out = fmt::format("{} '{}'", what, thing.name);
        if (!thing.body.empty()) out += fmt::format(" of link '{}'", thing.body);
        return out;
    }

    void differ(const std::string& item, const std::string& field, const std::string& x, const std::string& y,
                const Site& at_a, const Site& at_b, double amount = 0, double tolerance = 0, std::string note = {})
    { out_.add({Quantity::looks, item, field, Side{x, at_a}, Side{y, at_b}, amount, tolerance, std::move(note), {}}); }

    void word(const std::string& item, const char* field, const std::string& x, const std::string& y, const Site& at_a,
              const Site& at_b)
    {
        out_.count(Quantity::looks);
        if (x != y) differ(item, field, x, y, at_a, at_b);
    }

    [[nodiscard]] double allowed(double of) const
    { return options_.scale * (tolerance_.absolute + tolerance_.relative * (std::isfinite(of) ? std::abs(of) : 0)); }

    /// How far two lists of numbers are apart, in units of what they may be; infinite for lists of other lengths.
    [[nodiscard]] double apart(const std::vector<double>& x, const std::vector<double>& y, double may_each = -1) const
    {
        if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
        double most = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
            const double may = may_each >= 0 ? may_each : allowed(std::max(std::abs(x[i]), std::abs(y[i])));
            const double off = std::abs(x[i] - y[i]) / std::max(may, 1e-300);
            most             = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(most, off);
        }
        return most;
    }

    void value(const std::string& item, const std::string& field, const LookValue& x, const LookValue& y,
               const std::string& note = {})
    {
        out_.count(Quantity::looks);
        const bool same = x.numbers.empty() && y.numbers.empty() ? x.text == y.text
                                                                 : x.text == y.text && apart(x.numbers, y.numbers) <= 1;
        if (same) return;
        const auto said = [](const LookValue& v) {
            const std::string text = text_of(v);
            return text.empty() ? std::string("not said") : text;
        };
        const bool one = x.numbers.size() == 1 && y.numbers.size() == 1;
        differ(item, field, said(x), said(y), x.site, y.site, one ? std::abs(x.numbers[0] - y.numbers[0]) : 0,
               one ? allowed(std::max(std::abs(x.numbers[0]), std::abs(y.numbers[0]))) : 0, note);
    }

    // -- shapes

    void shape(const Thing& x, const Thing& y)
    {
        if (!x.hidden.empty() && !y.hidden.empty()) return;  // neither is seen
        const std::string item = item_of(x, "visual");
        const Site        at_a = x.prim.site(), at_b = y.prim.site();
        const auto        seen = [](const Thing& t) { return t.hidden.empty() ? std::string("seen") : t.hidden; };
        word(item, "visibility", seen(x), seen(y), at_a, at_b);
        if (!x.hidden.empty() || !y.hidden.empty()) return;
        value(item, "visibility over time", varying(a_, x.prim, "visibility"), varying(b_, y.prim, "visibility"));
        meet(a_.looks.of(x.prim), b_.looks.of(y.prim), item);
        subsets(x, y, item);
        room(item, x, y);
        if (!x.prim.is_a("PointBased") || !y.prim.is_a("PointBased") || !x.in_body || !y.in_body) return;
        surface(item, x, y);
        for (const char* name : {"subdivisionScheme", "doubleSided", "type", "basis", "wrap"}) {
            const auto p = x.prim.attribute(name), q = y.prim.attribute(name);
            if (p && q) value(item, name, a_.looks.value(p), b_.looks.value(q));
        }
        const auto p = x.prim.attribute("widths"), q = y.prim.attribute("widths");
        if (p && q) value(item, "widths", a_.looks.value(p, a_.unit()), b_.looks.value(q, b_.unit()));
    }

    /// Where a shape is that no robot's description has: a copy of an instancer, a curve. Of others the visuals tell
    /// it.
    void room(const std::string& item, const Thing& x, const Thing& y)
    {
        const bool described = x.prim.type_name().text() == "Mesh" || physics::solid_size(x.prim).has_value();
        if ((described && !usd::instancer_copy(x.prim)) || !x.box || !y.box) return;
        out_.count(Quantity::looks);
        const auto& [low, high]   = *x.box;
        const auto& [low2, high2] = *y.box;
        const double off          = std::max(length(low - low2), length(high - high2)),
                     may          = options_.scale * (1e-5 + kSizeTolerance * length(high - low));
        if (off <= may) return;
        differ(item, "bounds", fmt::format("{} to {}", text(low, ""), text(high, "m")),
               fmt::format("{} to {}", text(low2, ""), text(high2, "m")), x.prim.site(), y.prim.site(), off, may);
    }

    /// An animation, or nothing for what holds one value.
    static LookValue varying(Scenery& side, const usd::Prim& prim, const char* name)
    {
        const usd::Attribute attribute = prim.attribute(name);
        return attribute && attribute.varying() ? side.looks.value(attribute) : LookValue{};
    }

    void surface(const std::string& item, const Thing& x, const Thing& y)
    {
        const Surface p = surface_of(x), q = surface_of(y);
        const Site    at_a = x.prim.attribute("points").site(), at_b = y.prim.attribute("points").site();
        out_.count(Quantity::looks, 3);
        const double may = options_.scale * (1e-6 + kSizeTolerance * std::max(p.size, q.size));
        if (p.radii.size() != q.radii.size() || p.faces != q.faces)
            return differ(item, "surface", fmt::format("{} points, {} faces", p.radii.size(), p.faces),
                          fmt::format("{} points, {} faces", q.radii.size(), q.faces), at_a, at_b);
        if (const double off = apart(p.radii, q.radii, may); off > 1)
            return differ(item, "surface", fmt::format("{} points", p.radii.size()),
                          fmt::format("{} points elsewhere", q.radii.size()), at_a, at_b, off * may, may,
                          fmt::format("points lie {:.3g} m farther from or nearer to the middle", off * may));
        if (const double off = apart(p.lean, q.lean, 1e-3 * std::max(options_.scale, 1e-6)); off > 1)
            differ(item, "normals", p.lean.empty() ? "flat faces" : fmt::format("{} normals", p.lean.size()),
                   q.lean.empty() ? "flat faces" : fmt::format("{} normals that lean otherwise", q.lean.size()), at_a,
                   at_b);
        pictures(item, x, y);
    }

    /// How pictures lie on two surfaces of the same faces.
    void pictures(const std::string& item, const Thing& x, const Thing& y)
    {
        const std::set<std::string>&p = a_.looks.of(x.prim).primvars, &q = b_.looks.of(y.prim).primvars;
        for (auto i = p.begin(), k = q.begin(); i != p.end() && k != q.end(); ++i, ++k) {
            const auto u = coordinates(x.prim, *i), v = coordinates(y.prim, *k);
            out_.count(Quantity::looks);
            if (apart(u.numbers, v.numbers) > 1)
                differ(item, "texture coordinates",
                       u.numbers.empty() ? "none" : fmt::format("{} of '{}'", u.numbers.size() / 2, *i),
                       v.numbers.empty() ? "none" : fmt::format("{} of '{}'", v.numbers.size() / 2, *k), u.site,
                       v.site);
        }
    }

    /// At each corner, ascending: the order of faces means nothing.
    static LookValue coordinates(const usd::Prim& mesh, const std::string& name)
    {
        LookValue            out;
        const usd::Attribute primvar = usd::find_primvar(mesh, name);
        if (!primvar) return out;
        out.site = primvar.site();
        Diagnostics quiet;
        const auto  values  = usd::flattened_primvar<Vec2d>(primvar, quiet, usd::start_of(primvar));
        const auto  corners = usd::start_as<std::vector<int>>(mesh.attribute("faceVertexIndices"));
        std::vector<std::pair<double, double>> all;
        for (std::size_t c = 0; corners && c < corners->size(); ++c) {
            const std::size_t i = values.size() == corners->size() ? c : at(std::max((*corners)[c], 0));
            if (i < values.size()) all.emplace_back(values[i].x, values[i].y);
        }
        std::sort(all.begin(), all.end());
        for (const auto& [u, v] : all) out.numbers.insert(out.numbers.end(), {u, v});
        return out;
    }

    static std::vector<usd::Prim> subsets_of(const usd::Stage& stage, const usd::Prim& prim)
    {
        std::vector<usd::Prim> out;
        for (const usd::Prim& child : prim.children())
            if (child.type_name().text() == "GeomSubset" && stage.bound_material(child, "full")) out.push_back(child);
        return out;
    }

    /// Faces with looks of their own, by name, else in their order.
    void subsets(const Thing& x, const Thing& y, const std::string& item)
    {
        const auto p = subsets_of(a_.stage(), x.prim), q = subsets_of(b_.stage(), y.prim);
        if (p.empty() && q.empty()) return;
        out_.count(Quantity::looks);
        if (p.size() != q.size())
            return differ(item, "parts with looks of their own", fmt::format("{}", p.size()),
                          fmt::format("{}", q.size()), x.prim.site(), y.prim.site());
        std::vector<bool> used(q.size(), false);
        for (std::size_t i = 0; i < p.size(); ++i) {
            std::size_t k = i;
            for (std::size_t n = 0; n < q.size(); ++n)
                if (!used[n] && q[n].name() == p[i].name()) k = n;
            while (used[k]) k = (k + 1) % q.size();
            used[k]                = true;
            const std::string part = fmt::format("{}, part '{}'", item, p[i].name().text());
            meet(a_.looks.of(p[i]), b_.looks.of(q[k]), part);
            const auto faces = [](const usd::Prim& subset) {
                auto list = usd::start_as<std::vector<int>>(subset.attribute("indices")).value_or(std::vector<int>());
                std::sort(list.begin(), list.end());
                return list;
            };
            out_.count(Quantity::looks);
            if (const auto u = faces(p[i]), v = faces(q[k]); u != v)
                differ(
                    part, "faces", fmt::format("{} faces", u.size()),
                    u.size() == v.size() ? fmt::format("{} other faces", v.size()) : fmt::format("{} faces", v.size()),
                    p[i].site(), q[k].site());
        }
    }

    void meet(const Look& x, const Look& y, const std::string& item)
    {
        const auto [slot, fresh] = index_.try_emplace({&x, &y}, materials_.size());
        if (fresh) materials_.push_back({&x, &y, {}});
        materials_[slot->second].shown_by.push_back(item);
    }

    void tell(const Met& met)
    {
        const std::size_t n    = met.shown_by.size();
        const std::string note = n > 1 ? fmt::format("and {} more that show it", n - 1) : "";
        const std::string item = met.shown_by.front();
        const auto        kind = [](const Look& look) {
            const auto found = look.values.find("shader");
            return found != look.values.end() ? found->second.text : std::string("none");
        };
        std::set<std::string> names;
        for (const auto* look : {met.a, met.b})
            for (const auto& [name, read] : look->values) names.insert(name);
        // Shaders of other kinds have inputs of other names: that they are others says it all.
        if (kind(*met.a) != kind(*met.b)) names = {"shader"};
        for (const std::string& name : names) {
            const auto of = [&](const Look& look) {
                const auto found = look.values.find(name);
                LookValue  read  = found != look.values.end() ? found->second : LookValue{};
                if (read.site.layer.empty()) read.site = look.site;
                return read;
            };
            value(item, name, of(*met.a), of(*met.b), note);
        }
    }

    /// A shape that only one side has. Whatever formats of robots know is told as a visual.
    void alone(const Thing& thing, bool first)
    {
        if (!thing.hidden.empty()) return;
        const std::string name = fmt::format("'{}'", thing.name);
        for (const Difference& d : out_.differences)
            if ((d.quantity == Quantity::visual || d.quantity == Quantity::collider) && d.field == "shape" &&
                d.item.find(name) != std::string::npos)
                return;
        only(item_of(thing, "visual"), "shape", thing, first);
    }

    void only(const std::string& item, const char* field, const Thing& thing, bool first)
    {
        out_.count(Quantity::looks);
        Side side{thing.prim.type_name().text(), thing.prim.site()};
        out_.add({Quantity::looks,
                  item,
                  field,
                  first ? std::optional(side) : std::nullopt,
                  first ? std::nullopt : std::optional(side),
                  0,
                  0,
                  first ? "only in the first" : "only in the second",
                  {}});
    }

    // -- lights and cameras

    void both(const std::vector<Thing>& a, const std::vector<Thing>& b, const char* what)
    {
        const Pairs pairs = pairs_of(a, b);
        const bool  light = what == std::string_view("light");
        for (const auto& [i, k] : pairs.same) {
            const Thing &     x = a[i], &y = b[k];
            const std::string item = item_of(x, what);
            word(item, "kind", x.prim.type_name().text(), y.prim.type_name().text(), x.prim.site(), y.prim.site());
            const auto seen = [](const Thing& t) { return t.hidden == "invisible" ? "off" : "on"; };
            if (light) word(item, "visibility", seen(x), seen(y), x.prim.site(), y.prim.site());
            place(item, x, y, light);
            if (light)
                inputs(item, x, y);
            else
                lens(item, x, y);
        }
        for (const std::size_t i : pairs.only_a) only(item_of(a[i], what), what, a[i], true);
        for (const std::size_t k : pairs.only_b) only(item_of(b[k], what), what, b[k], false);
    }

    /// Where a light is and which way it shines; where a camera is, is told as a frame of the robot.
    void place(const std::string& item, const Thing& x, const Thing& y, bool light)
    {
        if (!light || !x.in_body || !y.in_body) return;
        const std::string type = x.prim.type_name().text();
        const Vec3d       p = usd::transform_point(*x.in_body, {}), q = usd::transform_point(*y.in_body, {});
        const bool        turns  = type != "SphereLight",
                          stands = type != "DistantLight" && type != "DomeLight" && type != "DomeLight_1";
        out_.count(Quantity::looks, (turns ? 1 : 0) + (stands ? 1 : 0));
        const double may = options_.scale * (1e-5 + 1e-6 * std::max(length(p), length(q)));
        if (stands && !(length(p - q) <= may))
            differ(item, "position", text(p, "m"), text(q, "m"), x.prim.site(), y.prim.site(), length(p - q), may);
        if (!turns) return;
        for (const Vec3d& axis : {Vec3d{0, 0, -1}, Vec3d{1, 0, 0}}) {
            const auto  way = [&](const Thing& t) { return normalized(usd::transform_vector(*t.in_body, axis), axis); };
            const Vec3d u = way(x), v = way(y);
            if (length(u - v) <= 1e-4 * options_.scale) continue;
            return differ(item, "direction", text(u, ""), text(v, ""), x.prim.site(), y.prim.site(), length(u - v),
                          1e-4 * options_.scale);
        }
    }

    void inputs(const std::string& item, const Thing& x, const Thing& y)
    {
        static const std::set<std::string> kLengths{"inputs:radius", "inputs:width",           "inputs:height",
                                                    "inputs:length", "inputs:shadow:distance", "inputs:shadow:falloff"};
        static const std::set<std::string> kAreas{"RectLight", "DiskLight", "SphereLight", "CylinderLight"};
        std::set<std::string>              names;
        for (const Thing* t : {&x, &y})
            for (const usd::Token& name : t->prim.property_names())
                if (name.text().starts_with("inputs:")) names.insert(name.text());
        for (const std::string& name : names) {
            const auto of = [&](Scenery& side, const Thing& t) {
                const usd::Attribute input = t.prim.attribute(name);
                // Below zero a distance of shadows stands for none.
                if (kLengths.contains(name))
                    return side.looks.value(input, usd::start_or<double>(input, 0) < 0 ? 1 : side.unit());
                // The area that divides the intensity is in units of the scene.
                const bool divided = name == "inputs:intensity" && kAreas.contains(t.prim.type_name().text()) &&
                                     usd::start_or<bool>(t.prim.attribute("inputs:normalize"), false);
                return side.looks.value(input, divided ? side.unit() * side.unit() : 1);
            };
            value(item, name.substr(7), of(a_, x), of(b_, y));
        }
    }

    /// What a camera sees: angles, so that apertures in tenths of any unit compare.
    void lens(const std::string& item, const Thing& x, const Thing& y)
    {
        const auto number = [](const Thing& t, const char* name, double otherwise) {
            return usd::start_or<double>(t.prim.attribute(name), otherwise);
        };
        const auto flat = [&](const Thing& t) {
            return usd::start_or<std::string>(t.prim.attribute("projection"), "perspective") == "orthographic";
        };
        word(item, "projection", flat(x) ? "orthographic" : "perspective", flat(y) ? "orthographic" : "perspective",
             x.prim.site(), y.prim.site());
        if (flat(x) != flat(y)) return;
        const auto sees = [&](const Scenery& side, const Thing& t, const char* aperture, double otherwise) {
            const double wide = number(t, aperture, otherwise);
            // Apertures and focal lengths are tenths of the stage's unit.
            if (flat(t)) return LookValue{{wide / 10 * side.unit()}, {}, {}, t.prim.attribute(aperture).site()};
            const double angle = 2 * std::atan2(wide / 2, number(t, "focalLength", 50)) * 180 / std::numbers::pi;
            return LookValue{{angle}, {}, {}, t.prim.attribute(aperture).site()};
        };
        const char* kind = flat(x) ? "width of the picture [m]" : "horizontal field of view [degrees]";
        value(item, kind, sees(a_, x, "horizontalAperture", 20.955), sees(b_, y, "horizontalAperture", 20.955));
        kind = flat(x) ? "height of the picture [m]" : "vertical field of view [degrees]";
        value(item, kind, sees(a_, x, "verticalAperture", 15.2908), sees(b_, y, "verticalAperture", 15.2908));
        for (const char* name : {"clippingRange", "focusDistance", "fStop", "exposure"}) {
            const bool is_length =
                name == std::string_view("clippingRange") || name == std::string_view("focusDistance");
            value(item, name, a_.looks.value(x.prim.attribute(name), is_length ? a_.unit() : 1),
                  b_.looks.value(y.prim.attribute(name), is_length ? b_.unit() : 1));
        }
    }
};

/// With a prim for each item of an instancer; the stage itself where that cannot be.
std::shared_ptr<const usd::Stage> with_copies(const usd::Stage& stage)
{
    std::vector<usd::InstancerComplaint> complaints;
    if (usd::has_instancer_copies(stage)) return nullptr;
    auto made = usd::with_instancer_copies(stage, true, complaints);
    return made ? *made : nullptr;
}

}  // namespace

void compare_looks(Comparison& out, const usd::Stage& a, const usd::Stage& b, const CompareOptions& options)
{
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), Quantity::looks) == options.only.end())
        return;
    const auto more_a = with_copies(a), more_b = with_copies(b);
    LookComparer(out, more_a ? *more_a : a, more_b ? *more_b : b, options).run();
    out.sort();
}

}  // namespace mechane::difference

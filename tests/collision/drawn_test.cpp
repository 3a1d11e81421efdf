#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "drawn.h"
#include "mechane/collision/narrow.h"
#include "patch.h"

/// Laws that contacts keep whatever meets (drawn.h). MECHANE_TEST_POSES sets the number of draws (a 500th of it for each
/// pair of kinds), MECHANE_TEST_SEED which ones, MECHANE_TEST_TELL prints every breach, MECHANE_TEST_PAIR ("capsule box")
/// and MECHANE_TEST_DRAW pick one of them, which is shown.
using namespace mechane;
using namespace mechane::test;

namespace {

/// How far a point is off the surface, on either side [m].
double off_surface(const Specimen& s, const Shape& placed, const Vec3d& p_W)
{
    const Vec3d p = transpose_times(placed.R, p_W - placed.p);
    if (s.kind == Drawn::plane) return std::abs(p.z);
    if (s.kind == Drawn::rectangle || placed.kind == ShapeKind::rectangle) {
        const Vec3d h = placed.size;
        return max_component(Vec3d{std::abs(p.x) - h.x, std::abs(p.y) - h.y, std::abs(p.z)});
    }
    if (s.kind == Drawn::ellipsoid) {  // to first order
        const Vec3d q{p.x / placed.size.x, p.y / placed.size.y, p.z / placed.size.z};
        const Vec3d slope{q.x / placed.size.x, q.y / placed.size.y, q.z / placed.size.z};
        return length(slope) > 0 ? std::abs((dot(q, q) - 1) / (2 * length(slope))) : placed.size.x;
    }
    if (s.parts.empty()) return std::abs(outside(placed, p_W));
    double least = kInfinity;
    for (const Shape& part : s.parts) least = std::min(least, outside(part, p));
    return std::abs(least);
}

/// The middle of what a shape covers along the unit direction n [m].
double middle_along(const Shape& s, const Vec3d& n)
{
    const Vec3d u = transpose_times(s.R, n);
    return dot(n, s.p) + 0.5 * (extent_along(s, u) - extent_along(s, -u));
}

/// The convex solid whose signed distance from b the pair has (docs/collision_method.md, "Finite planes").
Shape solid_for(const Specimen& a, const Shape& placed, const Shape& b, double size)
{
    if (a.kind == Drawn::plane) {
        const Vec3d  n = placed.R.column(2), foot = b.p - dot(n, b.p - placed.p) * n;
        const double wide = 100 * size;
        Shape        ground = shape(ShapeKind::box, {wide, wide, wide}, foot - wide * n);
        ground.R            = placed.R;
        return ground;
    }
    if (a.kind != Drawn::rectangle) return placed;
    const Vec3d  n    = placed.R.column(2);
    const double deep = std::max(0.0, dot(n, placed.p) - middle_along(b, n));
    Shape        slab = placed;
    slab.kind         = ShapeKind::box;
    slab.size.z       = 1.5 * deep;
    slab.p -= slab.size.z * n;
    return slab;
}

struct Breach {
    double      value = 0;
    int         count = 0, judged = 0;
    std::string where;
};

class Laws {
  public:
    explicit Laws(std::string pair) : pair_(std::move(pair)) {}

    void see(const std::string& law, double value, double limit, int draw, const std::string& note = {})
    {
        Breach& b = all_[law];
        ++b.judged;
        if (value <= limit) return;
        ++b.count;
        static const bool tell = std::getenv("MECHANE_TEST_TELL") != nullptr;
        if (tell) fmt::print("{:<20} {:<12} draw {:<6} {:.3g} {}\n", pair_, law, draw, value, note);
        if (!(value <= b.value)) b.value = value, b.where = fmt::format("{} draw {} {}", pair_, draw, note);
    }
    [[nodiscard]] const std::map<std::string, Breach>& all() const { return all_; }

  private:
    std::string                   pair_;
    std::map<std::string, Breach> all_;
};

std::string text(const Vec3d& v) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x, v.y, v.z); }

/// Both shapes and their contacts in the frame of the first, for whoever looks for a cause.
void show(const Meeting& m)
{
    const Shape &a = m.a.shape, &b = m.b.shape;
    const auto   local = [&](const Vec3d& p) { return transpose_times(a.R, p - a.p); };
    fmt::print("size {}, reach {:.6g}\n     {} at {}\naxes {} {} {}\n", text(a.size), m.reach, text(b.size), text(local(b.p)),
               text(local(a.p + b.R.column(0))), text(local(a.p + b.R.column(1))), text(local(a.p + b.R.column(2))));
    const Manifold found = contacts(a, b, m.reach);
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& p = found.points[static_cast<std::size_t>(i)];
        fmt::print("{:.9g} n {} p0 {} p1 {} {:x}\n", p.distance, text(local(a.p + p.normal)), text(local(p.p0)),
                   text(local(p.p1)), p.feature);
    }
}

void judge(const Meeting& m, int draw, Random& r, Laws& laws)
{
    const Shape &  a = m.a.shape, &b = m.b.shape;
    const bool     convex = is_convex(m.a.kind) && is_convex(m.b.kind);
    const double   noise  = 1e-14 * (length(a.p) + m.size);
    const Manifold found  = contacts(a, b, m.reach);
    const Shape    solid  = solid_for(m.a, a, b, m.size);
    const Vec3d    up     = a.R.column(2);
    const bool     sunk   = m.a.kind == Drawn::rectangle && middle_along(b, up) < dot(up, a.p) + 1e-2 * m.small;
    if (m.a.kind == Drawn::rectangle) {
        // Left alone: what has sunk too far.
        const double below = std::max(collision::bounding_radius(b), 0.5 * std::min(a.size.x, a.size.y));
        if (dot(up, collision::centre(b) - a.p) < -below + 1e-3 * m.size) return;
    }
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& p     = found.points[static_cast<std::size_t>(i)];
        const bool          sound = is_finite(p.p0) && is_finite(p.p1) && std::abs(length(p.normal) - 1) < 1e-9 &&
                           p.distance <= m.reach + 1e-9 * m.size;
        laws.see("sound", sound ? 0 : 1, 0, draw);
        laws.see("way", distance(p.p1 - p.p0, p.distance * p.normal), 1e-9 * m.size + noise, draw);
    }
    if (!convex) {
        // Apart it is the nearest part.
        if (m.a.parts.empty() && m.b.parts.empty()) return;
        if (is_ground(m.b.kind) || is_ground(m.a.kind)) return;
        const auto parts_of = [](const Specimen& s) {
            std::vector<Shape> out;
            for (Shape part : s.parts) {
                part.p = s.shape.p + s.shape.R * part.p, part.R = s.shape.R * part.R;
                out.push_back(part);
            }
            if (out.empty()) out.push_back(s.shape);
            return out;
        };
        // The distances of the parts are proven above.
        double       least = kInfinity;
        const double limit = 1e-5 * m.size;
        for (const Shape& x : parts_of(m.a))
            for (const Shape& y : parts_of(m.b)) {
                const Manifold part = contacts(x, y, kInfinity);
                least               = std::min(least, part.count ? deepest(part) : -kInfinity);
            }
        if (least < -limit) return;
        const double d = found.count ? deepest_point(found).distance : m.reach;
        laws.see(found.count ? "hollow" : "hollow missed", found.count ? std::abs(d - least) : d - least, limit, draw,
                 fmt::format("{:.6g} for {:.6g}", d / m.size, least / m.size));
        return;
    }
    laws.see("few", found.count, 5, draw);
    const auto round = [](Drawn d) { return d == Drawn::sphere || d == Drawn::ellipsoid; };
    if (found.count > 0 && (round(m.a.kind) || round(m.b.kind))) laws.see("single", found.count, 1, draw);
    if (found.count == 0) {
        const Manifold far = contacts(a, b, kInfinity);
        laws.see("missed", far.count ? (m.reach - room(solid, b, deepest_point(far).normal)) / m.size : 1, 1e-6, draw);
        return;
    }
    const ContactPoint& p    = deepest_point(found);
    const std::string   note = fmt::format("d {:.4g} of {:.3g}, {:.3g}, n ({:.3f} {:.3f} {:.3f}), {} contacts", p.distance,
                                           m.a.size, m.b.size, dot(a.R.column(0), p.normal), dot(a.R.column(1), p.normal),
                                           dot(a.R.column(2), p.normal), found.count);
    // The direction proves that they are no nearer, the search that no other one separates them by more.
    laws.see("separation", std::abs(room(solid, b, p.normal) - p.distance) / m.size, 1e-5 + noise / m.size, draw, note);
    if (m.a.kind != Drawn::plane)
        laws.see("least", (most_room(solid, b) - p.distance) / m.size, 1e-4, draw, note);
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& q   = found.points[static_cast<std::size_t>(i)];
        const double        off_a = solid.kind == a.kind || m.a.kind == Drawn::plane ? off_surface(m.a, a, q.p0)
                                                                                     : std::abs(outside(solid, q.p0));
        // Of lines that are all but parallel one end stands aside; what is less deep may be told by a slanting core.
        if (q.distance < p.distance + 1e-3 * m.small)
            laws.see("surface", std::max(off_a, off_surface(m.b, b, q.p1)) / m.size, 0.03, draw, note);
        if (q.distance == p.distance)
            laws.see("deepest on", std::max(off_a, off_surface(m.b, b, q.p1)) / m.size, 1e-5, draw, note);
    }
    const auto differs = [&](const Manifold& other) {
        if (other.count == 0) return p.distance > m.reach - 1e-6 * m.size ? 0 : 1.0;
        return std::abs(deepest(other) - p.distance) / m.size;
    };
    laws.see("swapped", differs(contacts(b, a, m.reach)), 1e-5, draw, note);
    const Quatd q  = r.rotation();
    Shape       ta = a, tb = b;
    ta.R = to_matrix(q) * a.R, tb.R = to_matrix(q) * b.R;
    const Vec3d to = r.vec(m.size);
    ta.p = to, tb.p = to + rotate(q, b.p - a.p);
    laws.see("moved", differs(contacts(ta, tb, m.reach)), 1e-5, draw, note);
    // Nothing changes by more than it moves; under a rectangle the slab grows as the body sinks, three times as fast.
    const double most   = sunk ? 4 : 1;
    const auto   change = [&](const Shape& moved, double way) {
        const Manifold n = contacts(a, moved, m.reach + 5 * way);
        return n.count ? std::max(0.0, std::abs(deepest(n) - p.distance) - most * way) / m.size : 1;
    };
    for (int k = 0; k < 2; ++k) {
        const double step = m.small * decade(r, -7, -3);
        Shape        moved = b;
        moved.p += step * r.direction();
        laws.see("jump", change(moved, step), 1e-5, draw, note);
        const double angle = decade(r, -7, -3);
        Shape        turned = b;
        turned.R            = to_matrix(from_axis_angle(r.direction(), angle)) * b.R;
        laws.see("jump turned", change(turned, angle * m.b.size), 1e-5, draw, note);
    }
    if (!sunk) {
        const double step  = 1e-4 * m.small;
        Shape        moved = b;
        moved.p += step * p.normal;
        const Manifold n = contacts(a, moved, m.reach + 2 * step);
        laws.see("gradient", n.count ? std::abs(deepest(n) - p.distance - step) / m.size : 1, 1e-5, draw, note);
    }
    const Vec3d                 u = normalized(any_perpendicular(p.normal));
    const Across                across{u, cross(p.normal, u), p.p0};
    const std::optional<Shared> patch = shared_patch(solid, b, p.normal, across, m.size);
    if (!patch) return;
    const char* const forms[] = {"point", "segment", "area"};
    std::vector<Flat> at;
    const bool        held = holds(found, p, *patch, across, m.size, at);
    laws.see(forms[static_cast<int>(patch->form)], held ? 0 : 1, 0, draw,
             fmt::format("{} at depth, span {:.3g} of {:.3g}; {}", at.size(), longest(at) / m.size, patch->extent / m.size, note));
}

}  // namespace

TEST_CASE(
    "drawn pairs of all kinds keep the laws of contacts: least way out, points on both surfaces, the same when swapped "
    "and moved, normals are slopes of a continuous distance, patches are held by what is needed (COL-019, COL-079, "
    "COL-080, COL-088, COL-090, COL-091, COL-093, COL-095, COL-096, COL-098)")
{
    const int          count = poses(4, 500);
    const char* const  text  = std::getenv("MECHANE_TEST_SEED");
    const char* const  only  = std::getenv("MECHANE_TEST_PAIR");
    const char* const  one   = std::getenv("MECHANE_TEST_DRAW");
    const std::uint64_t seed = text ? std::strtoull(text, nullptr, 10) : 1;
    std::map<std::string, Breach> all;
    for (std::size_t i = 0; i < std::size(kDrawn); ++i)
        for (std::size_t k = i; k < std::size(kDrawn); ++k) {
            if (is_ground(kDrawn[i]) && is_ground(kDrawn[k])) continue;
            const std::string pair = drawn_name(kDrawn[i]) + " " + drawn_name(kDrawn[k]);
            if (only && pair != only) continue;
            Laws    laws(pair);
            Meeting m;
            for (int draw = 0; draw < count; ++draw) {
                Random r(seed * 1000000007 + static_cast<std::uint64_t>(draw) * 7919 + i * 101 + k);
                draw_meeting(r, kDrawn[i], kDrawn[k], m);
                if (one && std::atoi(one) != draw) continue;
                if (one) show(m);
                judge(m, draw, r, laws);
            }
            for (const auto& [law, b] : laws.all()) {
                Breach& sum = all[law];
                sum.count += b.count, sum.judged += b.judged;
                if (!(b.value <= sum.value)) sum.value = b.value, sum.where = b.where;
            }
        }
    for (const auto& [law, b] : all) {
        if (std::getenv("MECHANE_TEST_TELL")) fmt::print("{:<14} {:>7} of {}\n", law, b.count, b.judged);
        CAPTURE(law);
        CAPTURE(b.judged);
        CAPTURE(b.where);
        CAPTURE(b.value);
        // One, and one in a thousand of each law: what is left are deep smooth shapes (2e-5 of the size) and two hollow
        // meshes that just touch, whose shortest way out is not known.
        CHECK(b.count <= 1 + b.judged / 1000);
    }
}

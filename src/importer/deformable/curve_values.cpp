// What curves and their materials author: shape, thickness, frames, rest shape, gains of rods, masses. Stage units in,
// SI out.
// Section of radius r: area pi r^2, second moment I = pi r^4 / 4, polar J = 2 I; stretch E A, shear k G A, bending E I,
// twist G J.
//
// E    Young's modulus [Pa];  nu  Poisson's ratio;  G = E / (2 (1 + nu))  shear modulus
// k    Timoshenko's shear coefficient, 0.9 for a solid circle
// r    radius, half of what the schema calls thickness [m]
//
// A value that the schema names wins; else the one of its earlier revision; else what E and nu give.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cables.h"
#include "deformables.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/usd/key_times.h"
#include "mechane/usd/primvar.h"

/// What curves and their materials author.
namespace mechane::importer {
namespace {

constexpr std::string_view kCurveApi      = "PhysicsCurvesDeformableMaterialAPI";
constexpr DeformableField  kCurveFields[] = {
    {"curvesThickness", FieldRange::positive},
    {"youngsModulus"},
    {"poissonsRatio", FieldRange::poisson},
    {"curvesStretchStiffness"},
    {"curvesShearStiffness"},
    {"curvesBendStiffness"},
    {"curvesTwistStiffness"},
    {"density", FieldRange::density},
    // Of an earlier revision: moduli instead of stiffnesses.
    {"thickness", FieldRange::positive},
    {"stretchStiffness"},
    {"shearStiffness"},
    {"bendStiffness"},
    {"twistStiffness"},
};
constexpr DeformableField kDamping[] = {
    {"curvesStretchDamping"}, {"curvesShearDamping"}, {"curvesBendDamping"}, {"curvesTwistDamping"}};
constexpr std::string_view kCurveEarlier[] = {"thickness", "stretchStiffness", "shearStiffness", "bendStiffness",
                                              "twistStiffness"};
constexpr std::string_view kCurveCurrent[] = {"curvesThickness",        "youngsModulus",        "poissonsRatio",
                                              "curvesStretchStiffness", "curvesShearStiffness", "curvesBendStiffness",
                                              "curvesTwistStiffness"};
/// Of the area of a circular section that resists shear.
/// Timoshenko's coefficient of a solid circle.
constexpr double kShearCorrection = 0.9;

/// How a section resists [N], [N], [N m^2], [N m^2].
struct Section {
    std::optional<double> stretch, shear, bend, twist;
};

// A section exists for any radius: thickness may change along the curve.
Section section(const DeformableReader& read, const DeformableValues& m, double r)
{
    const double area = kPi * r * r, I = 0.25 * kPi * r * r * r * r, J = 2 * I;
    const auto   times   = [](std::optional<double> x, double by) { return x ? std::optional(*x * by) : std::nullopt; };
    const auto   stretch = times(deformable_value(m, "stretchStiffness"), area),
                 bend    = times(deformable_value(m, "bendStiffness"), I);
    const auto   shear   = times(deformable_value(m, "shearStiffness"), area),
                 twist   = times(deformable_value(m, "twistStiffness"), J);
    // A material of the earlier revision alone has no E: what it leaves out is taken from what it says.
    if (has_any_of(m, kCurveEarlier) && !has_any_of(m, kCurveCurrent))
        return {stretch, shear ? shear : stretch, bend, twist ? twist : bend};
    const double E  = deformable_value(m, "youngsModulus").value_or(read.default_modulus());
    const double G  = E / (2 * (1 + deformable_value(m, "poissonsRatio").value_or(DeformableReader::kDefaultPoisson)));
    const auto   of = [&](const char* name, const std::optional<double>& earlier, double derived) {
        const auto now = deformable_value(m, name);
        return now ? *now : earlier.value_or(derived);
    };
    return {of("curvesStretchStiffness", stretch, E * area),
            of("curvesShearStiffness", shear, kShearCorrection * G * area), of("curvesBendStiffness", bend, E * I),
            of("curvesTwistStiffness", twist, G * J)};
}

/// Thicknesses of segments and points from those of whatever elements author them.
/// Four ways to say thickness: once, a curve, a segment, a point. Both lists are made of either.
void sample(const ElementValues& authored, CurveSource& curve)
{
    const std::vector<double>& v = authored.values;
    std::vector<double>        segments, points;
    std::size_t                segment0 = 0, point0 = 0;
    for (std::size_t c = 0; c < curve.counts.size(); ++c) {
        const auto        n = static_cast<std::size_t>(curve.counts[c]);
        const std::size_t s = curve.segments_of(c);
        if (authored.element_type == "constant" || authored.element_type == "curve") {
            const double one = v[authored.element_type == "curve" ? c : 0];
            segments.insert(segments.end(), s, one);
            points.insert(points.end(), n, one);
        } else if (authored.element_type == "segment") {
            for (std::size_t i = 0; i < s; ++i) segments.push_back(v[segment0 + i]);
            // A point's thickness is the mean of its segments; ends have one.
            for (std::size_t p = 0; p < n; ++p) {
                if (s == 0) {
                    points.push_back(2 * curve.point_radii[point0 + p]);
                    // Segments before and behind the point; at the ends of an open curve both are the same one.
                    continue;
                }
                const std::size_t before = curve.closed ? (p + s - 1) % s : p == 0 ? 0 : p - 1;
                const std::size_t behind = curve.closed ? p : std::min(p, s - 1);
                points.push_back(0.5 * (v[segment0 + before] + v[segment0 + behind]));
            }
        } else {
            for (std::size_t p = 0; p < n; ++p) points.push_back(v[point0 + p]);
            for (std::size_t i = 0; i < s; ++i) segments.push_back(0.5 * (v[point0 + i] + v[point0 + (i + 1) % n]));
        }
        segment0 += s;
        point0 += n;
    }
    // Thickness is the diameter.
    for (double& t : segments) t *= 0.5;
    for (double& t : points) t *= 0.5;
    curve.segment_radii = std::move(segments);
    curve.point_radii   = std::move(points);
}

}  // namespace

std::optional<CurveSource> curve_shape(const DeformableReader& read, const usd::Prim& prim, std::string& why)
{
    CurveSource out;
    out.prim = prim;
    if (prim.attribute("type").get_or<std::string>("cubic") != "linear") {
        why = "only linear curves are simulated";
        return std::nullopt;
    }
    const auto points = prim.attribute("points").get<std::vector<Vec3d>>();
    const auto counts = prim.attribute("curveVertexCounts").get<std::vector<int>>();
    if (!points || points->empty() || !counts || counts->empty()) {
        why = "the curve lacks points or curveVertexCounts";
        return std::nullopt;
    }
    // Counts are summed in 64 bits, since a forged list may wrap around.
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < counts->size(); ++c) {
        if ((*counts)[c] < 0) {
            why = fmt::format("curveVertexCounts[{}] is {}", c, (*counts)[c]);
            return std::nullopt;
        }
        sum += (*counts)[c];
    }
    if (sum != std::ssize(*points)) {
        why = fmt::format("curveVertexCounts adds up to {}, and there are {} points", sum, points->size());
        return std::nullopt;
    }
    out.points = read.placed_points(prim, *points);
    out.counts = *counts;
    // A periodic curve has a segment from its last point to its first.
    out.closed = prim.attribute("wrap").get_or<std::string>("nonperiodic") == "periodic";
    return out;
}

void read_curve_values(const DeformableReader& read, CurveSource& curve)
{
    curve.material = read.material(curve.prim, kCurveApi, kCurveFields);
    std::optional<double> thickness, density;
    // Damping is Newton's addition to the schema, on the same material.
    if (curve.material) {
        if (const auto damping = read.material(curve.prim, "NewtonCurvesDeformableMaterialAPI", kDamping, "newton"))
            curve.material->insert(damping->begin(), damping->end());
        thickness = deformable_value(*curve.material, "curvesThickness");
        if (!thickness) thickness = deformable_value(*curve.material, "thickness");
        density = deformable_value(*curve.material, "density");
    }
    curve.density         = read.density(curve.prim, density, !curve.material);
    const double radius   = 0.5 * thickness.value_or(read.default_thickness());
    std::size_t  segments = 0;
    // Sizes first: every segment and point has the material's thickness until the geometry says otherwise.
    for (std::size_t c = 0; c < curve.counts.size(); ++c) segments += curve.segments_of(c);
    curve.segment_radii.assign(segments, radius);
    curve.point_radii.assign(curve.points.size(), radius);
    curve.thicknesses = element_values(
        read, curve.prim, "thicknesses",
        {{"constant", 1}, {"curve", curve.counts.size()}, {"segment", segments}, {"point", curve.points.size()}});
    if (curve.thicknesses)
        sample(*curve.thicknesses, curve);
    else if (!thickness)
        read.run().found.add(
            codes::kDeformableFallback, curve.prim.site(),
            fmt::format("<{}>: no usable thickness is authored; 1 mm is used", curve.prim.path().text()));
}

void report_curve(const DeformableReader& read, const CurveSource& curve)
{
    // Vendors speak to a curve as to the articulation and the collider that it becomes.
    read.run().collect(curve.prim, false);
    report_misplaced(read, curve.prim, kCurveApi);
    // Values of the material on the geometry have no effect; silence would hide that.
    for (const DeformableField& field : kDamping)
        if (const usd::Attribute stray = curve.prim.attribute("newton:" + std::string(field.name)); stray.authored()) {
            read.warn(
                codes::kDeformableValue, curve.prim,
                fmt::format("{} belongs on the bound material (NewtonCurvesDeformableMaterialAPI); on the geometry "
                            "it is ignored",
                            stray.name().text()));
            read.run().took(curve.prim, stray.name().text(), physics::Use::ignored, "it belongs on the bound material");
        }
    if (curve.material && (has_any_of(*curve.material, kCurveEarlier) || curve.material->contains("curvesThickness")))
        read.warn(codes::kDeformableDeprecated, curve.prim,
                  "its material authors names of an earlier revision; author physics:curves*Stiffness on the material "
                  "and physics:thicknesses on the geometry");
}

CurveFrames read_curve_frames(const DeformableReader& read, const CurveSource& curve)
{
    const usd::Prim& prim = curve.prim;
    // One value a point, or none at all.
    const auto usable = [&](std::optional<std::vector<Vec3d>> values, const char* name) {
        if (values && values->size() != curve.points.size()) {
            read.warn(codes::kDeformableRest, prim,
                      fmt::format("{} has {} values, expected {}, one a point; it is ignored", name, values->size(),
                                  curve.points.size()));
            values.reset();
        }
        return values;
    };
    CurveFrames out;
    out.rest_points  = usable(read.points(prim, "restShapePoints"), "restShapePoints");
    out.rest_normals = usable(read.points(prim, "restNormals"), "restNormals");
    std::optional<std::vector<Vec3d>> normals;
    std::string                       interpolation;
    // A primvar goes before the attribute, as in UsdGeom.
    if (const usd::Attribute primvar = prim.attribute("primvars:normals"); primvar.authored()) {
        Diagnostics unreadable;
        normals       = usd::flattened_primvar<Vec3d>(primvar, unreadable);
        interpolation = usd::primvar_interpolation(primvar);
    } else if (const usd::Attribute attribute = prim.attribute("normals"); attribute.authored()) {
        normals       = usd::start_authored_as<std::vector<Vec3d>>(attribute);
        interpolation = attribute.metadata("interpolation").get<std::string>().value_or("vertex");
    }
    if (normals && interpolation != "vertex" && interpolation != "varying") {
        read.warn(
            codes::kDeformableRest, prim,
            fmt::format("normals are interpolated as {}, expected one a point (vertex or varying); they are ignored",
                        interpolation));
        normals.reset();
    }
    out.normals = usable(std::move(normals), "normals");
    return out;
}

/// Frames whose y looks along the normal as far as the segment allows, one a segment.
std::optional<std::vector<Quatd>> frames_from_normals(const DeformableReader& read, const usd::Prim& prim,
                                                      std::span<const Vec3d>                   points,
                                                      const std::optional<std::vector<Vec3d>>& normals,
                                                      std::string_view name, bool strict)
{
    if (!normals) return std::nullopt;
    const std::vector<Vec3d> placed = read.placed_vectors(prim, *normals);
    std::vector<Quatd>       out;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        // Part of the normal across the segment; if nothing is left, the frame turns the least, or the curve is refused
        // (strict).
        const Vec3d along  = normalized(points[i + 1] - points[i]);
        Vec3d       normal = i < placed.size() ? placed[i] : Vec3d{};
        const Vec3d across = normal - dot(normal, along) * along;
        if (!is_finite(normal) || !(length(across) > 1e-8)) {
            if (strict) {
                read.warn(codes::kDeformableRest, prim,
                          fmt::format("{} does not turn segment {}: it is not finite, zero or along the segment; the "
                                      "curve's frames turn the least",
                                      name, i));
                return std::nullopt;
            }
            normal = {};
        }
        out.push_back(segment_frame(along, normal));
    }
    return out;
}

CurveRest rest_of_curve(const DeformableReader& read, const usd::Prim& prim, std::span<const Vec3d> points,
                        const CurveFrames& frames, std::size_t first, bool closed)
{
    const auto n    = points.size() - (closed ? 1 : 0);
    const auto part = [&](const std::optional<std::vector<Vec3d>>& all) -> std::optional<std::vector<Vec3d>> {
        if (!all) return std::nullopt;
        // The values of one curve of several in the prim.
        return std::vector<Vec3d>(all->begin() + static_cast<std::ptrdiff_t>(first),
                                  all->begin() + static_cast<std::ptrdiff_t>(first + n));
    };
    CurveRest out;
    if (const auto rest = part(frames.rest_points)) {
        std::vector<Vec3d> placed = read.placed_points(prim, *rest);
        if (closed) placed.push_back(placed.front());
        std::vector<double> lengths;
        for (std::size_t i = 0; i + 1 < placed.size(); ++i) lengths.push_back(length(placed[i + 1] - placed[i]));
        // Without a length a segment has no direction at rest.
        if (std::any_of(lengths.begin(), lengths.end(), [](double l) { return !(std::isfinite(l) && l > 1e-8); })) {
            read.warn(codes::kDeformableRest, prim,
                      "restShapePoints has a segment without length or that is not finite; it is ignored");
        } else {
            out.points  = std::move(placed);
            out.lengths = std::move(lengths);
        }
    }
    // A rest shape without normals keeps the frames' twist of the start.
    if (out.points.empty() && !frames.rest_normals) return out;
    const std::span<const Vec3d> along = out.points.empty() ? points : std::span<const Vec3d>(out.points);
    out.frames = frames_from_normals(read, prim, along, part(frames.rest_normals), "restNormals", true);
    if (!out.frames) out.frames = frames_from_normals(read, prim, along, part(frames.normals), "normals", true);
    return out;
}

void set_material_gains(const DeformableReader& read, const RodParts& parts, std::span<const double> lengths,
                        const std::optional<DeformableValues>& material, std::span<const double> segment_radii,
                        std::span<const double> joint_radii)
{
    if (!material) return;
    // Two half segments in series: 1/k = (l_a/2)/EA_a + (l_b/2)/EA_b.
    const auto series = [](std::optional<double> a, std::optional<double> b, double la,
                           double lb) -> std::optional<double> {
        if (!a || !b) return std::nullopt;
        if (*a == 0 || *b == 0) return 0.0;
        return 1 / (0.5 * la / *a + 0.5 * lb / *b);
    };
    for (std::size_t j = 0; j < parts.joints.size(); ++j) {
        const auto    p  = static_cast<std::size_t>(parts.joint_edges[j][0]);
        const auto    c  = static_cast<std::size_t>(parts.joint_edges[j][1]);
        const Section sp = section(read, *material, segment_radii[p]), sc = section(read, *material, segment_radii[c]);
        // The section at the joint bends; half of either segment stretches.
        const Section at = section(read, *material, joint_radii[j]);
        // The length that a joint stands for: half of each neighbour.
        const double dual = 0.5 * (lengths[p] + lengths[c]);
        RodGains     gains;
        gains.stretch = series(sp.stretch, sc.stretch, lengths[p], lengths[c]).value_or(gains.stretch);
        gains.shear   = series(sp.shear, sc.shear, lengths[p], lengths[c]).value_or(gains.shear);
        if (at.bend) gains.bend = *at.bend / dual;
        if (at.twist) gains.twist = *at.twist / dual;
        // Damping is per length, as stiffness is.
        const auto damping = [&](std::string_view name) {
            return deformable_value(*material, name).value_or(0) / dual;
        };
        gains.stretch_damping = damping("curvesStretchDamping");
        gains.shear_damping   = damping("curvesShearDamping");
        gains.bend_damping    = damping("curvesBendDamping");
        gains.twist_damping   = damping("curvesTwistDamping");
        set_rod_gains(read.run().builder.joints[static_cast<std::size_t>(parts.joints[j])], gains);
    }
}

model::ShapeConfig shape_of_curve(const DeformableReader& read, const CurveSource& curve, bool collides)
{
    Import&            run    = read.run();
    model::ShapeConfig config = run.builder.default_shape;
    const usd::Prim    bound  = run.stage.bound_material(curve.prim, "physics");
    if (bound) run.deformable_materials.insert(bound.path());
    // The builder's own values are what nobody has said.
    resolve::ContactValues defaults;
    defaults.ke = config.ke, defaults.kd = config.kd, defaults.kf = config.kf, defaults.ka = config.ka;
    defaults.mu_torsional = config.mu_torsional, defaults.mu_rolling = config.mu_rolling;
    defaults.margin = config.margin, defaults.gap = config.gap.value_or(run.builder.rigid_gap);
    const auto contact = resolve::contact_values(run.resolvers, curve.prim, bound, run.context, defaults, run.found);
    config.ke = contact.ke, config.kd = contact.kd, config.kf = contact.kf, config.ka = contact.ka;
    config.mu_torsional = contact.mu_torsional, config.mu_rolling = contact.mu_rolling;
    config.margin = contact.margin, config.gap = contact.gap;
    if (const physics::Index m = bound ? run.physics.material_at(bound.path()) : physics::kNone; m != physics::kNone) {
        const physics::Material& material = run.physics.materials[static_cast<std::size_t>(m)];
        config.mu                         = material.dynamic_friction;
        config.restitution                = material.restitution;
        // Newton drops static friction of curves; the conventions say which engine is followed.
        if (!run.conventions.static_friction_dropped) config.mu_static = material.static_friction;
    }
    config.density             = 0;  // segments get their masses one by one
    config.has_shape_collision = config.has_particle_collision = collides;
    return config;
}

std::optional<bool> self_collision_of(const DeformableReader& read, const usd::Prim& prim)
{
    const Import& run = read.run();
    const auto    answer =
        run.resolvers.get(prim, resolve::Key::articulation_self_collision_enabled, run.context, {}, &run.found);
    return answer.authored() ? answer.flag() : std::nullopt;
}

void set_curve_masses(const DeformableReader& read, const CurveSource& curve, std::span<const MassRun> runs,
                      ImportedDeformable& out)
{
    std::size_t segments = 0;
    for (std::size_t c = 0; c < curve.counts.size(); ++c) segments += curve.segments_of(c);
    out.masses = element_values(
        read, curve.prim, "masses",
        {{"constant", 1}, {"curve", curve.counts.size()}, {"segment", segments}, {"point", curve.points.size()}}, true);
    double all = 0;
    for (const MassRun& one : runs)
        for (const double v : one.volumes) all += v;
    // Masses by volume within what they are said for: all curves, one, a segment, a point.
    std::vector<std::vector<double>> masses;
    for (const MassRun& one : runs) {
        if (!out.masses) break;
        const std::vector<double>& v   = out.masses->values;
        double                     sum = 0;
        for (const double volume : one.volumes) sum += volume;
        std::vector<double> of_run;
        if (out.masses->element_type == "constant" || out.masses->element_type == "curve") {
            const bool whole = out.masses->element_type == "constant";
            for (const double volume : one.volumes)
                of_run.push_back(v[whole ? 0 : one.curve] * volume / (whole ? all : sum));
        } else if (out.masses->element_type == "segment") {
            for (std::size_t i = 0; i < one.bodies.size(); ++i) of_run.push_back(v[one.segment_offset + i]);
        } else {
            Elements elements;
            elements.point_count = one.point_count;
            elements.volumes     = one.volumes;
            for (std::size_t i = 0; i < one.bodies.size(); ++i)
                elements.points.push_back(
                    {static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % one.point_count)});
            // The points of this curve only.
            const std::vector<double> points(
                v.begin() + static_cast<std::ptrdiff_t>(one.point_offset),
                v.begin() + static_cast<std::ptrdiff_t>(one.point_offset + one.point_count));
            if (out.masses->direct) {
                // An end has all of its point.
                // Each point weighs half on the segments beside it, an end wholly on its only one.
                for (std::size_t i = 0; i < one.bodies.size(); ++i) {
                    const std::size_t next = (i + 1) % one.point_count;
                    const double      from = !curve.closed && i == 0 ? 1 : 0.5;
                    const double      to   = !curve.closed && next + 1 == one.point_count ? 1 : 0.5;
                    of_run.push_back(from * points[i] + to * points[next]);
                }
            } else if (auto spread_masses = spread(points, elements)) {
                of_run = *std::move(spread_masses);
            } else {
                read.fault(curve.prim, "masses",
                           "a point of physics:masses has no segment with a volume; it is ignored");
                out.masses.reset();
                break;
            }
        }
        masses.push_back(std::move(of_run));
    }
    // Nobody has said masses: the body's own, else density times volume.
    if (!out.masses) {
        masses.clear();
        const auto   whole = read.body_mass(curve.prim);
        const double times = whole && all > 0 ? *whole / all : curve.density;
        for (const MassRun& one : runs) {
            masses.emplace_back();
            for (const double volume : one.volumes) masses.back().push_back(times * volume);
        }
    }
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (std::size_t i = 0; i < runs[r].bodies.size(); ++i)
            set_segment_mass(read.run().builder, runs[r].bodies[i], masses[r][i]);
}

}  // namespace mechane::importer

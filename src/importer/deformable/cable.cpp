// Curves with PhysicsCurvesDeformableSimAPI as rods: one chain of capsule segments a curve, or one tree of segments
// where hard attachments weld coincident points of several curves.
// Points in the world [m], radii [m], gains in SI. Order: curves as the stage lists them; welded groups by the path of
// their first member.
//
// root    the end of a cable that an attachment holds at a body or the world, as a ball joint
// weld    two points of two curves that a hard attachment makes one node
// run     the bodies of one curve, with what its masses are spread by

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cables.h"
#include "deformables.h"

/// Curve prims as rods, alone or welded to others.
namespace mechane::importer {
namespace {

// The colour that Newton gives rods.
constexpr Vec3d kRodColor{0.2666666805744171, 0.46666666865348816, 0.6666666865348816};
// 1e-8 m: shorter segments have no direction in single precision.
constexpr double kShortest = 1e-8;

Vec3d color_of(const Import& run, const usd::Prim& prim, Diagnostics& found)
{
    return run.conventions.cable_color_fixed
               ? kRodColor
               : appearance_of(run.stage, run.physics, prim, found).color.value_or(kRodColor);
}

/// Frames of segments that are turned the least.
/// Frames by the shortest rotation from +z: no twist is invented.
std::vector<Quatd> least_turned(std::span<const Vec3d> points)
{
    std::vector<Quatd> out;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
        out.push_back(segment_frame(normalized(points[i + 1] - points[i])));
    return out;
}

/// Frames of a chain, each carried from the one before it by the least turn, so that its joints bend and do not twist.
std::vector<Quatd> carried_along(std::span<const Vec3d> points)
{
    std::vector<Quatd> out;
    Vec3d              last;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Vec3d along = normalized(points[i + 1] - points[i]);
        out.push_back(i == 0 ? segment_frame(along) : carried(out.back(), last, along));
        last = along;
    }
    return out;
}

/// Whether the edges go from node to node in their order.
bool is_chain(const RodGraph& graph)
{
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        if (const auto i = static_cast<std::int32_t>(e); graph.edges[e] != std::array{i, i + 1}) return false;
    return graph.edges.size() + 1 == graph.nodes.size();
}

/// The first segment that has no length or is not finite; nothing when all are usable.
std::optional<std::size_t> unusable_segment(std::span<const Vec3d> points)
{
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
        if (const double l = length(points[i + 1] - points[i]); !(std::isfinite(l) && l > kShortest)) return i;
    return std::nullopt;
}

/// A BALL joint that holds the end of a cable at a body or the world.
std::int32_t add_root_joint(model::ModelBuilder& b, const CableRoot& root, std::int32_t child, const Posed& X_C)
{
    model::BuilderJoint joint;
    joint.label        = root.attachment + "_site0";
    joint.type         = model::JointType::ball;
    joint.parent       = root.parent;
    joint.child        = child;
    joint.parent_xform = {root.anchor, {}};
    joint.child_xform  = X_C;
    // The parent and the cable overlap where they are tied.
    joint.collision_filter_parent = root.parent >= 0;
    const Posed X_WP              = root.parent < 0 ? Posed{} : b.bodies[static_cast<std::size_t>(root.parent)].q;
    // Coordinates of the ball: R_PW R_WC, so that the start pose is kept.
    const Quatd turn = normalized(conjugate(X_WP.q) * (b.bodies[static_cast<std::size_t>(child)].q.q * X_C.q));
    joint.q          = {turn.x, turn.y, turn.z, turn.w};
    return b.add_joint(std::move(joint));
}

void note_self_collision(const DeformableReader& read, const std::vector<std::int32_t>& articulations,
                         const std::optional<bool>& authored)
{
    Import& run = read.run();
    // Written once for each articulation; an authored word overrides a default.
    for (const std::int32_t a : articulations)
        if (!run.self_collision.contains(a) || authored)
            run.self_collision[a] = authored.value_or(run.options.enable_self_collisions);
}

std::vector<std::int32_t> all_joints(const RodParts& parts)
{
    std::vector<std::int32_t> out = parts.joints;
    out.insert(out.end(), parts.roots.begin(), parts.roots.end());
    std::sort(out.begin(), out.end());
    return out;
}

void record_object(Import& run, const std::string& label, const std::vector<std::int32_t>& bodies,
                   const std::vector<std::int32_t>& joints)
{
    // Root joints lie between those of segments: the range covers both.
    const auto [b0, b1] = std::minmax_element(bodies.begin(), bodies.end());
    const auto [j0, j1] = std::minmax_element(joints.begin(), joints.end());
    // Newton lists curves by ranges of bodies and joints.
    model::CurveObject object;
    object.label = label;
    object.world = run.builder.current_world();
    object.body  = {*b0, *b1 + 1};
    object.joint = {*j0, *j1 + 1};
    run.builder.curves.push_back(std::move(object));
}

}  // namespace

void add_cable(const DeformableReader& read, const usd::Prim& prim, const CableRoot* root)
{
    Import& run = read.run();
    // Checks that need no geometry come first.
    if (!may_import(read, prim, "cable")) return;
    std::string why;
    auto        shape = curve_shape(read, prim, why);
    if (!shape) return read.warn(codes::kDeformableSkipped, prim, why + "; no cable is made");
    CurveSource& curve = *shape;
    read_curve_values(read, curve);
    report_curve(read, curve);
    const CurveFrames        authored = read_curve_frames(read, curve);
    const bool               meets    = collides(read, prim);
    const model::ShapeConfig config   = shape_of_curve(read, curve, meets);

    ImportedDeformable out;
    out.path    = prim.path().text();
    out.kind    = ImportedDeformable::Kind::cable;
    out.density = curve.density;
    out.closed  = curve.closed;
    if (curve.material) out.material = *curve.material;
    out.thicknesses   = curve.thicknesses;
    out.vertex_counts = curve.counts;
    out.placed        = read.placement(prim);
    std::vector<MassRun>      runs;
    std::vector<std::int32_t> every_joint;
    std::size_t               first = 0, segment0 = 0;
    for (std::size_t c = 0; c < curve.counts.size();
         // `first` and `segment0` walk along the lists of points and segments, over left-out curves too.
         first += static_cast<std::size_t>(curve.counts[c]),
                     segment0 += curve.segments_of(c), ++c) {
        const auto        n = static_cast<std::size_t>(curve.counts[c]);
        const std::size_t s = curve.segments_of(c);
        // -1 and 0 stand until the segment is made.
        out.segment_body.insert(out.segment_body.end(), s, -1);
        out.segment_length.insert(out.segment_length.end(), s, 0);
        // A chain of one segment has no joint, and nothing to bend.
        const std::size_t least = curve.closed ? 2 : 3;
        if (n < least) {
            read.warn(codes::kDeformableSkipped, prim,
                      fmt::format("curve {} has {} points, expected {} and more; it is left out", c, n, least));
            continue;
        }
        std::vector<Vec3d> points(curve.points.begin() + static_cast<std::ptrdiff_t>(first),
                                  // The closing segment ends at the first point.
                                  curve.points.begin() + static_cast<std::ptrdiff_t>(first + n));
        if (curve.closed) points.push_back(points.front());
        // A curve with one bad segment would fall apart there.
        if (const auto bad = unusable_segment(points)) {
            read.warn(
                codes::kDeformableSkipped, prim,
                fmt::format("segment {} of curve {} has no length or is not finite; the curve is left out", *bad, c));
            continue;
        }
        std::optional<std::vector<Vec3d>> normals;
        if (authored.normals)
            normals.emplace(authored.normals->begin() + static_cast<std::ptrdiff_t>(first),
                            authored.normals->begin() + static_cast<std::ptrdiff_t>(first + n));
        const CurveRest rest = rest_of_curve(read, prim, points, authored, first, curve.closed);

        RodGraph graph;
        graph.closed = curve.closed;
        graph.nodes.assign(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n));
        if (!rest.points.empty())
            graph.rest_nodes.assign(rest.points.begin(), rest.points.begin() + static_cast<std::ptrdiff_t>(n));
        for (std::size_t i = 0; i < s; ++i)
            graph.edges.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % n)});
        // Radii of this curve's segments.
        graph.radii.assign(curve.segment_radii.begin() + static_cast<std::ptrdiff_t>(segment0),
                           curve.segment_radii.begin() + static_cast<std::ptrdiff_t>(segment0 + s));
        const bool hangs = root != nullptr && curve.counts.size() == 1 && !curve.closed;
        // A cable that hangs on one end has a frame for each segment by itself, as its tree may begin anywhere.
        graph.frames = frames_from_normals(read, prim, points, normals, "normals", false)
                           .value_or(hangs ? least_turned(points) : carried_along(points));
        if (rest.frames) graph.rest_frames = *rest.frames;
        graph.label = curve.counts.size() == 1 ? out.path : fmt::format("{}_curve{}", out.path, c);
        graph.shape = config;
        graph.color = color_of(run, prim, run.found);
        // Only a single open curve can hang on one end.
        if (hangs) {
            graph.root     = root->point;
            graph.add_root = [&](std::int32_t body, const Posed& X_C) {
                return add_root_joint(run.builder, *root, body, X_C);
            };
            // The cable extends the articulation of the body that it hangs on.
            if (root->parent >= 0)
                graph.root_articulation = static_cast<std::int32_t>(run.builder.articulations.size()) - 1;
        }
        const RodParts parts = add_rod_graph(run.builder, graph);
        if (graph.root >= 0) run.cable_root_joints[root->attachment] = parts.roots.front();
        // A rooted cable belongs to the articulation of its body, which has its own word.
        if (graph.root_articulation < 0) note_self_collision(read, parts.articulations, self_collision_of(read, prim));

        std::vector<double> joint_radii;
        for (const std::int32_t node : parts.joint_nodes)
            joint_radii.push_back(curve.point_radii[first + static_cast<std::size_t>(node)]);
        set_material_gains(read, parts, parts.rest_lengths, curve.material, graph.radii, joint_radii);
        MassRun mass{c, first, n, segment0, parts.bodies, {}};
        for (std::size_t i = 0; i < s; ++i) {
            // Volume of a cylinder; caps overlap at joints.
            mass.volumes.push_back(kPi * graph.radii[i] * graph.radii[i] * parts.rest_lengths[i]);
            out.segment_body[segment0 + i]   = parts.bodies[i];
            out.segment_length[segment0 + i] = parts.rest_lengths[i];
        }
        out.bodies.insert(out.bodies.end(), parts.bodies.begin(), parts.bodies.end());
        out.joints.insert(out.joints.end(), parts.joints.begin(), parts.joints.end());
        const auto joints = all_joints(parts);
        every_joint.insert(every_joint.end(), joints.begin(), joints.end());
        runs.push_back(std::move(mass));
    }
    // All curves were left out: nothing is recorded.
    if (runs.empty()) return;
    set_curve_masses(read, curve, runs, out);
    record_object(run, out.path, out.bodies, every_joint);
    run.result.deformables.push_back(std::move(out));
}

namespace {

/// Curves that hard attachments at coincident points make one graph.
class Welder {
  public:
    explicit Welder(const DeformableReader& read) : read_(read), run_(read.run()) {}

    // Steps: curves that can be welded, the attachments between them, and one graph for each set of welded curves.
    CableTopology run()
    {
        collect();
        if (curves_.empty()) return {};
        read_attachments();
        weld();
        CableTopology out;
        for (auto& [cable, root] : roots_)
            // A cable with further attachments, or a welded one, has no single root.
            if (uses_[cable] == 1 && !in_graph_.contains(cable)) out.roots[cable] = root;
        return out;
    }

  private:
    struct Weld {
        std::string a;
        int         i = 0;
        std::string b;
        int         j = 0;
    };

    void collect()
    {
        for (const usd::Prim& prim : run_.deformables.cables) {
            // Nothing is told here: a curve that cannot be read is told where it is added.
            std::string why;
            auto        curve = curve_shape(read_, prim, why);
            if (!curve || curve->counts.size() != 1 || curve->counts[0] < 3 || !simulated(prim)) continue;
            if (!std::all_of(curve->points.begin(), curve->points.end(), [](const Vec3d& p) { return is_finite(p); }))
                continue;
            order_.push_back(prim.path().text());
            parent_[order_.back()] = order_.back();
            curves_.emplace(order_.back(), *std::move(curve));
        }
    }

    /// As `may_import`, without a word: what is left out is said where it would be added.
    bool simulated(const usd::Prim& prim) const
    {
        const usd::Prim body = DeformableReader::body_of(prim), flags = body ? body : prim;
        if (!read_.flag(flags, "bodyEnabled").value_or(true) || read_.flag(flags, "kinematicEnabled").value_or(false))
            return false;
        if (std::any_of(run_.result.deformables.begin(), run_.result.deformables.end(),
                        [&](const ImportedDeformable& d) { return d.path == prim.path().text(); }))
            return false;
        if (!body) return true;
        const auto owner = run_.deformables.owner.find(body.path());
        return owner == run_.deformables.owner.end() || owner->second == prim.path();
    }

    std::string find(std::string key)
    {
        // Union of welded curves, without balancing: there are few.
        while (parent_[key] != key) key = parent_[key];
        return key;
    }

    void read_attachments()
    {
        const auto latest = static_cast<std::int32_t>(run_.builder.articulations.size()) - 1;
        for (const usd::Prim& prim : run_.deformables.attachments) {
            if (!read_.flag(prim, "attachmentEnabled").value_or(true)) continue;
            const std::string a = first_target(read_, prim, "src0"), b = first_target(read_, prim, "src1");
            if (a.empty()) continue;
            const auto ca = curves_.find(a), cb = curves_.find(b);
            // Every use counts: a cable with two attachments has no root.
            if (ca != curves_.end()) {
                ++uses_[a];
                if (auto root = root_from(read_, prim, ca->second.points.size(), ca->second.closed, latest))
                    roots_[a] = *std::move(root);
            }
            if (cb != curves_.end() && a != b) ++uses_[b];
            if (ca == curves_.end() || cb == curves_.end() || a == b) continue;
            // Points to points only; other attachments are joints or springs.
            if (read_.text(prim, "type0") != "point" || read_.text(prim, "type1") != "point") continue;
            join(prim, ca->first, cb->first);
        }
    }

    void join(const usd::Prim& prim, const std::string& a, const std::string& b)
    {
        const auto ia = read_.ints(prim, "indices0"), ib = read_.ints(prim, "indices1");
        const auto no = [&](std::string why) { read_.warn(codes::kDeformableWeld, prim, std::move(why)); };
        if (ia.empty() || ia.size() != ib.size())
            return no(fmt::format("indices0 has {} points and indices1 {}, expected as many and at least one",
                                  ia.size(), ib.size()));
        const CurveSource &ca = curves_.at(a), &cb = curves_.at(b);
        for (std::size_t k = 0; k < ia.size(); ++k)
            if (ia[k] < 0 || ia[k] >= std::ssize(ca.points) || ib[k] < 0 || ib[k] >= std::ssize(cb.points))
                return no(fmt::format("points {} and {} are not those of its curves, which have {} and {}", ia[k],
                                      ib[k], ca.points.size(), cb.points.size()));
        // A gain that is no number leaves the attachment to Attacher, which says why.
        const auto gain = [&](const char* name, double otherwise) {
            const usd::Attribute one = read_.find(prim, name);
            return one ? one.authored_as<double>() : std::optional(otherwise);
        };
        const auto stiffness = gain("stiffness", kInfinity), damping = gain("damping", 0);
        if (!stiffness || !damping || !(*stiffness >= 0) || !(std::isfinite(*damping) && *damping >= 0)) return;
        if (*stiffness != kInfinity) return no("its stiffness is finite; only infinite stiffness welds");
        // Radii say how near is coincident.
        values_of(a), values_of(b);
        for (std::size_t k = 0; k < ia.size(); ++k) {
            const auto   i = static_cast<std::size_t>(ia[k]), j = static_cast<std::size_t>(ib[k]);
            const double apart = length(ca.points[i] - cb.points[j]);
            if (apart > 0.1 * std::min(ca.point_radii[i], cb.point_radii[j]))
                return no(fmt::format("points {} and {} are {:.3g} m apart; only coincident points are welded", ia[k],
                                      ib[k], apart));
        }
        // The first curve's set takes the other's.
        parent_[find(b)] = find(a);
        for (std::size_t k = 0; k < ia.size(); ++k) welds_.push_back({a, ia[k], b, ib[k]});
        welding_.emplace_back(a, prim.path().text());
    }

    void values_of(const std::string& path)
    {
        if (valued_.insert(path).second) read_curve_values(read_, curves_.at(path));
    }

    void weld()
    {
        std::map<std::string, std::vector<std::string>> components;
        // Sets in the order of the stage; members by path, so that names and bodies do not depend on the order of
        // attachments.
        for (const std::string& path : order_) components[find(path)].push_back(path);
        std::vector<std::string> seen;
        for (const std::string& path : order_) {
            const std::string id = find(path);
            if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
            seen.push_back(id);
            std::vector<std::string> members = components[id];
            if (members.size() < 2) continue;
            std::sort(members.begin(), members.end());
            if (!build(id, members)) continue;
            for (const auto& [curve, attachment] : welding_)
                if (find(curve) == id) run_.welding_attachments.insert(attachment);
        }
    }

    bool build(const std::string& id, const std::vector<std::string>& members)
    {
        // Points that are welded are one node, where the first of them is.
        using Point = std::pair<std::string, std::size_t>;
        std::map<Point, Point> parent;
        // The chain of parents is followed to its end; sets are small.
        const auto root_of = [&](Point p) {
            while (parent.contains(p) && parent[p] != p) p = parent[p];
            return p;
        };
        for (const Weld& w : welds_) {
            if (find(w.a) != id) continue;
            const Point a = root_of({w.a, static_cast<std::size_t>(w.i)}),
                        b = root_of({w.b, static_cast<std::size_t>(w.j)});
            if (a != b) parent[b] = a;
        }
        RodGraph                                         graph;
        std::map<Point, std::int32_t>                    number;
        std::vector<std::pair<std::string, std::size_t>> owner;  // of each edge: curve and segment
        const auto                                       node = [&](const Point& p) {
            const Point root = root_of(p);
            // Nodes are numbered in the order of members and of points along them.
            const auto [at, fresh] = number.try_emplace(root, static_cast<std::int32_t>(graph.nodes.size()));
            if (fresh) graph.nodes.push_back(curves_.at(root.first).points[root.second]);
            return at->second;
        };
        const auto refuse = [&](std::string why) {
            read_.warn(codes::kDeformableWeld, curves_.at(members.front()).prim,
                       why + "; its curves are simulated one by one");
            return false;
        };
        for (const std::string& path : members) {
            const CurveSource& curve = curves_.at(path);
            values_of(path);
            for (std::size_t s = 0; s < curve.segments_of(0); ++s) {
                const std::int32_t u = node({path, s}), v = node({path, (s + 1) % curve.points.size()});
                if (u == v)
                    return refuse(fmt::format("a weld makes both ends of segment {} of <{}> one point", s, path));
                graph.edges.push_back({u, v});
                owner.emplace_back(path, s);
            }
        }
        // A tree has one edge less than nodes.
        // Trees only: a ring would need a loop joint whose place nobody has said.
        if (graph.edges.size() >= graph.nodes.size()) return refuse("the welded curves form a ring");
        for (std::size_t e = 0; e < graph.edges.size(); ++e) {
            const double l = length(at(graph, e, 1) - at(graph, e, 0));
            if (!(std::isfinite(l) && l > kShortest))
                return refuse(fmt::format("segment {} of <{}> has no length", owner[e].second, owner[e].first));
        }
        return assemble(id, members, graph, owner, node);
    }

    static const Vec3d& at(const RodGraph& graph, std::size_t e, std::size_t end)
    { return graph.nodes[static_cast<std::size_t>(graph.edges[e][end])]; }

    bool assemble(const std::string& id, const std::vector<std::string>& members, RodGraph& graph,
                  const std::vector<std::pair<std::string, std::size_t>>& owner, const auto& node)
    {
        std::vector<Vec3d>                rest_vectors;
        std::vector<double>               lengths;
        std::vector<std::optional<Quatd>> rest_frames;
        std::vector<std::vector<double>>  radii(graph.nodes.size());
        bool                              any_rest = false, any_frame = false, meets = false, all_meet = true;
        std::optional<bool>               self_collision;
        // Curves welded end to end are one chain; where they branch no order of segments is the right one.
        const std::vector<Quatd> chain = is_chain(graph) ? carried_along(graph.nodes) : std::vector<Quatd>{};
        for (const std::string& path : members) {
            CurveSource& curve = curves_.at(path);
            report_curve(read_, curve);
            std::vector<Vec3d> points;
            // Points of the first curve count where curves are welded.
            // Coincident points take the place of the first.
            for (std::size_t p = 0; p < curve.points.size(); ++p) {
                const std::int32_t n = node({path, p});
                points.push_back(graph.nodes[static_cast<std::size_t>(n)]);
                radii[static_cast<std::size_t>(n)].push_back(curve.point_radii[p]);
            }
            const CurveFrames frames = read_curve_frames(read_, curve);
            const auto        turned = frames_from_normals(read_, curve.prim, points, frames.normals, "normals", false);
            const CurveRest   rest   = rest_of_curve(read_, curve.prim, points, frames, 0, false);
            // Without normals no twist is invented.
            const auto segments = turned ? *turned : least_turned(points);
            for (std::size_t s = 0; s < segments.size(); ++s) {
                const std::size_t e = graph.frames.size();
                graph.frames.push_back(turned || chain.empty() ? segments[s] : chain[e]);
            }
            const std::vector<Vec3d>& shape = rest.points.empty() ? points : rest.points;
            any_rest                        = any_rest || !rest.points.empty();
            any_frame                       = any_frame || rest.frames.has_value();
            for (std::size_t s = 0; s + 1 < points.size(); ++s) {
                rest_vectors.push_back(shape[s + 1] - shape[s]);
                lengths.push_back(rest.lengths.empty() ? length(points[s + 1] - points[s]) : rest.lengths[s]);
                rest_frames.push_back(rest.frames ? std::optional((*rest.frames)[s]) : std::nullopt);
                graph.radii.push_back(curve.segment_radii[s]);
            }
            const bool one = collides(read_, curve.prim);
            meets          = meets || one;
            all_meet       = all_meet && one;
            // Every member must allow self collision.
            if (const auto authored = self_collision_of(read_, curve.prim))
                self_collision = self_collision.value_or(true) && *authored;
        }
        if (meets && !all_meet)
            read_.warn(codes::kDeformableApproximated, curves_.at(members.front()).prim,
                       "of the welded cables some collide and others do not; all of them collide");
        // Rest shapes of members may lie apart; along the tree they are joined by their vectors.
        if (any_rest) graph.rest_nodes = joined(graph, rest_vectors);
        if (any_frame)
            // A member without rest frames keeps its present twist, carried to its rest direction.
            for (std::size_t e = 0; e < graph.edges.size(); ++e)
                graph.rest_frames.push_back(rest_frames[e].value_or(carried(
                    graph.frames[e], normalized(at(graph, e, 1) - at(graph, e, 0)), normalized(rest_vectors[e]))));
        const CurveSource& first = curves_.at(members.front());
        // Gains are those of one material; densities may differ, since masses are set by member.
        for (const std::string& path : members)
            if (without_density(curves_.at(path).material) != without_density(first.material)) {
                read_.warn(codes::kDeformableApproximated, first.prim,
                           fmt::format("the welded cables have different materials; that of <{}> counts for all",
                                       members.front()));
                break;
            }
        graph.label          = id;
        graph.shape          = shape_of_curve(read_, first, meets);
        graph.color          = color_of(run_, first.prim, run_.found);
        const RodParts parts = add_rod_graph(run_.builder, graph);
        note_self_collision(read_, parts.articulations, self_collision);
        std::vector<double> joint_radii;
        for (const std::int32_t n : parts.joint_nodes) {
            const auto& samples = radii[static_cast<std::size_t>(n)];
            // A node of several curves has the mean of their radii.
            joint_radii.push_back(std::accumulate(samples.begin(), samples.end(), 0.0) /
                                  static_cast<double>(samples.size()));
        }
        set_material_gains(read_, parts, lengths, first.material, graph.radii, joint_radii);
        record_object(run_, id, parts.bodies, all_joints(parts));
        for (const std::string& path : members) record(id, path, parts, owner, lengths);
        return true;
    }

    static DeformableValues without_density(const std::optional<DeformableValues>& material)
    {
        DeformableValues out = material.value_or(DeformableValues{});
        out.erase("density");
        // "applied" tells a material without values from no material.
        if (material) out["applied"] = 1;
        return out;
    }

    /// Rest places of the nodes from the rest vectors of the edges, which may have origins of their own.
    static std::vector<Vec3d> joined(const RodGraph& graph, const std::vector<Vec3d>& vectors)
    {
        std::vector<std::vector<std::pair<std::size_t, Vec3d>>> near(graph.nodes.size());
        for (std::size_t e = 0; e < graph.edges.size(); ++e) {
            const auto u = static_cast<std::size_t>(graph.edges[e][0]), v = static_cast<std::size_t>(graph.edges[e][1]);
            near[u].emplace_back(v, vectors[e]);
            near[v].emplace_back(u, -vectors[e]);
        }
        std::vector<Vec3d> out(graph.nodes.size());
        std::vector<bool>  visited(graph.nodes.size(), false);
        // Depth first; the tree reaches every node once.
        std::vector<std::size_t> pending{0};
        visited[0] = true;
        while (!pending.empty()) {
            const std::size_t u = pending.back();
            pending.pop_back();
            for (const auto& [v, along] : near[u]) {
                if (visited[v]) continue;
                visited[v] = true;
                out[v]     = out[u] + along;
                pending.push_back(v);
            }
        }
        return out;
    }

    void record(const std::string& id, const std::string& path, const RodParts& parts,
                const std::vector<std::pair<std::string, std::size_t>>& owner, const std::vector<double>& lengths)
    {
        const CurveSource& curve = curves_.at(path);
        ImportedDeformable out;
        out.path    = path;
        out.kind    = ImportedDeformable::Kind::cable;
        out.density = curve.density;
        out.closed  = curve.closed;
        out.graph   = id;
        if (curve.material) out.material = *curve.material;
        out.thicknesses   = curve.thicknesses;
        out.vertex_counts = curve.counts;
        out.placed        = read_.placement(curve.prim);
        // One curve of the graph: its own segments in its own order.
        MassRun mass{0, 0, curve.points.size(), 0, {}, {}};
        for (std::size_t e = 0; e < owner.size(); ++e) {
            if (owner[e].first != path) continue;
            const double r = curve.segment_radii[owner[e].second];
            mass.bodies.push_back(parts.bodies[e]);
            mass.volumes.push_back(kPi * r * r * lengths[e]);
            out.segment_body.push_back(parts.bodies[e]);
            out.segment_length.push_back(lengths[e]);
        }
        out.bodies = mass.bodies;
        set_curve_masses(read_, curve, std::array{mass}, out);
        in_graph_.insert(path);
        run_.result.deformables.push_back(std::move(out));
    }

    const DeformableReader&                          read_;
    Import&                                          run_;
    std::vector<std::string>                         order_;
    std::map<std::string, CurveSource>               curves_;
    std::map<std::string, std::string>               parent_;  ///< sets of welded curves
    std::map<std::string, int>                       uses_;    ///< attachments of each cable
    std::map<std::string, CableRoot>                 roots_;
    std::vector<Weld>                                welds_;
    std::vector<std::pair<std::string, std::string>> welding_;  ///< first curve and attachment
    std::set<std::string>                            in_graph_, valued_;
};

}  // namespace

CableTopology weld_cables(const DeformableReader& read) { return Welder(read).run(); }

}  // namespace mechane::importer

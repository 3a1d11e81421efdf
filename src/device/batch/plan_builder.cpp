// A model becomes the plain arrays that the kernels read (kernels/plan.h).
//
// structure  links, dofs, trees, shapes and pairs of one world; all worlds share it
// numbers    masses, frames, gains, sizes and friction, in sets; worlds with the same numbers share a set
// layout     where each array begins in a set, and in the workspace of a world
//
// What the kernels do not know is refused here with the first thing that stands in the way, and where it is. Worlds
// must be alike, since lanes of different worlds run the same instructions; the first difference from world 0 is
// named. All is computed in double, and narrowed by the runner. The order of links, dofs and pairs is that of the
// CPU's forest.
#include "device/batch/plan_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "device/kernels/rows.h"
#include "mechane/collision/broad_phase.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/shape.h"
#include "mechane/device/codes.h"
#include "mechane/dynamics/forest.h"
#include "mechane/model/builder.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/limit_gains.h"
#include "mechane/solvers/materials.h"

namespace mechane::device {

namespace {

using dynamics::Forest;
using dynamics::Link;
using dynamics::Tree;
using model::GeoType;
using model::Model;

// Indices within a world are 16-bit numbers in the kernels' arrays. These bounds stay below that range.
constexpr std::size_t kMostDofs = 512, kMostPairs = 8192, kMostShapes = 1024;
constexpr int         kMostContacts = 512;

Diagnostic not_supported(std::string what, std::string prim = {})
{ return make_diagnostic(kNotSupported, {.prim = std::move(prim)}, std::move(what)); }

/// What is asked of the model as a whole; nothing where all of it is honoured.
std::optional<Diagnostic> refuse_model(const Model& m, const Forest& f)
{
    // The order of these questions is the order in which a user learns of them: what a model is made of comes first.
    if (m.particle_count() > 0) return not_supported("particles");
    if (!f.loops.empty())
        return not_supported(
            "a joint that closes a loop, is excluded from its articulation or leads to a kinematic body",
            m.joint_label[static_cast<std::size_t>(f.loops.front())]);
    if (!f.distances.empty())
        return not_supported("a distance joint", m.joint_label[static_cast<std::size_t>(f.distances.front())]);
    if (!f.mimics.empty())
        return not_supported("a joint that follows another", m.joint_label[static_cast<std::size_t>(f.mimics.front())]);
    if (!f.prescribed.empty())
        return not_supported("a kinematic body, or one without mass that nothing holds",
                             m.body_label[static_cast<std::size_t>(f.prescribed.front())]);
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        if (!m.joint_enabled[j]) return not_supported("a joint that is switched off", m.joint_label[j]);
        if (m.joint_cone_limit[j][0] >= 0 || m.joint_cone_limit[j][1] >= 0)
            return not_supported("a cone limit", m.joint_label[j]);
        // Limits of 1e30 and more stand for "never": forces do not reach them.
        if (m.joint_break_force[j] < Real(1e30) || m.joint_break_torque[j] < Real(1e30))
            return not_supported("a joint that may break", m.joint_label[j]);
    }
    for (const Link& link : f.links)
        if (link.from_body || link.base >= 0)
            return not_supported("a free body without a joint of its own to the world",
                                 m.body_label[static_cast<std::size_t>(link.body)]);
    // Shapes that do not collide (visuals, sensors) are not asked.
    for (std::size_t s = 0; s < m.shape_count(); ++s) {
        if ((m.shape_flags[s] & model::shape_flag::collide_shapes) == 0) continue;
        if (!(m.shape_surface_velocity[s] == Spatial{}))
            return not_supported("a surface that moves by itself", m.shape_label[s]);
        if ((m.shape_flags[s] & model::shape_flag::hydroelastic) != 0)
            return not_supported("pressure contact", m.shape_label[s]);
    }
    return std::nullopt;
}

/// The kind of a shape that collides, in the order of the pair table; nothing for one that never does.
struct Kind {
    collision::ShapeKind kind;
    Vec3d                size;
};
std::optional<Kind> kind_of(const Model& m, std::size_t s, bool infinite_planes)
{
    // The kinds are those of the CPU's narrow phase, so that both sides route a pair alike.
    using collision::ShapeKind;
    const Vec3d size = static_cast<Vec3d>(m.shape_scale[s]);
    if ((m.shape_flags[s] & model::shape_flag::collide_shapes) == 0 || !is_finite(size)) return std::nullopt;
    const auto* mesh = m.shape_source[s].get();
    switch (m.shape_type[s]) {
        case GeoType::plane:
            // Zero extent stands for an infinite plane.
            if ((size.x == 0 && size.y == 0) || infinite_planes) return Kind{ShapeKind::plane, {}};
            return Kind{ShapeKind::rectangle, size};
        case GeoType::sphere:
            return Kind{ShapeKind::sphere, abs(size)};
        case GeoType::capsule:
            return Kind{ShapeKind::capsule, abs(size)};
        case GeoType::ellipsoid:
            return Kind{ShapeKind::ellipsoid, abs(size)};
        case GeoType::cylinder:
            return Kind{ShapeKind::cylinder, abs(size)};
        case GeoType::box:
            return Kind{ShapeKind::box, abs(size)};
        case GeoType::cone:
            return Kind{ShapeKind::cone, abs(size)};
        case GeoType::heightfield:
        case GeoType::mesh:
            if (!mesh || mesh->triangles.empty()) return std::nullopt;
            return Kind{ShapeKind::mesh, size};
        case GeoType::convex_mesh:
            if (!mesh || mesh->points.empty()) return std::nullopt;
            return Kind{ShapeKind::hull, size};
        case GeoType::none:
        case GeoType::gaussian:
            break;
    }
    return std::nullopt;
}

/// Which function finds the contacts of two kinds in the order of the table.
/// Rows hold kinds in the order of the CPU's pair table; add_pairs swaps a pair into it.
std::optional<PairKind> pair_kind(collision::ShapeKind a, collision::ShapeKind b)
{
    using collision::ShapeKind;
    struct Row {
        ShapeKind a, b;
        PairKind  kind;
    };
    constexpr Row rows[] = {{ShapeKind::plane, ShapeKind::sphere, PairKind::plane_sphere},
                            {ShapeKind::plane, ShapeKind::capsule, PairKind::plane_capsule},
                            {ShapeKind::plane, ShapeKind::box, PairKind::plane_box},
                            {ShapeKind::plane, ShapeKind::cylinder, PairKind::plane_cylinder},
                            {ShapeKind::plane, ShapeKind::hull, PairKind::plane_vertices},
                            {ShapeKind::mesh, ShapeKind::plane, PairKind::vertices_plane},
                            {ShapeKind::sphere, ShapeKind::sphere, PairKind::sphere_sphere},
                            {ShapeKind::sphere, ShapeKind::capsule, PairKind::sphere_capsule},
                            {ShapeKind::sphere, ShapeKind::cylinder, PairKind::sphere_cylinder},
                            {ShapeKind::sphere, ShapeKind::box, PairKind::sphere_box},
                            {ShapeKind::capsule, ShapeKind::capsule, PairKind::capsule_capsule},
                            {ShapeKind::capsule, ShapeKind::box, PairKind::capsule_box},
                            {ShapeKind::box, ShapeKind::box, PairKind::box_box}};
    for (const Row& row : rows)
        if (row.a == a && row.b == b) return row.kind;
    return std::nullopt;
}

/// What a world has of the model: where its entities lie.
struct WorldParts {
    std::int32_t              body = 0, coord = 0, dof = 0;  ///< first ones
    std::int32_t              bodies = 0, coords = 0, dofs = 0;
    std::vector<std::int32_t> trees, shapes;
};

class Builder {
  public:
    Builder(const Model& m, const BatchOptions& options)
        : m_(m),
          options_(options),
          forest_(dynamics::build_forest(m)),
          broad_(filters(), m.shape_collision_filter_pairs)
    {
    }

    Result<Plan> build()
    {
        if (auto wrong = refuse_model(m_, forest_)) return *wrong;
        if (auto wrong = find_worlds()) return *wrong;
        for (std::int32_t w = 0; w < plan_.worlds; ++w) {
            Structure now;
            // World 0 is laid out; every other world is only compared with it.
            if (auto wrong = w == 0 ? structure_of(w, now) : compare(w)) return *wrong;
            if (w == 0) plan_.structure = std::move(now);
            add_numbers(w);
        }
        finish();
        return std::move(plan_);
    }

  private:
    // The filter rules of the CPU's broad phase, all shapes against all. Which pairs may touch does not change while
    // stepping, so it is decided here once. A plane of finite size counts as infinite here; add_shape refuses it or
    // not.
    std::vector<collision::ShapeFilter> filters() const
    {
        std::vector<collision::ShapeFilter> out(m_.shape_count());
        for (std::size_t s = 0; s < out.size(); ++s) {
            const std::int32_t b    = m_.shape_body[s];
            const auto         kind = kind_of(m_, s, true);
            out[s]                  = {.body   = b,
                                       .world  = m_.shape_world[s],
                                       .group  = m_.shape_collision_group[s],
                                       .active = kind.has_value(),
                                       .mobile = b >= 0,
                                       .plane  = kind && kind->kind == collision::ShapeKind::plane};
        }
        return out;
    }

    Diagnostic not_alike(std::int32_t world, const std::string& what) const
    { return make_diagnostic(kNotAlike, {}, fmt::format("world {} differs from world 0 in its {}", world, what)); }

    std::optional<Diagnostic> find_worlds()
    {
        // A model of one world has bodies of world 0 or of none (-1). They are one world all the same.
        const bool many = m_.world_count > 1;
        plan_.worlds    = many ? m_.world_count : 1;
        parts_.resize(static_cast<std::size_t>(plan_.worlds));
        const auto global = [&](std::int32_t world) { return many && world < 0; };
        for (std::size_t b = 0; b < m_.body_count(); ++b)
            if (global(m_.body_world[b]))
                return not_supported("a moving body of no world beside many worlds", m_.body_label[b]);
        for (std::int32_t w = 0; w < plan_.worlds; ++w) {
            WorldParts& part  = parts_[static_cast<std::size_t>(w)];
            const auto  range = [&](const std::vector<std::int32_t>& starts, std::size_t all, std::int32_t& first,
                                    std::int32_t& count) {
                first = many ? starts[static_cast<std::size_t>(w)] : 0;
                count = many ? starts[static_cast<std::size_t>(w) + 1] - first : static_cast<std::int32_t>(all);
            };
            range(m_.body_world_start, m_.body_count(), part.body, part.bodies);
            range(m_.joint_coord_world_start, m_.joint_coord_count(), part.coord, part.coords);
            range(m_.joint_dof_world_start, m_.joint_dof_count(), part.dof, part.dofs);
        }
        for (std::size_t t = 0; t < forest_.trees.size(); ++t)
            parts_[many ? static_cast<std::size_t>(forest_.trees[t].world) : 0].trees.push_back(
                static_cast<std::int32_t>(t));
        // Shapes of no world (the ground) are part of every world's list, at the place of their index in the model.
        for (std::size_t s = 0; s < m_.shape_count(); ++s) {
            if (!kind_of(m_, s, true)) continue;
            const auto own = static_cast<std::int32_t>(s);
            if (global(m_.shape_world[s]))
                for (WorldParts& part : parts_) part.shapes.push_back(own);
            else
                parts_[many ? static_cast<std::size_t>(m_.shape_world[s]) : 0].shapes.push_back(own);
        }
        const WorldParts& first = parts_.front();
        if (first.bodies == 0) return not_supported("a model without bodies that move");
        if (first.shapes.size() > kMostShapes)
            return not_supported(fmt::format("{} colliders in a world, at most {}", first.shapes.size(), kMostShapes));
        // The counts are compared before anything is laid out. What is alike beyond counts, compare() looks at.
        for (std::int32_t w = 1; w < plan_.worlds; ++w) {
            const WorldParts& part = parts_[static_cast<std::size_t>(w)];
            if (part.bodies != first.bodies) return not_alike(w, "bodies");
            if (part.coords != first.coords || part.dofs != first.dofs) return not_alike(w, "joints");
            if (part.trees.size() != first.trees.size()) return not_alike(w, "trees of joints");
            if (part.shapes.size() != first.shapes.size()) return not_alike(w, "colliders");
        }
        return std::nullopt;
    }

    std::optional<Diagnostic> structure_of(std::int32_t world, Structure& out)
    {
        const WorldParts& part = parts_[static_cast<std::size_t>(world)];
        for (const std::int32_t t : part.trees) add_tree(part, forest_.trees[static_cast<std::size_t>(t)], out);
        if (out.dofs.size() > kMostDofs)
            return not_supported(
                fmt::format("{} degrees of freedom in a world, at most {}", out.dofs.size(), kMostDofs));
        list_children(out);
        for (const std::int32_t s : part.shapes)
            if (auto wrong = add_shape(static_cast<std::size_t>(s), part, out)) return wrong;
        return add_pairs(part, out);
    }

    void add_tree(const WorldParts& part, const Tree& tree, Structure& out) const
    {
        // Links and dofs of this tree are renumbered to follow those that are there already.
        const auto   link0 = static_cast<std::int32_t>(out.links.size()) - tree.link_begin,
                     dof0  = static_cast<std::int32_t>(out.dofs.size()) - tree.dof_begin;
        std::int32_t coord = out.links.empty() ? 0 : out.links.back().coord + out.links.back().coords;
        const auto   small = [](std::int32_t x) { return static_cast<std::int16_t>(x); };
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const Link& link = forest_.links[static_cast<std::size_t>(l)];
            LinkPlan    p;
            p.kind   = link.free                                  ? LinkKind::free
                       : link.axes.type == model::JointType::ball ? LinkKind::ball
                                                                  : LinkKind::axes;
            p.parent = link.parent < 0 ? std::int16_t{-1} : small(link.parent + link0);
            p.root   = small(tree.link_begin + link0);
            p.single = tree.single ? 1 : 0;
            p.dof    = small(link.dof + dof0);
            p.dofs   = small(link.dofs);
            p.linear = small(link.free ? 3 : link.axes.linear);
            p.coord  = small(coord);
            p.coords = small(link.coords);
            coord += link.coords;
            p.body = small(link.body - part.body);
            p.q    = small(m_.joint_q_start[static_cast<std::size_t>(link.joint)] - part.coord);
            p.qd   = small(m_.joint_qd_start[static_cast<std::size_t>(link.joint)] - part.dof);
            // The dof that a link's velocity ends with: its own last one, or that of the nearest link above that has
            // any.
            p.last_dof = link.dofs > 0   ? small(p.dof + link.dofs - 1)
                         : p.parent >= 0 ? out.links[static_cast<std::size_t>(p.parent)].last_dof
                                         : std::int16_t{-1};
            for (std::int32_t k = 0; k < link.dofs; ++k) {
                DofPlan            d;
                const std::int32_t above = forest_.dof_parent[static_cast<std::size_t>(link.dof + k)];
                d.link                   = small(l + link0);
                // The forest gives each dof the one above it, as Featherstone (2008, section 6.5) does for the sparse
                // factorization.
                d.axis = small(k);
                d.depth =
                    above < 0 ? std::int16_t{0} : small(out.dofs[static_cast<std::size_t>(above + dof0)].depth + 1);
                // A dof's row of the mass matrix has an entry for each dof on its way to the root, itself last.
                // `paths` holds that way.
                d.row = static_cast<std::int32_t>(out.paths.size());
                if (!link.free) {
                    d.qd = small(p.qd + k);
                    if (p.kind == LinkKind::axes) d.coord = small(p.coord + k), d.target_q = small(p.q + k);
                }
                const auto own = static_cast<std::int16_t>(out.dofs.size());
                if (above >= 0) {
                    const DofPlan& before = out.dofs[static_cast<std::size_t>(above + dof0)];
                    for (std::int32_t i = 0; i <= before.depth; ++i)
                        out.paths.push_back(out.paths[static_cast<std::size_t>(before.row + i)]);
                }
                out.paths.push_back(own);
                out.entry_dof.insert(out.entry_dof.end(), static_cast<std::size_t>(d.depth) + 1, own);
                out.dofs.push_back(d);
            }
            out.links.push_back(p);
        }
        out.trees.push_back({small(tree.link_begin + link0), small(tree.link_end + link0), small(tree.dof_begin + dof0),
                             small(tree.dof_end + dof0)});
        // Backwards, so that a dof knows what hangs on it before it passes that on to the dof above: [k, end) is its
        // subtree.
        for (std::size_t k = out.dofs.size(); k-- > static_cast<std::size_t>(tree.dof_begin + dof0);) {
            DofPlan& d = out.dofs[k];
            d.end      = std::max<std::int16_t>(d.end, static_cast<std::int16_t>(k + 1));
            if (d.depth == 0) continue;
            DofPlan& above =
                out.dofs[static_cast<std::size_t>(out.paths[static_cast<std::size_t>(d.row + d.depth - 1)])];
            above.end = std::max(above.end, d.end);
        }
    }

    static void list_children(Structure& s)
    {
        // Levels: links of one level depend on the level above only, and are dealt out to lanes together.
        std::vector<int> level(s.links.size(), 0);
        int              levels = 0;
        for (std::size_t l = 0; l < s.links.size(); ++l) {
            if (s.links[l].parent >= 0) level[l] = level[static_cast<std::size_t>(s.links[l].parent)] + 1;
            levels = std::max(levels, level[l] + 1);
        }
        for (int i = 0; i < levels; ++i) {
            s.level_begin.push_back(static_cast<std::int16_t>(s.level_links.size()));
            for (std::size_t l = 0; l < s.links.size(); ++l)
                if (level[l] == i) s.level_links.push_back(static_cast<std::int16_t>(l));
        }
        s.level_begin.push_back(static_cast<std::int16_t>(s.level_links.size()));
        for (std::size_t l = 0; l < s.links.size(); ++l) {
            // Children come after their parents, so the search begins behind the link.
            s.links[l].child_begin = static_cast<std::int16_t>(s.children.size());
            for (std::size_t c = l + 1; c < s.links.size(); ++c)
                if (s.links[c].parent == static_cast<std::int16_t>(l))
                    s.children.push_back(static_cast<std::int16_t>(c));
            s.links[l].child_end = static_cast<std::int16_t>(s.children.size());
        }
    }

    std::optional<Diagnostic> add_shape(std::size_t s, const WorldParts& part, Structure& out) const
    {
        ShapePlan          p;
        const std::int32_t body = m_.shape_body[s];
        if (body >= 0)
            p.link = static_cast<std::int16_t>(forest_.body_link[static_cast<std::size_t>(body)] - first_link(part));
        const auto kind = *kind_of(m_, s, options_.finite_plane_compat);
        if (kind.kind == collision::ShapeKind::rectangle)
            return not_supported("a plane of finite size; `finite_plane_compat` takes it for an infinite one",
                                 m_.shape_label[s]);
        // Contacts of planes with hulls and meshes look at vertices alone. They are stored unscaled; the scale is a
        // number of the set, so that worlds may differ in it.
        if (kind.kind == collision::ShapeKind::hull || kind.kind == collision::ShapeKind::mesh) {
            const auto vertices = kind.kind == collision::ShapeKind::hull
                                      ? collision::make_hull_shape(*m_.shape_source[s], {1, 1, 1}).vertices
                                      : m_.shape_source[s]->points;
            p.vertex_begin      = static_cast<std::int32_t>(out.vertices.size() / 3);
            for (const Vec3d& v : vertices) out.vertices.insert(out.vertices.end(), {v.x, v.y, v.z});
            p.vertex_end = static_cast<std::int32_t>(out.vertices.size() / 3);
        }
        out.shapes.push_back(p);
        return std::nullopt;
    }

    std::int32_t first_link(const WorldParts& part) const
    { return part.trees.empty() ? 0 : forest_.trees[static_cast<std::size_t>(part.trees.front())].link_begin; }

    std::optional<Diagnostic> add_pairs(const WorldParts& part, Structure& out) const
    {
        // Pairs by index, lower first: one order for all worlds.
        for (std::size_t i = 0; i < part.shapes.size(); ++i)
            for (std::size_t k = i + 1; k < part.shapes.size(); ++k) {
                const auto a = static_cast<std::size_t>(part.shapes[i]), b = static_cast<std::size_t>(part.shapes[k]);
                if (!broad_.allowed(part.shapes[i], part.shapes[k])) continue;
                auto ka = kind_of(m_, a, true)->kind, kb = kind_of(m_, b, true)->kind;
                auto x = static_cast<std::int16_t>(i), y = static_cast<std::int16_t>(k);
                // No route: two kinds that never touch, such as two planes.
                if (collision::route_of(ka, kb).empty()) continue;
                if (!collision::in_table_order(ka, kb)) std::swap(ka, kb), std::swap(x, y);
                const auto kind = pair_kind(ka, kb);
                if (!kind) {
                    if (options_.leave_out_unknown_pairs) continue;
                    return not_supported(fmt::format("contacts of a {} with a {} ({}); `leave_out_unknown_pairs` lets "
                                                     "such pairs pass through each other",
                                                     model::to_string(m_.shape_type[a]),
                                                     model::to_string(m_.shape_type[b]), m_.shape_label[b]),
                                         m_.shape_label[a]);
                }
                out.pairs.push_back({*kind, x, y});
            }
        // Sorted by the shapes as swapped. Contacts are found in this order, which makes the results reproducible.
        std::sort(out.pairs.begin(), out.pairs.end(), [](const PairPlan& p, const PairPlan& q) {
            return p.shape0 != q.shape0 ? p.shape0 < q.shape0 : p.shape1 < q.shape1;
        });
        if (out.pairs.size() > kMostPairs)
            return not_supported(
                fmt::format("{} pairs of colliders in a world, at most {}", out.pairs.size(), kMostPairs));
        return std::nullopt;
    }

    /// Whether a world has the structure of world 0.
    std::optional<Diagnostic> compare(std::int32_t world) const
    {
        // Counts are equal already (find_worlds). Here the parts are compared place by place.
        const WorldParts &x = parts_.front(), &y = parts_[static_cast<std::size_t>(world)];
        for (std::size_t t = 0; t < x.trees.size(); ++t) {
            const Tree &a = forest_.trees[static_cast<std::size_t>(x.trees[t])],
                       &b = forest_.trees[static_cast<std::size_t>(y.trees[t])];
            if (a.link_end - a.link_begin != b.link_end - b.link_begin || a.dof_count() != b.dof_count() ||
                a.single != b.single)
                return not_alike(world, "trees of joints");
            for (std::int32_t i = 0; i < a.link_end - a.link_begin; ++i) {
                const Link &p    = forest_.links[static_cast<std::size_t>(a.link_begin + i)],
                           &q    = forest_.links[static_cast<std::size_t>(b.link_begin + i)];
                const auto place = [&](const Link& link, const WorldParts& part) {
                    return std::array{link.body - part.body,
                                      m_.joint_q_start[static_cast<std::size_t>(link.joint)] - part.coord,
                                      m_.joint_qd_start[static_cast<std::size_t>(link.joint)] - part.dof,
                                      link.dofs,
                                      link.coords,
                                      static_cast<std::int32_t>(link.axes.type),
                                      link.axes.linear};
                };
                if (place(p, x) != place(q, y) || (p.parent < 0) != (q.parent < 0) ||
                    (p.parent >= 0 && p.parent - a.link_begin != q.parent - b.link_begin))
                    return not_alike(world, "joints");
            }
        }
        for (std::size_t i = 0; i < x.shapes.size(); ++i) {
            const auto a = static_cast<std::size_t>(x.shapes[i]), b = static_cast<std::size_t>(y.shapes[i]);
            const auto link = [&](std::size_t s, const WorldParts& part) {
                const std::int32_t body = m_.shape_body[s];
                return body < 0 ? -1 : body - part.body;
            };
            // The same mesh object, not an equal one: replicated robots share theirs.
            if (m_.shape_type[a] != m_.shape_type[b] || link(a, x) != link(b, y) ||
                m_.shape_source[a] != m_.shape_source[b])
                return not_alike(world, "colliders");
        }
        // Filters may differ in a way that counts do not show: groups, or pairs that are excluded in one world only.
        for (std::size_t i = 0; i < x.shapes.size(); ++i)
            for (std::size_t k = i + 1; k < x.shapes.size(); ++k)
                if (broad_.allowed(x.shapes[i], x.shapes[k]) != broad_.allowed(y.shapes[i], y.shapes[k]))
                    return not_alike(world, "pairs that collide");
        return std::nullopt;
    }

    void add_link(const Link& link, std::vector<double>& to) const
    {
        // The numbers in the order of link_number: com, mass, inertia (xx xy xz yy yz zz), X_PJ, X_CJ, three axes.
        const auto vector = [&](const Vec3d& x) { to.insert(to.end(), {x.x, x.y, x.z}); };
        const auto pose   = [&](const Posed& X) { vector(X.p), to.insert(to.end(), {X.q.x, X.q.y, X.q.z, X.q.w}); };
        vector(link.com);
        to.push_back(link.mass);
        const Mat33d& I = link.inertia;
        // Off-diagonal entries are averaged, since an inertia that was rotated is symmetric up to rounding only.
        to.insert(to.end(),
                  {I.r0.x, 0.5 * (I.r0.y + I.r1.x), 0.5 * (I.r0.z + I.r2.x), I.r1.y, 0.5 * (I.r1.z + I.r2.y), I.r2.z});
        pose(link.X_PJ), pose(link.X_CJ);
        // A free link has six axes, linear then angular; the kernels need the angular three.
        for (std::size_t k = 0; k < 3; ++k) vector(link.axes.axis[k + (link.free ? 3 : 0)]);
    }

    void add_dof(const Link& link, std::int32_t k, std::vector<double>& to) const
    {
        // Free links have none of these: no armature, limits or drives.
        std::array<double, dof_number::count> n{};
        if (!link.free) {
            const auto d = static_cast<std::size_t>(m_.joint_qd_start[static_cast<std::size_t>(link.joint)] + k);
            const auto c = static_cast<std::size_t>(m_.joint_q_start[static_cast<std::size_t>(link.joint)]);
            // What is not positive is as good as absent; an infinite value becomes a finite one that products
            // survive.
            const auto good = [](Real x) {
                return std::isfinite(x) && x > 0 ? static_cast<double>(x) : std::isinf(x) && x > 0 ? 1e30 : 0.0;
            };
            n[dof_number::armature]      = good(m_.joint_armature[d]);
            n[dof_number::friction]      = good(m_.joint_friction[d]);
            n[dof_number::damping]       = good(m_.joint_damping[d]);
            n[dof_number::stiffness]     = good(m_.joint_stiffness[d]);
            n[dof_number::effort]        = std::min(1e30, good(m_.joint_effort_limit[d]));
            n[dof_number::fastest]       = std::min(1e30, good(m_.joint_velocity_limit[d]));
            const model::TargetMode mode = m_.joint_target_mode[d];
            // A drive of position has no rate to follow (`rated` is 0), but its damping counts.
            const bool position  = mode == model::TargetMode::position || mode == model::TargetMode::position_velocity;
            const bool rate      = mode == model::TargetMode::velocity || mode == model::TargetMode::position_velocity;
            n[dof_number::ke]    = position ? good(m_.joint_target_ke[d]) : 0;
            n[dof_number::kd]    = position || rate ? good(m_.joint_target_kd[d]) : 0;
            n[dof_number::rated] = rate ? 1 : 0;
            int flags            = m_.joint_drive_type[d] == model::DriveType::acceleration &&
                                           (n[dof_number::ke] > 0 || n[dof_number::kd] > 0)
                                       ? kAcceleration
                                       : 0;
            if (link.axes.type == model::JointType::ball) {
                // The rest orientation is a quaternion, of which the first dof carries all four numbers.
                for (std::size_t i = 0; i < 4 && k == 0; ++i)
                    n[static_cast<std::size_t>(i == 0 ? dof_number::rest
                                                      : dof_number::rest_y + static_cast<int>(i) - 1)] =
                        static_cast<double>(m_.joint_rest_q[c + i]);
            } else {
                double     lower     = static_cast<double>(m_.joint_limit_lower[d]),
                           upper     = static_cast<double>(m_.joint_limit_upper[d]);
                const bool has_lower = lower > -model::kMaxValue, has_upper = upper < model::kMaxValue;
                // Limits that cross leave one place in their middle.
                if (has_lower && has_upper && lower > upper) lower = upper = 0.5 * (lower + upper);
                n[dof_number::rest]     = static_cast<double>(m_.joint_rest_q[c + static_cast<std::size_t>(k)]);
                n[dof_number::limit_ke] = good(m_.joint_limit_ke[d]);
                n[dof_number::limit_kd] = good(m_.joint_limit_kd[d]);
                // A stiff limit is a row that stops; others are springs. Softstep decides the same way.
                const bool stiff     = n[dof_number::limit_ke] == 0 || lower == upper ||
                                       model::limit_stiffness_is_unchosen(m_, d);
                n[dof_number::lower] = has_lower ? lower : 0, n[dof_number::upper] = has_upper ? upper : 0;
                flags |= (has_lower ? kHasLower : 0) | (has_upper ? kHasUpper : 0) | (stiff ? kStiffLimit : 0);
            }
            n[dof_number::flags] = flags;
        }
        to.insert(to.end(), n.begin(), n.end());
    }

    void add_shape_numbers(std::size_t s, const ShapePlan& plan, std::vector<double>& to) const
    {
        using collision::ShapeKind;
        const Kind kind = *kind_of(m_, s, true);
        // Positions are in the frame of the body, or of the world for a static shape.
        const Posed X = static_cast<Posed>(m_.shape_transform[s]);
        const Quatd q = normalized(X.q);
        // `middle` and `reach`: a ball about the shape, for the test whether a pair is near at all.
        Vec3d  middle, size = kind.size;
        double reach = 0;
        // 1e15 m: a plane is near everything. Products of it stay finite in single precision.
        switch (kind.kind) {
            case ShapeKind::plane:
                reach = 1e15;
                break;
            case ShapeKind::capsule:
                reach = size.x + size.y;
                break;
            case ShapeKind::cylinder:
            case ShapeKind::cone:
                reach = std::hypot(size.x, size.y);
                break;
            case ShapeKind::box:
                reach = length(size);
                break;
            case ShapeKind::hull:
            case ShapeKind::mesh: {
                // The middle of the bounding box, not the smallest ball: it is cheap, and at most sqrt(3) larger.
                Vec3d      low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
                const auto vertex = [&](std::int32_t i) {
                    const double* v = plan_.structure.vertices.data() + 3 * static_cast<std::size_t>(i);
                    return scale(size, Vec3d{v[0], v[1], v[2]});
                };
                for (std::int32_t i = plan.vertex_begin; i < plan.vertex_end; ++i)
                    low = min(low, vertex(i)), high = max(high, vertex(i));
                middle = 0.5 * (low + high);
                for (std::int32_t i = plan.vertex_begin; i < plan.vertex_end; ++i)
                    reach = std::max(reach, length(vertex(i) - middle));
                break;
            }
            case ShapeKind::sphere:
            case ShapeKind::ellipsoid:
            case ShapeKind::rectangle:
            case ShapeKind::triangle:
                reach = max_component(size);
                break;
        }
        const bool   round    = kind.kind == ShapeKind::sphere || kind.kind == ShapeKind::capsule;
        const double touching = law::kTouching * std::min(1e15, static_cast<double>(m_.shape_collision_radius[s]));
        // A sphere is a capsule of no length to the kernels: size.y is half the length of the core segment.
        if (kind.kind == ShapeKind::sphere) size.y = 0;
        to.insert(to.end(), {X.p.x, X.p.y, X.p.z, q.x, q.y, q.z, q.w, size.x, size.y, size.z,
                             static_cast<double>(m_.shape_margin[s]), static_cast<double>(m_.shape_gap[s]), 0.0,
                             round ? size.x : 0.0, middle.x, middle.y, middle.z, reach, touching});
    }

    void add_pair_numbers(std::size_t a, std::size_t b, std::vector<double>& to) const
    {
        // A material may name how it combines. Else the option of the solver holds for all pairs.
        const auto rule = [&](const std::vector<std::int32_t>& named) {
            return named.empty() ? options_.combine : solvers::rule_of_pair(options_.combine, named[a], named[b]);
        };
        const auto mix = [&](model::MaterialCombine by, const std::vector<Real>& of) {
            return solvers::combine(by, static_cast<double>(of[a]), static_cast<double>(of[b]));
        };
        const auto   rubbing = rule(m_.shape_friction_combine), bouncing = rule(m_.shape_restitution_combine);
        const double mu = mix(rubbing, m_.shape_material_mu);
        // Static friction is at least the dynamic one.
        to.insert(to.end(), {std::max(mu, mix(rubbing, m_.shape_material_mu_static)), mu,
                             mix(bouncing, m_.shape_material_restitution), mix(rubbing, m_.shape_material_mu_torsional),
                             mix(rubbing, m_.shape_material_mu_rolling)});
    }

    /// The numbers of a world, in the set of an earlier one that has the same.
    void add_numbers(std::int32_t world)
    {
        const WorldParts&   part = parts_[static_cast<std::size_t>(world)];
        std::vector<double> set;
        // Gravity of the world, if the model has several; else that of the first tree's.
        const Vec3d g = static_cast<Vec3d>(m_.gravity_of(m_.world_count > 1      ? world
                                                         : forest_.trees.empty() ? -1
                                                                                 : forest_.trees.front().world));
        // Where each kind of number begins. It is the same for every world, and written anew each time.
        plan_.at.gravity = 0;
        set.insert(set.end(), {g.x, g.y, g.z});
        plan_.at.link_params = static_cast<int>(set.size());
        for (const std::int32_t t : part.trees)
            for (std::int32_t l = forest_.trees[static_cast<std::size_t>(t)].link_begin;
                 l < forest_.trees[static_cast<std::size_t>(t)].link_end; ++l)
                add_link(forest_.links[static_cast<std::size_t>(l)], set);
        plan_.at.dof_params = static_cast<int>(set.size());
        for (const std::int32_t t : part.trees)
            for (std::int32_t k = forest_.trees[static_cast<std::size_t>(t)].dof_begin;
                 k < forest_.trees[static_cast<std::size_t>(t)].dof_end; ++k) {
                const Link& link =
                    forest_.links[static_cast<std::size_t>(forest_.dof_link[static_cast<std::size_t>(k)])];
                add_dof(link, k - link.dof, set);
            }
        plan_.at.shape_params = static_cast<int>(set.size());
        for (std::size_t i = 0; i < part.shapes.size(); ++i)
            add_shape_numbers(static_cast<std::size_t>(part.shapes[i]), plan_.structure.shapes[i], set);
        plan_.at.pair_params = static_cast<int>(set.size());
        for (const PairPlan& pair : plan_.structure.pairs)
            add_pair_numbers(static_cast<std::size_t>(part.shapes[static_cast<std::size_t>(pair.shape0)]),
                             static_cast<std::size_t>(part.shapes[static_cast<std::size_t>(pair.shape1)]), set);
        plan_.at.params        = static_cast<int>(set.size());
        const std::size_t sets = plan_.sets.size() / set.size();
        // Only the first and the last set are compared, which keeps this linear in the number of worlds. Bits are
        // compared: equal values with other signs of zero make another set, which costs memory alone.
        for (const std::size_t old : {std::size_t{0}, sets - 1})
            if (old < sets &&
                std::memcmp(plan_.sets.data() + old * set.size(), set.data(), set.size() * sizeof(double)) == 0) {
                plan_.set_of.push_back(static_cast<std::int32_t>(old));
                set.clear();
                break;
            }
        if (!set.empty()) {
            plan_.set_of.push_back(static_cast<std::int32_t>(sets));
            plan_.sets.insert(plan_.sets.end(), set.begin(), set.end());
        }
        plan_.shape_of.insert(plan_.shape_of.end(), part.shapes.begin(), part.shapes.end());
        plan_.body_begin.push_back(part.body), plan_.coord_begin.push_back(part.coord),
            plan_.dof_begin.push_back(part.dof);
    }

    void finish()
    {
        const Structure& s  = plan_.structure;
        Layout&          at = plan_.at;
        at.links = static_cast<int>(s.links.size()), at.dofs = static_cast<int>(s.dofs.size()),
        at.trees  = static_cast<int>(s.trees.size());
        at.coords = s.links.empty() ? 0 : s.links.back().coord + s.links.back().coords;
        at.levels = static_cast<int>(s.level_begin.size()) - 1;
        at.shapes = static_cast<int>(s.shapes.size()), at.pairs = static_cast<int>(s.pairs.size());
        at.entries = static_cast<int>(s.paths.size());
        at.bodies = parts_.front().bodies, at.joint_coords = parts_.front().coords, at.joint_dofs = parts_.front().dofs;
        for (const DofPlan& d : s.dofs) at.deepest = std::max(at.deepest, d.depth + 1);
        // Three quarters of what can touch the ground at once, and some pairs of links: a humanoid that lies has 24 and
        // more.
        int points = 0;
        for (const PairPlan& p : s.pairs) {
            // Planes come first among the kinds: these pairs are a shape and the ground.
            if (p.kind > PairKind::vertices_plane) continue;
            points += p.kind == PairKind::plane_sphere ? 1 : p.kind == PairKind::plane_capsule ? 2 : 4;
        }
        at.contacts =
            options_.contacts_per_world > 0 ? options_.contacts_per_world : std::clamp(3 * points / 4 + 8, 8, 96);
        bool turns = false;
        for (std::size_t set = 0; set < plan_.sets.size(); set += static_cast<std::size_t>(at.params))
            for (int p = 0; p < at.pairs; ++p) {
                const double* n =
                    plan_.sets.data() + set + static_cast<std::size_t>(at.pair_params + pair_number::count * p);
                turns = turns || n[pair_number::torsional] > 0 || n[pair_number::rolling] > 0;
            }
        // A contact has a normal and two directions of friction; with friction against turning three more rows.
        at.rows = (turns ? 6 : 3) * at.contacts;
        // The start state is that of the model. Resetting a world takes it from here.
        plan_.start_q.assign(m_.joint_q.begin(), m_.joint_q.end());
        plan_.start_qd.assign(m_.joint_qd.begin(), m_.joint_qd.end());
    }

    const Model&                  m_;
    const BatchOptions&           options_;
    Forest                        forest_;
    collision::BroadPhaseAllPairs broad_;
    std::vector<WorldParts>       parts_;
    Plan                          plan_;
};

}  // namespace

Result<Plan> make_plan(const model::Model& model, const BatchOptions& options)
{
    const auto wrong = [](std::string what) { return make_diagnostic(kOption, {}, std::move(what)); };
    if (!(options.dt > 0) || !std::isfinite(options.dt))
        return wrong(fmt::format("dt is {}, expected a positive number of seconds", options.dt));
    if (options.substeps < 1 || options.substeps > 64)
        return wrong(fmt::format("substeps is {}, expected 1 to 64", options.substeps));
    if (options.contacts_per_world < 0 || options.contacts_per_world > kMostContacts)
        return wrong(
            fmt::format("contacts_per_world is {}, expected 0 to {}", options.contacts_per_world, kMostContacts));
    if (!(options.speculative_max >= 0) || !std::isfinite(options.speculative_max))
        return wrong(
            fmt::format("speculative_max is {}, expected a finite number of at least 0", options.speculative_max));
    return Builder(model, options).build();
}

template <class T>
Layout with_workspace(Layout at, int near)
{
    // Counts are in numbers of type T. A structure among them is rounded up to whole numbers.
    at.near_contacts = std::min(near, at.contacts);
    at.near_rows     = at.rows / std::max(1, at.contacts) * at.near_contacts;
    if (at.near_contacts == at.contacts) at.near_rows = at.rows;
    int        next  = 0;
    const auto take  = [&](int count) { return std::exchange(next, next + count); };
    const auto bytes = [&](std::size_t size, int count) {
        next = (next + 3) / 4 * 4;  // structures begin at a quarter of a line
        return take(static_cast<int>((size * static_cast<std::size_t>(count) + sizeof(T) - 1) / sizeof(T)));
    };
    at.pose = take(7 * at.links), at.turn = take(9 * at.links), at.com = take(3 * at.links),
    at.twist    = take(6 * at.links);
    at.velocity = take(6 * at.links), at.inertia = take(6 * at.links), at.accel = take(6 * at.links),
    at.force     = take(6 * at.links);
    at.composite = take(10 * at.links);
    at.column = take(6 * at.dofs), at.momentum = take(6 * at.dofs);
    at.q = take(at.coords), at.v = take(at.dofs), at.x = take(2 * at.dofs), at.tau = take(at.dofs),
    at.diagonal = take(at.dofs);
    at.gains = take(2 * at.dofs), at.error = take(2 * at.dofs), at.roots = take(at.dofs), at.u = take(at.dofs);
    at.mass = take(at.entries), at.factor = take(at.entries), at.white = take(at.entries);
    at.active   = take((at.dofs + 1) / 2 * 2);
    at.arms     = take(6 * at.deepest);
    at.dof_rows = bytes(sizeof(DofRow<T>), at.dofs);
    at.law      = bytes(sizeof(ContactLaw<T>), at.near_contacts);
    at.row      = take(at.near_rows * at.dofs);
    // Shapes are placed for the contacts alone, rows come later.
    // The poses of shapes share the place of the rows, which saves shared memory and with it worlds side by side.
    at.shape_pose = at.row;
    next          = std::max(next, at.shape_pose + 8 * at.shapes);
    at.size       = (next + 3) / 4 * 4;
    // The far part has its own count, from 0. It lies in global memory, one after the other for all worlds.
    next = 0;
    if (at.near_contacts < at.contacts) {
        bytes(sizeof(ContactLaw<T>), at.contacts - at.near_contacts);
        at.far_rows = take((at.rows - at.near_rows) * at.dofs);
    }
    at.far_size = (next + 3) / 4 * 4;
    return at;
}
template Layout with_workspace<float>(Layout, int);
template Layout with_workspace<double>(Layout, int);

}  // namespace mechane::device

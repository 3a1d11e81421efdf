// Pairs of segments, bodies and colliders that PhysicsElementCollisionFilter and physics:filteredPairs keep apart.
// ElementGroups of elements are paired one by one; a side without groups means all.
//
// Only cables have elements that can be told apart: their segments are bodies. Cloth and soft bodies are refused with
// a message.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cables.h"
#include "deformables.h"
#include "reader.h"

/// Pairs of a cable's segments, bodies and colliders that do not meet.
namespace mechane::importer {
namespace {

const ImportedDeformable* deformable_at(const Import& run, const std::string& path)
{
    for (const ImportedDeformable& d : run.result.deformables)
        if (d.path == path) return &d;
    return nullptr;
}

std::vector<std::int32_t> shapes_of_bodies(const Import& run, std::span<const std::int32_t> bodies)
{
    std::vector<std::int32_t> out;
    for (const std::int32_t b : bodies)
        if (b >= 0) {
            const auto& shapes = run.builder.bodies[static_cast<std::size_t>(b)].shapes;
            out.insert(out.end(), shapes.begin(), shapes.end());
        }
    return out;
}

/// Shapes of a rigid body or collider; empty for everything else.
std::vector<std::int32_t> rigid_shapes(const Import& run, const std::string& path)
{
    if (const auto body = run.result.path_body_map.find(path); body != run.result.path_body_map.end())
        return shapes_of_bodies(run, std::array{body->second});
    const physics::Index collider = run.physics.collider_at(usd::Path(path));
    // Colliders may be named themselves, without their body.
    return shapes_of_collider(run, collider);
}

/// ElementGroups of indices by their counts; nothing, with the reason, where they do not fit together.
struct ElementGroups {
    std::vector<std::vector<int>> groups;
    bool                          all = false;  ///< no counts: every element, with every group of the other side
};

std::optional<ElementGroups> groups_of(const DeformableReader& read, const usd::Prim& prim, const char* side)
{
    const auto counts  = read.ints(prim, fmt::format("groupElemCounts{}", side));
    const auto indices = read.ints(prim, fmt::format("groupElemIndices{}", side));
    const auto no      = [&](std::string why) -> std::optional<ElementGroups> {
        read.warn(codes::kDeformableFilter, prim, why + "; the filter has no effect");
        return std::nullopt;
    };
    ElementGroups out;
    // No counts: one group with every element.
    if (counts.empty()) {
        if (!indices.empty())
            read.warn(codes::kDeformableFilter, prim,
                      fmt::format("groupElemIndices{} without counts is ignored: every element counts", side));
        out.groups.emplace_back();
        out.all = true;
        return out;
    }
    std::size_t at = 0;
    for (const int n : counts) {
        if (n < 0) return no(fmt::format("groupElemCounts{} holds {}", side, n));
        if (at + static_cast<std::size_t>(n) > indices.size())
            return no(fmt::format("groupElemCounts{} asks for more than the {} indices", side, indices.size()));
        out.groups.emplace_back(indices.begin() + static_cast<std::ptrdiff_t>(at),
                                indices.begin() + static_cast<std::ptrdiff_t>(at) + n);
        at += static_cast<std::size_t>(n);
    }
    if (at != indices.size())
        return no(fmt::format("groupElemIndices{} has {} indices, and the groups take {}", side, indices.size(), at));
    return out;
}

}  // namespace

std::vector<std::int32_t> shapes_of_cable(const Import& run, const std::string& path)
{
    const ImportedDeformable* cable = deformable_at(run, path);
    if (cable == nullptr)
        if (const auto owner = run.deformables.owner.find(usd::Path(path)); owner != run.deformables.owner.end())
            cable = deformable_at(run, owner->second.text());
    return cable != nullptr && cable->kind == ImportedDeformable::Kind::cable ? shapes_of_bodies(run, cable->bodies)
                                                                              : std::vector<std::int32_t>{};
}

void add_element_filters(Import& run, const PairSink& add)
{
    const DeformableReader read(run);
    for (const usd::Prim& prim : run.deformables.filters) {
        if (!read.flag(prim, "filterEnabled").value_or(true)) continue;
        const auto a = groups_of(read, prim, "0"), b = groups_of(read, prim, "1");
        if (!a || !b) continue;
        // One group of all elements meets every group of the other side.
        // Groups are paired in order; "all" on one side meets each group of the other.
        const std::size_t pairs = a->all && !b->all ? b->groups.size() : a->groups.size();
        if (!a->all && !b->all && a->groups.size() != b->groups.size()) {
            read.warn(codes::kDeformableFilter, prim,
                      fmt::format("src0 has {} groups and src1 {}, expected as many; the filter has no effect",
                                  a->groups.size(), b->groups.size()));
            continue;
        }
        const std::string from = first_target(read, prim, "src0"), to = first_target(read, prim, "src1");
        const auto        shapes = [&](const std::string&      path,
                                       const std::vector<int>& indices) -> std::optional<std::vector<std::int32_t>> {
            const ImportedDeformable* d = deformable_at(run, path);
            if (d != nullptr && d->kind == ImportedDeformable::Kind::cable) {
                if (indices.empty()) return shapes_of_bodies(run, d->segment_body);
                std::vector<std::int32_t> bodies;
                for (const int i : indices)
                    if (i >= 0 && i < std::ssize(d->segment_body) && d->segment_body[static_cast<std::size_t>(i)] >= 0)
                        bodies.push_back(d->segment_body[static_cast<std::size_t>(i)]);
                    else
                        read.warn(codes::kDeformableFilter, prim,
                                  fmt::format("<{}> has no segment {}; it is skipped", path, i));
                return shapes_of_bodies(run, bodies);
            }
            if (d == nullptr)
                if (auto rigid = rigid_shapes(run, path); !rigid.empty()) return rigid;
            read.warn(
                codes::kDeformableFilter, prim,
                d != nullptr
                    ? fmt::format("<{}> is not a cable; elements of cloth and soft bodies cannot be filtered", path)
                    : fmt::format("<{}> is not an imported cable, body or collider; the filter has no effect", path));
            return std::nullopt;
        };
        for (std::size_t g = 0; g < pairs; ++g) {
            const auto x = shapes(from, a->groups[a->all ? 0 : g]), y = shapes(to, b->groups[b->all ? 0 : g]);
            // A target that is not there is told once and ends the filter.
            if (!x || !y) break;
            add(*x, *y, fmt::format("the element filter <{}> names them", prim.path().text()));
        }
    }
    if (run.deformables.cables.empty()) return;
    // physics:filteredPairs of cables, of the bodies that govern them, and of rigid prims that name them.
    static const usd::Token kPairs("physics:filteredPairs");
    const usd::Prim         root = run.stage.prim_at(usd::Path(run.options.root_path));
    if (!root) return;
    // Rigid pairs are the business of the rigid filters (filters.cpp); only pairs with a cable are looked at here.
    const auto shapes_at = [&](const std::string& path) {
        auto out = shapes_of_cable(run, path);
        return out.empty() ? rigid_shapes(run, path) : out;
    };
    for (const usd::Prim& prim : root.subtree()) {
        const usd::Relationship pairs = prim.relationship(kPairs);
        if (!pairs || !pairs.authored() || run.ignored(prim.path())) continue;
        const std::string from  = prim.path().text();
        const bool        cable = !shapes_of_cable(run, from).empty();
        for (const usd::Path& target : pairs.targets()) {
            if (!cable && shapes_of_cable(run, target.text()).empty()) continue;
            if (target.text() == from) continue;
            run.took(prim, kPairs.text());
            const auto other = run.ignored(target) ? std::vector<std::int32_t>{} : shapes_at(target.text());
            if (other.empty())
                run.found.add(codes::kFilteredPair, pairs.site(),
                              fmt::format("<{}> names <{}>, which has no imported shapes", from, target.text()));
            add(shapes_at(from), other, "physics:filteredPairs names them");
        }
    }
}

}  // namespace mechane::importer

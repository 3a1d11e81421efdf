// Which bodies never touch: what MuJoCo leaves out by itself, and what has to be said.
// MuJoCo never lets two bodies touch that are welded to each other, or of which one hangs on the other. UsdPhysics
// only knows joints that keep their two bodies apart. So some pairs need an <exclude>, and some that may touch in the
// source cannot.

#include <fmt/format.h>

#include <algorithm>

#include "exporter/mjcf/writer.h"

namespace mechane::exporter::mjcf {

/// The link at the top of what fixed joints hold together. In MuJoCo that is one body for contacts.
int MjcfWriter::welded_to(int link) const
{
    for (std::size_t steps = 0; steps < tree_.links.size(); ++steps) {
        const int j = out_.chain.above[index(link)];
        if (j < 0 || has_joint(j) || tree_.joints[index(j)].parent < 0) break;
        link = tree_.joints[index(j)].parent;
    }
    return link;
}

bool MjcfWriter::is_implied(int a, int b) const
{
    if (a < 0 || b < 0 || !moves(a) || !moves(b)) return false;
    const auto hangs = [&](int link, int on) {
        const int j = out_.chain.above[index(link)];
        return j >= 0 && tree_.joints[index(j)].parent == on;
    };
    // Only what follows from welds counts as implied; a joint's own pair has a word in the source.
    if (hangs(a, b) || hangs(b, a)) return false;  // MuJoCo needs no word for it, and the source has one
    const int one = welded_to(a), two = welded_to(b);
    // The weld that a weld hangs on.
    const auto above = [&](int link) {
        const int j = out_.chain.above[index(link)];
        return j >= 0 && tree_.joints[index(j)].parent >= 0 ? welded_to(tree_.joints[index(j)].parent) : -1;
    };
    return one == two || above(one) == two || above(two) == one;
}

void MjcfWriter::exclusions(XmlNode& contact)
{
    // Sorted and unique, since both ends and both lists may name a pair.
    std::set<std::pair<int, int>> pairs;
    for (const sf::Exclusion& e : tree_.exclusions)
        if (e.a < 0 || e.b < 0 || !is_implied(e.a, e.b)) pairs.insert(std::minmax(e.a, e.b));
    // Parent and child are left out by themselves, unless the parent stands in the world.
    // A pair with nothing to collide needs no word.
    for (const sf::Joint& j : tree_.joints)
        // A body that stands in the world is welded to it, and MuJoCo keeps it apart from nothing then.
        if (!j.collide && j.parent >= 0 && j.child >= 0 && (j.loop || (!moves(j.parent) && moves(j.child))) &&
            has_collider_[index(j.parent)] && has_collider_[index(j.child)])
            pairs.insert(std::minmax(j.parent, j.child));
    apart(pairs);
    for (const auto& [a, b] : pairs)
        contact.add("exclude")
            .set("body1", a < 0 ? "world" : body_names_[index(a)])
            .set("body2", body_names_[index(b)]);
}

/// All pairs of links: what the robot's own filter keeps apart needs an <exclude> where MuJoCo would let it touch.
void MjcfWriter::apart(std::set<std::pair<int, int>>& pairs)
{
    const int        n = static_cast<int>(tree_.links.size());
    std::vector<int> root(index(n), -1);
    const auto       tops = [&](int link) {
        for (int steps = 0; steps < n && out_.chain.above[index(link)] >= 0 &&
                            tree_.joints[index(out_.chain.above[index(link)])].parent >= 0;
             ++steps)
            link = tree_.joints[index(out_.chain.above[index(link)])].parent;
        return link;
    };
    for (int l = 0; l < n; ++l) root[index(l)] = tops(l);
    const auto hangs = [&](int link, int on) {
        const int j = out_.chain.above[index(link)];
        return j >= 0 && tree_.joints[index(j)].parent == on && !tree_.joints[index(j)].collide;
    };
    for (int a = 0; a < n; ++a)
        for (int b = a + 1; b < n && has_collider_[index(a)]; ++b) {
            if (!has_collider_[index(b)] || pairs.contains({a, b})) continue;
            const bool implied = is_implied(a, b) || (filtered(a, b) && !hangs(a, b) && !hangs(b, a));
            // Links of one tree without self collision: each pair must be told.
            if (!tree_.self_collision && root[index(a)] == root[index(b)]) {
                if (!implied && !hangs(a, b) && !hangs(b, a)) pairs.insert({a, b});
            } else if (implied && !excluded(a, b) && meet(a, b)) {
                out_.lose("collision-pair", Severity::warning, sf::LossAction::approximated, "collision",
                          tree_.links[index(a)].place,
                          fmt::format("pair '{}' and '{}'", tree_.links[index(a)].name, tree_.links[index(b)].name),
                          "may touch", "never touch",
                          "links that are welded are one body to MuJoCo, and it does not touch what it hangs on");
            }
        }
}

bool MjcfWriter::filtered(int a, int b) const
{
    const auto on = [&](int link, int other) {
        const int j = out_.chain.above[index(link)];
        return j >= 0 && tree_.joints[index(j)].parent == other && moves(other);
    };
    return on(a, b) || on(b, a);
}

bool MjcfWriter::excluded(int a, int b) const
{
    return std::any_of(tree_.exclusions.begin(), tree_.exclusions.end(),
                       [&](const sf::Exclusion& e) { return (e.a == a && e.b == b) || (e.a == b && e.b == a); });
}

/// Whether some collider of one link may touch some collider of the other, by their bits.
bool MjcfWriter::meet(int a, int b) const
{
    if (bits_.all) return true;
    for (std::size_t s = 0; s < tree_.shapes.size(); ++s)
        for (std::size_t t = 0; t < tree_.shapes.size(); ++t)
            if (tree_.shapes[s].link == a && tree_.shapes[t].link == b && tree_.shapes[s].collider &&
                tree_.shapes[t].collider &&
                ((bits_.of_shape[s].first & bits_.of_shape[t].second) != 0 ||
                 (bits_.of_shape[t].first & bits_.of_shape[s].second) != 0))
                return true;
    return false;
}

}  // namespace mechane::exporter::mjcf

// A link without mass becomes one with what is fixed to it, or with what it is fixed to, as the reader of such robots
// has it (sourceformats' bodies.cpp): a mass of its own would be invented, and links that touch nothing because a joint
// holds them would be another link's neighbours.

#include "exporter/one_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechane/geometry/mass.h"

namespace mechane::exporter {
namespace {

void add_mass(std::optional<sf::Inertial>& all, const sf::Inertial& part, const Posed& X)
{
    const auto moved   = geometry::transformed({part.mass, part.com, part.inertia}, X);
    const auto both    = all ? geometry::combined({all->mass, all->com, all->inertia}, moved) : moved;
    const bool inertia = part.has_inertia && (!all || all->has_inertia);
    all                = sf::Inertial{both.mass, both.com, both.inertia, inertia, all ? all->place : part.place};
}

bool has_mass(const sf::Link& link) { return link.inertial || link.unused; }

class Merger {
  public:
    Merger(sf::RobotTree& tree, sf::LossReport& losses) : tree_(tree), losses_(losses) {}

    /// What fixed joints hold on the link becomes part of it.
    /// @param all  also what has a mass of its own, with all that is fixed to that
    void merge(int link, bool all)
    {
        home_ = link;
        absorb(link, {}, all);
    }

  private:
    sf::RobotTree&  tree_;
    sf::LossReport& losses_;
    int             home_ = -1;

    void absorb(int from, const Posed& X_HF, bool all)
    {
        for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
            sf::Joint& joint = tree_.joints[j];
            if (joint.loop || joint.parent != from || joint.kind != sf::Joint::Kind::fixed) continue;
            const int       part = joint.child;
            const sf::Link& link = tree_.links[index(part)];
            if (link.kinematic || (!all && has_mass(link))) continue;
            const Posed X_HC = X_HF * joint.X_PJ * inverse(joint.X_CJ);
            joint.parent     = home_;
            joint.X_PJ       = X_HC * joint.X_CJ;
            take(part, X_HC);
            if (part != from) absorb(part, X_HC, all);
        }
        // What is left on a part, with a mass of its own, hangs on the whole.
        if (from != home_)
            for (sf::Joint& joint : tree_.joints)
                if (!joint.loop && joint.parent == from) joint.parent = home_, joint.X_PJ = X_HF * joint.X_PJ;
    }

    void take(int part, const Posed& X_HC)
    {
        sf::Link& link = tree_.links[index(part)];
        sf::Link& home = tree_.links[index(home_)];
        if (link.inertial) {
            add_mass(home.inertial, *link.inertial, X_HC);
            losses_.add({"merged-mass", Severity::info, sf::LossAction::merged, "inertia", site_of(link.place),
                         fmt::format("link '{}'", link.name), fmt::format("{} kg", link.inertial->mass),
                         fmt::format("link '{}'", home.name),
                         "the link that holds it moves and has no mass of its own; both are one body"});
        }
        link.inertial.reset();
        link.unused.reset();
        link.frame      = true;
        const auto move = [&](auto& list, auto pose) {
            for (auto& one : list)
                if (one.link == part) one.link = home_, one.*pose = X_HC * one.*pose;
        };
        move(tree_.shapes, &sf::Shape::X_LS);
        move(tree_.cameras, &sf::Camera::X_LC);
        move(tree_.lights, &sf::Light::X_LL);
        for (sf::Joint& other : tree_.joints) {
            if (!other.loop) continue;
            if (other.parent == part) other.parent = home_, other.X_PJ = X_HC * other.X_PJ;
            if (other.child == part) other.child = home_, other.X_CJ = X_HC * other.X_CJ;
        }
        for (sf::Exclusion& e : tree_.exclusions) {
            if (e.a == part) e.a = home_;
            if (e.b == part) e.b = home_;
        }
    }
};

}  // namespace

std::optional<sf::RobotTree> with_whole_bodies(const sf::RobotTree& tree, sf::LossReport& losses)
{
    // By link: the fixed joint that holds it, and whether there is more to it than a frame.
    std::vector<int>  held(tree.links.size(), -1);
    std::vector<bool> used(tree.links.size(), false);
    for (std::size_t j = 0; j < tree.joints.size(); ++j) {
        const sf::Joint& joint = tree.joints[j];
        if (!joint.loop && joint.kind == sf::Joint::Kind::fixed) held[index(joint.child)] = static_cast<int>(j);
        if (joint.parent >= 0 &&
            (joint.loop || joint.kind != sf::Joint::Kind::fixed || has_mass(tree.links[index(joint.child)])))
            used[index(joint.parent)] = true;
    }
    for (const sf::Shape& s : tree.shapes)
        if (s.link >= 0) used[index(s.link)] = true;
    const auto is_part = [&](std::size_t l) {
        const sf::Link& link = tree.links[l];
        return held[l] >= 0 && tree.joints[index(held[l])].parent >= 0 && !has_mass(link) && !link.kinematic;
    };
    std::vector<std::pair<int, bool>> heads;
    bool                              needed = false;
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        const sf::Link& link = tree.links[l];
        needed               = needed || (is_part(l) && used[l]);
        if (is_part(l)) continue;
        if (has_mass(link)) {
            heads.emplace_back(static_cast<int>(l), false);
        } else if (held[l] < 0 && !link.frame && !link.kinematic) {
            // Only where a mass is near: a chain of links without one stays as it is.
            std::vector<int> near{static_cast<int>(l)};
            bool             heavy = false;
            for (std::size_t i = 0; i < near.size() && i <= tree.links.size(); ++i)
                for (const sf::Joint& j : tree.joints)
                    if (!j.loop && j.kind == sf::Joint::Kind::fixed && j.parent == near[i] &&
                        !tree.links[index(j.child)].kinematic) {
                        near.push_back(j.child);
                        heavy = heavy || has_mass(tree.links[index(j.child)]);
                    }
            heads.emplace_back(static_cast<int>(l), heavy);
            needed = needed || heavy;
        }
    }
    if (!needed) return std::nullopt;
    sf::RobotTree out = tree;
    Merger        merger(out, losses);
    for (const bool all : {true, false})  // a link that takes masses over takes all that is fixed to those
        for (const auto& [link, takes] : heads)
            if (takes == all && (all || has_mass(out.links[index(link)]) || !out.links[index(link)].frame))
                merger.merge(link, all);
    std::erase_if(out.exclusions, [](const sf::Exclusion& e) { return e.a == e.b; });
    return out;
}

}  // namespace mechane::exporter

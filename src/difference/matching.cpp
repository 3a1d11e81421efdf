// Which parts of two robots are the same: links, joints and axes.
// Names decide first, then structure. A converter may have to rename (formats allow other characters, names must be
// unique), and its loss report says how; where it says nothing, the name with each odd character as '_' is tried.
// A link without a partner is matched by the joint that carries it, and a joint by the links it connects, so that a
// chain of renamed parts is still found.
// Output: tables of indices in both directions, -1 for none. Each part has at most one partner, and earlier rules win.
// Called by Comparer, in_axes_of and pair_shapes; reads Kinematics of both robots.

#include "difference/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "difference/announcements.h"
#include "difference/pairing.h"

namespace mechane::difference {
namespace {

template <class Part>
std::vector<std::string> all_names(const std::vector<Part>& parts)
{
    std::vector<std::string> names;
    for (const Part& part : parts) names.push_back(part.name);
    return names;
}

/// Names of a loss: what stands between quotes, and the last parts of paths.
/// Entries of a loss report name what they speak of in their text, in quotes, or by a prim path.
std::vector<std::string> names_of(const sf::Loss& loss)
{
    std::vector<std::string> out;
    for (std::size_t i = loss.what.find('\''); i != std::string::npos;) {
        const std::size_t end = loss.what.find('\'', i + 1);
        if (end == std::string::npos) break;
        out.push_back(loss.what.substr(i + 1, end - i - 1));
        i = loss.what.find('\'', end + 1);
    }
    for (const std::string& path : {loss.site.prim, loss.what})
        if (path.starts_with('/')) out.push_back(path.substr(path.rfind('/') + 1));
    for (const std::size_t  n = out.size();
         const std::string& whole : std::vector<std::string>(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)))
        if (whole.starts_with('/')) out.push_back(whole.substr(whole.rfind('/') + 1));
    return out;
}

}  // namespace

std::string plain(const std::string& name)
{
    std::string out;
    for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return out;
}

Matching::Matching(const Kinematics& of_a, const Kinematics& of_b, const sf::LossReport* losses,
                   std::vector<bool>* needed)
    : a(of_a), b(of_b), losses_(losses), needed_(needed)
{
    if (losses_ != nullptr)
        for (std::size_t e = 0; e < losses_->entries.size(); ++e)
            for (const std::string& name : names_of(losses_->entries[e])) entries_.emplace(name, e);
    links();
    joints();
    dofs();
}

std::vector<std::string> Matching::names_in_b(const std::string& name) const
{
    std::vector<std::string> out;
    if (losses_ != nullptr) {
        if (const auto other = losses_->names.find(name); other != losses_->names.end()) out.push_back(other->second);
    }
    out.push_back(name);
    if (const std::string other = plain(name); other != name) out.push_back(other);
    return out;
}

void Matching::links()
{
    link.assign(a.tree.links.size(), -1), link_back.assign(b.tree.links.size(), -1);
    std::map<std::string, int> by_name, by_plain;
    for (std::size_t l = 0; l < b.tree.links.size(); ++l)
        by_name.emplace(b.tree.links[l].name, static_cast<int>(l)),
            by_plain.emplace(plain(b.tree.links[l].name), static_cast<int>(l));
    const auto pair = [&](std::size_t l, int other) {
        if (link[l] >= 0 || link_back[at(other)] >= 0) return;
        link[l] = other, link_back[at(other)] = static_cast<int>(l);
    };
    // Names are taken for all links before any guess is made for one. Else the guess for an early link could take the
    // partner that a later one has by name.
    for (const auto& [l, other] : pair_by_name(all_names(a.tree.links), all_names(b.tree.links), losses_))
        pair(l, static_cast<int>(other));
    for (std::size_t l = 0; l < link.size(); ++l)
        for (const std::string& name : names_in_b(a.tree.links[l].name))
            if (const auto same = by_name.find(name); same != by_name.end()) pair(l, same->second);
    for (std::size_t l = 0; l < link.size(); ++l)
        if (const auto same = by_plain.find(plain(a.tree.links[l].name)); same != by_plain.end()) pair(l, same->second);
    // A link that the same joint carries.
    std::map<std::string, int> carried;
    for (std::size_t l = 0; l < b.tree.links.size(); ++l)
        if (b.above[l] >= 0) carried.emplace(b.tree.joints[at(b.above[l])].name, static_cast<int>(l));
    for (std::size_t l = 0; l < link.size(); ++l) {
        if (link[l] >= 0 || a.above[l] < 0) continue;
        for (const std::string& name : names_in_b(a.tree.joints[at(a.above[l])].name))
            if (const auto same = carried.find(name); same != carried.end()) pair(l, same->second);
    }
}

void Matching::joints()
{
    joint.assign(a.tree.joints.size(), -1), joint_back.assign(b.tree.joints.size(), -1);
    std::map<std::string, int> by_name;
    for (std::size_t j = 0; j < b.tree.joints.size(); ++j) by_name.emplace(b.tree.joints[j].name, static_cast<int>(j));
    const auto pair = [&](std::size_t j, int other) {
        if (joint[j] >= 0 || joint_back[at(other)] >= 0) return;
        joint[j] = other, joint_back[at(other)] = static_cast<int>(j);
    };
    for (const auto& [j, other] : pair_by_name(all_names(a.tree.joints), all_names(b.tree.joints), losses_))
        pair(j, static_cast<int>(other));
    for (std::size_t j = 0; j < joint.size(); ++j)
        for (const std::string& name : names_in_b(a.tree.joints[j].name))
            if (const auto same = by_name.find(name); same != by_name.end()) pair(j, same->second);
    for (std::size_t j = 0; j < joint.size(); ++j) {
        const sf::Joint& one = a.tree.joints[j];
        if (joint[j] >= 0) continue;
        const int parent = one.parent < 0 ? -1 : link[at(one.parent)], child = one.child < 0 ? -1 : link[at(one.child)];
        if (child < 0 || (one.parent >= 0 && parent < 0)) continue;
        for (std::size_t k = 0; k < b.tree.joints.size(); ++k) {
            const sf::Joint& other = b.tree.joints[k];
            if (joint_back[k] < 0 && other.loop == one.loop &&
                ((other.parent == parent && other.child == child) ||
                 // A tree may be rooted at another link. The joint then runs the other way, and same_sense() tells so.
                 (other.parent == child && other.child == parent && child >= 0))) {
                pair(j, static_cast<int>(k));
                break;
            }
        }
    }
}

void Matching::dofs()
{
    std::map<std::string, DofRef> by_name;
    for (std::size_t j = 0; j < b.tree.joints.size(); ++j) {
        dof_back.emplace_back(b.tree.joints[j].dofs.size());
        if (b.tree.joints[j].loop) continue;
        for (std::size_t d = 0; d < b.tree.joints[j].dofs.size(); ++d)
            by_name.emplace(b.tree.joints[j].dofs[d].name, DofRef{static_cast<int>(j), static_cast<int>(d)});
    }
    const auto pair = [&](std::size_t j, std::size_t d, DofRef other) {
        DofRef& there = dof_back[at(other.joint)][at(other.dof)];
        if (dof[j][d] || there) return;
        dof[j][d] = other, there = {static_cast<int>(j), static_cast<int>(d)};
    };
    for (const sf::Joint& one : a.tree.joints) dof.emplace_back(one.dofs.size());
    // Joints of one axis by the joint, so that it does not matter how its axis is called.
    for (std::size_t j = 0; j < joint.size(); ++j)
        if (joint[j] >= 0 && !a.tree.joints[j].loop && a.tree.joints[j].dofs.size() == 1 &&
            b.tree.joints[at(joint[j])].dofs.size() == 1)
            pair(j, 0, {joint[j], 0});
    for (std::size_t j = 0; j < joint.size(); ++j)
        for (std::size_t d = 0; d < dof[j].size() && !a.tree.joints[j].loop; ++d)
            for (const std::string& name : names_in_b(a.tree.joints[j].dofs[d].name))
                if (const auto same = by_name.find(name); same != by_name.end()) pair(j, d, same->second);
    // What a limit locks is no axis, and a format leaves it out.
    const auto moving = [](const sf::Joint& one) {
        std::vector<std::size_t> out;
        for (std::size_t d = 0; d < one.dofs.size(); ++d)
            if (one.kind == sf::Joint::Kind::ball || one.dofs[d].lower < one.dofs[d].upper) out.push_back(d);
        return out;
    };
    for (std::size_t j = 0; j < joint.size(); ++j) {
        if (joint[j] < 0 || a.tree.joints[j].loop) continue;
        const sf::Joint &        one = a.tree.joints[j], &two = b.tree.joints[at(joint[j])];
        const bool               all = dof[j].size() == two.dofs.size();
        std::vector<std::size_t> mine(dof[j].size()), theirs(two.dofs.size());
        for (std::size_t d = 0; d < mine.size(); ++d) mine[d] = d;
        for (std::size_t d = 0; d < theirs.size(); ++d) theirs[d] = d;
        if (!all) mine = moving(one), theirs = moving(two);
        if (mine.size() != theirs.size()) continue;
        for (std::size_t d = 0; d < mine.size(); ++d) {
            // A reversed joint applies its axes in the reverse order.
            const std::size_t other = theirs[same_sense(j) ? d : mine.size() - 1 - d];
            if (one.dofs[mine[d]].angular == two.dofs[other].angular)
                pair(j, mine[d], {joint[j], static_cast<int>(other)});
        }
    }
}

/// The joint of B runs the same way if its child is the partner of A's child. Links that are fixed to each other count
/// as one, because a converter may choose another one of them as the joint's end.
bool Matching::same_sense(std::size_t joint_of_a) const
{
    if (joint[joint_of_a] < 0) return true;
    const sf::Joint& one   = a.tree.joints[joint_of_a];
    const sf::Joint& other = b.tree.joints[at(joint[joint_of_a])];
    if (one.child < 0 || other.child < 0) return true;
    const int child = link[at(one.child)];
    if (child < 0 || child == other.child || b.group[at(child)] == b.group[at(other.child)]) return true;
    return !(other.parent >= 0 && (child == other.parent || b.group[at(child)] == b.group[at(other.parent)]));
}

std::string Matching::reason(const sf::Loss& loss)
{ return fmt::format("{} {}: {}", loss.code, sf::to_string(loss.action), loss.reason); }

std::string Matching::announced(Quantity quantity, std::string_view field, const std::vector<std::string>& names) const
{
    if (losses_ == nullptr) return {};
    // A conversion in two steps speaks of a part by the name that the first step gave it.
    std::string first;
    for (const std::string& name : names)
        for (const std::string& same : names_in_b(name))
            for (auto [one, end] = entries_.equal_range(same); one != end; ++one) {
                const sf::Loss& loss = losses_->entries[one->second];
                if (!announces(loss, quantity, field)) continue;
                if (first.empty()) first = reason(loss);
                if (needed_ == nullptr) return first;
                (*needed_)[one->second] = true;
            }
    return first;
}

/// For entries that speak of many things at once and name none of them.
std::string Matching::announced_kind(Quantity quantity, std::string_view field, std::string_view plural) const
{
    if (losses_ == nullptr) return {};
    for (const sf::Loss& loss : losses_->entries)
        if (!loss.what.empty() && loss.what.find(plural) != std::string::npos &&
            std::isdigit(static_cast<unsigned char>(loss.what.front())) != 0 && announces(loss, quantity, field))
            return reason(loss);
    return {};
}

}  // namespace mechane::difference

// Poses of links, sites and cameras with all joints at zero, seen from the root of each tree.

#include "difference/comparer.h"

#include <fmt/format.h>

#include "difference/values.h"

namespace mechane::difference {
namespace {

// Sites and cameras: frames of a link that carry no mass. Formats lack a word for one or the other, so they are
// kept apart by kind.
struct Named {
    std::string name, kind;
    int         link = -1;
    Posed       X_LF;
    sf::Place   place;
};

std::vector<Named> named_frames(const sf::RobotTree& t)
{
    std::vector<Named> out;
    for (const sf::Frame& f : t.sites) out.push_back({f.name, "site", f.link, f.X_LS, f.place});
    for (const sf::Camera& c : t.cameras) out.push_back({c.name, "camera", c.link, c.X_LC, c.place});
    return out;
}

}  // namespace

void Comparer::pose(Quantity q, const Item& item, const Posed& x, const Posed& y, const sf::Place& at_a,
                    const sf::Place& at_b, double tolerance, const std::string& more)
{
    // The position goes first and the rotation is told only where the position agrees: a turned frame moves
    // everything beyond it, and one difference a frame says enough.
    const double far = length(x.p - y.p), turned = angle_of(conjugate(x.q) * y.q);
    if (far <= tolerance && turned <= tolerance) return;
    const bool  place    = !(far <= tolerance);
    std::string expected = match_.announced(q, place ? "position" : "rotation", item.names);
    differ(q, item.text, place ? "position" : "rotation",
           Side{place ? text(x.p, "m")
                      : fmt::format("quaternion ({:.6g}, {:.6g}, {:.6g}; {:.6g})", x.q.x, x.q.y, x.q.z, x.q.w),
                site_of(at_a)},
           Side{place ? text(y.p, "m")
                      : fmt::format("quaternion ({:.6g}, {:.6g}, {:.6g}; {:.6g})", y.q.x, y.q.y, y.q.z, y.q.w),
                site_of(at_b)},
           place ? far : turned, tolerance,
           place ? fmt::format("{:.3g} m apart{}", far, more) : fmt::format("{:.3g} rad apart{}", turned, more),
           std::move(expected));
}

void Comparer::frames()
{
    if (!wanted(Quantity::frame)) return;
    const double             may = allowed(Quantity::frame, size_);
    std::vector<std::size_t> missing;
    const auto               sites_a = named_frames(a_.tree), sites_b = named_frames(b_.tree);
    std::map<std::pair<std::string, std::string>, std::size_t> by_name;
    for (std::size_t s = 0; s < sites_b.size(); ++s) by_name.emplace(std::pair{sites_b[s].kind, sites_b[s].name}, s);
    std::vector<bool> used(sites_b.size(), false);
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l) {
        const sf::Link& one = a_.tree.links[l];
        const Item      item{fmt::format("link '{}'", one.name),
                             {one.name, a_.above[l] >= 0 ? a_.tree.joints[at(a_.above[l])].name : one.name}};
        if (const int other = match_.link[l]; other >= 0) {
            out_.count(Quantity::frame);
            const auto [R_a, R_b] = bases(l, pose_a_, pose_b_);
            pose(Quantity::frame, item, inverse(R_a) * pose_a_[l], inverse(R_b) * pose_b_[at(other)], one.place,
                 b_.tree.links[at(other)].place, may);
            renamed(Quantity::frame, item, "link", one.name, b_.tree.links[at(other)].name, one.place,
                    b_.tree.links[at(other)].place);
            // A root that has a mass also has a place in the world. A pure frame has none of its own: the formats
            // disagree where it starts.
            if (a_.root[l] == static_cast<int>(l) && !one.frame)
                pose(Quantity::frame, item, pose_a_[l], pose_b_[at(other)], one.place, b_.tree.links[at(other)].place,
                     may, " in the world");
        } else if (const auto frame = by_name.find({"site", one.name});
                   frame != by_name.end() && !used[frame->second]) {
            // A link without mass that is a frame of what holds it.
            // The walk up ends at the first link that both robots have; a link that became a site is seen from the
            // tree of that one.
            int holder = static_cast<int>(l);
            while (holder >= 0 && match_.link[at(holder)] < 0)
                holder = a_.above[at(holder)] >= 0 ? a_.tree.joints[at(a_.above[at(holder)])].parent : -1;
            const auto [R_a, R_b] = holder >= 0 ? bases(at(holder), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
            const Named& t        = sites_b[frame->second];
            used[frame->second]   = true;
            out_.count(Quantity::frame);
            pose(Quantity::frame, item, inverse(R_a) * pose_a_[l],
                 inverse(R_b) * (t.link >= 0 ? pose_b_[at(t.link)] : Posed{}) * t.X_LF, one.place, t.place, may);
        } else if (!is_world(one)) {
            only(Quantity::frame, item, "link", true, "a link", one.place,
                 match_.announced(Quantity::frame, "link", item.names));
        }
    }
    // A frame of one format is a link without mass in another.
    std::vector<bool> as_site(b_.tree.links.size(), false);
    const auto        massless = [&](const Named& s) {
        for (std::size_t l = 0; l < b_.tree.links.size(); ++l)
            for (const std::string& name : match_.names_in_b(s.name))
                if (s.kind == "site" && match_.link_back[l] < 0 && !as_site[l] && b_.tree.links[l].name == name &&
                    !inertial_of(b_.tree.links[l]))
                    return static_cast<int>(l);
        return -1;
    };
    for (const Named& s : sites_a) {
        const Item                 item{fmt::format("{} '{}'", s.kind, s.name), {s.name}};
        std::optional<std::size_t> other;
        for (const std::string& name : match_.names_in_b(s.name))
            if (const auto same = by_name.find({s.kind, name}); !other && same != by_name.end() && !used[same->second])
                other = same->second;
        if (const int link = other ? -1 : massless(s); link >= 0) {
            as_site[at(link)] = true;
            out_.count(Quantity::frame);
            const auto base = s.link >= 0 ? bases(at(s.link), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
            pose(Quantity::frame, item, inverse(base.first) * (s.link >= 0 ? pose_a_[at(s.link)] : Posed{}) * s.X_LF,
                 inverse(base.second) * pose_b_[at(link)], s.place, b_.tree.links[at(link)].place, may);
            continue;
        }
        if (!other) {
            std::string why = match_.announced(Quantity::frame, s.kind, item.names);
            if (why.empty()) why = match_.announced_kind(Quantity::frame, s.kind, s.kind + "s");
            only(Quantity::frame, item, s.kind.c_str(), true, "a " + s.kind, s.place, why);
            continue;
        }
        used[*other]   = true;
        const Named& t = sites_b[*other];
        out_.count(Quantity::frame);
        const std::pair<Posed, Posed> base =
            s.link >= 0 ? bases(at(s.link), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
        pose(Quantity::frame, item, inverse(base.first) * (s.link >= 0 ? pose_a_[at(s.link)] : Posed{}) * s.X_LF,
             inverse(base.second) * (t.link >= 0 ? pose_b_[at(t.link)] : Posed{}) * t.X_LF, s.place, t.place, may);
    }
    for (std::size_t l = 0; l < b_.tree.links.size(); ++l)
        if (match_.link_back[l] < 0 && !as_site[l] && !is_world(b_.tree.links[l]))
            only(Quantity::frame, {fmt::format("link '{}'", b_.tree.links[l].name), {}}, "link", false, "a link",
                 b_.tree.links[l].place, chain_link(l));
    for (std::size_t s = 0; s < sites_b.size(); ++s)
        if (!used[s])
            only(Quantity::frame, {fmt::format("{} '{}'", sites_b[s].kind, sites_b[s].name), {}},
                 sites_b[s].kind.c_str(), false, "a " + sites_b[s].kind, sites_b[s].place,
                 match_.announced(Quantity::frame, sites_b[s].kind, {sites_b[s].name}));
}

std::string Comparer::chain_link(std::size_t l) const
{
    std::string why = match_.announced(Quantity::frame, "link", {b_.tree.links[l].name});
    if (why.empty() && options_.losses != nullptr && !inertial_of(b_.tree.links[l]))
        for (const sf::Joint& j : a_.tree.joints)
            for (const std::string& name : match_.names_in_b(j.name))
                if (why.empty() && b_.tree.links[l].name.starts_with(name + "_"))
                    why = match_.announced(Quantity::joint, "joint", {j.name});
    return why;
}

}  // namespace mechane::difference

// What a stage authors for PhysX and no solver of ours models: damping of bodies, bodies without gravity, bounds of
// speeds, triggers. The ledger says it of each property; here one warning says it to whoever only runs the stage.

#include "not_simulated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ledger_reasons.h"
#include "mechane/usd/declared_attribute.h"

namespace mechane::importer {
namespace {

/// A trigger says that others are inside it and pushes nobody. Its schema has no attribute that says so.
const usd::Token kTrigger("PhysxTriggerAPI");

struct Lost {
    usd::Prim   first;
    std::size_t prims = 0;
};

/// What has no effect on a body that nothing moves, or that the run does not know.
bool is_of_idle_body(const Import& run, const usd::Prim& prim, std::string_view name)
{
    if (!name.starts_with("physxRigidBody:")) return false;
    const physics::Index body = run.physics.body_at(prim.path());
    return body == physics::kNone || !run.body(body).enabled || run.body(body).kinematic;
}

bool says_the_fallback(const usd::Prim& prim, const usd::Token& name)
{
    const usd::Attribute attribute = prim.attribute(name);
    if (!attribute || attribute.varying()) return false;
    const usd::Value value = attribute.authored_value();
    if (value.empty()) return true;  // blocked
    const usd::DeclaredAttribute* declared = usd::declared_attribute(name.text());
    return declared != nullptr && declared->fallback.to_text() == value.to_text();
}

}  // namespace

void report_not_simulated(Import& run)
{
    if (run.conventions.vendors_unread_silently) return;
    const auto& names = run.physics.authored_names;
    const bool  asked =
        std::ranges::any_of(names, [](const usd::Token& one) { return !motion_without(one.text()).empty(); });
    std::map<std::string, Lost> lost;
    const auto                  note = [&](const std::string& name, const usd::Prim& prim) {
        Lost& one = lost[name];
        if (one.prims++ == 0) one.first = prim;
    };
    for (const physics::Collider& collider : run.physics.colliders) {
        const std::vector<usd::Token> apis = collider.prim.authored_apis();
        if (collider.enabled && std::ranges::find(apis, kTrigger) != apis.end() && !run.ignored(collider.path))
            note(kTrigger.text() + " (a collider pushes others)", collider.prim);
    }
    const usd::Path root(run.options.root_path);
    if (asked)
        for (const usd::Prim& prim : run.stage.traverse()) {
            if (!prim.path().has_prefix(root) || run.ignored(prim.path())) continue;
            for (const usd::Token& name : prim.authored_property_names())
                if (const auto why = motion_without(name.text());
                    !why.empty() && !is_of_idle_body(run, prim, name.text()) && !says_the_fallback(prim, name))
                    note(fmt::format("{} ({})", name.text(), why), prim);
        }
    if (lost.empty()) return;
    std::vector<std::string> said;
    for (const auto& [what, one] : lost)
        said.push_back(one.prims > 1 ? fmt::format("{}, {} prims", what, one.prims) : what);
    constexpr std::size_t kMost = 3;
    const std::size_t     more  = said.size() > kMost ? said.size() - kMost : 0;
    said.resize(said.size() - more);
    const usd::Prim& first = lost.begin()->second.first;
    run.found.add(codes::kNotSimulated, first.site(),
                  fmt::format("{}{} {} no effect", fmt::join(said, "; "),
                              more > 0 ? fmt::format("; and {} more", more) : "", lost.size() > 1 ? "have" : "has"));
}

}  // namespace mechane::importer

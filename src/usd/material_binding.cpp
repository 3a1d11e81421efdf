#include <algorithm>

#include "mechane/usd/stage.h"

namespace mechane::usd {
namespace {

const Token kMaterial("Material"), kStrength("bindMaterialAs"), kStronger("strongerThanDescendants");

struct Binding {
    Prim material;
    bool stronger = false;
};

/// The binding that one prim gives to `target` for one purpose: the first matching collection, else the direct one.
std::optional<Binding> binding_at(const Stage& stage, const Prim& prim, const Path& target, const std::string& purpose)
{
    const std::string direct = purpose.empty() ? "material:binding" : "material:binding:" + purpose;
    const std::string prefix =
        purpose.empty() ? "material:binding:collection:" : "material:binding:collection:" + purpose + ":";
    const auto make = [&](const Relationship& relationship, const Path& material) {
        const Prim found = stage.prim_at(material);
        if (!found || !found.is_a(kMaterial)) return std::optional<Binding>();
        const auto strength = relationship.metadata(kStrength).get<Token>();
        return std::optional(Binding{found, strength && *strength == kStronger});
    };
    for (const Token& name : prim.authored_property_names()) {
        if (!name.text().starts_with(prefix)) continue;
        if (std::count(name.text().begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.text().end(), ':') != 0)
            continue;  // another purpose's
        const Relationship relationship = prim.relationship(name);
        const auto         targets      = relationship.targets();
        if (targets.size() != 2) continue;
        const Path&       collection = targets[0].is_property() ? targets[0] : targets[1];
        const Path&       material   = targets[0].is_property() ? targets[1] : targets[0];
        const std::string full       = collection.name().text();
        if (!full.starts_with("collection:")) continue;
        if (!stage.collection_contains(stage.prim_at(collection.prim()), Token(full.substr(11)), target)) continue;
        if (auto binding = make(relationship, material)) return binding;
    }
    const Relationship relationship = prim.relationship(Token(direct));
    const auto         targets      = relationship.authored() ? relationship.targets() : std::vector<Path>();
    return targets.empty() ? std::nullopt : make(relationship, targets.front());
}

}  // namespace

Prim Stage::bound_material(Prim prim, const Token& purpose) const
{
    std::vector<std::string> purposes{purpose.text()};
    if (!purpose.empty()) purposes.emplace_back();
    for (const std::string& wanted : purposes) {
        std::optional<Binding> winner;
        for (Prim at = prim; at && at.index() != 0; at = at.parent()) {
            const auto binding = binding_at(*this, at, prim.path(), wanted);
            if (binding && (!winner || binding->stronger)) winner = binding;
        }
        if (winner) return winner->material;
    }
    return {};
}

}  // namespace mechane::usd

#include <map>
#include <set>

#include "mechane/usd/stage.h"

namespace mechane::usd {
namespace {

enum class Rule { exclude, explicit_only, expand_prims, expand_all };

using Map = std::map<Path, Rule>;

Rule rule_of(const Prim& prim, const std::string& base)
{
    const std::string rule = prim.attribute(Token(base + ":expansionRule")).get_or<std::string>("expandPrims");
    return rule == "explicitOnly"               ? Rule::explicit_only
           : rule == "expandPrimsAndProperties" ? Rule::expand_all
                                                : Rule::expand_prims;
}

bool is_collection(const Stage& stage, const Path& path)
{
    if (!path.is_property()) return false;
    const std::string name = path.name().text();
    return name.starts_with("collection:") &&
           stage.prim_at(path.prim()).has_api(Token("CollectionAPI:" + name.substr(11)));
}

void add(const Stage& stage, const Prim& prim, const std::string& name, Map& map, std::set<Path>& above)
{
    if (!prim) return;
    const std::string base = "collection:" + name;
    if (!above.insert(prim.path().property(Token(base))).second) return;  // a cycle: counted once
    const Rule rule = rule_of(prim, base);
    if (prim.attribute(Token(base + ":includeRoot")).get_or<bool>(false))
        map[Path::root()] = rule == Rule::explicit_only ? Rule::expand_prims : rule;
    for (const Path& target : prim.relationship(Token(base + ":includes")).targets()) {
        if (is_collection(stage, target))
            add(stage, stage.prim_at(target.prim()), target.name().text().substr(11), map, above);
        else
            map[target] = rule;
    }
    for (const Path& target : prim.relationship(Token(base + ":excludes")).targets()) {
        if (!is_collection(stage, target)) {
            map[target] = Rule::exclude;
            continue;
        }
        Map            inner;
        std::set<Path> seen;
        add(stage, stage.prim_at(target.prim()), target.name().text().substr(11), inner, seen);
        for (const auto& [path, unused] : inner) map[path] = Rule::exclude;
    }
    above.erase(prim.path().property(Token(base)));
}

Map membership(const Stage& stage, const Prim& prim, const Token& name)
{
    Map            map;
    std::set<Path> above;
    add(stage, prim, name.text(), map, above);
    return map;
}

bool contains(const Map& map, Path path)
{
    if (const auto own = map.find(path); own != map.end()) return own->second != Rule::exclude;
    bool property = path.is_property();
    for (path = path.parent(); !path.empty(); path = path.is_root() ? Path() : path.parent()) {
        const auto found = map.find(path);
        if (found == map.end()) continue;
        switch (found->second) {
            case Rule::exclude:
                return false;
            case Rule::explicit_only:
                continue;
            case Rule::expand_prims:
                return !property;
            case Rule::expand_all:
                return true;
        }
    }
    return false;
}

}  // namespace

bool Stage::collection_contains(Prim prim, const Token& name, const Path& path) const
{ return contains(membership(*this, prim, name), path); }

std::vector<Path> Stage::collection_members(Prim prim, const Token& name) const
{
    const Map         map = membership(*this, prim, name);
    std::vector<Path> out;
    if (map.empty()) return out;
    for (const Prim& member : traverse()) {
        if (contains(map, member.path())) out.push_back(member.path());
        for (const Token& property : member.property_names())
            if (const Path path = member.path().property(property); contains(map, path)) out.push_back(path);
    }
    return out;
}

}  // namespace mechane::usd

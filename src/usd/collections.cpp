// Collections: which paths belong to `collection:NAME` on a prim, by relationships with an expansion rule or by a path
// expression.
// The rules are those of OpenUSD's UsdCollectionAPI: the nearest entry above a path decides, and excludes go before
// includes of the same path.
// Physics uses it for collision groups, lights and materials for their bindings.
//
// entry     a path and its rule; of several for one path the last one counts
// chain     collections that include each other on the way to this one, to find circles
// evaluator the library's matcher of path expressions, with our predicates (path_predicates.cpp)

#include <fmt/format.h>
#include <pxr/sdf/pathExpressionEval.h>
#include <pxr/tf/errorMark.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "mechane/usd/codes.h"
#include "mechane/usd/collection.h"
#include "usd/handles.h"
#include "usd/path_predicates.h"

namespace mechane::usd {
namespace {

using namespace pxr;

enum class Rule { exclude, explicit_only, expand_prims, expand_all };

using RuleMap = std::unordered_map<Path, Rule>;  // asked by path, never iterated for output
using Chain   = std::vector<Path>;               // the collections that led here

const std::string kCollectionPrefix = "collection:";

/// One collection: its prim and the name that its properties begin with.
struct Place {
    Prim        prim;
    std::string base;  ///< "collection:name"

    [[nodiscard]] Path         path() const { return prim.path().property(Token(base)); }
    [[nodiscard]] Attribute    attribute(const char* name) const { return prim.attribute(Token(base + name)); }
    [[nodiscard]] Relationship relationship(const char* name) const { return prim.relationship(Token(base + name)); }
};

// A property called "collection:name" of a prim that has the schema with this instance.
std::optional<Place> place_of(const Stage& stage, const Path& path)
{
    if (!path.is_property()) return std::nullopt;
    const std::string base = path.name().text();
    const Prim        prim = stage.prim_at(path.prim());
    if (!prim || !base.starts_with(kCollectionPrefix) ||
        !prim.has_api(Token("CollectionAPI:" + base.substr(kCollectionPrefix.size()))))
        return std::nullopt;
    return Place{prim, base};
}

bool is_expression(const Place& place)
{
    // The mode may be said; "automatic" means relationships where there are any.
    const std::string mode = place.attribute(":mode").get_or<std::string>("automatic");
    if (mode == "expression" || mode == "relationship") return mode == "expression";
    // A relationship that is authored without targets, or includeRoot = false, says nothing.
    return place.relationship(":includes").targets().empty() && place.relationship(":excludes").targets().empty() &&
           !place.attribute(":includeRoot").get_or<bool>(false);
}

Rule rule_of(const Place& place)
{
    const std::string rule = place.attribute(":expansionRule").get_or<std::string>("expandPrims");
    return rule == "explicitOnly"               ? Rule::explicit_only
           : rule == "expandPrimsAndProperties" ? Rule::expand_all
                                                : Rule::expand_prims;
}

class MembershipBuilder {
  public:
    MembershipBuilder(const Stage& stage, Diagnostics* found) : stage_(stage), found_(found) {}

    /// Entries in the order in which they count: a later one replaces an earlier one of the same path.
    std::vector<std::pair<Path, Rule>> entries(const Place& place)
    {
        std::vector<std::pair<Path, Rule>> out;
        if (!enter(place)) return out;
        const Rule rule = rule_of(place);
        // includeRoot means everything; with explicitOnly it means nothing.
        if (place.attribute(":includeRoot").get_or<bool>(false) && rule != Rule::explicit_only)
            out.emplace_back(Path::root(), rule);
        for (const Path& target : place.relationship(":includes").targets()) {
            // A target may be another collection: its entries take its place.
            if (const auto inner = place_of(stage_, target)) {
                const auto theirs = entries(*inner);
                out.insert(out.end(), theirs.begin(), theirs.end());
            } else {
                out.emplace_back(target, rule);
            }
        }
        for (const Path& target : place.relationship(":excludes").targets()) {
            if (const auto inner = place_of(stage_, target))
                // What another collection includes is excluded here; what it excludes is not included by that.
                for (const auto& [path, theirs] : entries(*inner)) {
                    if (theirs != Rule::exclude) out.emplace_back(path, Rule::exclude);
                }
            else
                out.emplace_back(target, Rule::exclude);
        }
        chain_.pop_back();
        return out;
    }

    /// The place's expression without references to other collections.
    SdfPathExpression expression(const Place& place)
    {
        if (!enter(place)) return SdfPathExpression::Nothing();
        const Value             value = place.attribute(":membershipExpression").value();
        const auto*             held  = Value::Access::of(value);
        const SdfPathExpression own =
            held != nullptr && held->IsHolding<SdfPathExpression>()
                // Relative paths of an expression are relative to its prim.
                ? held->UncheckedGet<SdfPathExpression>().MakeAbsolute(unwrap(place.prim.path()))
                : SdfPathExpression();
        const auto resolve = [&](const SdfPathExpression::ExpressionReference& reference) {
            // "%_" is the expression of a weaker layer; the value is composed already.
            if (reference.name == "_") return SdfPathExpression::Nothing();  // there is nothing weaker
            const SdfPath at    = reference.path.IsEmpty() ? unwrap(place.prim.path()) : reference.path;
            const auto    inner = place_of(stage_, wrap(at).property(Token(kCollectionPrefix + reference.name)));
            if (!inner || !is_expression(*inner)) {
                report(kCollectionExpression, place, ":membershipExpression",
                       fmt::format("<{}> names <{}.{}{}>, which is not a collection with an expression",
                                   place.path().text(), at.GetString(), kCollectionPrefix, reference.name));
                return SdfPathExpression::Nothing();
            }
            return expression(*inner);
        };
        const SdfPathExpression out = own.ResolveReferences(resolve);
        chain_.pop_back();
        return out;
    }

    void report(const Code& code, const Place& place, const char* property, std::string message)
    {
        if (found_ == nullptr) return;
        Site site = place.prim.attribute(Token(place.base + property)).site();
        found_->add(code, std::move(site), std::move(message));
    }

  private:
    // A collection that leads to itself would be expanded without end.
    bool enter(const Place& place)
    {
        const Path path = place.path();
        if (std::find(chain_.begin(), chain_.end(), path) == chain_.end()) {
            chain_.push_back(path);
            return true;
        }
        report(kCollectionCycle, place, "",
               fmt::format("<{}> contains itself through <{}>", path.text(), chain_.back().text()));
        return false;
    }

    const Stage& stage_;
    Diagnostics* found_;
    Chain        chain_;
};

using Evaluator = SdfPathExpressionEval<PathObject>;

PathObject object_at(const Stage& stage, const SdfPath& path)
{ return {stage.prim_at(wrap(path.GetPrimPath())), path.IsPropertyPath()}; }

}  // namespace

struct CollectionQuery::Impl {
    const Stage*             stage = nullptr;
    RuleMap                  rules;
    bool                     lists_properties = false;  ///< some entry can make a property a member
    std::optional<Evaluator> evaluator;
    std::string              expression;
};

CollectionQuery collection(const Prim& prim, const Token& name, Diagnostics* found)
{
    CollectionQuery out;
    if (!prim) return out;
    auto        impl = std::make_shared<CollectionQuery::Impl>();
    const Place place{prim, kCollectionPrefix + name.text()};
    impl->stage = &prim.stage();
    MembershipBuilder builder(prim.stage(), found);
    if (is_expression(place)) {
        const SdfPathExpression expression = builder.expression(place);
        if (!expression.IsEmpty()) {
            TfErrorMark mark;
            impl->expression = expression.GetText();
            impl->evaluator  = SdfMakePathExpressionEval(expression, path_predicates());
            // A predicate that is not known is an error of the library: nothing is a member then.
            if (!mark.IsClean()) {
                builder.report(kCollectionExpression, place, ":membershipExpression",
                               fmt::format("'{}': {}", impl->expression, mark.begin()->GetCommentary()));
                mark.Clear();
                impl->evaluator = Evaluator();
            }
        }
    } else {
        for (const auto& [path, rule] : builder.entries(place)) {
            // insert_or_assign: the later entry replaces the earlier one.
            impl->rules.insert_or_assign(path, rule);
            impl->lists_properties = impl->lists_properties || rule == Rule::expand_all || path.is_property();
        }
    }
    out.impl_ = std::move(impl);
    return out;
}

bool CollectionQuery::empty() const
{
    if (!impl_) return true;
    if (impl_->evaluator) return impl_->evaluator->IsEmpty();
    // Entries that only exclude have no members.
    return std::all_of(impl_->rules.begin(), impl_->rules.end(),
                       [](const auto& entry) { return entry.second == Rule::exclude; });
}

bool        CollectionQuery::uses_expression() const { return impl_ && impl_->evaluator.has_value(); }
std::string CollectionQuery::expression() const { return impl_ ? impl_->expression : std::string(); }

bool CollectionQuery::contains(const Path& path) const
{
    if (!impl_ || path.empty()) return false;
    if (impl_->evaluator) {
        // The matcher asks for prims while it walks the path.
        const auto to_object = [&](const SdfPath& at) { return object_at(*impl_->stage, at); };
        return impl_->evaluator->Match(unwrap(path), to_object).GetValue();
    }
    if (impl_->rules.empty() || path.is_root()) return false;
    if (const auto own = impl_->rules.find(path); own != impl_->rules.end()) return own->second != Rule::exclude;
    const bool property = path.is_property();
    // Upwards to the nearest entry; the root is the last.
    for (Path at = path.parent(); !at.empty(); at = at.is_root() ? Path() : at.parent()) {
        const auto found = impl_->rules.find(at);
        if (found == impl_->rules.end()) continue;
        if (found->second == Rule::exclude) return false;
        // An entry that does not expand to this path leaves the answer to those above it.
        if (found->second == Rule::expand_all || (found->second == Rule::expand_prims && !property)) return true;
    }
    return false;
}

std::vector<Path> CollectionQuery::included_paths(Traverse how) const
{
    std::vector<Path> out;
    // Walking the stage for a collection without entries would be in vain.
    if (empty()) return out;
    for (const Prim& prim : impl_->stage->traverse(how)) {
        if (contains(prim.path())) out.push_back(prim.path());
        if (!impl_->lists_properties) continue;
        for (const Token& name : prim.property_names())
            if (const Path path = prim.path().property(name); contains(path)) out.push_back(path);
    }
    return out;
}

bool Stage::collection_contains(Prim prim, const Token& name, const Path& path) const
{ return collection(prim, name).contains(path); }

std::vector<Path> Stage::collection_members(Prim prim, const Token& name) const
{ return collection(prim, name).included_paths(); }

}  // namespace mechane::usd

// Checks the tree of specs in a crate: kinds must fit their paths, children that are listed must exist and be listed
// once.
// The library walks from a spec to its children without asking whether they are there.

#include "usd/crate_specs.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace mechane::usd {
namespace {

/// The format's kinds of specs.
enum Spec : std::uint8_t {
    kNoSpec             = 0,
    kAttribute          = 1,
    kConnection         = 2,
    kExpression         = 3,
    kMapper             = 4,
    kMapperArg          = 5,
    kPrim               = 6,
    kPseudoRoot         = 7,
    kRelationship       = 8,
    kRelationshipTarget = 9,
    kVariant            = 10,
    kVariantSet         = 11,
    kLastSpec           = 11,
};

constexpr std::uint32_t kEnd = ~0u;  ///< ends a set of fields

class SpecTree {
  public:
    explicit SpecTree(const CrateSpecTables& crate) : crate_(crate), kinds_(crate.paths.size(), kNoSpec)
    {
        tokens_.reserve(crate.texts.size());
        for (std::uint32_t i = 0; i < crate.texts.size(); ++i) tokens_.emplace(crate.texts[i], i);
        children_.reserve(crate.paths.size());
        for (std::uint32_t i = 0; i < crate.paths.size(); ++i)
            if (const CratePath& path = crate.paths[i]; path.known && path.parent != CratePath::kNone)
                children_.emplace(key(path.parent, path.names_property, tokens_.at(text(path.name))), i);
    }

    std::string check()
    {
        if (std::string what = check_kinds(); !what.empty()) return what;
        for (std::size_t i = 0; i < crate_.specs.paths.size(); ++i)
            if (std::string what = check_children(i); !what.empty()) return what;
        return {};
    }

  private:
    // Parent, kind of child and token in one word: lookups of children are many.
    static std::uint64_t key(std::uint32_t parent, bool property, std::uint32_t token)
    { return std::uint64_t{parent} << 32 | std::uint64_t{property ? 1U : 0U} << 31 | token; }
    [[nodiscard]] std::string_view text(std::uint32_t token) const
    { return token < crate_.texts.size() ? crate_.texts[token] : std::string_view(); }

    /// The kind of spec that a path asks for; kNoSpec where it may be several.
    [[nodiscard]] Spec wanted(const CratePath& path) const
    {
        if (path.parent == CratePath::kNone) return kPseudoRoot;
        if (path.names_property) return kAttribute;
        const std::string_view element = text(path.name);
        if (element.starts_with('{')) return element.ends_with("=}") ? kVariantSet : kVariant;
        return element.starts_with('[') || element.starts_with('.') ? kNoSpec : kPrim;
    }

    [[nodiscard]] bool fits(std::int32_t kind, const CratePath& path) const
    {
        const Spec fitting = wanted(path);
        if (fitting == kAttribute) return kind == kAttribute || kind == kRelationship;
        if (fitting != kNoSpec) return kind == fitting;
        return kind == kConnection || kind == kRelationshipTarget || kind == kMapper || kind == kMapperArg ||
               kind == kExpression || kind == kAttribute;
    }

    std::string check_kinds()
    {
        for (std::size_t i = 0; i < crate_.specs.paths.size(); ++i) {
            const auto at   = static_cast<std::uint32_t>(crate_.specs.paths[i]);
            const auto kind = crate_.specs.types[i];
            if (kind < 1 || kind > kLastSpec) return "a spec is of an unknown kind";
            if (!fits(kind, crate_.paths[at])) return "a spec is of a kind that its path cannot have";
            if (kinds_[at] != kNoSpec) return "a path has two specs";
            kinds_[at] = static_cast<std::uint8_t>(kind);
        }
        for (std::size_t at = 0; at < kinds_.size(); ++at)
            if (const std::uint32_t parent = crate_.paths[at].parent;
                kinds_[at] != kNoSpec && parent != CratePath::kNone && kinds_[parent] == kNoSpec)
                return "a spec has no spec above it";
        return {};
    }

    /// The child of this name, if it is of one of two kinds.
    [[nodiscard]] bool has(std::uint32_t parent, bool property, std::string_view element, Spec kind, Spec other) const
    {
        const auto token = tokens_.find(element);
        if (token == tokens_.end()) return false;
        const auto found = children_.find(key(parent, property, token->second));
        return found != children_.end() && (kinds_[found->second] == kind || kinds_[found->second] == other);
    }

    std::string check_children(std::size_t spec)
    {
        const auto at   = static_cast<std::uint32_t>(crate_.specs.paths[spec]);
        const auto kind = kinds_[at];
        for (auto i = static_cast<std::size_t>(crate_.specs.sets[spec]);
             i < crate_.field_sets.size() && static_cast<std::uint32_t>(crate_.field_sets[i]) != kEnd; ++i) {
            const auto             field = static_cast<std::size_t>(crate_.field_sets[i]);
            const std::string_view name  = text(static_cast<std::uint32_t>(crate_.names[field]));
            const bool             prims = name == "primChildren", properties = name == "properties";
            const bool             sets = name == "variantSetChildren", variants = name == "variantChildren";
            if (!prims && !properties && !sets && !variants) continue;
            const bool holds = variants ? kind == kVariantSet
                                        : kind == kPrim || kind == kVariant || (kind == kPseudoRoot && prims);
            if (!holds) return "a spec has children that its kind cannot have";
            seen_.clear();
            for (const std::uint32_t token : crate_.lists.names(crate_.values[field])) {
                const std::string_view child = text(token);
                seen_.push_back(token);
                const bool there = prims        ? has(at, false, child, kPrim, kPrim)
                                   : properties ? has(at, true, child, kAttribute, kRelationship)
                                   : sets       ? has(at, false, std::string("{").append(child) + "=}", kVariantSet, kVariantSet)
                                                : has_variant(at, child);
                if (!there) return "a child is listed that is not there";
            }
            std::sort(seen_.begin(), seen_.end());
            if (std::adjacent_find(seen_.begin(), seen_.end()) != seen_.end()) return "a child is listed twice";
        }
        return {};
    }

    /// A variant stands beside its set: "{set=}" and "{set=variant}" are children of one prim.
    [[nodiscard]] bool has_variant(std::uint32_t set, std::string_view variant) const
    {
        std::string element(text(crate_.paths[set].name));
        element.pop_back();
        return has(crate_.paths[set].parent, false, element.append(variant) + "}", kVariant, kVariant);
    }

    const CrateSpecTables&                              crate_;
    std::vector<std::uint8_t>                           kinds_;     ///< by path
    std::unordered_map<std::string_view, std::uint32_t> tokens_;    ///< the first one of each text
    std::unordered_map<std::uint64_t, std::uint32_t>    children_;  ///< paths by parent and last element
    std::vector<std::uint32_t>                          seen_;
};

}  // namespace

std::string check_spec_tree(const CrateSpecTables& crate) { return SpecTree(crate).check(); }

}  // namespace mechane::usd

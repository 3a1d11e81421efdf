#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Which paths belong to one collection (CollectionAPI:name). Built once, then asked often: `contains` looks at the
/// path and its ancestors, or matches the expression, and never walks the stage. A copy shares its tables; valid as
/// long as its stage; const members may be called from many threads.
class CollectionQuery {
  public:
    CollectionQuery() = default;

    /// True for a member, whether or not the stage has something at this path.
    [[nodiscard]] bool contains(const Path& path) const;
    /// The members on the stage: prims in traversal order, each followed by those of its properties that are members.
    /// A membership expression lists prims only, as in OpenUSD; `contains` answers for properties too.
    [[nodiscard]] std::vector<Path> included_paths(Traverse how = {}) const;

    /// True when nothing can be a member.
    [[nodiscard]] bool empty() const;
    /// True when a path expression decides and not the relationships.
    [[nodiscard]] bool uses_expression() const;
    /// The expression with other collections' inserted and all paths absolute; empty for relationships.
    [[nodiscard]] std::string expression() const;

    struct Impl;

  private:
    friend CollectionQuery      collection(const Prim&, const Token&, Diagnostics*);
    std::shared_ptr<const Impl> impl_;
};

/// The query of the collection `name` on a prim. Attribute `mode` chooses between relationships and expression; with
/// "automatic" the relationships count as soon as a layer gives includes, excludes or includeRoot.
///
/// @param found  gets COLLECTION_CYCLE and COLLECTION_EXPRESSION_ERROR, if given; the collection then is what remains
///               without the faulty part (a whole expression that cannot be evaluated has no members)
CollectionQuery collection(const Prim& prim, const Token& name, Diagnostics* found = nullptr);

}  // namespace mechane::usd

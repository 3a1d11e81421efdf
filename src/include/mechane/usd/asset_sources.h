#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::usd {

/// Files that a layer names otherwise than by plain paths, relative to it: templates of value clips ("clips/c.#.usda"),
/// and what its expressions say with the variables of a root layer, which are stronger than its own.
std::vector<std::string> indirect_assets(const Layer& layer, const Layer& root);

/// Calls `visit` for every asset path that a layer authors as an expression, with what it says with the variables of a
/// root layer, which are stronger than its own. One in error says nothing.
void for_each_asset_expression(const Layer& layer, const Layer& root,
                               const std::function<void(const Path& spec, const Token& field,
                                                        const std::string& authored, const std::string& said)>& visit);

/// Offers the templates of value clips, which are texts and no asset paths.
void rewrite_clip_templates(Layer& layer, const std::function<std::string(const std::string&)>& replace);

}  // namespace mechane::usd

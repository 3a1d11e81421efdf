#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/vt/dictionary.h>

#include <functional>
#include <string>
#include <vector>

namespace mechane::usd {

/// Offers the templates of value clips, which are texts and no asset paths.
void rewrite_clip_templates(const pxr::SdfLayerHandle&                            layer,
                            const std::function<std::string(const std::string&)>& replace);
/// What the expressions in a layer's paths say; those that cannot be evaluated are left out.
/// @param variables  of the root layer, stronger than the layer's own
std::vector<std::string> evaluated_assets(const pxr::SdfLayerHandle& layer, const pxr::VtDictionary& variables);

}  // namespace mechane::usd

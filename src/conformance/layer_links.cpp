// Relationships in a layer that are about more than looks: everything but bindings of materials, skeletons, collections
// and the like. Called by rules and repairs of binary geometry layers.

#include "conformance/layer_links.h"

#include <algorithm>
#include <array>

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {

std::vector<usd::Path> relationships_beyond_looks(const usd::Layer& layer)
{
    constexpr std::array<std::string_view, 5> kFamilies{"material:binding", "skel:", "collection:", "light:", "shadow:"};
    constexpr std::array<std::string_view, 2> kNames{"proxyPrim", "prototypes"};
    std::vector<usd::Path>                    found;
    for (const usd::Path& prim : usd::prim_specs(layer))
        for (const usd::Token& token : layer.properties(prim)) {
            const usd::Path path = prim.property(token);
            if (layer.kind(path) != usd::SpecKind::relationship) continue;
            const std::string& name  = token.text();
            const bool         looks = std::ranges::find(kNames, name) != kNames.end() ||
                               std::ranges::any_of(kFamilies, [&](std::string_view f) { return name.starts_with(f); });
            if (!looks) found.push_back(path);
        }
    return found;
}

}  // namespace mechane::conformance

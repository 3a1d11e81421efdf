// The files of a UDIM texture: every tile between 1001 and 1100 that resolves.

#include "mechane/usd/udim.h"

#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layerUtils.h>

#include <string_view>

#include "usd/stage_impl.h"

namespace mechane::usd {

using namespace pxr;

UdimTexture find_udim_tiles(const Attribute& attribute, TimeCode time)
{
    constexpr std::string_view kMark = "<UDIM>";
    UdimTexture                out;
    if (!attribute) return out;
    const Stage::Impl& stage = attribute.prim().stage().impl();
    const Resolved     resolved =
        resolve_value(stage, stage.record(attribute.prim()), unwrap(attribute.name()), time, true);
    if (!resolved.value.IsHolding<SdfAssetPath>() || resolved.layer == nullptr) return out;
    const std::string pattern = resolved.value.UncheckedGet<SdfAssetPath>().GetAssetPath();
    const std::size_t at      = pattern.rfind(kMark);
    if (at == std::string::npos) return out;
    const SdfLayerHandle          layer = TfCreateNonConstWeakPtr(resolved.layer);
    const ArResolverContextBinder bind(stage.context);
    // Tile number = 1001 + u + 10 v, with u and v from 0 to 9.
    for (int number = 1001; number <= 1100; ++number) {
        std::string path = pattern;
        path.replace(at, kMark.size(), std::to_string(number));
        std::string file = ArGetResolver().Resolve(SdfComputeAssetPathRelativeToLayer(layer, path)).GetPathString();
        if (file.empty()) continue;
        if (out.pattern.empty())
            // The pattern of resolved paths, for programs that open the tiles by themselves.
            if (const std::size_t digits = file.rfind(std::to_string(number)); digits != std::string::npos)
                out.pattern = std::string(file).replace(digits, 4, kMark);
        out.tiles.push_back({number, std::move(file)});
    }
    return out;
}

}  // namespace mechane::usd

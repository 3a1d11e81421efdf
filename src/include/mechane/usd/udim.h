#pragma once
#include <string>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The files of a texture in tiles: an asset path with <UDIM> in it, which value resolution leaves unresolved.
struct UdimTexture {
    struct Tile {
        int         number;  ///< 1001 + u + 10 v, of the unit square at (u, v)
        std::string file;    ///< resolved
    };
    std::string       pattern;  ///< resolved, <UDIM> for the number; empty when no tile exists
    std::vector<Tile> tiles;    ///< those of 1001 to 1100 that exist, ascending
};

/// Looks for the tiles of an asset-valued attribute, as the layer that authors it would find them. Nothing for another
/// value.
UdimTexture find_udim_tiles(const Attribute& attribute, TimeCode time = {});

}  // namespace mechane::usd

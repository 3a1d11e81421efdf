#pragma once
#include "mechane/sourceformats/robot_tree.h"

namespace mechane::sourceformats {

/// What was done to a mesh so that all its faces look the same way.
struct Rewound {
    std::size_t turned = 0;  ///< faces whose corners run the other way now
    std::size_t parted = 0;  ///< corners that got a point of their own, where faces cannot agree (a Moebius strip)
};

/// Turns the faces of each connected part that disagree with the larger number of their neighbours, and all of a closed
/// mesh that is inside out. Points keep their places. Edges of more than two faces join nothing.
Rewound wind_alike(MeshAsset& mesh);

}  // namespace mechane::sourceformats

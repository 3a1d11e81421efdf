#pragma once
#include <pxr/ar/resolverContext.h>
#include <pxr/sdf/layer.h>

#include <string>

#include "usd/runtime.h"

namespace mechane::usd {

/// Opens a large text layer with several threads: its text is cut between prims (text_pieces.h), each piece is parsed
/// as a layer of its own, and the new layer reads their storages as one (joined_data.h).
/// @param file      absolute path
/// @param threads   as OpenOptions::threads
/// @return null when it is to be opened as any other layer: one that is open already, small or no text, cannot be cut,
///     or about which the parser had anything to say, since lines would be counted from the piece's beginning
pxr::SdfLayerRefPtr open_in_pieces(const std::string& file, const pxr::ArResolverContext& context, int threads,
                                   MessageScope& messages);

}  // namespace mechane::usd

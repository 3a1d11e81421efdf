#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// One layer of an open stage, read where it is: nothing is copied.
struct StageLayer {
    std::string                  name;            ///< as the user would write it, like `SpecPlace::layer`
    std::string                  file;            ///< absolute path; empty for a layer that is no file
    PackagedFile                 packaged;        ///< of a layer in a package
    bool                         binary = false;  ///< by its first bytes, not by its suffix
    std::shared_ptr<const Layer> layer;           ///< valid as long as the stage; must not be edited
};
/// Layers that the stage was composed from, the root first, then by name; the session layer is not among them.
std::vector<StageLayer> layers_of(const Stage& stage);

/// Whether anything on the stage may have time samples: some layer or value clip has them.
bool has_time_samples(const Stage& stage);

/// Whether any prim of the stage has a payload, loaded or not.
bool has_payloads(const Stage& stage);

/// Calls `visit` for every asset path that a layer authors: sublayers, references, payloads, values of assets, clips,
/// assetInfo and customData. Variable expressions are left out.
void for_each_asset(
    const Layer&                                                                                  layer,
    const std::function<void(const Path& spec, const Token& field, const std::string& authored)>& visit);

/// An opinion about a prim, and the arcs that bring it.
struct ArcPlace {
    std::string layer;             ///< like `SpecPlace::layer`
    Path        path;              ///< in the layer
    bool        payload  = false;  ///< some payload lies between the root layer and the opinion
    bool        by_class = false;  ///< some inherit or specialize does
    Path        payload_at;        ///< of the outermost payload: the prim that has it, as its layer names it
    std::string payload_layer;     ///< root of the layer stack that authors that payload
};
/// Every place with an opinion about a prim, or about one of its properties, strongest first.
std::vector<ArcPlace> arc_places(const Prim& prim, const Token& property = {});

/// Whether a schema of the prim, its type or an applied one, brings a property of this name.
bool is_built_in(const Prim& prim, const Token& property);

/// A variant set of a prim.
struct VariantSetUse {
    std::string              name;
    std::vector<std::string> variants;          ///< sorted
    bool                     selected = false;  ///< some layer, the session apart, authors a selection
    std::string              selection;         ///< the strongest one; may be empty
    SpecPlace                place;             ///< of the strongest list of sets
};
/// Variant sets of a prim, sorted by name.
std::vector<VariantSetUse> variant_sets(const Prim& prim);

/// Prims and variants of a layer, parents first, in its order.
std::vector<Path> prim_specs(const Layer& layer);

/// How many elements an array value has, without converting it; 0 for what is no array.
std::size_t array_size(const Value& value);

/// How many elements the value of an attribute of the layer has, its largest sample included.
std::size_t array_size(const Layer& layer, const Path& attribute);

}  // namespace mechane::usd

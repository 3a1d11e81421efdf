#pragma once
#include <pxr/pcp/cache.h>
#include <pxr/pcp/layerStack.h>
#include <pxr/pcp/node.h>
#include <pxr/pcp/primIndex.h>
#include <pxr/sdf/layer.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "mechane/usd/resolve_info.h"
#include "mechane/usd/stage.h"
#include "usd/binding_table.h"
#include "usd/handles.h"
#include "usd/schema_registry.h"
#include "usd/sites.h"
#include "usd/text_index.h"

namespace mechane::usd {

struct ClipSet;  // value_clips.h

namespace xform_flag {
inline constexpr std::uint8_t resets = 1, only_sampled = 2;
}

/// Everything a stage holds. Written by open, read only afterwards.
struct Stage::Impl {
    std::string                    source;
    pxr::SdfLayerRefPtr            root, session;
    pxr::ArResolverContext         context;
    std::unique_ptr<pxr::PcpCache> cache;
    std::vector<PrimRecord>        prims;
    std::vector<Matrix4d>          world;        ///< at the default time, by prim
    std::vector<std::uint8_t>      xform_flags;  ///< xform_flag, by prim
    StageMetadata                  metadata;
    Diagnostics                    diagnostics;
    /// Value clips by the prim that has them, strongest first, those of prims above included.
    std::map<pxr::SdfPath, std::vector<std::shared_ptr<const ClipSet>>>         clips;
    bool                                                                        openusd_schemas_only = false;
    OpenOptions                                                                 options;  ///< the mask expanded
    int                                                                         generation = 0;
    mutable std::once_flag                                                      places_once;
    mutable std::unordered_map<pxr::SdfPath, std::uint32_t, pxr::SdfPath::Hash> by_path;  ///< on demand: places()
    mutable std::once_flag                                                      prototypes_once;
    mutable std::map<std::uint32_t, std::uint32_t>     prototypes;  ///< instances.cpp, on demand
    mutable std::mutex                                 lines_mutex;
    mutable std::unordered_map<std::string, TextIndex> lines;  ///< locator.cpp, by layer, on demand
    mutable std::once_flag                             bindings_once;
    mutable std::unique_ptr<const BindingTable>        bindings;  ///< material_binding.cpp, on demand

    mutable std::mutex index_mutex;  ///< of what index_of adds to the cache

    /// Places in the array, by path.
    [[nodiscard]] const std::unordered_map<pxr::SdfPath, std::uint32_t, pxr::SdfPath::Hash>& places() const;
    [[nodiscard]] const PrimRecord& record(const Prim& prim) const { return prims[prim.index()]; }
};

/// One opinion's place: the layer, the path in it, and how its times map to the stage's.
struct SpecSite {
    pxr::SdfLayerRefPtr layer;
    pxr::SdfPath        path;    ///< of the prim in that layer
    pxr::SdfLayerOffset offset;  ///< layer time to stage time
    pxr::PcpNodeRef     node;
};

// -- parts of opening and reading, one file each
void         read_metadata(Stage::Impl& stage);                                              ///< stage_metadata.cpp
/// What ended it, if a limit did: STAGE_LIMIT.
std::optional<Diagnostic> populate(Stage::Impl& stage, const OpenOptions& options);          ///< population.cpp
void         collect_clips(Stage::Impl& stage);                                              ///< clip_metadata.cpp
void         compute_world_matrices(Stage::Impl& stage);                                     ///< xform.cpp
void         report_unit_mismatches(Stage::Impl& stage);                                     ///< units.cpp
void         add_composition_errors(Stage::Impl& stage, const pxr::PcpErrorVector& errors);  ///< composition_errors.cpp
void         report_composition_errors(const Stage::Impl& stage, const pxr::PcpErrorVector& errors,
                                       Diagnostics& found);  ///< composition_errors.cpp
pxr::VtValue compose_metadata(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& property,
                              const pxr::TfToken& key);  ///< metadata.cpp

/// Where paths that a prim's index maps lie, and where they belong; both empty unless the index is another's.
struct Moved {
    pxr::SdfPath from, to;
};
Moved to_own(const Stage::Impl& stage, const PrimRecord& prim);  ///< instances.cpp

/// The library's index of a prim, made now if the prim is local; null when the library gave up on the prim. For what
/// only the library can tell; safe on any thread, but one at a time.
const pxr::PcpPrimIndex* index_of(const Stage::Impl& stage, const PrimRecord& prim);  ///< index_of.cpp
/// The index that the library has of the prim at a path, if it has one.
const pxr::PcpPrimIndex* find_index(const Stage::Impl& stage, const pxr::SdfPath& prim);  ///< index_of.cpp
pxr::SdfLayerHandleSet   layers_in_use(const Stage::Impl& stage);                         ///< index_of.cpp

/// The value clips that may speak about a prim, strongest first.
std::span<const std::shared_ptr<const ClipSet>> clips_of(const Stage::Impl&  stage,
                                                         const pxr::SdfPath& prim);  ///< clip_metadata.cpp

/// An attribute's value at a time; what kind of opinion gave it.
struct Resolved {
    pxr::VtValue         value;
    bool                 authored = false, blocked = false;
    ValueSource          source = ValueSource::none;
    const pxr::SdfLayer* layer  = nullptr;  ///< that decides; null for fallback and none
};
Resolved resolve_value(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& name, const TimeCode& time,
                       bool with_fallback);  ///< value_resolution.cpp
/// Stage times of the samples that decide the attribute's values, ascending; empty when a default or spline does.
std::vector<double> sample_times(const Stage::Impl& stage, const PrimRecord& prim,
                                 const pxr::TfToken& name);  ///< value_resolution.cpp

/// The lines of a layer, read once a stage; nothing for layers that are no text.
const TextIndex& lines_of(const Stage::Impl& stage, const pxr::SdfLayerRefPtr& layer);
/// Where a prim or property is written, in the strongest layer that has it.
Site site_of(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& property);  ///< locator.cpp
/// A layer as the user would write it.
std::string shown(const Stage::Impl& stage, const pxr::SdfLayerHandle& layer);  ///< locator.cpp
std::string shown_path(const std::string& path);  ///< locator.cpp; relative to the working folder if below it

}  // namespace mechane::usd

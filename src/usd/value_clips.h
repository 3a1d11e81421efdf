#pragma once
#include <pxr/pcp/layerStack.h>
#include <pxr/pcp/node.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/layerOffset.h>

#include <string>
#include <vector>

#include "usd/sites.h"

namespace mechane::usd {

/// A set of value clips: layers that take turns in giving samples to the properties at and below one prim (OpenUSD,
/// "Sequenceable, Re-timeable Animated Value Clips"). Times are stage times unless a name says otherwise. All layers
/// are opened with the stage.
struct ClipSet {
    struct Activation {
        double      time;  ///< from here to the next one; the first one holds before, too
        std::size_t clip;  ///< index of the layer
        bool        operator==(const Activation&) const = default;
    };
    struct Mapping {
        double stage, clip;
        bool   operator==(const Mapping&) const = default;
    };

    std::string                      name;
    pxr::PcpLayerStackRefPtr         stack;  ///< where the set is anchored: just below this layer of this stack,
    std::size_t                      layer = 0;
    pxr::SdfPath                     prim;       ///< at and below this path in it
    pxr::SdfPath                     clip_prim;  ///< the path that stands for `prim` in the clips
    std::vector<pxr::SdfLayerRefPtr> clips;      ///< null for one that could not be opened
    pxr::SdfLayerRefPtr              manifest;   ///< null: every property that has samples in some clip is of the set
    std::vector<Activation>          active;     ///< by time
    std::vector<Mapping>             times;      ///< by stage time; two at one time are a jump; empty: clips run as their layer does
    pxr::SdfLayerOffset              offset;     ///< from times of the layer where the set is anchored to stage times
    bool                             interpolate_missing = false;  ///< clips without samples leave their time to others

    [[nodiscard]] bool applies(const SiteNode& at, std::size_t layer_of_node) const;

    // `property` is a path in the namespace of `stack`.
    /// True when the set has the say over the property: it varies by the manifest.
    [[nodiscard]] bool declares(const pxr::SdfPath& property) const;
    /// Times at which the property has samples: those of the clips, where clips begin, where the mapping bends.
    /// Ascending.
    [[nodiscard]] std::vector<double> sample_times(const pxr::SdfPath& property) const;
    /// The value at a time, a block where there is none; `from` is the layer that gave it. With `held` samples hold
    /// until the next one.
    [[nodiscard]] pxr::VtValue value(const pxr::SdfPath& property, double time, bool held,
                                     pxr::SdfLayerRefPtr& from) const;

  private:
    [[nodiscard]] std::size_t  activation_at(double time) const;
    [[nodiscard]] double       to_clip(double time) const;
    /// From a time of the clip to that of the stage: `stage + (t - clip) * slope`.
    struct Line {
        double stage, clip, slope;
    };
    [[nodiscard]] Line line_at(double time) const;
    /// Whether the clip that is active at that turn gives samples to a property, whose path in the clips is `in_clip`.
    [[nodiscard]] bool contributes(std::size_t turn, const pxr::SdfPath& in_clip, const pxr::SdfPath& property) const;
    [[nodiscard]] pxr::VtValue at(const pxr::SdfPath& in_clip, double time, bool held, pxr::SdfLayerRefPtr& from) const;
};

}  // namespace mechane::usd

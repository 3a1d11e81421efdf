#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/sdf/primSpec.h>

#include <filesystem>
#include <functional>
#include <string>

#include "mechane/usd/codes.h"
#include "mechane/usd/layer.h"
#include "usd/handles.h"

namespace mechane::usd {

struct Layer::Impl {
    pxr::SdfLayerRefPtr layer;   ///< anonymous: nobody else sees it
    std::string         file;    ///< as the caller named it
    std::string         origin;  ///< absolute or package-relative path that relative asset paths are anchored to
    bool                edited = false;
    std::filesystem::file_time_type read_time;  ///< of the file when it was read

    [[nodiscard]] Diagnostic refused(const Path& path, std::string why) const;
    /// The layer's storage. Nobody listens to a layer that nobody else sees: what is written here saves the notices and
    /// the handles of specs, which take ten times as long as the edit.
    [[nodiscard]] pxr::SdfAbstractData& storage() const;
    /// A spec that is not there yet, named by its parent, which is there.
    /// @param siblings  the field of the parent that lists it
    void add_spec(const pxr::SdfPath& path, pxr::SdfSpecType type, const pxr::TfToken& siblings) const;
    /// The spec of a prim or variant, made with its parents if need be; the path has been checked.
    pxr::SdfPrimSpecHandle ensure_prim(const pxr::SdfPath& path);
    bool                   ensure(const pxr::SdfPath& path);  ///< the same, without the handle; false: it cannot be
    /// Empty when a prim can be, or be made, at the path; else why not.
    [[nodiscard]] std::string check_prim(const pxr::SdfPath& path) const;
    [[nodiscard]] std::string check_property(const pxr::SdfPath& path) const;
};

/// Children of a spec by field name; nothing when it has none.
pxr::TfTokenVector child_names(const pxr::SdfLayerHandle& layer, const pxr::SdfPath& path, const pxr::TfToken& field);
/// Paths of every prim and variant of a layer from `root` on, parents first, in the layer's order.
void for_each_prim_spec(const pxr::SdfLayerHandle& layer, const pxr::SdfPath& root,
                        const std::function<void(const pxr::SdfPath&)>& visit);
/// The same with properties, each after its prim and before what is below that.
void for_each_spec(const pxr::SdfLayerHandle& layer, const pxr::SdfPath& root,
                   const std::function<void(const pxr::SdfPath&)>& visit);

/// A relative asset path as an absolute or package-relative one; search paths ("a/b.usd", found nowhere beside the
/// layer) and URIs stay.
std::string anchored_asset(const std::string& origin, const std::string& authored);

/// layer_assets.cpp
void rewrite_assets(const pxr::SdfLayerHandle& layer, const std::function<std::string(const std::string&)>& replace);

/// Exports to `file` through a temporary file beside it (layer_save.cpp).
Result<void> replace_file(const std::string& file, const std::function<bool(const std::string& temporary)>& write);

}  // namespace mechane::usd

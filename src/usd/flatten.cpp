// Flattens a stage into one layer without arcs: every prim and property with its composed values, for `mechane flatten`
// and exports.
// Instances keep sharing: each prototype is written once, as an `over` at the root, and instances refer to it.
// Times are stage times. Asset paths are absolute unless they are asked to stay.
//
// prototype   the subtree that instances share; one of them is its source
// structural  fields that are arcs: what they brought is written out

#include "mechane/usd/flatten.h"

#include <fmt/format.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/changeBlock.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/relationshipSpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/types.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>
#include <set>

#include "usd/animated.h"
#include "usd/instances.h"
#include "usd/layer_impl.h"
#include "usd/targets.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Fields that are arcs or structure; what they bring is in the flattened layer already.
bool is_structural(const TfToken& field)
{
    static const std::set<TfToken> kFields = {
        SdfFieldKeys->References,  SdfFieldKeys->Payload,         SdfFieldKeys->InheritPaths,
        SdfFieldKeys->Specializes, SdfFieldKeys->VariantSetNames, SdfFieldKeys->VariantSelection,
        SdfFieldKeys->Relocates,   SdfFieldKeys->LayerRelocates,  SdfFieldKeys->PrimOrder,
        SdfFieldKeys->SubLayers,   SdfFieldKeys->SubLayerOffsets, SdfFieldKeys->Specifier,
        SdfFieldKeys->TypeName,    SdfFieldKeys->Default,         SdfFieldKeys->TimeSamples,
        SdfFieldKeys->Spline,      SdfFieldKeys->ConnectionPaths, SdfFieldKeys->TargetPaths,
        SdfFieldKeys->Custom,      SdfFieldKeys->Variability};
    return kFields.contains(field) || SdfSchema::GetInstance().HoldsChildren(field);
}

class Flattening {
  public:
    Flattening(const Stage& stage, const FlattenOptions& options, SdfLayerRefPtr out)
        : stage_(stage),
          impl_(stage.impl()),
          options_(options),
          out_(std::move(out)),
          sources_(prototype_sources(impl_))
    {
    }

    void run()
    {
        // Asset paths are resolved as on the stage.
        const ArResolverContextBinder bind(impl_.context);
        // Notices are held back until all is written.
        const SdfChangeBlock together;
        copy_root();
        copy_below(0, SdfPath::AbsoluteRootPath());
        for (std::size_t i = 0; i < prototypes_.size(); ++i) {  // prototypes hold instances of further ones
            const auto [source, path] = prototypes_[i];
            SdfPrimSpec::New(out_, path.GetName(), SdfSpecifierOver);
            copy_below(source, path);
        }
    }

  private:
    // The session's opinions about stage metadata are stronger.
    void copy_root()
    {
        // Fields of the session are written last and so replace those of the root.
        for (const SdfLayerRefPtr& layer : {impl_.root, impl_.session}) {  // the session is stronger
            if (!layer) continue;
            for (const TfToken& field : layer->ListFields(SdfPath::AbsoluteRootPath()))
                if (!is_structural(field))
                    out_->SetField(SdfPath::AbsoluteRootPath(), field,
                                   absolute(layer, layer->GetField(SdfPath::AbsoluteRootPath(), field)));
        }
    }

    /// Everything below a prim, which itself lies at `to` already.
    void copy_below(std::uint32_t root, const SdfPath& to)
    {
        from_ = unwrap(impl_.prims[root].path);
        to_   = to;
        // Prims lie depth first: a subtree is a range of indices.
        for (std::uint32_t i = root + 1; i < impl_.prims[root].subtree_end;) {
            copy_prim(i);
            const bool instance = (impl_.prims[i].flags & prim_flag::instance) != 0;
            // Below an instance lie proxies, which the prototype stands for.
            i = instance ? impl_.prims[i].subtree_end : i + 1;
        }
    }

    [[nodiscard]] SdfPath placed(const SdfPath& path) const { return path.ReplacePrefix(from_, to_); }

    void copy_prim(std::uint32_t at)
    {
        const PrimRecord&  record    = impl_.prims[at];
        const SdfPath      path      = placed(unwrap(record.path));
        const SdfSpecifier specifier = record.specifier == Specifier::def      ? SdfSpecifierDef
                                       : record.specifier == Specifier::class_ ? SdfSpecifierClass
                                                                               : SdfSpecifierOver;
        const TfToken&     type      = record.type_name;
        if (path.IsRootPrimPath())
            SdfPrimSpec::New(out_, path.GetName(), specifier, type.GetString());
        else
            SdfPrimSpec::New(out_->GetPrimAtPath(path.GetParentPath()), path.GetName(), specifier, type.GetString());
        copy_fields(record, TfToken(), path);
        // An instance refers to its prototype and has no children of its own.
        if (const auto instance = sources_.find(at); instance != sources_.end())
            out_->SetField(
                path, SdfFieldKeys->References,
                VtValue(SdfReferenceListOp::Create({SdfReference(std::string(), prototype(instance->second))})));
        const Prim prim = stage_.prim_at(record.path);
        for (const Token& name : prim.authored_property_names()) {
            if (const Attribute attribute = prim.attribute(name))
                copy_attribute(record, attribute, path.AppendProperty(unwrap(name)));
            else if (const Relationship relationship = prim.relationship(name))
                copy_relationship(record, relationship, path.AppendProperty(unwrap(name)));
        }
    }

    /// The root of a prototype, planned on first use under a name that no prim of the stage has.
    const SdfPath& prototype(std::uint32_t source)
    {
        for (const auto& [known, path] : prototypes_)
            if (known == source) return path;
        SdfPath path;
        do path = SdfPath(fmt::format("/Flattened_Prototype_{}", ++numbered_));
        while (impl_.places().contains(path));
        return prototypes_.emplace_back(source, path).second;
    }

    void copy_fields(const PrimRecord& record, const TfToken& property, const SdfPath& to)
    {
        std::map<TfToken, SdfLayerRefPtr> fields;  // with the strongest layer that has it
        // Fields by name with their strongest layer: paths in a value are anchored to it.
        for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
            for (const TfToken& field :
                 layer->ListFields(property.IsEmpty() ? at.path : at.path.AppendProperty(property)))
                if (!is_structural(field)) fields.emplace(field, layer);
            return false;
        });
        for (const auto& [field, layer] : fields)
            // Composed over all layers: lists and dictionaries are merged.
            if (VtValue value = compose_metadata(impl_, record, property, field); !value.IsEmpty())
                out_->SetField(to, field, absolute(layer, std::move(value)));
    }

    void copy_attribute(const PrimRecord& record, const Attribute& attribute, const SdfPath& to)
    {
        const TfToken& name = unwrap(attribute.name());
        // A type that is not known is kept by its name.
        SdfJustCreatePrimAttributeInLayer(
            out_, to, SdfSchema::GetInstance().FindOrCreateType(TfToken(attribute.type_name())),
            attribute.uniform() ? SdfVariabilityUniform : SdfVariabilityVarying, attribute.custom());
        copy_fields(record, name, to);
        SdfLayerRefPtr layer;
        const VtValue  spline = stage_spline(record, name, layer);
        // The value at the default time, without the schema's fallback.
        if (Resolved found = resolve_value(impl_, record, name, {}, false); found.blocked)
            out_->SetField(to, SdfFieldKeys->Default, VtValue(SdfValueBlock()));
        else if (found.authored)
            out_->SetField(to, SdfFieldKeys->Default, absolute(layer, std::move(found.value)));
        // A spline goes before samples, as in value resolution.
        if (!spline.IsEmpty()) {
            out_->SetField(to, SdfFieldKeys->Spline, spline);
        } else if (const std::vector<double> times = attribute.time_samples(); !times.empty()) {
            SdfTimeSampleMap samples;
            for (const double time : times) {
                Resolved at   = resolve_value(impl_, record, name, time, false);
                samples[time] = at.blocked ? VtValue(SdfValueBlock()) : absolute(layer, std::move(at.value));
            }
            out_->SetField(to, SdfFieldKeys->TimeSamples, VtValue::Take(samples));
        }
        // Connections are written only where they are authored: an empty list is an opinion too.
        if (!compose_metadata(impl_, record, name, SdfFieldKeys->ConnectionPaths).IsEmpty())
            set_paths(to, SdfFieldKeys->ConnectionPaths, attribute.connections());
    }

    void copy_relationship(const PrimRecord& record, const Relationship& relationship, const SdfPath& to)
    {
        const TfToken& name = unwrap(relationship.name());
        SdfRelationshipSpec::New(out_->GetPrimAtPath(to.GetPrimPath()), name.GetString(), relationship.custom());
        copy_fields(record, name, to);
        if (!compose_metadata(impl_, record, name, SdfFieldKeys->TargetPaths).IsEmpty())
            set_paths(to, SdfFieldKeys->TargetPaths, relationship.targets());
    }

    void set_paths(const SdfPath& to, const TfToken& field, const std::vector<Path>& paths)
    {
        SdfPathVector list;
        // Targets inside the copied subtree follow it to its new place.
        for (const Path& path : paths) list.push_back(placed(unwrap(path)));
        out_->SetField(to, field, VtValue(SdfPathListOp::CreateExplicit(list)));
    }

    [[nodiscard]] SdfAssetPath absolute(const SdfLayerRefPtr& layer, const SdfAssetPath& asset) const
    {
        if (!options_.absolute_assets) return SdfAssetPath(asset.GetAssetPath());
        // The resolved path is best; else relative to the layer that authored it.
        if (!asset.GetResolvedPath().empty()) return SdfAssetPath(asset.GetResolvedPath());
        if (asset.GetAssetPath().empty() || !layer) return SdfAssetPath(asset.GetAssetPath());
        return SdfAssetPath(SdfComputeAssetPathRelativeToLayer(layer, asset.GetAssetPath()));
    }

    // NOLINTNEXTLINE(misc-no-recursion): dictionaries nest no deeper than the guard allowed
    [[nodiscard]] VtValue absolute(const SdfLayerRefPtr& layer, VtValue value) const
    {
        if (value.IsHolding<SdfAssetPath>()) return VtValue(absolute(layer, value.UncheckedGet<SdfAssetPath>()));
        if (value.IsHolding<VtArray<SdfAssetPath>>()) {
            VtArray<SdfAssetPath> all = value.UncheckedGet<VtArray<SdfAssetPath>>();
            for (SdfAssetPath& one : all) one = absolute(layer, one);
            return VtValue(all);
        }
        if (value.IsHolding<VtDictionary>()) {
            VtDictionary all = value.UncheckedGet<VtDictionary>();
            for (auto& [key, entry] : all) entry = absolute(layer, entry);
            return VtValue(all);
        }
        return value;
    }

    const Stage&                                   stage_;
    const Stage::Impl&                             impl_;
    const FlattenOptions&                          options_;
    SdfLayerRefPtr                                 out_;
    std::map<std::uint32_t, std::uint32_t>         sources_;
    std::vector<std::pair<std::uint32_t, SdfPath>> prototypes_;
    int                                            numbered_ = 0;
    SdfPath                                        from_, to_;  ///< the subtree being copied, and where to
};

}  // namespace

Layer flatten(const Stage& stage, const FlattenOptions& options)
{
    Layer out;
    Flattening(stage, options, out.impl().layer).run();
    out.impl().edited = true;
    return out;
}

}  // namespace mechane::usd

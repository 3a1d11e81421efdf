// `dump stage`: a stage as JSON, prim by prim, for comparison with OpenUSD and between versions.
// Schema `mechane.dump.stage/1`. Arrays beyond a limit are written as a hash, so that files stay readable.

#include <fmt/format.h>
#include <pxr/pcp/composeSite.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mechane/usd/dump.h"
#include "usd/property_json.h"
#include "usd/stage_value.h"
#include "usd/value_json.h"

namespace mechane::usd {
namespace {

using namespace pxr;
using Json = nlohmann::json;

const Token kImageable("Imageable"), kXformable("Xformable"), kGprim("Gprim");

Json rows(const Matrix4d& m)
{
    Json out = Json::array();
    for (int r = 0; r < 4; ++r) out.push_back({to_json(m(r, 0)), to_json(m(r, 1)), to_json(m(r, 2)), to_json(m(r, 3))});
    return out;
}

/// Sets by name, each with the names of its variants and what is selected.
Json variants_json(const PrimRecord& prim)
{
    if (prim.is_local()) return Json::object();  // no variant set is authored
    // Sets are listed in metadata; a set that the list does not name does not exist.
    // Each site has a list of its own: one site's list neither replaces nor shortens another's.
    std::set<std::string> sets;
    for (const PcpNodeRef& node : prim.sites->GetNodeRange()) {
        std::vector<std::string> here;
        PcpComposeSiteVariantSets(node.GetLayerStack(), node.GetPath(), &here);
        sets.insert(here.begin(), here.end());
    }
    Json out = Json::object();
    for (const std::string& set : sets) {
        std::set<std::string> variants;
        for (const PcpNodeRef& node : prim.sites->GetNodeRange())
            PcpComposeSiteVariantSetOptions(node.GetLayerStack(), node.GetPath(), set, &variants);
        out[set] = {{"selection", prim.sites->GetSelectionAppliedForVariantSet(set)}, {"variants", variants}};
    }
    return out;
}

class Dump {
  public:
    Dump(const Stage& stage, std::size_t limit) : stage_(stage), impl_(stage.impl()), limit_(limit)
    {
        const StageMetadata& m = stage.metadata();
        if (m.authored_time_range && m.end_time_code > m.start_time_code)
            // The middle of the range lies between samples of most animations, and so tests interpolation.
            times_ = {m.start_time_code, 0.5 * (m.start_time_code + m.end_time_code), m.end_time_code};
    }

    Json all()
    {
        Json                     prims = Json::object();
        std::vector<std::string> order;
        for (const Prim& prim : stage_.traverse({.all = true})) {
            order.push_back(prim.path().text());
            prims[order.back()] = prim_json(prim);
        }
        constexpr std::size_t kWholeOrder = 2000;
        Json                  out{{"schema", "mechane.dump.stage/1"},
                                  {"stage", stage_json()},
                                  {"order", to_json(order, order.size() <= kWholeOrder ? 0 : 64)},
                                  {"prims", std::move(prims)},
                                  {"schemaFallbacks", std::move(fallbacks_)}};
        for (const Diagnostic& d : stage_.diagnostics())
            if (d.id.starts_with("COMP_"))
                out["compositionErrors"].push_back(to_text(d).substr(0, to_text(d).find('\n')));
        return out;
    }

  private:
    Json stage_json() const
    {
        const StageMetadata& m    = stage_.metadata();
        const Prim           main = stage_.default_prim();
        return {{"metadata", root_metadata()},
                {"defaultPrim", main ? Json(main.path().text()) : Json()},
                {"upAxis", std::string(1, m.up_axis)},
                {"metersPerUnit", to_json(m.meters_per_unit)},
                {"kilogramsPerUnit", to_json(m.kilograms_per_unit)},
                {"timeCodesPerSecond", to_json(m.time_codes_per_second)},
                {"framesPerSecond", to_json(m.frames_per_second)},
                {"startTimeCode", to_json(m.start_time_code)},
                {"endTimeCode", to_json(m.end_time_code)},
                {"layers", stage_.used_layers()}};
    }

    Json root_metadata() const
    {
        Json out = Json::object();
        for (const SdfLayerRefPtr& layer : {impl_.session, impl_.root}) {
            if (!layer) continue;
            for (const TfToken& field : layer->ListFields(SdfPath::AbsoluteRootPath()))
                if (!SdfSchema::GetInstance().HoldsChildren(field) && field != "subLayers" &&
                    field != "subLayerOffsets" && field != "layerRelocates" &&
                    !out.contains(field.GetString()))
                    out[field.GetString()] = to_json(on_stage(layer, field), limit_);
        }
        return out;
    }

    /// A field of the root of the stage, as its layer has it.
    [[nodiscard]] VtValue on_stage(const SdfLayerRefPtr& layer, const TfToken& field) const
    {
        const SdfPath& root  = SdfPath::AbsoluteRootPath();
        VtValue        value = layer->GetField(root, field);
        if (impl_.prims.empty() || impl_.prims[0].sites == nullptr) return value;
        to_stage(impl_, impl_.prims[0], {layer, impl_.prims[0].sites->GetRootNode(), root, SdfLayerOffset()}, value);
        return value;
    }

    Json prim_json(const Prim& prim)
    {
        const PrimRecord& record = impl_.record(prim);
        Json              out{{"typeName", record.type_name.GetString()}, {"active", prim.active()}};
        out["specifier"] = record.specifier == Specifier::def      ? "def"
                           : record.specifier == Specifier::class_ ? "class"
                                                                   : "over";
        std::vector<std::string> apis;
        for (const Token& api : prim.applied_apis()) apis.push_back(api.text());
        if (!apis.empty()) out["appliedSchemas"] = apis;
        if (const auto kind = prim.metadata("kind").get<std::string>(); kind && !kind->empty()) out["kind"] = *kind;
        if (prim.abstract()) out["abstract"] = true;
        if (prim.is_instance()) out["instance"] = true;
        if (prim.is_instance_proxy()) out["instanceProxy"] = true;
        if (prim.metadata("instanceable").get<bool>().value_or(false)) out["instanceable"] = true;
        if (record.sites->HasAnyPayloads()) out["hasPayload"] = true;
        if (!prim.defined()) out["defined"] = false;
        if (!prim.loaded()) out["loaded"] = false;
        if (Json metadata = metadata_json(impl_, record, TfToken(), limit_); !metadata.empty())
            out["metadata"] = std::move(metadata);
        if (Json variants = variants_json(record); !variants.empty()) out["variantSets"] = std::move(variants);
        if (prim.active()) add_geometry(prim, out);

        Json properties = Json::object();
        for (const Token& name : prim.authored_property_names()) {
            if (const Attribute attribute = prim.attribute(name))
                properties[name.text()] = attribute_json(impl_, record, attribute, limit_);
            else if (const Relationship relationship = prim.relationship(name))
                properties[name.text()] = relationship_json(impl_, record, relationship, limit_);
        }
        if (!properties.empty()) out["properties"] = std::move(properties);

        // Fallbacks are written once for each kind of prim.
        std::string key = record.type_name.GetString();
        for (const std::string& api : apis) key += "+" + api;
        if (!key.empty() && !fallbacks_.contains(key)) fallbacks_[key] = fallbacks_json(*record.definition, limit_);
        return out;
    }

    void add_geometry(const Prim& prim, Json& out) const
    {
        if (prim.is_a(kImageable)) {
            out["purpose"]    = stage_.purpose(prim).text();
            out["visibility"] = stage_.visible(prim) ? "inherited" : "invisible";
        }
        if (prim.is_a(kXformable)) {
            bool           resets = false;
            const Matrix4d world  = stage_.world_matrix(prim);
            (void)stage_.local_matrix(prim, {}, &resets);
            out["worldTransform"] = rows(world);
            if (resets) out["resetXformStack"] = true;
            for (const double t : times_)
                if (const Matrix4d at = stage_.world_matrix(prim, t); at != world)
                    out["worldTransformAt"][fmt::format("{}", t).find_first_of(".e") == std::string::npos
                                                ? fmt::format("{}.0", t)
                                                : fmt::format("{}", t)] = rows(at);
        }
        if (prim.is_a(kGprim)) {
            if (const Prim material = stage_.bound_material(prim, {})) out["boundMaterial"] = material.path().text();
            if (const Prim material = stage_.bound_material(prim, "physics"))
                out["boundPhysicsMaterial"] = material.path().text();
        }
    }

    const Stage&        stage_;
    const Stage::Impl&  impl_;
    std::size_t         limit_;
    std::vector<double> times_;
    Json                fallbacks_ = Json::object();
};

}  // namespace

std::string dump_stage(const Stage& stage, std::size_t limit)
{ return Dump(stage, limit).all().dump(1, ' ', true, Json::error_handler_t::replace) + "\n"; }

}  // namespace mechane::usd

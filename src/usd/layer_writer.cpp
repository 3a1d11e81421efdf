// A writer of new layers for code that makes stages from scratch (export, recordings, samples): prims, schemas,
// attributes and samples without OpenUSD's types.
// Quantities are written as given; units are said with set_meters_per_unit and its like.
// A path that cannot hold what is asked leaves the layer as it is.

#include <fmt/format.h>
#include <pxr/gf/matrix4d.h>
#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/quath.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/changeBlock.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/relationshipSpec.h>
#include <pxr/sdf/schema.h>

#include "mechane/files/inputs.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/edit.h"
#include "mechane/usd/file_names.h"
#include "usd/export.h"
#include "usd/handles.h"
#include "usd/layer_impl.h"
#include "usd/runtime.h"
#include "usd/stage_impl.h"
#include "usd/text_writer.h"

namespace mechane::usd {
namespace {

using namespace pxr;

VtValue vec3_value(std::string_view type, const Vec3d& v)
{
    const GfVec3d d(v.x, v.y, v.z);
    // The type of the attribute says the precision, not the caller's numbers.
    const bool wide = type.ends_with("3d") || type == "double3";
    return wide ? VtValue(d) : VtValue(GfVec3f(d));
}

VtValue quat_value(std::string_view type, const Quatd& q)
{
    const GfQuatd d(q.w, q.x, q.y, q.z);
    // GfQuat takes the real part first.
    return type == "quatd" ? VtValue(d) : VtValue(GfQuatf(d));
}

VtValue matrix_value(const Matrix4d& m)
{
    GfMatrix4d out;
    // GfMatrix has rows as ours: translation in the last row.
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) out[r][c] = m(r, c);
    return VtValue(out);
}

}  // namespace

struct LayerWriter::Impl {
    SdfLayerRefPtr layer;

    // Ancestors are made as overs by the library where they are missing.
    SdfPrimSpecHandle prim(const SdfPath& path)
    {
        if (SdfPrimSpecHandle found = layer->GetPrimAtPath(path)) return found;
        return SdfCreatePrimInLayer(layer, path);
    }
    SdfAttributeSpecHandle attribute(const Path& property, std::string_view type, bool uniform = false,
                                     bool custom = false)
    {
        const SdfPath& path = unwrap(property);
        if (SdfAttributeSpecHandle found = layer->GetAttributeAtPath(path)) return found;
        // A property of what is no prim cannot be made.
        const SdfPrimSpecHandle owner = path.IsPrimPropertyPath() ? prim(path.GetPrimPath()) : SdfPrimSpecHandle();
        if (!owner) return {};
        return SdfAttributeSpec::New(owner, path.GetName(), SdfSchema::GetInstance().FindType(std::string(type)),
                                     uniform ? SdfVariabilityUniform : SdfVariabilityVarying, custom);
    }
    void set(const Path& property, std::string_view type, VtValue value, bool uniform = false, bool custom = false)
    {
        if (const auto spec = attribute(property, type, uniform, custom)) spec->SetDefaultValue(value);
    }
    void sample(const Path& property, std::string_view type, double time, const VtValue& value)
    {
        if (attribute(property, type)) layer->SetTimeSample(unwrap(property), time, value);
    }
};

LayerWriter::LayerWriter() : impl_(std::make_unique<Impl>())
{
    prepare_runtime();
    impl_->layer = SdfLayer::CreateAnonymous("written.usda");
}
LayerWriter::~LayerWriter()                                 = default;
LayerWriter::LayerWriter(LayerWriter&&) noexcept            = default;
LayerWriter& LayerWriter::operator=(LayerWriter&&) noexcept = default;

void LayerWriter::set_sublayers(const std::vector<std::string>& paths) { impl_->layer->SetSubLayerPaths(paths); }
// Samples belong to the layer, not to the spec.
void LayerWriter::set_default_prim(const Token& name) { impl_->layer->SetDefaultPrim(unwrap(name)); }
void LayerWriter::set_up_axis(char axis)
{ impl_->layer->SetField(SdfPath::AbsoluteRootPath(), TfToken("upAxis"), VtValue(TfToken(std::string(1, axis)))); }
void LayerWriter::set_meters_per_unit(double value)
{ impl_->layer->SetField(SdfPath::AbsoluteRootPath(), TfToken("metersPerUnit"), VtValue(value)); }
void LayerWriter::set_kilograms_per_unit(double value)
{ impl_->layer->SetField(SdfPath::AbsoluteRootPath(), TfToken("kilogramsPerUnit"), VtValue(value)); }
void LayerWriter::take_choices(const Stage& stage)
{
    VtDictionary          variables = stage.impl().root->GetExpressionVariables();
    const SdfLayerRefPtr& session   = stage.impl().session;
    if (session) {
        variables = VtDictionaryOver(session->GetExpressionVariables(), variables);
        session->Traverse(SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
            SdfVariantSelectionMap selected;
            if (path.IsPrimPath() && session->HasField(path, SdfFieldKeys->VariantSelection, &selected))
                if (SdfCreatePrimInLayer(impl_->layer, path))
                    impl_->layer->SetField(path, SdfFieldKeys->VariantSelection, VtValue(selected));
        });
    }
    if (!variables.empty()) impl_->layer->SetExpressionVariables(variables);
}
void LayerWriter::set_time_range(double start, double end, double time_codes_per_second)
{
    impl_->layer->SetStartTimeCode(start);
    impl_->layer->SetEndTimeCode(end);
    impl_->layer->SetTimeCodesPerSecond(time_codes_per_second);
}

void LayerWriter::define_prim(const Path& path, const Token& type, bool over)
{
    const SdfPrimSpecHandle spec = impl_->prim(unwrap(path));
    if (!spec) return;
    spec->SetSpecifier(over ? SdfSpecifierOver : SdfSpecifierDef);
    if (!type.empty()) spec->SetTypeName(type.text());
}

void LayerWriter::apply_api(const Path& path, const Token& schema)
{
    const SdfPrimSpecHandle spec = impl_->prim(unwrap(path));
    if (!spec) return;
    const TfToken  key("apiSchemas");
    SdfTokenListOp op;
    impl_->layer->HasField(unwrap(path), key, &op);
    // Schemas are added once.
    // Prepended, as OpenUSD's own ApplyAPI does: schemas of weaker layers stay applied.
    TfTokenVector items = op.GetPrependedItems();
    if (std::find(items.begin(), items.end(), unwrap(schema)) != items.end()) return;
    items.push_back(unwrap(schema));
    op.SetPrependedItems(items);
    impl_->layer->SetField(unwrap(path), key, VtValue(op));
}

void LayerWriter::set(const Path& property, std::string_view type, const Value& value, bool uniform, bool custom)
{
    if (const VtValue* held = Value::Access::of(value)) impl_->set(property, type, *held, uniform, custom);
}
void LayerWriter::set_double(const Path& property, std::string_view type, double value)
{ impl_->set(property, type, type == "double" ? VtValue(value) : VtValue(static_cast<float>(value))); }
void LayerWriter::set_vec3(const Path& property, std::string_view type, const Vec3d& value)
{ impl_->set(property, type, vec3_value(type, value)); }
void LayerWriter::set_quat(const Path& property, std::string_view type, const Quatd& value)
{ impl_->set(property, type, quat_value(type, value)); }
void LayerWriter::set_tokens(const Path& property, const std::vector<Token>& values, bool uniform)
{
    VtArray<TfToken> tokens;
    for (const Token& value : values) tokens.push_back(unwrap(value));
    impl_->set(property, "token[]", VtValue(tokens), uniform);
}
void LayerWriter::set_vec3_array(const Path& property, std::string_view type, std::optional<double> time,
                                 const std::vector<Vec3d>& values)
{
    VtArray<GfVec3f> array;
    array.reserve(values.size());
    for (const Vec3d& v : values) array.push_back(GfVec3f(GfVec3d(v.x, v.y, v.z)));
    // Without a time the value is the default.
    if (time)
        impl_->sample(property, type, *time, VtValue(array));
    else
        impl_->set(property, type, VtValue(array));
}
void LayerWriter::set_quat_array(const Path& property, std::string_view type, std::optional<double> time,
                                 const std::vector<Quatd>& values)
{
    VtArray<GfQuatf> single;
    VtArray<GfQuath> half;
    for (const Quatd& q : values) {
        const GfQuatd d(q.w, q.x, q.y, q.z);
        if (type == "quath[]")
            half.push_back(GfQuath(d));
        else
            single.push_back(GfQuatf(d));
    }
    const VtValue value = type == "quath[]" ? VtValue(half) : VtValue(single);
    if (time)
        impl_->sample(property, type, *time, value);
    else
        impl_->set(property, type, value);
}
void LayerWriter::set_targets(const Path& relationship, const std::vector<Path>& targets)
{
    const SdfPath&          path  = unwrap(relationship);
    const SdfPrimSpecHandle owner = impl_->prim(path.GetPrimPath());
    if (!owner) return;
    SdfRelationshipSpecHandle spec = impl_->layer->GetRelationshipAtPath(path);
    if (!spec) spec = SdfRelationshipSpec::New(owner, path.GetName(), false);
    SdfPathVector list;
    for (const Path& target : targets) list.push_back(unwrap(target));
    // An explicit list: what weaker layers say does not come through.
    SdfPathListOp op = SdfPathListOp::CreateExplicit(list);
    impl_->layer->SetField(path, TfToken("targetPaths"), VtValue(op));
}

void LayerWriter::set_vec3_sample(const Path& property, std::string_view type, double time, const Vec3d& value)
{ impl_->sample(property, type, time, vec3_value(type, value)); }
void LayerWriter::set_quat_sample(const Path& property, std::string_view type, double time, const Quatd& value)
{ impl_->sample(property, type, time, quat_value(type, value)); }
void LayerWriter::set_matrix_sample(const Path& property, double time, const Matrix4d& value)
{ impl_->sample(property, "matrix4d", time, matrix_value(value)); }

std::string LayerWriter::to_text() const { return text_of(impl_->layer); }

Result<void> LayerWriter::save(const std::string& file) const
{
    const std::string suffix = files::suffix_of(file);
    if (!is_layer_name(file))
        return make_diagnostic(kWriteFailed, {.layer = file}, fmt::format("cannot write the format '{}'", suffix),
                               "Use .usda, .usdc or .usd.");
    // What this run reads is never replaced, and a result replaces a file whole or not at all.
    // A file that is read in this run may be the source of this layer.
    if (auto refused = files::refuse_input(file); !refused) return refused;
    const MessageScope messages;
    return replace_file(
        file, [&](const std::string& temporary) { return export_layer(impl_->layer, temporary, suffix == ".usda"); });
}

}  // namespace mechane::usd

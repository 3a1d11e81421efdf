// Editing properties of a layer: attributes with values, samples, blocks, targets, connections, arcs, variants and
// metadata.
// Values are cast to the type that the attribute has; a value that cannot be cast is refused and nothing changes.

#include <fmt/format.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/relationshipSpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/variantSpec.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>
#include <cmath>

#include "mechane/usd/make_value.h"
#include "usd/layer_impl.h"
#include "usd/value_type.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// The value as `type` holds it; empty when it cannot.
VtValue cast_to(const SdfValueTypeName& type, const VtValue& value)
{
    // Casts are OpenUSD's VtValue casts: between kinds of numbers and arrays of them, token and string.
    if (!type || value.GetTypeid() == type.GetType().GetTypeid()) return value;
    return VtValue::CastToTypeid(value, type.GetType().GetTypeid());
}

/// The type that a layer's attribute has, also an unknown one; invalid where there is no attribute.
SdfValueTypeName type_of(const SdfLayerHandle& layer, const SdfPath& attribute)
{
    if (layer->GetSpecType(attribute) != SdfSpecTypeAttribute) return {};
    const SdfValueTypeName known =
        SdfSchema::GetInstance().FindType(layer->GetFieldAs<TfToken>(attribute, SdfFieldKeys->TypeName));
    return known ? known : layer->GetAttributeAtPath(attribute)->GetTypeName();
}

/// New items go to the end of the prepended list: existing arcs stay stronger.
/// @return false where the list has the item already
template <class ListOp, class Item>
bool prepend(SdfAbstractData& data, const SdfPath& path, const TfToken& key, const Item& item)
{
    const VtValue held    = data.Get(path, key);
    ListOp        op      = held.IsHolding<ListOp>() ? held.UncheckedGet<ListOp>() : ListOp();
    const auto    applied = op.GetAppliedItems();
    if (std::find(applied.begin(), applied.end(), item) != applied.end()) return false;
    auto items = op.IsExplicit() ? op.GetExplicitItems() : op.GetPrependedItems();
    items.push_back(item);
    if (op.IsExplicit())
        op.SetExplicitItems(items);
    else
        op.SetPrependedItems(items);
    data.Set(path, key, VtValue::Take(op));
    return true;
}

/// Takes a field away. The layer counts as edited where it had one.
void erase(Layer::Impl& impl, const SdfPath& path, const TfToken& field)
{
    if (!impl.layer->HasField(path, field)) return;
    impl.layer->EraseField(path, field);
    impl.edited = true;
}

bool is_arc_target(const Path& path) { return path.empty() || unwrap(path).IsPrimPath(); }

}  // namespace

Result<void> Layer::define_attribute(const Path& attribute, std::string_view type, bool uniform, bool custom)
{
    const SdfPath& path = unwrap(attribute);
    if (std::string why = impl_->check_property(path); !why.empty()) return impl_->refused(attribute, std::move(why));
    const SdfValueTypeName wanted = value_type(type);
    if (!wanted) return impl_->refused(attribute, fmt::format("'{}' is not a value type of USD", type));
    const SdfSpecType there = impl_->layer->GetSpecType(path);
    if (there == SdfSpecTypeRelationship) return impl_->refused(attribute, "there is a relationship already");
    const SdfVariability variability = uniform ? SdfVariabilityUniform : SdfVariabilityVarying;
    if (there == SdfSpecTypeUnknown) {
        if (!impl_->ensure(path.GetParentPath())) return impl_->refused(attribute, "the attribute could not be made");
        // What equals the fallback of a field is not stored, as OpenUSD has it.
        static const VtValue kCustom(true), kUniform(SdfVariabilityUniform);
        impl_->add_spec(path, SdfSpecTypeAttribute, SdfChildrenKeys->PropertyChildren);
        SdfAbstractData& data = impl_->storage();
        if (custom) data.Set(path, SdfFieldKeys->Custom, kCustom);
        data.Set(path, SdfFieldKeys->TypeName, VtValue(wanted.GetAsToken()));
        if (uniform) data.Set(path, SdfFieldKeys->Variability, kUniform);
        impl_->edited = true;
        return {};
    }
    // An attribute that changes its type keeps its value if both types hold it in one C++ type (point3f and vector3f);
    // otherwise the value goes, because the layer could not be read again.
    if (const SdfAttributeSpecHandle found = impl_->layer->GetAttributeAtPath(path)) {
        impl_->edited = true;
        if (found->GetTypeName() != wanted) {
            // Types of one value (such as point3f and vector3f) keep it; others cannot.
            const bool same_value = found->GetTypeName().GetType() == wanted.GetType();
            impl_->layer->SetField(path, SdfFieldKeys->TypeName, VtValue(wanted.GetAsToken()));
            if (!same_value) return clear_value(attribute);
        }
        impl_->layer->SetField(path, SdfFieldKeys->Variability, VtValue(variability));
        found->SetCustom(custom);
        return {};
    }
    return impl_->refused(attribute, "the attribute could not be made");
}

Result<void> Layer::set(const Path& attribute, const Value& value)
{
    const VtValue* held = Value::Access::of(value);
    if (held == nullptr) return impl_->refused(attribute, "there is no value to set");
    SdfValueTypeName type = type_of(impl_->layer, unwrap(attribute));
    if (!type) {
        type = SdfSchema::GetInstance().FindType(*held);
        if (!type) return impl_->refused(attribute, "the value has no type of USD");
        if (auto made = define_attribute(attribute, type.GetAsToken().GetString()); !made) return made;
    }
    const VtValue cast = cast_to(type, *held);
    if (cast.IsEmpty())
        return impl_->refused(attribute,
                              fmt::format("a {} cannot become a {}", value.type_name(), type.GetAsToken().GetString()));
    impl_->edited = true;
    impl_->storage().Set(unwrap(attribute), SdfFieldKeys->Default, cast);
    return {};
}

template <class T>
Result<void> Layer::set(const Path& attribute, std::string_view type, const T& value)
{
    const SdfValueTypeName found  = type_of(impl_->layer, unwrap(attribute));
    const std::string      actual = found ? found.GetAsToken().GetString() : std::string(type);
    // Made before the attribute, so that a value that does not fit leaves no empty attribute behind.
    const Value made = make_value(actual, value);
    if (made.empty()) return impl_->refused(attribute, fmt::format("the value cannot become a '{}'", actual));
    if (!found)
        if (auto done = define_attribute(attribute, type); !done) return done;
    return set(attribute, made);
}

template Result<void> Layer::set(const Path&, std::string_view, const bool&);
template Result<void> Layer::set(const Path&, std::string_view, const int&);
template Result<void> Layer::set(const Path&, std::string_view, const std::int64_t&);
template Result<void> Layer::set(const Path&, std::string_view, const double&);
template Result<void> Layer::set(const Path&, std::string_view, const std::string&);
template Result<void> Layer::set(const Path&, std::string_view, const Token&);
template Result<void> Layer::set(const Path&, std::string_view, const AssetPath&);
template Result<void> Layer::set(const Path&, std::string_view, const Vec2d&);
template Result<void> Layer::set(const Path&, std::string_view, const Vec3d&);
template Result<void> Layer::set(const Path&, std::string_view, const std::array<double, 4>&);
template Result<void> Layer::set(const Path&, std::string_view, const Quatd&);
template Result<void> Layer::set(const Path&, std::string_view, const Matrix4d&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<int>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<double>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<std::string>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<Token>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<Vec2d>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<Vec3d>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<Quatd>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<AssetPath>&);
template Result<void> Layer::set(const Path&, std::string_view, const std::vector<Matrix4d>&);

Result<void> Layer::set_sample(const Path& attribute, double time, const Value& value)
{
    const VtValue* held = Value::Access::of(value);
    if (held == nullptr) return impl_->refused(attribute, "there is no value to set");
    if (!std::isfinite(time)) return impl_->refused(attribute, fmt::format("{} is not a time code", time));
    SdfValueTypeName type = type_of(impl_->layer, unwrap(attribute));
    if (!type) {
        type = SdfSchema::GetInstance().FindType(*held);
        if (!type) return impl_->refused(attribute, "the value has no type of USD");
        if (auto made = define_attribute(attribute, type.GetAsToken().GetString()); !made) return made;
    }
    const VtValue cast = cast_to(type, *held);
    if (cast.IsEmpty())
        return impl_->refused(attribute,
                              fmt::format("a {} cannot become a {}", value.type_name(), type.GetAsToken().GetString()));
    impl_->edited = true;
    impl_->layer->SetTimeSample(unwrap(attribute), time, cast);
    return {};
}

Result<void> Layer::block(const Path& attribute)
{
    const SdfAttributeSpecHandle spec = impl_->layer->GetAttributeAtPath(unwrap(attribute));
    if (!spec) return impl_->refused(attribute, "there is no attribute to block; define it first");
    // A block is a default without samples: samples of the same layer would be stronger (value resolution asks samples
    // first).
    if (auto done = clear_value(attribute); !done) return done;
    spec->SetDefaultValue(VtValue(SdfValueBlock()));
    impl_->edited = true;
    return {};
}

Result<void> Layer::clear_value(const Path& attribute)
{
    if (kind(attribute) != SpecKind::attribute) return impl_->refused(attribute, "there is no attribute in this layer");
    for (const TfToken& key : {SdfFieldKeys->Default, SdfFieldKeys->TimeSamples, SdfFieldKeys->Spline})
        erase(*impl_, unwrap(attribute), key);
    return {};
}

Result<void> Layer::clear_samples(const Path& attribute)
{
    if (kind(attribute) != SpecKind::attribute) return impl_->refused(attribute, "there is no attribute in this layer");
    erase(*impl_, unwrap(attribute), SdfFieldKeys->TimeSamples);
    return {};
}

Result<void> Layer::set_targets(const Path& relationship, const std::vector<Path>& targets)
{
    const SdfPath& path = unwrap(relationship);
    if (std::string why = impl_->check_property(path); !why.empty())
        return impl_->refused(relationship, std::move(why));
    if (kind(relationship) == SpecKind::attribute) return impl_->refused(relationship, "there is an attribute already");
    for (const Path& target : targets)
        // Targets are paths of the composed stage.
        if (target.empty() || !unwrap(target).IsAbsolutePath() || unwrap(target).ContainsPrimVariantSelection())
            return impl_->refused(relationship, fmt::format("'{}' cannot be a target", target.text()));
    if (impl_->layer->GetSpecType(path) == SdfSpecTypeUnknown && impl_->ensure(path.GetParentPath())) {
        static const VtValue kUniform(SdfVariabilityUniform);
        impl_->add_spec(path, SdfSpecTypeRelationship, SdfChildrenKeys->PropertyChildren);
        impl_->storage().Set(path, SdfFieldKeys->Variability, kUniform);
    }
    SdfPathVector list;
    for (const Path& target : targets) list.push_back(unwrap(target));
    if (!impl_->storage().Has(path, SdfFieldKeys->TargetPaths)) {
        if (impl_->layer->GetSpecType(path) != SdfSpecTypeRelationship)
            return impl_->refused(relationship, "the relationship could not be made");
        impl_->edited = true;
        impl_->storage().Set(path, SdfFieldKeys->TargetPaths, VtValue(SdfPathListOp::CreateExplicit(list)));
        return {};
    }
    impl_->edited                         = true;
    const SdfRelationshipSpecHandle spec  = impl_->layer->GetRelationshipAtPath(path);
    SdfTargetsProxy                 proxy = spec->GetTargetPathList();
    // Explicit, so that targets of weaker layers do not join in.
    proxy.ClearEditsAndMakeExplicit();
    proxy.GetExplicitItems() = list;
    return {};
}

Result<void> Layer::set_connections(const Path& attribute, const std::vector<Path>& sources)
{
    const SdfAttributeSpecHandle spec = impl_->layer->GetAttributeAtPath(unwrap(attribute));
    if (!spec) return impl_->refused(attribute, "there is no attribute to connect; define it first");
    SdfPathVector list;
    for (const Path& source : sources) {
        if (source.empty() || !unwrap(source).IsAbsolutePath() || unwrap(source).ContainsPrimVariantSelection())
            return impl_->refused(attribute, fmt::format("'{}' cannot be a connection", source.text()));
        list.push_back(unwrap(source));
    }
    impl_->edited = true;
    if (!impl_->storage().Has(unwrap(attribute), SdfFieldKeys->ConnectionPaths)) {
        impl_->storage().Set(unwrap(attribute), SdfFieldKeys->ConnectionPaths,
                             VtValue(SdfPathListOp::CreateExplicit(list)));
        return {};
    }
    SdfConnectionsProxy proxy = spec->GetConnectionPathList();
    proxy.ClearEditsAndMakeExplicit();
    proxy.GetExplicitItems() = list;
    return {};
}

Result<void> Layer::add_reference(const Path& prim, const Arc& arc)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (!is_arc_target(arc.prim)) return impl_->refused(prim, fmt::format("'{}' is not a prim", arc.prim.text()));
    if (!impl_->ensure(unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited |=
        prepend<SdfReferenceListOp>(impl_->storage(), unwrap(prim), SdfFieldKeys->References,
                                    SdfReference(arc.asset, unwrap(arc.prim), SdfLayerOffset(arc.offset, arc.scale)));
    return {};
}

Result<void> Layer::add_payload(const Path& prim, const Arc& arc)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (!is_arc_target(arc.prim)) return impl_->refused(prim, fmt::format("'{}' is not a prim", arc.prim.text()));
    if (!impl_->ensure(unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited |=
        prepend<SdfPayloadListOp>(impl_->storage(), unwrap(prim), SdfFieldKeys->Payload,
                                  SdfPayload(arc.asset, unwrap(arc.prim), SdfLayerOffset(arc.offset, arc.scale)));
    return {};
}

Result<void> Layer::add_inherit(const Path& prim, const Path& class_prim)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (class_prim.empty() || !unwrap(class_prim).IsPrimPath() || unwrap(class_prim).ContainsPrimVariantSelection())
        return impl_->refused(prim, fmt::format("'{}' cannot be inherited from", class_prim.text()));
    if (!impl_->ensure(unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited |=
        prepend<SdfPathListOp>(impl_->storage(), unwrap(prim), SdfFieldKeys->InheritPaths, unwrap(class_prim));
    return {};
}

Result<void> Layer::clear_references(const Path& prim) { return clear_field(prim, wrap(SdfFieldKeys->References)); }
Result<void> Layer::clear_payloads(const Path& prim) { return clear_field(prim, wrap(SdfFieldKeys->Payload)); }

Result<void> Layer::add_variant(const Path& prim, const std::string& set, const std::string& name)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (!SdfSchema::IsValidVariantIdentifier(name) || !SdfPath::IsValidIdentifier(set))
        return impl_->refused(prim, fmt::format("'{}' and '{}' cannot name a variant set and a variant", set, name));
    if (!impl_->ensure_prim(unwrap(prim).AppendVariantSelection(set, name)))
        return impl_->refused(prim, "the variant could not be made");
    impl_->edited = true;
    return {};
}

Result<void> Layer::select_variant(const Path& prim, const std::string& set, const std::string& name)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (!SdfSchema::IsValidVariantSelection(name) || !SdfPath::IsValidIdentifier(set))
        return impl_->refused(prim, fmt::format("'{}' cannot be selected of a variant set '{}'", name, set));
    const SdfPrimSpecHandle spec = impl_->ensure_prim(unwrap(prim));
    if (!spec) return impl_->refused(prim, "the prim could not be made");
    impl_->edited = true;
    spec->SetVariantSelection(set, name);
    return {};
}

Result<void> Layer::set_sublayers(const std::vector<std::string>& files)
{
    impl_->edited = true;
    impl_->layer->SetSubLayerPaths(files);
    return {};
}

Result<void> Layer::set_field(const Path& path, const Token& key, const Value& value)
{
    const VtValue* held = Value::Access::of(value);
    if (held == nullptr) return clear_field(path, key);
    const std::size_t colon = key.text().find(':');
    const TfToken     field(key.text().substr(0, colon));
    // Fields of children (primChildren, properties, variantSetChildren) are the layer's structure; they change by edits
    // of specs only.
    if (field.IsEmpty() || SdfSchema::GetInstance().HoldsChildren(field))
        return impl_->refused(path, fmt::format("'{}' cannot be set", key.text()));
    VtValue whole = *held;
    // "customData:a:b" names an entry of a dictionary; the others stay.
    if (colon != std::string::npos) {
        const VtValue before = impl_->layer->GetField(unwrap(path), field);
        if (!before.IsEmpty() && !before.IsHolding<VtDictionary>())
            return impl_->refused(path, fmt::format("'{}' is not a dictionary", field.GetString()));
        VtDictionary entries = before.IsEmpty() ? VtDictionary() : before.UncheckedGet<VtDictionary>();
        entries.SetValueAtPath(key.text().substr(colon + 1), whole);
        whole = VtValue(entries);
        // Known fields have a type that readers rely on; the schema's fallback is an example of it.
    } else if (const VtValue& usual = SdfSchema::GetInstance().GetFallback(field); !usual.IsEmpty()) {
        whole = VtValue::CastToTypeOf(whole, usual);
        if (whole.IsEmpty())
            return impl_->refused(
                path, fmt::format("'{}' is a {}, not a {}", key.text(), usual.GetTypeName(), value.type_name()));
    }
    if (!path.is_root() && !path.is_property()) {
        if (std::string why = impl_->check_prim(unwrap(path)); !why.empty())
            return impl_->refused(path, std::move(why));
        if (!impl_->ensure(unwrap(path))) return impl_->refused(path, "the prim could not be made");
    } else if (path.empty() || !impl_->layer->HasSpec(unwrap(path))) {
        return impl_->refused(path, "there is no such property; define it first");
    }
    impl_->edited = true;
    impl_->storage().Set(unwrap(path), field, whole);
    return {};
}

Result<void> Layer::clear_field(const Path& path, const Token& key)
{
    const std::size_t colon = key.text().find(':');
    const TfToken     field(key.text().substr(0, colon));
    if (field.IsEmpty() || SdfSchema::GetInstance().HoldsChildren(field))
        return impl_->refused(path, fmt::format("'{}' cannot be cleared", key.text()));
    if (path.empty() || !impl_->layer->HasField(unwrap(path), field)) return {};
    if (colon == std::string::npos) {
        erase(*impl_, unwrap(path), field);
        return {};
    }
    VtDictionary      entries = impl_->layer->GetFieldAs<VtDictionary>(unwrap(path), field);
    const std::string entry   = key.text().substr(colon + 1);
    if (entries.GetValueAtPath(entry) == nullptr) return {};  // the layer stays as it was read
    impl_->edited = true;
    entries.EraseValueAtPath(entry);
    // A dictionary without entries would be an opinion that hides nothing and prints as noise.
    if (entries.empty())
        impl_->layer->EraseField(unwrap(path), field);
    else
        impl_->layer->SetField(unwrap(path), field, VtValue(entries));
    return {};
}

}  // namespace mechane::usd

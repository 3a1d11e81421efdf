// Prims, attributes and relationships as handles: an index into the stage's array and a name.
// Questions go to the schema's definition first, as in OpenUSD: what it declares, layers cannot redeclare.

#include <algorithm>

#include <pxr/sdf/listOp.h>
#include <pxr/sdf/schema.h>
#include <pxr/tf/stringUtils.h>

#include "usd/animated.h"
#include "usd/targets.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kPropertyOrder("propertyOrder");

const PrimRecord& record(const Prim& prim) { return prim.stage().impl().record(prim); }

/// Case-insensitive first, numbers inside names by value: a2 < a10 < B.
bool dictionary_less(const TfToken& a, const TfToken& b)
{ return TfDictionaryLessThan()(a.GetString(), b.GetString()); }

/// In no particular order; twice where two layers have the property.
TfTokenVector authored_names(const PrimRecord& prim)
{
    TfTokenVector names;
    // A prim with opinions in one layer has its names at hand; otherwise every site is asked, strongest first.
    if (prim.layer != PrimRecord::kSeveral) {
        if (prim.property_names.IsHolding<TfTokenVector>()) names = prim.property_names.UncheckedGet<TfTokenVector>();
        return names;
    }
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const VtValue children = layer->GetField(at.path, SdfChildrenKeys->PropertyChildren);
        if (!children.IsHolding<TfTokenVector>()) return false;
        const auto& here = children.UncheckedGet<TfTokenVector>();
        names.insert(names.end(), here.begin(), here.end());
        return false;
    });
    return names;
}

std::vector<Token> to_tokens(const Stage::Impl& stage, const PrimRecord& prim, TfTokenVector names)
{
    // OpenUSD sorts properties so (TfDictionaryLessThan) and then applies the composed propertyOrder.
    std::sort(names.begin(), names.end(), dictionary_less);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (const VtValue order = compose_metadata(stage, prim, TfToken(), kPropertyOrder);
        order.IsHolding<TfTokenVector>())
        SdfApplyListOrdering(&names, order.UncheckedGet<TfTokenVector>());
    std::vector<Token> out;
    out.reserve(names.size());
    for (const TfToken& name : names) out.push_back(wrap(name));
    return out;
}

/// The strongest spec of a property, of either kind.
SdfSpecType spec_type(const PrimRecord& prim, const TfToken& name)
{
    SdfSpecType type = SdfSpecTypeUnknown;
    if (!may_have_opinions(prim, name)) return type;
    if (const LoneOpinions* lone = lone_opinions(prim)) {
        if (const LoneProperty* said = lone->find(name)) type = said->type;
    } else {
        for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
            type = layer->GetSpecType(at.path.AppendProperty(name));
            return type != SdfSpecTypeUnknown;
        });
    }
    return type;
}

/// True if nothing built in has the name and any opinion says custom.
bool is_custom(const PrimRecord& prim, const TfToken& name)
{
    bool custom = false;
    if (!may_have_opinions(prim, name) || prim.definition->properties.contains(name)) return false;
    if (const LoneOpinions* lone = lone_opinions(prim)) {
        const LoneProperty* said = lone->find(name);
        return said != nullptr && said->any(LoneProperty::custom);
    }
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        return layer->HasField(at.path.AppendProperty(name), TfToken("custom"), &custom) && custom;
    });
    return custom;
}

bool visited(const PrimRecord& prim, const Traverse& how)
{
    if (!how.instance_proxies && (prim.flags & prim_flag::proxy) != 0) return false;
    if (how.all) return true;
    constexpr std::uint8_t wanted = prim_flag::active | prim_flag::defined | prim_flag::loaded;
    return (prim.flags & wanted) == wanted && (prim.flags & prim_flag::abstract) == 0;
}

}  // namespace

const Stage& Prim::stage() const
{
    MCH_REQUIRE(stage_ != nullptr, "Prim::stage", "this", "a prim of a stage");
    return *stage_;
}

namespace {
const Path kNoPath;
}

const Path& Prim::path() const { return stage_ == nullptr ? kNoPath : record(*this).path; }
Token       Prim::name() const { return path().name(); }
Token       Prim::type_name() const { return stage_ == nullptr ? Token() : wrap(record(*this).type_name); }
Specifier   Prim::specifier() const { return stage_ == nullptr ? Specifier::over : record(*this).specifier; }
bool        Prim::active() const { return stage_ != nullptr && (record(*this).flags & prim_flag::active) != 0; }
bool        Prim::defined() const { return stage_ != nullptr && (record(*this).flags & prim_flag::defined) != 0; }
bool        Prim::abstract() const { return stage_ != nullptr && (record(*this).flags & prim_flag::abstract) != 0; }
bool        Prim::loaded() const { return stage_ != nullptr && (record(*this).flags & prim_flag::loaded) != 0; }
bool        Prim::is_instance() const { return stage_ != nullptr && (record(*this).flags & prim_flag::instance) != 0; }
bool Prim::is_instance_proxy() const { return stage_ != nullptr && (record(*this).flags & prim_flag::proxy) != 0; }
Prim Prim::parent() const { return stage_ == nullptr || index_ == 0 ? Prim() : Prim(stage_, record(*this).parent); }

std::vector<Prim> Prim::children(Traverse how) const
{
    std::vector<Prim> out;
    if (stage_ == nullptr) return out;
    const auto& prims = stage_->impl().prims;
    for (std::uint32_t i = index_ + 1; i < prims[index_].subtree_end; i = prims[i].subtree_end)
        if (visited(prims[i], how)) out.push_back(Prim(stage_, i));
    return out;
}

std::vector<Prim> Prim::subtree(Traverse how) const
{
    std::vector<Prim> out;
    if (stage_ == nullptr) return out;
    const auto& prims = stage_->impl().prims;
    // Prims are stored depth first, so a subtree is a range of indices and "past what is below" is one step.
    for (std::uint32_t i = index_; i < prims[index_].subtree_end;) {
        if (visited(prims[i], how)) {
            out.push_back(Prim(stage_, i));
            ++i;
        } else {
            i = how.all ? i + 1 : prims[i].subtree_end;  // what hides a prim hides everything below it
        }
    }
    return out;
}

bool Prim::is_a(const Token& schema) const
{
    if (stage_ == nullptr) return false;
    const auto& registry = SchemaRegistry::instance();
    const auto& type     = record(*this).definition->type;
    // A prim that names an abstract type has no type, as in OpenUSD.
    if (const auto* own = registry.find(type); own == nullptr || !own->concrete) return false;
    if (registry.is_a(type, unwrap(schema))) return true;
    // Schemas are known by the names that files use ("Xform") and by those of OpenUSD's C++ classes ("UsdGeomXform").
    return registry.is_a(type, TfToken("UsdGeom" + schema.text())) ||
           registry.is_a(type, TfToken("Usd" + schema.text())) ||
           registry.is_a(type, TfToken("UsdShade" + schema.text()));
}

bool Prim::has_api(const Token& schema) const
{
    if (stage_ == nullptr) return false;
    const TfToken&    wanted = unwrap(schema);
    const std::string prefix = wanted.GetString() + ":";
    const auto&       all    = record(*this).definition->applied;
    // A multiple-apply schema counts as applied if any instance of it is ("PhysicsLimitAPI:rotX").
    return std::any_of(all.begin(), all.end(),
                       [&](const TfToken& name) { return name == wanted || name.GetString().starts_with(prefix); });
}

std::vector<Token> Prim::applied_apis() const
{
    std::vector<Token> out;
    if (stage_ != nullptr)
        for (const TfToken& name : record(*this).definition->applied) out.push_back(wrap(name));
    return out;
}

std::vector<Token> Prim::authored_apis() const
{
    std::vector<Token> out;
    if (stage_ != nullptr)
        for (const TfToken& name : record(*this).authored_apis) out.push_back(wrap(name));
    return out;
}

std::vector<Token> Prim::api_instances(const Token& multiple_apply_schema) const
{
    std::vector<Token> out;
    if (stage_ == nullptr) return out;
    const std::string prefix = multiple_apply_schema.text() + ":";
    for (const TfToken& name : record(*this).definition->applied)
        if (name.GetString().starts_with(prefix)) out.push_back(Token(name.GetString().substr(prefix.size())));
    return out;
}

Attribute    Prim::attribute(const Token& name) const { return Attribute(*this, name); }
Relationship Prim::relationship(const Token& name) const { return Relationship(*this, name); }

std::vector<Token> Prim::property_names() const
{
    if (stage_ == nullptr) return {};
    TfTokenVector names = authored_names(record(*this));
    for (const auto& [name, definition] : record(*this).definition->properties) names.push_back(name);
    return to_tokens(stage_->impl(), record(*this), std::move(names));
}

std::vector<Token> Prim::authored_property_names() const
{
    return stage_ == nullptr ? std::vector<Token>()
                             : to_tokens(stage_->impl(), record(*this), authored_names(record(*this)));
}

std::vector<Token> Prim::unordered_property_names() const
{
    std::vector<Token> out;
    if (stage_ == nullptr) return out;
    const PrimRecord&    prim    = record(*this);
    const bool           at_hand = prim.property_names.IsHolding<TfTokenVector>();
    const TfTokenVector  several = at_hand ? TfTokenVector() : authored_names(prim);
    const TfTokenVector& names   = at_hand ? prim.property_names.UncheckedGet<TfTokenVector>() : several;
    out.reserve(names.size());
    for (const TfToken& name : names) out.push_back(wrap(name));
    return out;
}

const void* Prim::definition_key() const noexcept
{ return stage_ == nullptr ? nullptr : record(*this).definition.get(); }

Value Prim::metadata(const Token& key) const
{ return stage_ == nullptr ? Value() : wrap(compose_metadata(stage_->impl(), record(*this), TfToken(), unwrap(key))); }

Site Prim::site() const { return stage_ == nullptr ? Site() : site_of(stage_->impl(), record(*this), TfToken()); }

Attribute::operator bool() const
{
    if (!prim_) return false;
    const auto found = record(prim_).definition->properties.find(unwrap(name_));
    // A built-in property is what its schema says, whatever specs call it.
    if (found != record(prim_).definition->properties.end()) return !found->second.is_relationship;
    return spec_type(record(prim_), unwrap(name_)) == SdfSpecTypeAttribute;
}

Path Attribute::path() const { return prim_.path().property(name_); }

std::string Attribute::type_name() const
{
    if (!prim_) return {};
    const auto found = record(prim_).definition->properties.find(unwrap(name_));
    if (found != record(prim_).definition->properties.end() && found->second.type)
        return found->second.type.GetAsToken().GetString();
    return wrap(compose_metadata(prim_.stage().impl(), record(prim_), unwrap(name_), TfToken("typeName")))
        .get<std::string>()
        .value_or("");
}

std::string Attribute::other_type() const
{
    if (!prim_) return {};
    const auto declared = record(prim_).definition->properties.find(unwrap(name_));
    if (declared == record(prim_).definition->properties.end() || !declared->second.type ||
        !may_have_opinions(record(prim_), unwrap(name_)))
        return {};
    std::string other;
    for_each_site(record(prim_), [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const SdfPath path = at.path.AppendProperty(unwrap(name_));
        if (!layer->HasField(path, SdfFieldKeys->Default) && !layer->HasField(path, SdfFieldKeys->TimeSamples))
            return false;
        TfToken name;
        layer->HasField(path, SdfFieldKeys->TypeName, &name);
        const SdfValueTypeName type = SdfSchema::GetInstance().FindType(name);
        if (type && type.GetType() != declared->second.type.GetType()) other = name.GetString();
        return true;
    });
    return other;
}

bool Attribute::uniform() const
{
    if (!prim_) return false;
    const auto found = record(prim_).definition->properties.find(unwrap(name_));
    if (found != record(prim_).definition->properties.end()) return found->second.uniform;
    // Sites come from strong to weak, so the last one that is seen stays.
    bool uniform = false;  // the weakest opinion wins
    if (may_have_opinions(record(prim_), unwrap(name_)))
        for_each_site(record(prim_), [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
            const SdfPath path = at.path.AppendProperty(unwrap(name_));
            if (layer->HasSpec(path)) {
                SdfVariability v = SdfVariabilityVarying;
                layer->HasField(path, TfToken("variability"), &v);
                uniform = v == SdfVariabilityUniform;
            }
            return false;
        });
    return uniform;
}

bool Attribute::custom() const { return prim_ && is_custom(record(prim_), unwrap(name_)); }

bool Attribute::authored() const
{
    if (!prim_) return false;
    if (resolve_value(prim_.stage().impl(), record(prim_), unwrap(name_), {}, false).authored) return true;
    return is_animated(prim_.stage().impl(), record(prim_), unwrap(name_));
}

bool Attribute::blocked() const
{ return prim_ && resolve_value(prim_.stage().impl(), record(prim_), unwrap(name_), {}, false).blocked; }

std::vector<double> Attribute::time_samples() const
{ return prim_ ? sample_times(prim_.stage().impl(), record(prim_), unwrap(name_)) : std::vector<double>(); }

bool Attribute::varying() const
{
    if (time_samples().size() > 1) return true;
    if (!prim_) return false;
    const Stage::Impl& impl = prim_.stage().impl();
    return resolve_value(impl, record(prim_), unwrap(name_), impl.metadata.start_time_code, false).source ==
           ValueSource::spline;
}

Value Attribute::authored_value(TimeCode time) const
{ return prim_ ? wrap(resolve_value(prim_.stage().impl(), record(prim_), unwrap(name_), time, false).value) : Value(); }

Value Attribute::value(TimeCode time) const
{
    if (!prim_) return {};
    Resolved found = resolve_value(prim_.stage().impl(), record(prim_), unwrap(name_), time, true);
    // A block hides the schema's fallback as well.
    return found.blocked ? Value() : wrap(std::move(found.value));
}

std::vector<Path> Attribute::connections() const
{ return prim_ ? compose_targets(prim_.stage().impl(), record(prim_), unwrap(name_), true) : std::vector<Path>(); }
Value Attribute::metadata(const Token& key) const
{
    if (!prim_) return {};
    VtValue value = compose_metadata(prim_.stage().impl(), record(prim_), unwrap(name_), unwrap(key));
    if (value.IsEmpty())
        // Then what the schema says, and what the schema under it says.
        if (const auto found = record(prim_).definition->properties.find(unwrap(name_));
            found != record(prim_).definition->properties.end() && found->second.spec)
            for (const auto& spec : {found->second.spec, found->second.weaker})
                if (value.IsEmpty() && spec) value = spec->GetField(unwrap(key));
    return wrap(std::move(value));
}
Site Attribute::site() const { return prim_ ? site_of(prim_.stage().impl(), record(prim_), unwrap(name_)) : Site(); }

Relationship::operator bool() const
{
    if (!prim_) return false;
    const auto found = record(prim_).definition->properties.find(unwrap(name_));
    if (found != record(prim_).definition->properties.end()) return found->second.is_relationship;
    return spec_type(record(prim_), unwrap(name_)) == SdfSpecTypeRelationship;
}
Path Relationship::path() const { return prim_.path().property(name_); }
bool Relationship::authored() const
{ return prim_ && spec_type(record(prim_), unwrap(name_)) == SdfSpecTypeRelationship; }
bool              Relationship::custom() const { return prim_ && is_custom(record(prim_), unwrap(name_)); }
std::vector<Path> Relationship::targets() const
{ return prim_ ? compose_targets(prim_.stage().impl(), record(prim_), unwrap(name_), false) : std::vector<Path>(); }
std::vector<Path> Relationship::forwarded() const
{ return prim_ ? forward_targets(prim_.stage(), path()) : std::vector<Path>(); }
Value Relationship::metadata(const Token& key) const
{ return prim_ ? wrap(compose_metadata(prim_.stage().impl(), record(prim_), unwrap(name_), unwrap(key))) : Value(); }
Site Relationship::site() const { return prim_ ? site_of(prim_.stage().impl(), record(prim_), unwrap(name_)) : Site(); }

}  // namespace mechane::usd

// All schemas that the program knows, its own and users', and the definition of a prim: type and applied schemas to
// properties with fallbacks.
// The composition of definitions follows UsdPrimDefinition: the type first, then built-in, applied and auto-applied
// schemas; what is there already is stronger.
// Definitions are made once and shared between prims.
//
// row      a schema as the table has it: identifier, type, kind, bases, its class as text of usda
// family   the name of a schema without its version
// usable   OpenUSD's own schemas only, where the caller asks for that
//
// Answers do not depend on the order of files or builds: rules go by name, definitions by the order of what is
// applied.

#include "usd/schema_registry.h"

#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/relationshipSpec.h>

#include <algorithm>
#include <sstream>

namespace mechane::usd {
namespace {

using namespace pxr;

constexpr std::string_view kInstanceName = "__INSTANCE_NAME__";

std::vector<std::string> words(const char* text)
{
    std::istringstream       stream{std::string(text)};
    std::vector<std::string> out;
    for (std::string word; stream >> word;) out.push_back(word);
    return out;
}

// Multiple-apply schemas have the place of the instance in the names of their properties.
std::string replaced(std::string name, const std::string& instance)
{
    const std::size_t at = name.find(kInstanceName);
    if (at != std::string::npos) name.replace(at, kInstanceName.size(), instance);
    return name;
}

/// The properties of a schema class that override those of its built-in APIs.
TfTokenVector overriding_names(const SdfPrimSpecHandle& schema)
{
    const VtValue names = schema->GetCustomData()["apiSchemaOverridePropertyNames"];
    if (!names.IsHolding<VtArray<TfToken>>()) return {};
    const auto& list = names.UncheckedGet<VtArray<TfToken>>();
    return {list.begin(), list.end()};
}

/// "Name_2" is the second version of the family "Name"; a number with leading zeros is part of the name.
std::string_view family(std::string_view identifier)
{
    const std::size_t bar = identifier.rfind('_');
    // Without a number behind the bar there is no version.
    if (bar == std::string_view::npos || bar == 0 || bar + 1 == identifier.size() || identifier[bar + 1] == '0')
        return identifier;
    const std::string_view digits = identifier.substr(bar + 1);
    return digits.find_first_not_of("0123456789") == std::string_view::npos ? identifier.substr(0, bar) : identifier;
}

bool is_openusd(const char* module)
{
    const std::string_view name = module;
    // usdGeom, usdPhysics and the like: a capital follows "usd". Others may begin so by chance.
    return name == "usd" || (name.starts_with("usd") && name.size() > 3 && name[3] >= 'A' && name[3] <= 'Z');
}

}  // namespace

SchemaRegistry& SchemaRegistry::instance()
{
    static SchemaRegistry registry;
    return registry;
}

// Rows of the program first, then users': the first of two equal names stays.
SchemaRegistry::SchemaRegistry()
{
    schemas_.reserve(kSchemaRowCount);
    for (std::size_t i = 0; i < kSchemaRowCount; ++i) add_row(kSchemaRows[i], {}, is_openusd(kSchemaRows[i].module));
    const auto known_type = [&](const std::string& type) { return by_type_.contains(type); };
    const auto known_name = [&](const std::string& name) { return by_identifier_.contains(TfToken(name)); };
    user_                 = sound_user_schemas({known_type, known_name}, findings_);
    // Who names plug-ins wants them, also where other vendors' schemas are left out.
    for (const UserSchema& schema : user_.schemas) add_row(schema.row(), schema.layer, true);
    // The program has a copy of some schemas that a plug-in brings too.
    for (const std::string& identifier : user_.bundled) schemas_[by_identifier_.at(TfToken(identifier))].openusd = true;
    link_bases();
    link_auto_apply();
}

void SchemaRegistry::add_row(const SchemaRow& row, SdfLayerRefPtr layer, bool openusd)
{
    const std::string_view kind = row.kind;
    by_identifier_.emplace(TfToken(row.identifier), schemas_.size());
    by_type_.emplace(row.type, schemas_.size());
    layers_.push_back(std::move(layer));
    schemas_.push_back({row,
                        {},
                        kind == "singleApplyAPI" || kind == "multipleApplyAPI",
                        kind == "multipleApplyAPI",
                        kind == "concreteTyped",
                        openusd});
}

void SchemaRegistry::link_bases()
{
    for (Schema& schema : schemas_)
        for (const std::string& base : words(schema.row.bases))
            // A base that nobody defines has been dropped with a finding before.
            if (const auto found = by_type_.find(base); found != by_type_.end()) schema.bases.push_back(found->second);
}

void SchemaRegistry::link_auto_apply()
{
    // By name: auto-apply goes in an order that no build or file system decides.
    std::map<std::string_view, std::pair<std::size_t, std::vector<std::size_t>>> by_name;
    const auto add = [&](std::size_t api, const char* types) {
        const std::vector<std::size_t> more = named(types);
        if (more.empty() || !schemas_[api].api) return;
        auto& [schema, all] = by_name[schemas_[api].row.identifier];
        schema              = api;
        all.insert(all.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < schemas_.size(); ++i) add(i, schemas_[i].row.auto_apply);
    for (const AutoApply& rule : user_.auto_apply)
        for (const std::size_t api : named(rule.api.c_str())) add(api, rule.types.c_str());
    for (auto& [name, rule] : by_name) auto_apply_.push_back(std::move(rule));
}

std::vector<std::size_t> SchemaRegistry::named(const char* names) const
{
    std::vector<std::size_t> out;
    for (const std::string& name : words(names)) {
        // Both are in use: "UsdGeomGprim" and "Gprim".
        if (const auto type = by_type_.find(name); type != by_type_.end())
            out.push_back(type->second);
        else if (const auto id = by_identifier_.find(TfToken(name)); id != by_identifier_.end())
            out.push_back(id->second);
    }
    return out;
}

const SchemaRegistry::Schema* SchemaRegistry::find(const TfToken& identifier) const
{
    const auto found = by_identifier_.find(identifier);
    return found == by_identifier_.end() ? nullptr : &schemas_[found->second];
}

bool SchemaRegistry::is_a(const TfToken& identifier, const TfToken& base) const
{
    if (identifier == base) return find(identifier) != nullptr;
    const auto start = by_identifier_.find(identifier);
    const auto goal  = by_identifier_.find(base);
    if (start == by_identifier_.end()) return false;
    // Schemas may have several bases; circles were dropped when they were read.
    std::vector<std::size_t> todo{start->second};
    while (!todo.empty()) {
        const std::size_t at = todo.back();
        todo.pop_back();
        // Bases are also known by type name ("UsdGeomImageable" for the abstract ones that users call "Imageable").
        if ((goal != by_identifier_.end() && at == goal->second) || base == schemas_[at].row.type) return true;
        todo.insert(todo.end(), schemas_[at].bases.begin(), schemas_[at].bases.end());
    }
    return false;
}

SdfPrimSpecHandle SchemaRegistry::class_spec(std::size_t schema)
{
    const SchemaRow& row = schemas_[schema].row;
    // Text is parsed when a schema is asked for the first time: most never are.
    if (!layers_[schema]) {
        if (*row.usda == '\0') return {};
        layers_[schema] = SdfLayer::CreateAnonymous(".usda");
        layers_[schema]->ImportFromString(row.usda);
    }
    return layers_[schema]->GetPrimAtPath(SdfPath::AbsoluteRootPath().AppendChild(TfToken(row.identifier)));
}

void SchemaRegistry::add_schema(std::size_t schema, const std::string& instance, bool openusd_only, Definition& out)
{
    const SdfPrimSpecHandle spec = class_spec(schema);
    if (!spec) return;
    // The class's own properties, unless something stronger has them.
    const TfTokenVector                                 overriding = overriding_names(spec);
    std::vector<std::pair<TfToken, PropertyDefinition>> overrides;
    for (const SdfPropertySpecHandle& property : spec->GetProperties()) {
        const TfToken      name(replaced(property->GetName(), instance));
        PropertyDefinition definition{.spec = property};
        if (const SdfAttributeSpecHandle attribute = TfDynamic_cast<SdfAttributeSpecHandle>(property)) {
            definition.type     = attribute->GetTypeName();
            definition.uniform  = attribute->GetVariability() == SdfVariabilityUniform;
            definition.fallback = attribute->GetDefaultValue();
        } else {
            definition.is_relationship = true;
            definition.uniform         = true;
        }
        if (out.properties.contains(name)) continue;  // what is there already is stronger
        if (std::find(overriding.begin(), overriding.end(), name) != overriding.end())
            overrides.emplace_back(name, std::move(definition));
        else
            out.properties.emplace(name, std::move(definition));
    }
    // Built-in schemas come below the class's own properties.
    SdfTokenListOp apis;
    if (spec->GetLayer()->HasField(spec->GetPath(), TfToken("apiSchemas"), &apis))
        for (const TfToken& api : apis.GetAppliedItems())
            add_api(TfToken(replaced(api.GetString(), instance)), openusd_only, out);
    // An override changes a property that a built-in API brings, and brings none itself.
    for (auto& [name, definition] : overrides) {
        const auto built_in = out.properties.find(name);
        if (built_in == out.properties.end() || built_in->second.type != definition.type ||
            built_in->second.uniform != definition.uniform ||
            built_in->second.is_relationship != definition.is_relationship)
            continue;
        // An override without a fallback keeps the one below.
        if (definition.fallback.IsEmpty()) definition.fallback = built_in->second.fallback;
        definition.weaker = built_in->second.spec;
        built_in->second  = std::move(definition);
    }
}

void SchemaRegistry::add_api(const TfToken& name, bool openusd_only, Definition& out)
{
    // Also ends circles of schemas that build each other in.
    if (std::find(out.applied.begin(), out.applied.end(), name) != out.applied.end()) return;
    const std::size_t colon = name.GetString().find(':');
    const auto        found = by_identifier_.find(TfToken(name.GetString().substr(0, colon)));
    if (found == by_identifier_.end() || !schemas_[found->second].api || !usable(schemas_[found->second], openusd_only))
        return;
    // An instance name for a single-apply schema, or none for a multiple-apply one, applies nothing.
    if (schemas_[found->second].multiple != (colon != std::string::npos)) return;
    out.applied.push_back(name);
    add_schema(found->second, colon == std::string::npos ? std::string() : name.GetString().substr(colon + 1),
               openusd_only, out);
}

std::vector<std::string> SchemaRegistry::identifiers(bool api) const
{
    std::vector<std::string> out;
    for (const Schema& schema : schemas_)
        // Abstract types cannot be the type of a prim.
        if (schema.api == api && (api || schema.concrete)) out.emplace_back(schema.row.identifier);
    std::sort(out.begin(), out.end());
    return out;
}

namespace {

/// Schemas of other releases of PhysX's: assets in the field apply them, and the bundled release has them no more.
/// Their attributes are read, or accounted for, by name.
constexpr std::string_view kOtherReleases[] = {"JointStateAPI",
                                               "PhysxAutoAttachmentAPI",
                                               "PhysxAutoParticleClothAPI",
                                               "PhysxDeformableAPI",
                                               "PhysxDeformableBodyAPI",
                                               "PhysxDeformableBodyMaterialAPI",
                                               "PhysxDeformableSurfaceAPI",
                                               "PhysxDeformableSurfaceMaterialAPI",
                                               "PhysxJointAPI",
                                               "PhysxParticleClothAPI",
                                               "PhysxResidualReportingAPI"};

bool is_of_other_release(const std::string& identifier)
{ return std::find(std::begin(kOtherReleases), std::end(kOtherReleases), identifier) != std::end(kOtherReleases); }

}  // namespace

std::optional<ApiProblem> SchemaRegistry::problem_of(const TfToken& api, const TfToken& type, bool openusd_only,
                                                     const Definition& so_far) const
{
    const std::size_t colon      = api.GetString().find(':');
    const TfToken     identifier = TfToken(api.GetString().substr(0, colon));
    const Schema*     schema     = find(identifier);
    if (schema == nullptr && is_of_other_release(identifier.GetString())) return std::nullopt;
    if (schema == nullptr || !schema->api || !usable(*schema, openusd_only))
        return ApiProblem{ApiProblem::unknown, api, {}};
    if (schema->multiple && (colon == std::string::npos || colon + 1 == api.GetString().size()))
        return ApiProblem{ApiProblem::instance_missing, api, {}};
    if (!schema->multiple && colon != std::string::npos) return ApiProblem{ApiProblem::instance_unexpected, api, {}};
    const std::string instance = colon == std::string::npos ? std::string() : api.GetString().substr(colon);
    for (const TfToken& other : so_far.applied) {
        const std::size_t      at   = std::min(other.GetString().find(':'), other.GetString().size());
        const std::string_view name = std::string_view(other.GetString()).substr(0, at);
        // Two versions of one family on the same instance.
        if (name != identifier.GetString() && family(name) == family(identifier.GetString()) &&
            std::string_view(other.GetString()).substr(at) == instance)
            return ApiProblem{ApiProblem::version_clash, api, other.GetString()};
    }
    // A schema may be limited to certain types.
    const std::vector<std::size_t> types = named(schema->row.can_only_apply_to);
    if (!types.empty() && std::none_of(types.begin(), types.end(), [&](std::size_t base) {
            return is_a(type, TfToken(schemas_[base].row.identifier));
        }))
        return ApiProblem{ApiProblem::not_applicable, api, schema->row.can_only_apply_to};
    return std::nullopt;
}

std::shared_ptr<const Definition> SchemaRegistry::definition(const TfToken& type, const TfTokenVector& authored_apis,
                                                             bool openusd_only, std::vector<ApiProblem>* problems)
{
    // The key is what a definition depends on.
    std::string key = openusd_only ? "openusd " : "";
    key += type.GetString();
    for (const TfToken& name : authored_apis) key += ' ' + name.GetString();

    const auto report = [&](const std::shared_ptr<const Definition>& made) {
        if (problems != nullptr) problems->insert(problems->end(), made->problems.begin(), made->problems.end());
        return made;
    };
    // Under the lock until it is made: it is parsed once, and threads of a population share it.
    const std::lock_guard lock(mutex_);
    auto&                 entry = cache_[key];
    if (entry) return report(entry);
    auto definition  = std::make_shared<Definition>();
    definition->type = type;
    // An unknown or abstract type has no properties.
    const auto typed = by_identifier_.find(type);
    if (typed != by_identifier_.end() && schemas_[typed->second].concrete &&
        usable(schemas_[typed->second], openusd_only)) {
        add_schema(typed->second, {}, openusd_only, *definition);
    }
    // A problem is told; the schema is applied all the same where it is known, as OpenUSD does, except for a clash.
    for (const TfToken& name : authored_apis) {
        if (std::optional<ApiProblem> problem = problem_of(name, type, openusd_only, *definition)) {
            definition->problems.push_back(std::move(*problem));
            if (definition->problems.back().kind == ApiProblem::version_clash) continue;
        }
        add_api(name, openusd_only, *definition);
    }
    // Auto-applied schemas come last and so are weakest.
    if (typed != by_identifier_.end() && schemas_[typed->second].concrete)
        for (const auto& [api, types] : auto_apply_) {
            const bool applies = usable(schemas_[api], openusd_only) &&
                                 std::any_of(types.begin(), types.end(), [&, name = type](std::size_t base) {
                                     return is_a(name, TfToken(schemas_[base].row.identifier));
                                 });
            if (applies) add_api(TfToken(schemas_[api].row.identifier), openusd_only, *definition);
        }
    entry = definition;
    return report(entry);
}

}  // namespace mechane::usd

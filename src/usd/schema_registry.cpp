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

std::string replaced(std::string name, const std::string& instance)
{
    const std::size_t at = name.find(kInstanceName);
    if (at != std::string::npos) name.replace(at, kInstanceName.size(), instance);
    return name;
}

bool is_openusd(const char* module)
{
    const std::string_view name = module;
    return name == "usd" || (name.starts_with("usd") && name.size() > 3 && name[3] >= 'A' && name[3] <= 'Z');
}

}  // namespace

SchemaRegistry& SchemaRegistry::instance()
{
    static SchemaRegistry registry;
    return registry;
}

SchemaRegistry::SchemaRegistry()
{
    schemas_.reserve(kSchemaRowCount);
    layers_.resize(kSchemaRowCount);
    for (std::size_t i = 0; i < kSchemaRowCount; ++i) {
        const SchemaRow&       row  = kSchemaRows[i];
        const std::string_view kind = row.kind;
        schemas_.push_back({&row,
                            {},
                            kind == "singleApplyAPI" || kind == "multipleApplyAPI",
                            kind == "multipleApplyAPI",
                            kind == "concreteTyped",
                            is_openusd(row.module)});
        by_identifier_.emplace(TfToken(row.identifier), i);
        by_type_.emplace(row.type, i);
    }
    for (std::size_t i = 0; i < kSchemaRowCount; ++i)
        for (const std::string& base : words(kSchemaRows[i].bases))
            if (const auto found = by_type_.find(base); found != by_type_.end())
                schemas_[i].bases.push_back(found->second);
    for (std::size_t i = 0; i < kSchemaRowCount; ++i) {
        std::vector<std::size_t> types;
        for (const std::string& name : words(kSchemaRows[i].auto_apply)) {
            if (const auto type = by_type_.find(name); type != by_type_.end())
                types.push_back(type->second);
            else if (const auto id = by_identifier_.find(TfToken(name)); id != by_identifier_.end())
                types.push_back(id->second);
        }
        if (!types.empty()) auto_apply_.emplace_back(i, std::move(types));
    }
    std::sort(auto_apply_.begin(), auto_apply_.end(), [&](const auto& a, const auto& b) {
        return std::string_view(kSchemaRows[a.first].identifier) < kSchemaRows[b.first].identifier;
    });
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
    std::vector<std::size_t> todo{start->second};
    while (!todo.empty()) {
        const std::size_t at = todo.back();
        todo.pop_back();
        // Bases are also known by type name ("UsdGeomImageable" for the abstract ones that users call "Imageable").
        if ((goal != by_identifier_.end() && at == goal->second) || base == schemas_[at].row->type) return true;
        todo.insert(todo.end(), schemas_[at].bases.begin(), schemas_[at].bases.end());
    }
    return false;
}

SdfPrimSpecHandle SchemaRegistry::class_spec(std::size_t schema)
{
    const SchemaRow& row = *schemas_[schema].row;
    if (*row.usda == '\0') return {};
    if (!layers_[schema]) {
        layers_[schema] = SdfLayer::CreateAnonymous(".usda");
        layers_[schema]->ImportFromString(row.usda);
    }
    return layers_[schema]->GetPrimAtPath(SdfPath::AbsoluteRootPath().AppendChild(TfToken(row.identifier)));
}

void SchemaRegistry::add_schema(std::size_t schema, const std::string& instance, bool openusd_only, Definition& out)
{
    const SdfPrimSpecHandle spec = class_spec(schema);
    if (!spec) return;
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
        const auto [at, fresh] = out.properties.emplace(name, definition);
        (void)at, (void)fresh;  // what is there already is stronger
    }
    SdfTokenListOp apis;
    if (spec->GetLayer()->HasField(spec->GetPath(), TfToken("apiSchemas"), &apis))
        for (const TfToken& api : apis.GetAppliedItems())
            add_api(TfToken(replaced(api.GetString(), instance)), openusd_only, out);
}

void SchemaRegistry::add_api(const TfToken& name, bool openusd_only, Definition& out)
{
    if (std::find(out.applied.begin(), out.applied.end(), name) != out.applied.end()) return;
    const std::size_t colon = name.GetString().find(':');
    const auto        found = by_identifier_.find(TfToken(name.GetString().substr(0, colon)));
    if (found == by_identifier_.end() || !schemas_[found->second].api || !usable(schemas_[found->second], openusd_only))
        return;
    if (schemas_[found->second].multiple != (colon != std::string::npos)) return;
    out.applied.push_back(name);
    add_schema(found->second, colon == std::string::npos ? std::string() : name.GetString().substr(colon + 1),
               openusd_only, out);
}

std::shared_ptr<const Definition> SchemaRegistry::definition(const TfToken& type, const TfTokenVector& authored_apis,
                                                             bool openusd_only, std::vector<ApiProblem>* problems)
{
    for (const TfToken& name : authored_apis) {
        const std::size_t colon  = name.GetString().find(':');
        const Schema*     schema = find(TfToken(name.GetString().substr(0, colon)));
        if (problems == nullptr) continue;
        if (schema == nullptr || !schema->api || !usable(*schema, openusd_only))
            problems->push_back({ApiProblem::unknown, name});
        else if (schema->multiple && (colon == std::string::npos || colon + 1 == name.GetString().size()))
            problems->push_back({ApiProblem::instance_missing, name});
        else if (!schema->multiple && colon != std::string::npos)
            problems->push_back({ApiProblem::instance_unexpected, name});
    }
    std::string key = openusd_only ? "openusd " : "";
    key += type.GetString();
    for (const TfToken& name : authored_apis) key += ' ' + name.GetString();

    const std::lock_guard lock(mutex_);
    auto&                 entry = cache_[key];
    if (entry) return entry;
    auto       definition = std::make_shared<Definition>();
    const auto typed      = by_identifier_.find(type);
    if (typed != by_identifier_.end() && schemas_[typed->second].concrete &&
        usable(schemas_[typed->second], openusd_only)) {
        add_schema(typed->second, {}, openusd_only, *definition);
    }
    for (const TfToken& name : authored_apis) add_api(name, openusd_only, *definition);
    if (typed != by_identifier_.end() && schemas_[typed->second].concrete)
        for (const auto& [api, types] : auto_apply_) {
            const bool applies = usable(schemas_[api], openusd_only) &&
                                 std::any_of(types.begin(), types.end(), [&, name = type](std::size_t base) {
                                     return is_a(name, TfToken(schemas_[base].row->identifier));
                                 });
            if (applies) add_api(TfToken(schemas_[api].row->identifier), openusd_only, *definition);
        }
    entry = definition;
    return entry;
}

}  // namespace mechane::usd

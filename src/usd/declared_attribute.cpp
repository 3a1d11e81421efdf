// What the bundled schemas say of an attribute, found without making definitions of all of them: that takes longer than
// to open a robot. The texts of the classes are looked through for names once; then only the schemas that may bring the
// attribute are asked, in order, until one does.

#include "mechane/usd/declared_attribute.h"

#include <pxr/sdf/propertySpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/vt/array.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "mechane/usd/schemas.h"
#include "usd/any_instance.h"
#include "usd/handles.h"
#include "usd/schema_registry.h"
#include "usd/schema_tables.h"

namespace mechane::usd {
namespace {

std::optional<DeclaredAttribute> declaration(const PropertyDefinition& property)
{
    if (property.is_relationship || !property.type) return std::nullopt;
    DeclaredAttribute out{property.type.GetAsToken().GetString(), wrap(property.fallback), {}};
    if (property.spec) {
        const pxr::VtValue allowed = property.spec->GetField(pxr::SdfFieldKeys->AllowedTokens);
        if (allowed.IsHolding<pxr::VtTokenArray>())
            for (const pxr::TfToken& token : allowed.UncheckedGet<pxr::VtTokenArray>())
                out.tokens.push_back(token.GetString());
    }
    return out;
}

constexpr std::string_view kInstanceName = "__INSTANCE_NAME__";

/// The words of a class's text: names of its properties with kAnyInstance, and what stands in quotation marks above
/// them, among which are the schemas that it builds in.
class Names {
  public:
    explicit Names(std::string_view text)
    {
        bool inside = false;
        while (!text.empty()) {
            const std::size_t      end  = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line == "{")
                inside = true;
            else if (!inside)
                add_quoted(line);
            else if (line.starts_with("    ") && line.find_first_of(" )", 4) != 4)
                add_property(line.substr(4));
        }
    }

    std::vector<std::string>                         properties;
    std::vector<std::pair<std::string, std::string>> quoted;  ///< with the instance, which may be empty

  private:
    void add_quoted(std::string_view line)
    {
        for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at + 1)) {
            const std::size_t end = line.find('"', at + 1);
            if (end == std::string_view::npos) return;
            // "Schema:instance" is of the schema.
            const std::string_view word  = line.substr(at + 1, end - at - 1);
            const std::size_t      colon = std::min(word.find(':'), word.size());
            quoted.emplace_back(word.substr(0, colon), word.substr(std::min(colon + 1, word.size())));
            at = end;
        }
    }

    /// "uniform token[] name = ..." and "rel name": the name follows the last word before it.
    void add_property(std::string_view line)
    {
        line = line.substr(0, line.find_first_of("=("));
        line = line.substr(0, line.find_last_not_of(' ') + 1);
        std::string name(line.substr(line.rfind(' ') + 1));
        if (const std::size_t at = name.find(kInstanceName); at != std::string::npos)
            name.replace(at, kInstanceName.size(), kAnyInstance);
        properties.push_back(std::move(name));
    }
};

/// Which schemas may bring a property: some that do not are among them, none is missing.
class Candidates {
  public:
    Candidates() : infos_(bundled_schemas())
    {
        std::unordered_map<std::string, std::size_t> by_identifier;
        for (std::size_t i = 0; i < kSchemaRowCount; ++i) by_identifier.emplace(kSchemaRows[i].identifier, i);
        std::vector<std::vector<std::size_t>> builders(kSchemaRowCount);  // of a schema: those that build it in
        std::vector<Names>                    texts;
        for (std::size_t i = 0; i < kSchemaRowCount; ++i) {
            texts.emplace_back(kSchemaRows[i].usda);
            for (const std::string& name : texts[i].properties) own_[name].push_back(i);
        }
        for (std::size_t i = 0; i < kSchemaRowCount; ++i) {
            const std::string_view kind = kSchemaRows[i].kind;
            const bool used = kind == "concreteTyped" || kind == "singleApplyAPI" || kind == "multipleApplyAPI";
            if (used) names_.insert(texts[i].properties.begin(), texts[i].properties.end());
            for (const auto& [word, instance] : texts[i].quoted) {
                const auto built = by_identifier.find(word);
                if (built == by_identifier.end() || built->second == i) continue;
                builders[built->second].push_back(i);
                if (!used || instance.empty() || instance == kInstanceName) continue;
                // "CollectionAPI:lightLink" brings "collection:lightLink" and what lies in it.
                for (const std::string& general : texts[built->second].properties)
                    names_.insert(with_instance(general, instance));
            }
        }
        // What applies itself may be in any typed schema.
        std::vector<std::size_t> typed;
        for (std::size_t i = 0; i < kSchemaRowCount; ++i)
            if (std::string_view(kSchemaRows[i].kind) == "concreteTyped") typed.push_back(i);
        for (std::size_t i = 0; i < kSchemaRowCount; ++i)
            if (*kSchemaRows[i].auto_apply != '\0') builders[i].insert(builders[i].end(), typed.begin(), typed.end());
        builders_ = std::move(builders);
    }

    /// In the order of bundled_schemas().
    [[nodiscard]] std::vector<SchemaInfo> of(const std::string& property) const
    {
        // Of a multiple-apply schema that another one builds in, the instance may be any part of the name.
        std::vector<std::string> names = names_with_any_instance(property);
        if (const std::size_t last = property.rfind(':'); last != std::string::npos)
            names.push_back(property.substr(0, last + 1).append(kAnyInstance));
        std::vector<bool>        may(kSchemaRowCount, false);
        std::vector<std::size_t> todo;
        for (const std::string& name : names)
            if (const auto own = own_.find(name); own != own_.end())
                todo.insert(todo.end(), own->second.begin(), own->second.end());
        if (todo.empty()) return {};
        while (!todo.empty()) {
            const std::size_t at = todo.back();
            todo.pop_back();
            if (may[at]) continue;
            may[at] = true;
            todo.insert(todo.end(), builders_[at].begin(), builders_[at].end());
        }
        std::vector<std::string_view> found;
        for (std::size_t i = 0; i < kSchemaRowCount; ++i)
            if (may[i]) found.emplace_back(kSchemaRows[i].identifier);
        std::sort(found.begin(), found.end());
        std::vector<SchemaInfo> out;
        for (const SchemaInfo& info : infos_)
            if (std::binary_search(found.begin(), found.end(), info.identifier)) out.push_back(info);
        return out;
    }

    [[nodiscard]] const std::set<std::string, std::less<>>& names() const { return names_; }

  private:
    static std::string with_instance(std::string name, const std::string& instance)
    {
        for (std::size_t from = 0, to; from <= name.size(); from = to + 1) {
            to = std::min(name.find(':', from), name.size());
            if (name.compare(from, to - from, kAnyInstance) != 0) continue;
            name.replace(from, to - from, instance);
            break;
        }
        return name;
    }

    std::set<std::string, std::less<>>                        names_;
    std::vector<SchemaInfo>                                   infos_;
    std::unordered_map<std::string, std::vector<std::size_t>> own_;
    std::vector<std::vector<std::size_t>>                     builders_;
};

/// What is known of a name.
struct Answer {
    bool                             brought = false;  ///< some schema brings it, which may be a relationship
    std::optional<DeclaredAttribute> attribute;
};

const Candidates& candidates()
{
    static const Candidates all;
    return all;
}

Answer find(const std::string& property)
{
    Answer out;
    for (const SchemaInfo& schema : candidates().of(property)) {
        if (schema.kind == SchemaKind::not_applied || schema.kind == SchemaKind::abstract_typed) continue;
        const auto definition = definition_of(schema);
        const auto found      = definition->properties.find(pxr::TfToken(property));
        if (found == definition->properties.end()) continue;
        out.brought   = true;
        out.attribute = declaration(found->second);
        if (out.attribute) break;
    }
    return out;
}

/// Each name is looked for once.
const Answer& answer_of(std::string_view property)
{
    static std::mutex                                 mutex;
    static std::map<std::string, Answer, std::less<>> answers;
    const std::lock_guard                             lock(mutex);
    auto                                              known = answers.find(property);
    if (known == answers.end()) {
        Answer answer;
        for (const std::string& name : names_with_any_instance(property))
            if (!answer.brought) answer = find(name);
        known = answers.emplace(property, std::move(answer)).first;
    }
    return known->second;
}

}  // namespace

const std::set<std::string, std::less<>>& brought_names() { return candidates().names(); }

std::shared_ptr<const Definition> definition_of(const SchemaInfo& schema)
{
    const std::string  identifier(schema.identifier);
    const bool         typed = schema.kind == SchemaKind::typed;
    pxr::TfTokenVector apis;
    if (schema.kind == SchemaKind::multiple_apply)
        apis.emplace_back(identifier + ":" + std::string(kAnyInstance));
    else if (!typed)
        apis.emplace_back(identifier);
    return SchemaRegistry::instance().definition(pxr::TfToken(typed ? identifier : std::string()), apis, false,
                                                 nullptr);
}

const DeclaredAttribute* declared_attribute(std::string_view property)
{
    const Answer& answer = answer_of(property);
    return answer.attribute ? &*answer.attribute : nullptr;
}

bool is_brought(std::string_view property) { return answer_of(property).brought; }

}  // namespace mechane::usd

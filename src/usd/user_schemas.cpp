// Schemas that users register, by call or by environment: duplicates, circles and missing bases are dropped with a
// finding until what is left is sound.
// They are read once, before the first stage; later registration is refused, since definitions are shared by then.
//
// sealed    after the first stage the set of schemas cannot change
// identity  a hash over all files that were read for them: what was cached with other schemas is not used

#include "usd/user_schemas.h"

#include <fmt/format.h>
#include <pxr/plug/registry.h>
#include <pxr/sdf/primSpec.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <tuple>

#include "mechane/core/sha256.h"
#include "mechane/files/trace.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/schemas.h"
#include "usd/runtime.h"
#include "usd/schema_registry.h"

namespace mechane::usd {
namespace {

using namespace pxr;

std::mutex               g_schemas_mutex;
std::vector<std::string> g_paths;
bool                     g_sealed = false;
std::string              g_identity;  ///< of the files that were read for them

/// A trace notes every file that is read; its digest identifies what the schemas were made of.
/// Empty when one of them changed meanwhile.
std::string identity_of(files::Trace& trace)
{
    const auto all = trace.finish();
    if (!all) return {};
    Sha256 sum;
    for (const files::Dependency& one : *all)
        sum.update(fmt::format("{}\n{}\n{}\n", one.name, one.digest, static_cast<int>(one.kind)));
    return sum.finish();
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::istringstream       stream(text);
    std::vector<std::string> out;
    for (std::string word; std::getline(stream, word, separator);)
        if (!word.empty()) out.push_back(word);
    return out;
}

Site site_of(const UserSchema& schema) { return {.layer = schema.file}; }

/// A schema of schemas/, which this program has and OpenUSD does not.
bool is_bundled(const UserSchema& schema, const KnownSchemas& known)
// Bundled schemas that a plug-in brings too are the plug-in's business from then on, not a duplicate.
{ return schema.type.starts_with("Mechane") && known.type(schema.type) && known.identifier(schema.identifier); }

/// One finding a plug-in, however many of its schemas are there already.
void drop_duplicates(PluginSchemas& schemas, const KnownSchemas& known, Diagnostics& found)
{
    std::set<std::string>                                 types, identifiers;
    std::map<std::string, std::string>                    first_files;
    std::deque<UserSchema>                                kept;
    std::vector<std::tuple<UserSchema, int, std::string>> findings;
    for (UserSchema& schema : schemas.schemas) {
        if (is_bundled(schema, known)) {
            schemas.bundled.push_back(schema.identifier);
            continue;
        }
        // Both names must be new: the identifier and the type.
        const bool again = known.identifier(schema.identifier) || known.type(schema.type) ||
                           identifiers.contains(schema.identifier) || types.contains(schema.type);
        if (!again) {
            identifiers.insert(schema.identifier);
            types.insert(schema.type);
            first_files.emplace(schema.identifier, schema.file);
            kept.push_back(std::move(schema));
            continue;
        }
        // One message for a file.
        const auto same = std::find_if(findings.begin(), findings.end(),
                                       [&](const auto& f) { return std::get<0>(f).file == schema.file; });
        if (same != findings.end()) {
            ++std::get<1>(*same);
        } else {
            const auto first = first_files.find(schema.identifier);
            findings.emplace_back(schema, 0, first == first_files.end() ? "this program" : first->second);
        }
    }
    for (const auto& [schema, more, owner] : findings)
        found.add(
            kSchemaDuplicate, site_of(schema),
            fmt::format("schema {}{} is defined by {} already", schema.identifier,
                        more == 0 ? "" : fmt::format(" (and {} more of plug-in '{}')", more, schema.module), owner));
    schemas.schemas = std::move(kept);
}

/// Why a schema cannot be used by itself, or nothing.
std::string fault_of(const UserSchema& schema)
{
    static const std::set<std::string> kinds{"concreteTyped",  "abstractTyped",    "abstractBase",
                                             "singleApplyAPI", "multipleApplyAPI", "nonAppliedAPI"};
    if (!kinds.contains(schema.kind)) return fmt::format("schemaKind '{}' does not exist", schema.kind);
    if (!SdfPath::IsValidIdentifier(schema.identifier)) return "its identifier is not a name";
    // Abstract and non-applied schemas have no class.
    const bool has_class = schema.kind == "concreteTyped" || schema.kind.ends_with("ApplyAPI");
    if (has_class && !schema.layer->GetPrimAtPath(SdfPath::AbsoluteRootPath().AppendChild(TfToken(schema.identifier))))
        return "generatedSchema.usda has no class of this name";
    return {};
}

/// Drops schemas whose bases nobody defines, and, since that takes bases from others, again until nothing changes.
void drop_baseless(PluginSchemas& schemas, const KnownSchemas& known, Diagnostics& found)
{
    for (bool changed = true; changed;) {
        // Dropping a schema may take the base from another.
        std::set<std::string> types;
        for (const UserSchema& schema : schemas.schemas) types.insert(schema.type);
        changed =
            std::erase_if(schemas.schemas, [&](const UserSchema& schema) {
                for (const std::string& base : split(schema.bases, ' ')) {
                    if (known.type(base) || types.contains(base)) continue;
                    found.add(kSchemaInvalid, site_of(schema),
                              fmt::format("schema {} derives from {}, which is not defined", schema.identifier, base));
                    return true;
                }
                return false;
            }) > 0;
    }
}

/// Drops schemas that derive from themselves, directly or through others.
void drop_cyclic(PluginSchemas& schemas, Diagnostics& found)
{
    std::map<std::string, const UserSchema*> by_type;
    for (const UserSchema& schema : schemas.schemas) by_type.emplace(schema.type, &schema);
    std::set<std::string> cyclic;
    for (const UserSchema& start : schemas.schemas) {
        // Up through all bases; what was seen is not followed again.
        std::set<std::string>    seen;
        std::vector<std::string> todo = split(start.bases, ' ');
        while (!todo.empty()) {
            const std::string type = std::move(todo.back());
            todo.pop_back();
            if (type == start.type) cyclic.insert(type);
            if (const auto base = by_type.find(type); base != by_type.end() && seen.insert(type).second)
                for (std::string& more : split(base->second->bases, ' ')) todo.push_back(std::move(more));
        }
    }
    std::erase_if(schemas.schemas, [&](const UserSchema& schema) {
        if (!cyclic.contains(schema.type)) return false;
        found.add(kSchemaInvalid, site_of(schema),
                  fmt::format("schema {} derives from itself through its bases", schema.identifier));
        return true;
    });
}

}  // namespace

PluginSchemas sound_user_schemas(const KnownSchemas& known, Diagnostics& found)
{
    prepare_runtime();
    const std::lock_guard lock(g_schemas_mutex);
    g_sealed = true;
    PluginSchemas schemas;
    // Files read from here on are noted.
    files::Trace            trace;
    const files::TraceScope scope(&trace, true);
    for (const std::string& path : g_paths) read_plugins(path, schemas, found);
    const std::vector<std::string> own = std::move(schemas.files);
    schemas.files.clear();
    // OpenUSD's own variable, with its separator.
    if (const char* environment = std::getenv("PXR_PLUGINPATH_NAME"); environment != nullptr)
        for (const std::string& path : split(environment, ':')) read_plugins(path, schemas, found);

    g_identity = identity_of(trace);
    drop_duplicates(schemas, known, found);
    std::erase_if(schemas.schemas, [&](const UserSchema& schema) {
        const std::string fault = fault_of(schema);
        if (!fault.empty())
            found.add(kSchemaInvalid, site_of(schema), fmt::format("schema {}: {}", schema.identifier, fault));
        return !fault.empty();
    });
    // The order matters: circles would hide missing bases.
    drop_cyclic(schemas, found);
    drop_baseless(schemas, known, found);
    // For the metadata fields that a plug-in declares; OpenUSD itself reads those of its environment variable.
    std::vector<std::string> sound;
    for (const std::string& file : own)
        if (std::none_of(found.begin(), found.end(), [&](const Diagnostic& f) { return f.site.layer == file; }))
            sound.push_back(file);
    if (!sound.empty()) PlugRegistry::GetInstance().RegisterPlugins(sound);
    return schemas;
}

Result<void> add_schemas(const std::string& path)
{
    const std::lock_guard lock(g_schemas_mutex);
    // Definitions that are shared already would not know them.
    if (g_sealed)
        return make_diagnostic(kSchemaLate, {.layer = path}, "a stage was opened before these schemas were registered");
    g_paths.push_back(path);
    return {};
}

std::string schema_identity()
{
    // Asking for the registry reads the schemas.
    (void)SchemaRegistry::instance();
    const std::lock_guard lock(g_schemas_mutex);
    return g_identity;
}

const Diagnostics& schema_findings() { return SchemaRegistry::instance().findings(); }

}  // namespace mechane::usd

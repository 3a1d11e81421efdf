// Schema plug-ins of users: reads plugInfo.json files and the generatedSchema.usda beside them, without loading code.
// Wildcards and includes are those of OpenUSD's plug-in paths. What is wrong becomes a finding and is left out.
//
// Types with a schemaKind are schemas; plug-ins without any are left alone. Library code is never loaded: a plug-in
// that has some is used for its schemas only, and OpenUSD is not told of it.

#include "usd/schema_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "mechane/files/read.h"
#include "mechane/files/trace.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/stage.h"
#include "usd/guards.h"
#include "usd/parser_message.h"
#include "usd/runtime.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;
using nlohmann::json;

// A schema file of megabytes is another file.
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{64} << 20;

/// A star stands for any text. On a mismatch the last star takes one character more: linear memory, no recursion.
bool name_matches(std::string_view pattern, std::string_view name)
{
    std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
    // One pass; the last star is the only place to come back to.
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star   = p++;
            resume = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p, ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// Folders and files that a path with wildcards names, in alphabetical order.
/// Parts of the path one by one; "**" means all folders below as well.
std::vector<fs::path> expanded(const fs::path& path)
{
    std::vector<fs::path> found{path.root_path()};
    std::error_code       failed;
    for (const fs::path& part : path.relative_path()) {
        std::vector<fs::path> next;
        for (const fs::path& folder : found) {
            if (part.string().find('*') == std::string::npos) {
                next.push_back(folder / part);
            } else if (part == "**") {
                next.push_back(folder);
                for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
                     at.increment(failed))
                    if (at->is_directory(failed)) next.push_back(at->path());
            } else {
                for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
                    if (name_matches(part.string(), at->path().filename().string())) next.push_back(at->path());
            }
        }
        // Alphabetical, since file systems list in any order.
        std::sort(next.begin(), next.end());
        found = std::move(next);
    }
    return found;
}

/// The file's text without the lines that plugInfo.json files use as comments.
std::string without_comments(std::istream& stream)
{
    std::string text;
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string::npos || line[first] != '#') text += line;
        text += '\n';  // keeps the line numbers
    }
    return text;
}

std::string text_of(const json& object, const char* key)
{ return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string(); }

std::string words_of(const json& object, const char* key)
{
    std::string out;
    if (object.contains(key) && object[key].is_array())
        for (const json& word : object[key])
            if (word.is_string()) out += (out.empty() ? "" : " ") + word.get<std::string>();
    return out;
}

/// As OpenUSD names a schema: by key, by alias, by its type.
std::string identifier_of(const std::string& type, const json& info)
{
    if (std::string own = text_of(info, "schemaIdentifier"); !own.empty()) return own;
    if (info.contains("alias") && info["alias"].is_object())
        if (std::string alias = text_of(info["alias"], "UsdSchemaBase"); !alias.empty()) return alias;
    return type;
}

class Reader {
  public:
    Reader(PluginSchemas& out, Diagnostics& found) : out_(out), found_(found) {}

    void read(const fs::path& path, bool must_exist)
    {
        for (fs::path file : expanded(path)) {
            // A path that is a folder, or ends with a slash, means the plugInfo.json in it.
            if (file.filename().empty() || files::probe(file.string()) == files::Kind::folder) file /= "plugInfo.json";
            file = file.lexically_normal();
            if (files::probe(file.string()) != files::Kind::file) {
                if (must_exist) wrong(file, "there is no such file");
                // Includes may lead in circles.
            } else if (seen_.insert(file.string()).second) {
                read_file(file);
            }
        }
    }

  private:
    void wrong(const fs::path& file, std::string message, std::string hint = {})
    { found_.add(kSchemaPluginInvalid, {.layer = file.string()}, std::move(message), std::move(hint)); }

    void read_file(const fs::path& file)
    {
        const auto text = files::read(file.string(), kMaxBytes);
        if (!text) return wrong(file, text.error().message);
        std::istringstream stream(*text);
        json               document;
        // The rest of the program throws nothing.
        try {
            document = json::parse(without_comments(stream));
        } catch (const json::parse_error& error) {  // stops here: the only throwing call
            return wrong(file, fmt::format("the file is not JSON: {}", error.what()));
        }
        const json plugins  = document.is_object() ? document.value("Plugins", json::array()) : json();
        const json includes = document.is_object() ? document.value("Includes", json::array()) : json();
        if (!plugins.is_array() || !includes.is_array())
            return wrong(file, "the file does not hold the lists Plugins or Includes of a plugInfo.json");
        // A file is registered with OpenUSD only when all of its plug-ins are sound and bring no code.
        bool sound = !plugins.empty();
        for (const json& plugin : plugins) sound = read_plugin(file, plugin) && sound;
        if (sound) out_.files.push_back(file.string());
        for (const json& include : includes)
            if (include.is_string()) read(file.parent_path() / include.get<std::string>(), false);
    }

    /// False when the plug-in cannot be used, or brings code.
    bool read_plugin(const fs::path& file, const json& plugin)
    {
        if (!plugin.is_object()) return wrong(file, "an entry of Plugins is not an object"), false;
        const json info = plugin.value("Info", json::object());
        if (!info.is_object()) return wrong(file, "Info of a plug-in is not an object"), false;
        const json types = info.value("Types", json::object());
        // Root is relative to the plugInfo.json, ResourcePath to Root.
        const fs::path    root    = file.parent_path() / text_of(plugin, "Root");
        const fs::path    layer   = root / text_of(plugin, "ResourcePath") / "generatedSchema.usda";
        const std::string module  = text_of(plugin, "Name");
        const bool        schemas = types.is_object() && std::any_of(types.begin(), types.end(), [](const json& type) {
                                 return type.is_object() && !text_of(type, "schemaKind").empty();
                                    });
        // A schema without the class of its name is found later, when all are known.
        if (schemas) {
            const SdfLayerRefPtr opened = open_layer(file, layer.lexically_normal());
            if (!opened) return false;
            for (const auto& [type, entry] : types.items()) {
                if (!entry.is_object() || text_of(entry, "schemaKind").empty()) continue;
                out_.schemas.push_back({.module            = module,
                                        .file              = file.string(),
                                        .identifier        = identifier_of(type, entry),
                                        .type              = type,
                                        .kind              = text_of(entry, "schemaKind"),
                                        .bases             = words_of(entry, "bases"),
                                        .auto_apply        = words_of(entry, "apiSchemaAutoApplyTo"),
                                        .can_only_apply_to = words_of(entry, "apiSchemaCanOnlyApplyTo"),
                                        .layer             = opened});
            }
        }
        // Rules that apply schemas of others.
        if (const json rules = info.value("AutoApplyAPISchemas", json::object()); rules.is_object())
            for (const auto& [api, rule] : rules.items())
                if (rule.is_object()) out_.auto_apply.push_back({api, words_of(rule, "apiSchemaAutoApplyTo")});
        return text_of(plugin, "LibraryPath").empty();
    }

    SdfLayerRefPtr open_layer(const fs::path& plug_info, const fs::path& file)
    {
        std::error_code failed;
        if (files::probe(file.string()) != files::Kind::file || fs::file_size(file, failed) > kMaxBytes) {
            wrong(plug_info, fmt::format("the plug-in's schema file {} does not exist", file.string()),
                  file.string().find('@') == std::string::npos
                      ? std::string()
                      : "Root and ResourcePath still hold the placeholders of usdGenSchema's template.");
            return {};
        }
        const auto read = files::read(file.string(), kMaxBytes);
        if (!read) {
            found_.add(read.error());
            return {};
        }
        const std::string& text = *read;
        // The schema file is a layer like any other: the same guards stand before the parser.
        // The parser of usda recurses over nesting.
        if (const auto refused = guard_layer(text, file.string(), Limits{})) {
            found_.add(*refused);
            return {};
        }
        MessageScope         messages;
        const SdfLayerRefPtr layer = SdfLayer::CreateAnonymous(".usda");
        if (layer->ImportFromString(text)) return layer;
        for (const LibraryMessage& message : messages.take())
            if (message.severity == Severity::error) {
                found_.add(from_parser_message(kSchemaPluginInvalid, file.string(), message.text));
                return {};
            }
        wrong(file, "the file is not a usda layer");
        return {};
    }

    PluginSchemas&        out_;
    Diagnostics&          found_;
    std::set<std::string> seen_;
};

}  // namespace

void read_plugins(const std::string& path, PluginSchemas& out, Diagnostics& found)
{
    std::error_code failed;
    // A path with a star may match nothing without that being a mistake.
    const fs::path absolute = fs::absolute(path, failed);
    Reader(out, found).read(absolute, path.find('*') == std::string::npos);
}

}  // namespace mechane::usd

// Reads the plugInfo.json and generatedSchema.usda files of schema plug-ins and prints a C++ table of facts: names,
// bases, kinds, built-in and automatic application, and each class as usda text without documentation. Runs at build
// time.
//
// usage: schemagen FOLDER [PLUGIN ...] > schema_tables.cpp
// FOLDER holds <module>/resources/{plugInfo.json,generatedSchema.usda}, a PLUGIN these two files.
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/copyUtils.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/propertySpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/tf/diagnosticMgr.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

using namespace pxr;
namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string list(const nlohmann::json& info, const char* key)
{
    std::string out;
    for (const auto& name : info.value(key, nlohmann::json::array()))
        out += (out.empty() ? "" : " ") + name.get<std::string>();
    return out;
}

/// The class alone in a layer of its own, as text: properties with types, fallbacks and variability, and built-in API
/// schemas.
std::string facts(const SdfPrimSpecHandle& spec)
{
    const SdfLayerRefPtr layer = SdfLayer::CreateAnonymous(".usda");
    const SdfPath        path  = SdfPath::AbsoluteRootPath().AppendChild(spec->GetNameToken());
    if (!SdfCopySpec(spec->GetLayer(), spec->GetPath(), layer, path)) return {};
    const SdfPrimSpecHandle copy = layer->GetPrimAtPath(path);
    const TfToken           kept("apiSchemaOverridePropertyNames");
    const VtValue           overrides = copy->GetCustomData()[kept];
    for (const char* key : {"documentation", "comment", "customData", "displayName", "displayGroup"}) {
        copy->ClearInfo(TfToken(key));
        for (const SdfPropertySpecHandle& property : copy->GetProperties()) property->ClearInfo(TfToken(key));
    }
    if (!overrides.IsEmpty()) copy->SetCustomData(kept, overrides);
    std::string text;
    layer->ExportToString(&text);
    return text;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) return 2;
    TfDiagnosticMgr::GetInstance().SetQuiet(true);
    std::vector<std::pair<std::string, fs::path>> modules;  // name, and where its files are
    for (const auto& entry : fs::directory_iterator(argv[1]))
        modules.emplace_back(entry.path().filename().string(), entry.path() / "resources");
    for (int i = 2; i < argc; ++i) modules.emplace_back(fs::path(argv[i]).filename().string(), argv[i]);
    std::sort(modules.begin(), modules.end());

    std::cout << "// Made by src/usd/schemagen of the schema files in deps/requirements-schemas.txt.\n"
                 "#include \"usd/schema_tables.h\"\n\nnamespace mechane::usd {\n\nconst SchemaRow kSchemaRows[] = {\n";
    int rows = 0;
    for (const auto& [module, folder] : modules) {
        std::ifstream  plug_info(folder / "plugInfo.json");
        nlohmann::json document = nlohmann::json::parse(plug_info, nullptr, false);
        const auto     layer    = SdfLayer::OpenAsAnonymous((folder / "generatedSchema.usda").string());
        if (document.is_discarded() || !layer) {
            std::cerr << "schemagen: cannot read " << folder << "\n";
            return 1;
        }
        for (const auto& plugin : document["Plugins"]) {
            const nlohmann::json types = plugin["Info"].value("Types", nlohmann::json::object());
            for (const auto& [type, info] : types.items()) {
                if (!info.contains("schemaKind")) continue;
                std::string identifier = type;
                if (info.contains("alias") && info["alias"].contains("UsdSchemaBase"))
                    identifier = info["alias"]["UsdSchemaBase"].get<std::string>();
                if (info.contains("schemaIdentifier")) identifier = info["schemaIdentifier"].get<std::string>();
                const SdfPrimSpecHandle spec =
                    layer->GetPrimAtPath(SdfPath::AbsoluteRootPath().AppendChild(TfToken(identifier)));
                std::cout << "    {" << quoted(module) << ", " << quoted(identifier) << ", " << quoted(type) << ", "
                          << quoted(info["schemaKind"].get<std::string>()) << ", " << quoted(list(info, "bases"))
                          << ", " << quoted(list(info, "apiSchemaAutoApplyTo")) << ", "
                          << quoted(list(info, "apiSchemaCanOnlyApplyTo")) << ",\n     R\"usda("
                          << (spec ? facts(spec) : std::string()) << ")usda\"},\n";
                ++rows;
            }
        }
    }
    std::cout << "};\nconst std::size_t kSchemaRowCount = " << rows << ";\n\n}  // namespace mechane::usd\n";
    std::cout.flush();
    std::_Exit(rows > 0 ? 0 : 1);  // why: mechane/core/process.h
}

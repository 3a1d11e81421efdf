// A scene of glTF from its root: what the file asks for, and the order in which it is read.
//
// Materials come before nodes, which bind them; animations come last, since they set samples of prims that are there.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf/scene.h"
#include "sourceformats/picture_files.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

// A buffer or picture beside the file; a bound against files that are made to exhaust memory.
constexpr std::size_t kMostImageBytes = std::size_t{1} << 30;

}  // namespace

// The rig sees the scene through functions alone: it needs poses, names and messages, and no more of it.
GltfScene::GltfScene(GltfDocument& document, const std::string& file, const std::string& folder, Layout layout,
                     const ReadOptions& options, ReadRobot& read)
    : d_(document),
      file_(file),
      read_(read),
      finder_((fs::path(folder) / fs::path(file).filename()).string(), options.packages, options.search_paths),
      folder_(folder),
      name_(prim_name(options.name.empty() ? fs::path(file).stem().string() : options.name, "scene")),
      sheet_(layout, name_),
      place_{std::make_shared<const std::string>(file), 0},
      motion_(document, document.entry("animations", 0)),
      rig_({document, motion_, sheet_, parent_, [this](int n) { return n == single_root_; },
            [this](int n) { return pose_of(n, false); }, [this](const usd::Matrix4d& m) { return turned(m); },
            [this](double t) { return seen(t); },
            [this](const std::string& above, const std::string& said) { return below_[above].take(said, "skin"); },
            [this](const std::string& what, const std::string& why) { error(kMeshInvalid, what + ": " + why); },
            place_})
{
}

Result<UsdRobot> GltfScene::write()
{
    read_.tree.name = name_, read_.tree.format = "glTF";
    read_.losses.target = "OpenUSD", read_.losses.target_version = "UsdGeom, REP-0158";
    required();
    check_version();
    const std::string root = "/" + name_;
    sheet_.define(Role::base, root, "Xform", place_);
    sheet_.field(Role::base, root, "kind", "token", std::string("component"));
    below_[root].reserve("Looks");
    parents();
    const std::vector<int> roots = scene_roots();
    find_turn(roots);
    materials();
    for (const int r : roots) {
        if (single_root_ == r) {
            prims_[at(r)] = root;
            contents(r, root);
        } else {
            node(r, root, 0);
        }
    }
    variants();
    rig_.finish();
    animations();
    lost();
    read_.contents =
        fmt::format("{} nodes, {} meshes, {} materials", d_.count("nodes"), d_.count("meshes"), d_.count("materials"));
    if (written_ == 0) error(kMissing, "the scene shows nothing");
    auto made = sheet_.finish(std::move(textures_));
    if (made) {
        made->pictures = std::move(pictures_);
        pictures_of_eight_bits(*made, read_.losses);
    }
    return made;
}

void GltfScene::error(const Code& code, std::string message, std::string hint)
{ read_.found.add(code, site_of(place_), std::move(message), std::move(hint)); }

void GltfScene::lose(std::string code, Severity severity, LossAction action, std::string category, std::string what,
                     std::string from, std::string to, std::string reason)
{
    read_.losses.add({std::move(code), severity, action, std::move(category), site_of(place_), std::move(what),
                      std::move(from), std::move(to), std::move(reason)});
}

// A file that requires an extension may not be shown right without it. What can be read is read; the finding says the
// rest.
void GltfScene::required()
{
    for (const Json& e : gltf_child(d_.json(), "extensionsRequired"))
        if (e.is_string() && !is_read(e.get<std::string>()) && e != "KHR_texture_basisu")
            error(kUnsupported,
                  fmt::format("the file cannot be read without {}; what it says is left out",
                              e.get<std::string>().substr(0, 80)),
                  "Export the scene without that extension.");
}

// Materials' extensions are told one by one where they are met (looks.cpp).
bool GltfScene::is_read(const std::string& extension)
{
    static const std::set<std::string> kRead{
        "KHR_lights_punctual",   "KHR_materials_variants",     "KHR_texture_transform",   "EXT_mesh_gpu_instancing",
        "KHR_mesh_quantization", "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"};
    return extension.starts_with("KHR_materials_") || kRead.contains(extension);
}

void GltfScene::check_version()
{
    const std::string version = gltf_text(gltf_child(d_.json(), "asset"), "version");
    if (!version.starts_with("2."))
        error(kFormatUnknown, fmt::format("asset.version is '{}', expected 2.0", version.substr(0, 40)),
              "Export the scene as glTF 2.0.");
}

std::string GltfScene::called(const char* list, int i) const
{
    const Json*       e    = d_.entry(list, i);
    const std::string name = e != nullptr ? gltf_text(*e, "name") : std::string();
    return name.empty() ? fmt::format("{}[{}]", list, i) : fmt::format("{}[{}] '{}'", list, i, name.substr(0, 60));
}

void GltfScene::lost()
{
    const Json& used = gltf_child(d_.json(), "extensionsUsed");
    for (const Json& e : used)
        if (e.is_string() && !is_read(e.get<std::string>()))
            lose("extension", Severity::warning, LossAction::dropped, "metadata", "extensionsUsed",
                 e.get<std::string>().substr(0, 80), {}, "it is not read");
}

Result<UsdRobot> read_gltf_scene(const std::string& bytes, const std::string& file, const std::string& folder,
                                 Layout layout, const ReadOptions& options, ReadRobot& read)
{
    GltfDocument     document;
    const FileFinder finder((fs::path(folder) / fs::path(file).filename()).string(), options.packages,
                            options.search_paths);
    const Beside     beside = [&](const std::string& other) {
        const std::string found = finder.find(other, folder);
        if (found.empty()) {
            read.found.add(kMeshMissing, {.layer = file}, finder.why_not(other, folder));
            return std::string();
        }
        auto content = files::read(found, kMostImageBytes);
        return content ? std::move(*content) : std::string();
    };
    if (const std::string wrong = document.open(bytes, beside); !wrong.empty())
        return make_diagnostic(kReadFailed, {.layer = file}, wrong);
    return GltfScene(document, file, folder, layout, options, read).write();
}

}  // namespace mechane::sourceformats

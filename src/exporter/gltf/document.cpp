// A glTF document under construction: its lists, one binary buffer, pictures, and at last the files (.gltf with .bin,
// or .glb).
// Equal accessors, samplers and pictures are written once. Numbers are little-endian and aligned to four bytes, as glTF
// 2.0 asks.

#include "exporter/gltf/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "mechane/core/hash.h"
#include "mechane/exporter/codes.h"
#include "mechane/files/suffix.h"
#include "mechane/files/uri.h"

namespace mechane::exporter::gltf {
namespace {

constexpr std::size_t kMostBytes = 0xffff'0000;  // lengths of GLB are 32 bits

// The order in which the specification names them.
constexpr const char* kLists[] = {"nodes", "meshes",     "materials", "textures",  "images",     "samplers",
                                  "skins", "animations", "cameras",   "accessors", "bufferViews"};

void put(std::string& out, std::uint32_t v)
{
    for (int i = 0; i < 4; ++i) out += static_cast<char>((v >> (8 * i)) & 0xff);
}

void pad(std::string& out, char with)
{
    while (out.size() % 4 != 0) out += with;
}

const char* suffix_of(std::string_view bytes) { return bytes.starts_with("\x89PNG") ? ".png" : ".jpg"; }
const char* mime_of(std::string_view bytes) { return bytes.starts_with("\x89PNG") ? "image/png" : "image/jpeg"; }

}  // namespace

std::size_t width_of(std::string_view type)
{
    if (type == "SCALAR") return 1;
    if (type == "VEC2") return 2;
    if (type == "VEC3") return 3;
    if (type == "VEC4") return 4;
    return 16;
}

int Document::add(const std::string& list, Json entry)
{
    Json& to = lists_[list];
    to.push_back(std::move(entry));
    return static_cast<int>(to.size()) - 1;
}

/// Equal entries are found by their text: dump() orders keys, so equal content has equal text.
int Document::add_once(const std::string& list, const Json& entry)
{
    const auto [slot, fresh] = once_[list].try_emplace(entry.dump(), 0);
    if (fresh) slot->second = add(list, entry);
    return slot->second;
}

std::size_t Document::count(const std::string& list) const
{
    const auto found = lists_.find(list);
    return found == lists_.end() ? 0 : found->second.size();
}

std::string_view Document::bytes_of(int view) const
{
    const Json& v = lists_.at("bufferViews")[static_cast<std::size_t>(view)];
    return std::string_view(bin_).substr(v["byteOffset"].get<std::size_t>(), v["byteLength"].get<std::size_t>());
}

int Document::accessor(std::string_view bytes, std::size_t count, const char* type, Component component, Target target,
                       Json bounds)
{
    // Equal bytes with another type or target are another accessor.
    const std::string kind = fmt::format("{} {} {} {}", type, static_cast<int>(component), static_cast<int>(target),
                                         bounds.is_null() ? 0 : 1);
    // A hash finds candidates; only equal bytes count as equal.
    auto& same = accessors_[hash_bytes(bytes.data(), bytes.size(), hash_text(kind))];
    for (const auto& [index, what] : same)
        if (what == kind && bytes_of(at("accessors", index)["bufferView"].get<int>()) == bytes) return index;
    // Accessors must begin at multiples of their component's size; four fits all that is written.
    pad(bin_, '\0');
    Json view{{"buffer", 0}, {"byteOffset", bin_.size()}, {"byteLength", bytes.size()}};
    if (target != Target::none) view["target"] = static_cast<int>(target);
    bin_ += bytes;
    Json made{{"bufferView", add("bufferViews", std::move(view))},
              {"componentType", static_cast<int>(component)},
              {"count", count},
              {"type", type}};
    if (!bounds.is_null()) made["min"] = bounds["min"], made["max"] = bounds["max"];
    const int index = add("accessors", std::move(made));
    same.emplace_back(index, kind);
    return index;
}

int Document::numbers(std::span<const float> values, const char* type, Target target, bool bounds)
{
    const std::size_t width = width_of(type);
    Json              box;
    // Required for positions and for times of animations (glTF 2.0, 3.6.2.5), in the precision of the values.
    if (bounds) {
        std::vector<float> least(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)), most = least;
        for (std::size_t i = 0; i < values.size(); ++i) {
            least[i % width] = std::min(least[i % width], values[i]);
            most[i % width]  = std::max(most[i % width], values[i]);
        }
        box = {{"min", Json::array()}, {"max", Json::array()}};
        for (const float v : least) box["min"].push_back(static_cast<double>(v));
        for (const float v : most) box["max"].push_back(static_cast<double>(v));
    }
    return accessor({reinterpret_cast<const char*>(values.data()), values.size_bytes()}, values.size() / width, type,
                    Component::f32, target, std::move(box));
}

int Document::whole(std::span<const std::uint32_t> values, const char* type, Component component, Target target)
{
    const std::size_t size = component == Component::u8 ? 1 : component == Component::u16 ? 2 : 4;
    std::string       bytes;
    bytes.reserve(values.size() * size);
    for (const std::uint32_t v : values)
        for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((v >> (8 * i)) & 0xff);
    return accessor(bytes, values.size() / width_of(type), type, component, target, {});
}

int Document::picture(const std::string& bytes, const std::string& name)
{
    for (std::size_t i = 0; i < pictures_.size(); ++i)
        if (pictures_[i].bytes == bytes) return static_cast<int>(i);
    pictures_.push_back({bytes, name});
    return static_cast<int>(pictures_.size()) - 1;
}

void Document::use(const std::string& extension, bool required)
{
    used_.insert(extension);
    if (required) required_.insert(extension);
}

Result<std::vector<OutputFile>> Document::finish(const std::string& file, const std::string& folder, Json asset,
                                                 Json scene)
{
    const bool              binary = !files::has_suffix(file, {".gltf"});
    std::vector<OutputFile> files(1);
    std::set<std::string>   taken;
    // Pictures go into the buffer of a .glb and into files beside a .gltf.
    for (const Picture& p : pictures_) {
        std::string clean;
        for (const char c : p.name)
            clean += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ? c : '_';
        if (clean.empty()) clean = "picture";
        std::string name = clean;
        for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", clean, i);
        if (binary) {
            pad(bin_, '\0');
            const int view =
                add("bufferViews", {{"buffer", 0}, {"byteOffset", bin_.size()}, {"byteLength", p.bytes.size()}});
            bin_ += p.bytes;
            add("images", {{"name", name}, {"bufferView", view}, {"mimeType", mime_of(p.bytes)}});
        } else {
            files.push_back({folder + "/" + name + suffix_of(p.bytes), p.bytes});
            add("images", {{"name", name}, {"uri", files::uri_of(files.back().name)}});
        }
    }
    pad(bin_, '\0');
    if (bin_.size() > kMostBytes)
        return make_diagnostic(kTooLarge, {.layer = file},
                               fmt::format("its buffer has {} bytes, and glTF's lengths have 32 bits", bin_.size()));

    Json out;
    out["asset"] = std::move(asset);
    if (!used_.empty()) out["extensionsUsed"] = used_;
    if (!required_.empty()) out["extensionsRequired"] = required_;
    out["scene"]  = 0;
    out["scenes"] = Json::array({std::move(scene)});
    for (const char* list : kLists)
        if (const auto found = lists_.find(list); found != lists_.end() && !found->second.empty())
            out[list] = std::move(found->second);
    if (!bin_.empty()) {
        Json buffer{{"byteLength", bin_.size()}};
        if (!binary) {
            files.push_back({std::filesystem::path(file).stem().string() + ".bin", bin_});
            buffer["uri"] = files::uri_of(files.back().name);
        }
        out["buffers"] = Json::array({std::move(buffer)});
    }
    if (!extensions_.empty()) out["extensions"] = extensions_;
    // Names come from stages, which may hold bytes that are no UTF-8.
    std::string text = out.dump(binary ? -1 : 1, ' ', false, Json::error_handler_t::replace);
    files[0].name    = file;
    if (!binary) {
        files[0].content = text + "\n";
        return files;
    }
    // GLB chunks are multiples of four bytes: JSON is filled with spaces, the binary chunk with zeros (glTF 2.0,
    // 4.4.3).
    pad(text, ' ');
    std::string& glb = files[0].content;
    glb              = "glTF";
    // GLB: magic, version, length, then chunks of length, type and data (glTF 2.0, "GLB File Format").
    put(glb, 2);
    // Total length: 12 bytes of header, 8 before the JSON chunk, 8 before the binary one.
    put(glb, static_cast<std::uint32_t>(20 + text.size() + (bin_.empty() ? 0 : 8 + bin_.size())));
    put(glb, static_cast<std::uint32_t>(text.size()));
    glb += "JSON";
    glb += text;
    if (!bin_.empty()) {
        put(glb, static_cast<std::uint32_t>(bin_.size()));
        glb += std::string_view("BIN\0", 4);
        glb += bin_;
    }
    return files;
}

}  // namespace mechane::exporter::gltf

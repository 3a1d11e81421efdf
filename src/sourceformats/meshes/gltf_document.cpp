// A file of glTF below its scene: JSON, buffers, views and accessors. Numbers come out as doubles, whatever their
// type. Every offset and count of a file may be wrong, so each is compared with the bytes that are there before it is
// used. They are read as doubles first, since a JSON number may be negative, a fraction, or beyond any integer.
#include "sourceformats/meshes/gltf_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/files/uri.h"

namespace mechane::sourceformats {
namespace {

// 50 million doubles are 400 MB.
constexpr std::size_t kMostNumbers = 50'000'000;

/// Reads numbers of one kind; `kind` is glTF's componentType. Nothing where they lie outside.
std::optional<std::vector<double>> unpacked(std::string_view bytes, double begin_at, double step, std::size_t n,
                                            std::size_t has, std::size_t width, int kind, bool normalized)
{
    // componentType: 5120 BYTE, 5121 UNSIGNED_BYTE, 5122 SHORT, 5123 UNSIGNED_SHORT, 5125 UNSIGNED_INT, 5126 FLOAT.
    const std::size_t size = kind == 5120 || kind == 5121   ? 1
                             : kind == 5122 || kind == 5123 ? 2
                             : kind == 5125 || kind == 5126 ? 4
                                                            : 0;
    // Without a stride rows lie one behind the other.
    if (step == 0) step = static_cast<double>(size * has);
    if (size == 0 || !(begin_at >= 0 && begin_at <= 1e12) || !(step >= 1 && step <= 4096) || n * width > kMostNumbers)
        return std::nullopt;
    const auto begin = static_cast<std::size_t>(begin_at), stride = static_cast<std::size_t>(step);
    // The last row needs its own bytes only, not a whole stride.
    if (n > 0 && begin + (n - 1) * stride + size * has > bytes.size()) return std::nullopt;
    std::vector<double> out;
    out.reserve(n * width);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            const std::size_t at = begin + i * stride + c * size;
            double            v = 0, most = 1;
            switch (kind) {
                case 5120:
                    v = read_as<std::int8_t>(bytes, at), most = 127;
                    break;
                case 5121:
                    v = read_as<std::uint8_t>(bytes, at), most = 255;
                    break;
                case 5122:
                    v = read_as<std::int16_t>(bytes, at), most = 32767;
                    break;
                case 5123:
                    v = read_as<std::uint16_t>(bytes, at), most = 65535;
                    break;
                case 5125:
                    v = read_as<std::uint32_t>(bytes, at);
                    break;
                default:
                    v = static_cast<double>(read_as<float>(bytes, at));
                    break;
            }
            // Signed integers are divided by their largest value, and the one below its negative counts as -1.
            out.push_back(normalized ? std::max(v / most, -1.0) : v);
        }
    return out;
}

}  // namespace

std::string decoded_base64(std::string_view text)
{
    std::string   out;
    std::uint32_t bits = 0;
    int           have = 0;
    for (const char c : text) {
        int v = -1;
        if (c >= 'A' && c <= 'Z') v = c - 'A';
        if (c >= 'a' && c <= 'z') v = c - 'a' + 26;
        if (c >= '0' && c <= '9') v = c - '0' + 52;
        // The alphabet of addresses writes - and _ for + and /.
        if (c == '+' || c == '-') v = 62;
        if (c == '/' || c == '_') v = 63;
        // Line breaks, padding and anything else between the digits are skipped.
        if (v < 0) continue;
        // Six bits a digit; a byte is taken as soon as eight are there.
        bits = (bits << 6) | static_cast<std::uint32_t>(v);
        if ((have += 6) >= 8) {
            have -= 8;
            out += static_cast<char>((bits >> have) & 0xff);
        }
    }
    return out;
}

/// Anything that is not a number counts as absent; so do keys of what is no object.
double gltf_number(const nlohmann::json& of, const char* key, double otherwise)
{
    if (!of.is_object()) return otherwise;
    const auto at = of.find(key);
    return at != of.end() && at->is_number() ? at->get<double>() : otherwise;
}

std::string gltf_text(const nlohmann::json& of, const char* key)
{
    if (!of.is_object()) return {};
    const auto at = of.find(key);
    return at != of.end() && at->is_string() ? at->get<std::string>() : std::string();
}

const nlohmann::json& gltf_child(const nlohmann::json& of, const char* key)
{
    static const nlohmann::json kNone;
    if (!of.is_object()) return kNone;
    const auto found = of.find(key);
    return found == of.end() ? kNone : *found;
}

int gltf_index(const nlohmann::json& of, const char* key)
{
    const double v = gltf_number(of, key, -1);
    return v >= 0 && v < 1e9 && v == std::floor(v) ? static_cast<int>(v) : -1;
}

std::vector<double> gltf_numbers(const nlohmann::json& of, const char* key)
{
    std::vector<double> out;
    if (!of.is_object()) return out;
    if (const auto at = of.find(key); at != of.end() && at->is_array())
        // A wrong entry counts as zero: the place of the others stays.
        for (const nlohmann::json& v : *at) out.push_back(v.is_number() ? v.get<double>() : 0);
    return out;
}

std::string GltfDocument::open(std::string_view bytes, const Beside& beside)
{
    beside_               = beside;
    std::string_view json = bytes;
    // GLB: 12 bytes of header, then chunks, each with its length and type: the JSON first, one binary chunk behind it.
    if (bytes.starts_with("glTF")) {
        // Version and length of the whole are not needed: chunks have lengths of their own.
        if (bytes.size() < 20) return "the file is too short";
        const std::size_t length = read_as<std::uint32_t>(bytes, 12);
        if (length > bytes.size() - 20) return "the first chunk is longer than the file";
        json                  = bytes.substr(20, length);
        const std::size_t end = 20 + length;
        if (bytes.size() >= end + 8) {
            const std::size_t more = read_as<std::uint32_t>(bytes, end);
            chunk_                 = bytes.substr(end + 8, more);
        }
    }
    // Its recursion would end on the program's stack, so depth is counted before it starts.
    int  nested = 0, most = 0;  // the parser below calls itself for each bracket
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (quoted) {
            if (json[i] == '\\')
                ++i;
            else if (json[i] == '"')
                quoted = false;
        } else if (json[i] == '"') {
            quoted = true;
        } else if (json[i] == '[' || json[i] == '{') {
            most = std::max(most, ++nested);
        } else if (json[i] == ']' || json[i] == '}') {
            --nested;
        }
    }
    if (most > 256) return "brackets are nested too deep";
    json_ = Json::parse(json, nullptr, false);
    if (json_.is_discarded() || !json_.is_object()) return "the JSON is not well-formed";
    return {};
}

const GltfDocument::Json* GltfDocument::entry(const char* list, double index) const
{
    const auto at = json_.find(list);
    if (at == json_.end() || !at->is_array() || !(index >= 0) || index >= static_cast<double>(at->size()))
        return nullptr;
    return &(*at)[static_cast<std::size_t>(index)];
}

std::size_t GltfDocument::count(const char* list) const
{
    const auto at = json_.find(list);
    return at == json_.end() || !at->is_array() ? 0 : at->size();
}

bool GltfDocument::requires_extension(std::string_view name) const
{
    const auto at = json_.find("extensionsRequired");
    return at != json_.end() && at->is_array() && std::any_of(at->begin(), at->end(), [&](const Json& e) {
               return e.is_string() && e.get<std::string>() == name;
           });
}

const std::string* GltfDocument::buffer(double index)
{
    // A buffer without an address is the binary chunk of the file.
    // A handful of buffers: a search through a list is enough.
    for (const auto& [known, bytes] : buffers_)
        if (known == index) return &bytes;
    const Json* b = entry("buffers", index);
    if (b == nullptr) return nullptr;
    const std::string uri = gltf_text(*b, "uri");
    std::string       bytes;
    if (uri.empty())
        bytes = chunk_;
    else if (uri.starts_with("data:"))
        bytes = decoded_base64(std::string_view(uri).substr(std::min(uri.find(',') + 1, uri.size())));
    else
        bytes = beside_(files::path_of_uri(uri));
    return &buffers_.emplace_back(index, std::move(bytes)).second;
}

const std::string* GltfDocument::unpacked_view(double index)
{
    const Json* v = entry("bufferViews", index);
    if (v == nullptr || !v->is_object() || !v->contains("extensions")) return nullptr;
    // Both names stand for the same coding.
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
        const Json& extensions = (*v)["extensions"];
        if (!extensions.is_object() || !extensions.contains(name)) continue;
        if (const auto known = plain_.find(index); known != plain_.end())
            return known->second.empty() ? nullptr : &known->second;
        const Json&  e   = extensions[name];
        std::string& out = plain_[index];
        // A view that failed stays empty in the table, and is not unpacked a second time.
        const std::string* bytes = buffer(gltf_number(e, "buffer", -1));
        const double       begin = gltf_number(e, "byteOffset", 0), length = gltf_number(e, "byteLength", -1),
                           count = gltf_number(e, "count", -1), stride = gltf_number(e, "byteStride", -1);
        if (bytes == nullptr || !(begin >= 0) || !(length >= 0) ||
            begin + length > static_cast<double>(bytes->size()) || !(count >= 0 && count < 1e9) ||
            !(stride >= 0 && stride < 1e6)) {
            why_not_ = fmt::format("{} of bufferViews[{}] lies outside of its buffer", name, index);
            return nullptr;
        }
        out = unpack_meshopt(
            std::string_view(*bytes).substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)),
            {static_cast<std::size_t>(count), static_cast<std::size_t>(stride), gltf_text(e, "mode"),
             gltf_text(e, "filter")},
            why_not_);
        return out.empty() ? nullptr : &out;
    }
    return nullptr;
}

const DracoMesh* GltfDocument::draco(const Json& primitive)
{
    static constexpr const char* kName = "KHR_draco_mesh_compression";
    if (!primitive.is_object() || !primitive.contains("extensions")) return nullptr;
    const Json& extensions = primitive["extensions"];
    if (!extensions.is_object() || !extensions.contains(kName)) return nullptr;
    // One compressed mesh may serve several primitives: it is unpacked once.
    const double index = gltf_number(extensions[kName], "bufferView", -1);
    if (const auto known = draco_.find(index); known != draco_.end())
        return known->second.points == 0 ? nullptr : &known->second;
    DracoMesh& out   = draco_[index];
    const auto bytes = view(index);
    if (!bytes) return why_not_ = fmt::format("{} names no sound bufferView", kName), nullptr;
    std::string wrong;
    out = unpack_draco(*bytes, wrong);
    if (!wrong.empty()) why_not_ = wrong;
    return out.points == 0 ? nullptr : &out;
}

std::optional<std::vector<double>> GltfDocument::attribute(const Json& primitive, const char* name, std::size_t width)
{
    why_not_.clear();
    if (!primitive.is_object() || !primitive.contains("attributes")) return std::nullopt;
    const double index = gltf_number(primitive["attributes"], name, -1);
    if (index < 0) return std::nullopt;
    // Draco's numbers go before those of the accessor, which may have no bytes at all.
    if (const DracoMesh* mesh = draco(primitive)) {
        const Json&  ids = primitive["extensions"]["KHR_draco_mesh_compression"];
        const double id  = ids.contains("attributes") ? gltf_number(ids["attributes"], name, -1) : -1;
        if (const auto a = id >= 0 && id < 1e9 ? mesh->attributes.find(static_cast<int>(id)) : mesh->attributes.end();
            a != mesh->attributes.end() && a->second.width >= width) {
            const Json* plain = entry("accessors", index);
            // The accessor says how the numbers are meant; Draco only stores them.
            const bool scaled = plain != nullptr && plain->contains("normalized") && (*plain)["normalized"] == true &&
                                a->second.most > 0;
            std::vector<double> out;
            out.reserve(mesh->points * width);
            for (std::size_t p = 0; p < mesh->points; ++p)
                for (std::size_t c = 0; c < width; ++c) {
                    const double v = a->second.values[a->second.width * p + c];
                    out.push_back(scaled ? std::max(v / a->second.most, -1.0) : v);
                }
            return out;
        }
    }
    // Without a sound compressed mesh, what a file offers beside it for readers that know no compression.
    const std::string first = why_not_;
    auto              out   = accessor(index, width);
    if (!out && why_not_.empty()) why_not_ = first;
    return out;
}

/// Indices of the corners; vertices one after the other where the primitive has no indices.
std::optional<std::vector<double>> GltfDocument::corners(const Json& primitive, std::size_t vertices)
{
    why_not_.clear();
    if (const DracoMesh* mesh = draco(primitive); mesh != nullptr && mesh->points == vertices)
        return std::vector<double>(mesh->corners.begin(), mesh->corners.end());
    if (primitive.is_object() && primitive.contains("indices"))
        return accessor(gltf_number(primitive, "indices", -1), 1);
    std::vector<double> out(vertices);
    for (std::size_t i = 0; i < vertices; ++i) out[i] = static_cast<double>(i);
    return out;
}

std::optional<std::string_view> GltfDocument::view(double index)
{
    if (const std::string* plain = unpacked_view(index)) return std::string_view(*plain);
    const Json*        v     = entry("bufferViews", index);
    const std::string* bytes = v != nullptr ? buffer(gltf_number(*v, "buffer", -1)) : nullptr;
    if (bytes == nullptr) return std::nullopt;
    const double begin = gltf_number(*v, "byteOffset", 0), length = gltf_number(*v, "byteLength", -1);
    if (!(begin >= 0) || !(length >= 0) || begin + length > static_cast<double>(bytes->size())) return std::nullopt;
    return std::string_view(*bytes).substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
}

std::optional<std::vector<double>> GltfDocument::accessor(double index, std::size_t width)
{
    const Json* a = entry("accessors", index);
    if (a == nullptr || !a->is_object()) return std::nullopt;
    const std::string type = gltf_text(*a, "type");
    // Rows may be wider than what is asked for (a VEC4 colour of which three are used), never narrower.
    const std::size_t has   = type == "SCALAR" ? 1
                              : type == "VEC2" ? 2
                              : type == "VEC3" ? 3
                              : type == "VEC4" ? 4
                              : type == "MAT4" ? 16
                                               : 0;
    const double      count = gltf_number(*a, "count", 0);
    if (has < width || width == 0 || !(count >= 0 && count <= static_cast<double>(kMostNumbers))) return std::nullopt;
    const auto                         n          = static_cast<std::size_t>(count);
    const int                          kind       = static_cast<int>(gltf_number(*a, "componentType", 0));
    const bool                         normalized = a->contains("normalized") && (*a)["normalized"] == true;
    std::optional<std::vector<double>> out;
    if (const Json* v = entry("bufferViews", gltf_number(*a, "bufferView", -1)); v != nullptr) {
        const std::string* plain = unpacked_view(gltf_number(*a, "bufferView", -1));
        const std::string* bytes = plain != nullptr ? plain : buffer(gltf_number(*v, "buffer", -1));
        if (bytes == nullptr) return std::nullopt;
        // The bytes of an unpacked view begin at 0, wherever the packed ones lie.
        out = unpacked(*bytes,
                       (plain != nullptr ? 0 : gltf_number(*v, "byteOffset", 0)) + gltf_number(*a, "byteOffset", 0),
                       gltf_number(*v, "byteStride", 0), n, has, width, kind, normalized);
        if (!out) return std::nullopt;
    } else if (!a->contains("sparse") || a->contains("bufferView") || n * width > kMostNumbers) {
        return std::nullopt;
    } else {
        out.emplace(n * width, 0.0);
    }
    if (!a->contains("sparse")) return out;
    const Json&  s    = (*a)["sparse"];
    const double some = gltf_number(s, "count", -1);
    if (!s.is_object() || !s.contains("indices") || !s.contains("values") || !(some >= 0) || some > count)
        return std::nullopt;
    // A sparse part lies densely in a view of its own.
    const auto part = [&](const Json& of, std::size_t per_row, std::size_t rows_width, int of_kind,
                          bool scaled) -> std::optional<std::vector<double>> {
        const auto bytes = view(gltf_number(of, "bufferView", -1));
        if (!bytes) return std::nullopt;
        return unpacked(*bytes, gltf_number(of, "byteOffset", 0), 0, static_cast<std::size_t>(some), per_row,
                        rows_width, of_kind, scaled);
    };
    const auto where = part(s["indices"], 1, 1, static_cast<int>(gltf_number(s["indices"], "componentType", 0)), false);
    const auto what  = part(s["values"], has, width, kind, normalized);
    if (!where || !what) return std::nullopt;
    for (std::size_t i = 0; i < where->size(); ++i) {
        if ((*where)[i] >= count) return std::nullopt;
        for (std::size_t c = 0; c < width; ++c)
            (*out)[static_cast<std::size_t>((*where)[i]) * width + c] = (*what)[i * width + c];
    }
    return out;
}

}  // namespace mechane::sourceformats

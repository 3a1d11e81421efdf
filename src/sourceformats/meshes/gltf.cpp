// glTF 2.0 and GLB: triangles of the default scene's meshes with the transforms of their nodes, base colours. Points
// stay as the file has them: what shows robots of URDF does not turn them either. Draco, meshopt, skins, morphs,
// sparse accessors and animations are not read.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "mechane/math/pose.h"
#include "sourceformats/meshes/mesh_file.h"

namespace mechane::sourceformats {
namespace {

using Json = nlohmann::json;

constexpr int         kMostNested  = 64;
constexpr std::size_t kMostCorners = 50'000'000;

struct Affine {
    Mat33d A = Mat33d::identity();
    Vec3d  t;
};
Affine operator*(const Affine& a, const Affine& b) { return {a.A * b.A, a.A * b.t + a.t}; }

std::string decoded_base64(std::string_view text)
{
    std::string  out;
    std::uint32_t bits = 0;
    int           have = 0;
    for (const char c : text) {
        int v = -1;
        if (c >= 'A' && c <= 'Z') v = c - 'A';
        if (c >= 'a' && c <= 'z') v = c - 'a' + 26;
        if (c >= '0' && c <= '9') v = c - '0' + 52;
        if (c == '+' || c == '-') v = 62;
        if (c == '/' || c == '_') v = 63;
        if (v < 0) continue;
        bits = (bits << 6) | static_cast<std::uint32_t>(v);
        if ((have += 6) >= 8) {
            have -= 8;
            out += static_cast<char>((bits >> have) & 0xff);
        }
    }
    return out;
}

const Json* element(const Json& of, const char* array, double index)
{
    const auto at = of.is_object() ? of.find(array) : of.end();
    if (!of.is_object() || at == of.end() || !at->is_array() || !(index >= 0) || index >= static_cast<double>(at->size())) return nullptr;
    return &(*at)[static_cast<std::size_t>(index)];
}

double number(const Json& of, const char* key, double otherwise)
{
    if (!of.is_object()) return otherwise;
    const auto at = of.find(key);
    return at != of.end() && at->is_number() ? at->get<double>() : otherwise;
}

std::string text(const Json& of, const char* key)
{
    if (!of.is_object()) return {};
    const auto at = of.find(key);
    return at != of.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<double> numbers(const Json& of, const char* key)
{
    std::vector<double> out;
    if (!of.is_object()) return out;
    if (const auto at = of.find(key); at != of.end() && at->is_array())
        for (const Json& v : *at) out.push_back(v.is_number() ? v.get<double>() : 0);
    return out;
}

class Reader {
  public:
    Reader(Json document, std::string_view chunk, const Beside& beside, MeshData& data)
        : json_(std::move(document)), chunk_(chunk), beside_(beside), data_(data)
    {
    }

    std::string run()
    {
        for (const char* needed : {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"})
            if (const auto at = json_.find("extensionsRequired"); at != json_.end() && at->is_array())
                for (const Json& e : *at)
                    if (e == needed && e != "KHR_mesh_quantization") return fmt::format("{} is not read", needed);
        if (const auto at = json_.find("materials"); at != json_.end() && at->is_array())
            for (const Json& m : *at) material(m);
        const Json* scene = element(json_, "scenes", number(json_, "scene", 0));
        if (scene != nullptr) {
            for (const double n : numbers(*scene, "nodes")) node(n, {}, 0);
        } else if (const auto at = json_.find("meshes"); at != json_.end() && at->is_array()) {
            for (std::size_t i = 0; i < at->size(); ++i) mesh(static_cast<double>(i), {});
        }
        if (!all_normals_) data_.normals.clear();
        if (!all_uvs_) data_.uvs.clear();
        return wrong_;
    }

  private:
    Json                                              json_;
    std::string_view                                  chunk_;
    const Beside&                                     beside_;
    MeshData&                                         data_;
    std::vector<std::pair<double, std::string>>       buffers_;
    bool                                              all_normals_ = true, all_uvs_ = true;
    int                                               nodes_ = 0;
    std::string                                       wrong_;

    void material(const Json& m)
    {
        MeshMaterial made;
        made.name = text(m, "name");
        made.rgba = {1, 1, 1, 1};
        if (m.is_object() && m.contains("pbrMetallicRoughness")) {
            const Json& pbr   = m["pbrMetallicRoughness"];
            const auto  color = numbers(pbr, "baseColorFactor");
            for (std::size_t i = 0; i < 4 && i < color.size(); ++i) made.rgba[i] = color[i];
            made.metallic  = number(pbr, "metallicFactor", 1);
            made.roughness = number(pbr, "roughnessFactor", 1);
            if (pbr.is_object() && pbr.contains("baseColorTexture"))
                if (const Json* t = element(json_, "textures", number(pbr["baseColorTexture"], "index", -1)))
                    if (const Json* image = element(json_, "images", number(*t, "source", -1)))
                        if (std::string uri = text(*image, "uri"); !uri.starts_with("data:")) made.texture = std::move(uri);
        }
        data_.materials.push_back(std::move(made));
    }

    void node(double index, const Affine& above, int depth)
    {
        const Json* n = element(json_, "nodes", index);
        if (n == nullptr || depth > kMostNested || ++nodes_ > 1'000'000) return;
        Affine at;
        if (const auto m = numbers(*n, "matrix"); m.size() == 16) {  // column by column
            at.A = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
            at.t = {m[12], m[13], m[14]};
        } else {
            if (const auto t = numbers(*n, "translation"); t.size() == 3) at.t = {t[0], t[1], t[2]};
            if (const auto q = numbers(*n, "rotation"); q.size() == 4) at.A = to_matrix(normalized(Quatd{q[0], q[1], q[2], q[3]}));
            if (const auto s = numbers(*n, "scale"); s.size() == 3) at.A = at.A * Mat33d::diagonal({s[0], s[1], s[2]});
        }
        at = above * at;
        mesh(number(*n, "mesh", -1), at);
        for (const double child : numbers(*n, "children")) node(child, at, depth + 1);
    }

    const std::string* buffer(double index)
    {
        for (const auto& [known, bytes] : buffers_)
            if (known == index) return &bytes;
        const Json* b = element(json_, "buffers", index);
        if (b == nullptr) return nullptr;
        const std::string uri = text(*b, "uri");
        std::string       bytes;
        if (uri.empty())
            bytes = chunk_;
        else if (uri.starts_with("data:"))
            bytes = decoded_base64(std::string_view(uri).substr(std::min(uri.find(',') + 1, uri.size())));
        else
            bytes = beside_(uri);
        return &buffers_.emplace_back(index, std::move(bytes)).second;
    }

    /// The numbers of an accessor, `width` a row.
    std::optional<std::vector<double>> accessor(double index, std::size_t width)
    {
        const Json* a = element(json_, "accessors", index);
        if (a == nullptr || a->contains("sparse")) return std::nullopt;
        const std::string type = text(*a, "type");
        const std::size_t has  = type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 0;
        const Json*       view = element(json_, "bufferViews", number(*a, "bufferView", -1));
        const std::string* bytes = view != nullptr ? buffer(number(*view, "buffer", -1)) : nullptr;
        const double count = number(*a, "count", 0);
        if (has < width || bytes == nullptr || !(count >= 0 && count <= static_cast<double>(kMostCorners))) return std::nullopt;
        const int         kind = static_cast<int>(number(*a, "componentType", 0));
        const std::size_t size = kind == 5120 || kind == 5121 ? 1 : kind == 5122 || kind == 5123 ? 2 : kind == 5125 || kind == 5126 ? 4 : 0;
        const double      begin_at = number(*view, "byteOffset", 0) + number(*a, "byteOffset", 0);
        const double      step     = number(*view, "byteStride", static_cast<double>(size * has));
        if (size == 0 || !(begin_at >= 0 && begin_at <= 1e12) || !(step >= 1 && step <= 4096)) return std::nullopt;
        const auto begin = static_cast<std::size_t>(begin_at), stride = static_cast<std::size_t>(step),
                   n = static_cast<std::size_t>(count);
        if (n > 0 && begin + (n - 1) * stride + size * has > bytes->size()) return std::nullopt;
        const bool normalized = a->contains("normalized") && (*a)["normalized"] == true;
        std::vector<double> out;
        out.reserve(n * width);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < width; ++c) {
                const std::size_t at = begin + i * stride + c * size;
                double            v = 0, most = 1;
                switch (kind) {
                    case 5120:
                        v = read_as<std::int8_t>(*bytes, at), most = 127;
                        break;
                    case 5121:
                        v = read_as<std::uint8_t>(*bytes, at), most = 255;
                        break;
                    case 5122:
                        v = read_as<std::int16_t>(*bytes, at), most = 32767;
                        break;
                    case 5123:
                        v = read_as<std::uint16_t>(*bytes, at), most = 65535;
                        break;
                    case 5125:
                        v = read_as<std::uint32_t>(*bytes, at);
                        break;
                    default:
                        v = static_cast<double>(read_as<float>(*bytes, at));
                        break;
                }
                out.push_back(normalized ? std::max(v / most, -1.0) : v);
            }
        return out;
    }

    void mesh(double index, const Affine& at)
    {
        const Json* m = element(json_, "meshes", index);
        if (m == nullptr || !m->is_object() || !m->contains("primitives") || !(*m)["primitives"].is_array()) return;
        for (const Json& p : (*m)["primitives"]) primitive(p, at);
    }

    void primitive(const Json& p, const Affine& at)
    {
        if (!p.is_object() || !p.contains("attributes") || !wrong_.empty()) return;
        const int mode = static_cast<int>(number(p, "mode", 4));
        if (mode < 4 || mode > 6) return;  // points and lines are no surface
        const Json& attributes = p["attributes"];
        const auto  points     = accessor(number(attributes, "POSITION", -1), 3);
        if (!points) return void(wrong_ = "a primitive has no readable POSITION");
        const auto normals = accessor(number(attributes, "NORMAL", -1), 3);
        const auto uvs     = accessor(number(attributes, "TEXCOORD_0", -1), 2);
        const std::size_t count = points->size() / 3, base = data_.points.size();
        if (base + count > kMostCorners) return void(wrong_ = "the scene repeats its geometry too often");
        for (std::size_t i = 0; i < count; ++i)
            data_.points.push_back(at.A * Vec3d{(*points)[3 * i], (*points)[3 * i + 1], (*points)[3 * i + 2]} + at.t);
        std::vector<double> order;
        if (p.contains("indices")) {
            auto indices = accessor(number(p, "indices", -1), 1);
            if (!indices) return void(wrong_ = "a primitive has no readable indices");
            order = std::move(*indices);
        } else {
            for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<double>(i));
        }
        if (data_.corners.size() + 3 * order.size() > kMostCorners) return void(wrong_ = "the scene repeats its geometry too often");
        const bool   mirrored = determinant(at.A) < 0;
        const Mat33d turn     = (mirrored ? -1.0 : 1.0) * transpose(inverse(at.A));
        const double look     = number(p, "material", -1);
        const auto   corner   = [&](double v) {
            const std::size_t i = v >= 0 && v < static_cast<double>(count) ? static_cast<std::size_t>(v) : count;
            data_.corners.push_back(i < count ? static_cast<int>(base + i) : -1);
            const bool has_n = normals && 3 * i + 2 < normals->size(), has_uv = uvs && 2 * i + 1 < uvs->size();
            all_normals_ = all_normals_ && has_n;
            all_uvs_     = all_uvs_ && has_uv;
            data_.normals.push_back(has_n ? turn * Vec3d{(*normals)[3 * i], (*normals)[3 * i + 1], (*normals)[3 * i + 2]} : Vec3d{});
            data_.uvs.push_back(has_uv ? Vec2d{(*uvs)[2 * i], 1 - (*uvs)[2 * i + 1]} : Vec2d{});
        };
        const auto face = [&](std::size_t a, std::size_t b, std::size_t c) {
            if (mirrored) std::swap(b, c);
            corner(order[a]), corner(order[b]), corner(order[c]);
            data_.counts.push_back(3);
            data_.face_materials.push_back(look >= 0 && look < static_cast<double>(data_.materials.size()) ? static_cast<int>(look) : -1);
        };
        if (mode == 4)
            for (std::size_t i = 0; i + 2 < order.size(); i += 3) face(i, i + 1, i + 2);
        if (mode == 5)
            for (std::size_t i = 0; i + 2 < order.size(); ++i) i % 2 == 0 ? face(i, i + 1, i + 2) : face(i + 1, i, i + 2);
        if (mode == 6)
            for (std::size_t i = 1; i + 1 < order.size(); ++i) face(0, i, i + 1);
    }
};

}  // namespace

std::string parse_gltf(std::string_view bytes, const Beside& beside, MeshData& data)
{
    std::string_view json = bytes, chunk;
    if (bytes.starts_with("glTF")) {
        if (bytes.size() < 20) return "the file is too short";
        const std::size_t length = read_as<std::uint32_t>(bytes, 12);
        if (length > bytes.size() - 20) return "the first chunk is longer than the file";
        json                  = bytes.substr(20, length);
        const std::size_t end = 20 + length;
        if (bytes.size() >= end + 8) {
            const std::size_t more = read_as<std::uint32_t>(bytes, end);
            chunk                  = bytes.substr(end + 8, more);
        }
    }
    int  nested = 0, most = 0;  // the parser below calls itself for each bracket
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (quoted) {
            if (json[i] == '\\') ++i;
            else if (json[i] == '"') quoted = false;
        } else if (json[i] == '"') {
            quoted = true;
        } else if (json[i] == '[' || json[i] == '{') {
            most = std::max(most, ++nested);
        } else if (json[i] == ']' || json[i] == '}') {
            --nested;
        }
    }
    if (most > 256) return "brackets are nested too deep";
    Json document = Json::parse(json, nullptr, false);
    if (document.is_discarded() || !document.is_object()) return "the JSON is not well-formed";
    return Reader(std::move(document), chunk, beside, data).run();
}

}  // namespace mechane::sourceformats

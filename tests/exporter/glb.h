#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"

/// A GLB file as the specification of glTF 2.0 lays it out, read without any code of the writer's.
namespace mechane::test {

struct Glb {
    nlohmann::json json;
    std::string    bin;

    explicit Glb(const std::string& bytes)
    {
        const auto word = [&](std::size_t at) {
            std::uint32_t v = 0;
            std::memcpy(&v, bytes.data() + at, 4);
            return v;
        };
        if (bytes.size() < 20 || !bytes.starts_with("glTF") || word(8) != bytes.size() || word(12) % 4 != 0) return;
        json                 = nlohmann::json::parse(bytes.substr(20, word(12)));
        const std::size_t at = 20 + word(12);
        if (at + 8 <= bytes.size()) bin = bytes.substr(at + 8, word(at));
    }

    [[nodiscard]] std::vector<double> accessor(int index) const
    {
        const auto&                                     a    = json["accessors"][static_cast<std::size_t>(index)];
        const auto&                                     view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
        static const std::map<std::string, std::size_t> kWidth{
            {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
        const std::size_t   n    = a["count"].get<std::size_t>() * kWidth.at(a["type"]),
                            kind = a["componentType"].get<std::size_t>();
        const char*         p    = bin.data() + view["byteOffset"].get<std::size_t>();
        std::vector<double> out;
        for (std::size_t i = 0; i < n; ++i) {
            if (kind == 5126) {
                float f = 0;
                std::memcpy(&f, p + 4 * i, 4);
                out.push_back(static_cast<double>(f));
            } else if (kind == 5125) {
                std::uint32_t v = 0;
                std::memcpy(&v, p + 4 * i, 4);
                out.push_back(v);
            } else if (kind == 5123) {
                std::uint16_t v = 0;
                std::memcpy(&v, p + 2 * i, 2);
                out.push_back(v);
            } else {
                out.push_back(static_cast<unsigned char>(p[i]));
            }
        }
        return out;
    }
    [[nodiscard]] std::vector<Vec3d> vectors(int index) const
    {
        std::vector<Vec3d> out;
        const auto         v = accessor(index);
        for (std::size_t i = 0; i + 2 < v.size(); i += 3) out.push_back({v[i], v[i + 1], v[i + 2]});
        return out;
    }
    /// Bytes of a picture.
    [[nodiscard]] std::string picture(std::size_t index) const
    {
        const auto& view = json["bufferViews"][json["images"][index]["bufferView"].get<std::size_t>()];
        return bin.substr(view["byteOffset"].get<std::size_t>(), view["byteLength"].get<std::size_t>());
    }
    /// Nodes by name; -1: none.
    [[nodiscard]] int node(const std::string& name) const
    {
        for (std::size_t i = 0; i < json["nodes"].size(); ++i)
            if (json["nodes"][i].value("name", "") == name) return static_cast<int>(i);
        return -1;
    }
    [[nodiscard]] const nlohmann::json& at(const std::string& node_name) const
    { return json["nodes"][static_cast<std::size_t>(node(node_name))]; }
    [[nodiscard]] const nlohmann::json& mesh_of(const std::string& node_name) const
    { return json["meshes"][at(node_name)["mesh"].get<std::size_t>()]; }
    [[nodiscard]] const nlohmann::json& material_of(const std::string& node_name, std::size_t primitive = 0) const
    { return json["materials"][mesh_of(node_name)["primitives"][primitive]["material"].get<std::size_t>()]; }
    [[nodiscard]] std::vector<Vec3d> points(const std::string& node_name) const
    { return vectors(mesh_of(node_name)["primitives"][0]["attributes"]["POSITION"].get<int>()); }
    [[nodiscard]] std::vector<double> corners(const std::string& node_name, std::size_t primitive = 0) const
    { return accessor(mesh_of(node_name)["primitives"][primitive]["indices"].get<int>()); }

    struct Affine {
        Mat33d A = Mat33d::identity();
        Vec3d  t;
    };
    [[nodiscard]] Affine local(int index) const
    {
        const auto& n = json["nodes"][static_cast<std::size_t>(index)];
        Affine      out;
        const auto  list = [&](const char* key, std::vector<double> otherwise) {
            return n.contains(key) ? n[key].get<std::vector<double>>() : otherwise;
        };
        if (n.contains("matrix")) {
            const auto m = list("matrix", {});
            out.A        = Mat33d::from_columns({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]});
            out.t        = {m[12], m[13], m[14]};
            return out;
        }
        const auto t = list("translation", {0, 0, 0}), q = list("rotation", {0, 0, 0, 1}), s = list("scale", {1, 1, 1});
        out.A = to_matrix(Quatd{q[0], q[1], q[2], q[3]}) * Mat33d::diagonal({s[0], s[1], s[2]});
        out.t = {t[0], t[1], t[2]};
        return out;
    }
    [[nodiscard]] int parent(int index) const
    {
        for (std::size_t i = 0; i < json["nodes"].size(); ++i)
            for (const auto& c : json["nodes"][i].value("children", nlohmann::json::array()))
                if (c.get<int>() == index) return static_cast<int>(i);
        return -1;
    }
    /// A point of a node in the scene.
    [[nodiscard]] Vec3d in_scene(int index, Vec3d p) const
    {
        for (; index >= 0; index = parent(index)) {
            const Affine a = local(index);
            p              = a.A * p + a.t;
        }
        return p;
    }
};

}  // namespace mechane::test

// STL, as text and binary, and MuJoCo's MSH. Both hold triangles; STL's own normals are not read, since they follow
// from the corners.
#include <charconv>

#include "sourceformats/meshes/mesh_file.h"

namespace mechane::sourceformats {
namespace {

// Binary: 80 bytes of anything, a count, then 50 bytes a triangle: normal, three points (12 floats), two bytes of
// attribute.
constexpr std::size_t kHead = 84, kTriangle = 50;

std::string_view next_word(std::string_view& left)
{
    constexpr std::string_view kSpace = " \t\r\n";
    left.remove_prefix(std::min(left.find_first_not_of(kSpace), left.size()));
    const std::size_t      end  = std::min(left.find_first_of(kSpace), left.size());
    const std::string_view word = left.substr(0, end);
    left.remove_prefix(end);
    return word;
}

std::string parse_text(std::string_view left, MeshData& data)
{
    for (std::string_view word = next_word(left); !word.empty(); word = next_word(left)) {
        // Only vertices matter in a text; all other words (facet, normal, outer loop) only arrange them.
        if (word != "vertex" && word != "VERTEX") continue;
        Vec3d p;
        for (double* v : {&p.x, &p.y, &p.z}) {
            std::string_view number = next_word(left);
            if (number.starts_with('+')) number.remove_prefix(1);
            if (std::from_chars(number.data(), number.data() + number.size(), *v).ec != std::errc())
                return "a coordinate is not a number";
        }
        data.corners.push_back(static_cast<int>(data.points.size()));
        data.points.push_back(p);
        if (data.points.size() % 3 == 0) data.counts.push_back(3);
    }
    // A last triangle that is not complete goes.
    data.corners.resize(3 * data.counts.size());
    return {};
}

}  // namespace

std::string parse_stl(std::string_view bytes, MeshData& data)
{
    const std::size_t triangles = bytes.size() >= kHead ? read_as<std::uint32_t>(bytes, 80) : 0;
    const bool        fits      = bytes.size() >= kHead && triangles <= (bytes.size() - kHead) / kTriangle;
    // Binary files may begin with "solid" too; their length says what they are.
    const bool exact = fits && bytes.size() == kHead + kTriangle * triangles;
    if (!exact && bytes.starts_with("solid")) {
        if (auto wrong = parse_text(bytes, data); !wrong.empty()) return wrong;
    }
    // Some programs write bytes of their own behind the last triangle; no text has a triangle then.
    if (exact || !bytes.starts_with("solid") || (data.counts.empty() && fits && triangles > 0)) {
        if (!fits) return "the file is shorter than its number of triangles asks for";
        data.points.reserve(3 * triangles);
        for (std::size_t t = 0; t < triangles; ++t) {
            for (std::size_t c = 0; c < 3; ++c) {
                const std::size_t at = kHead + kTriangle * t + 12 + 12 * c;
                data.corners.push_back(static_cast<int>(data.points.size()));
                data.points.push_back({static_cast<double>(read_as<float>(bytes, at)),
                                       static_cast<double>(read_as<float>(bytes, at + 4)),
                                       static_cast<double>(read_as<float>(bytes, at + 8))});
            }
            data.counts.push_back(3);
        }
    }
    // Without shared points a mesh has no edges, and could not be told to be closed.
    weld_equal_points(data);
    return {};
}

/// MuJoCo's own binary format: four counts, then the arrays.
std::string parse_msh(std::string_view bytes, MeshData& data)
{
    // Gmsh uses the same suffix for another format.
    if (bytes.starts_with("$MeshFormat")) return "a .msh file of gmsh holds no surface";
    if (bytes.size() < 16) return "the file is too short";
    std::size_t n[4] = {};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto count = read_as<std::int32_t>(bytes, 4 * i);
        if (count < 0) return "a count is negative";
        n[i] = static_cast<std::size_t>(count);
    }
    if (16 + 4 * (3 * n[0] + 3 * n[1] + 2 * n[2] + 3 * n[3]) != bytes.size())
        return "the counts do not fit the length of the file";
    std::size_t at = 16;
    for (std::size_t i = 0; i < n[0]; ++i, at += 12)
        data.points.push_back({static_cast<double>(read_as<float>(bytes, at)),
                               static_cast<double>(read_as<float>(bytes, at + 4)),
                               static_cast<double>(read_as<float>(bytes, at + 8))});
    // Normals are passed over: MuJoCo's belong to points, ours to corners.
    at += 12 * n[1];
    const std::size_t uvs = at;
    at += 8 * n[2];
    for (std::size_t i = 0; i < 3 * n[3]; ++i, at += 4) {
        const auto c = read_as<std::int32_t>(bytes, at);
        data.corners.push_back(c);
        // Texture coordinates belong to points. MuJoCo's v runs downwards.
        if (n[2] == n[0] && n[0] > 0 && c >= 0 && static_cast<std::size_t>(c) < n[0])
            data.uvs.push_back(
                {static_cast<double>(read_as<float>(bytes, uvs + 8 * static_cast<std::size_t>(c))),
                 1 - static_cast<double>(read_as<float>(bytes, uvs + 8 * static_cast<std::size_t>(c) + 4))});
    }
    data.counts.assign(n[3], 3);
    return {};
}

}  // namespace mechane::sourceformats

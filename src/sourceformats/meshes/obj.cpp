// Wavefront OBJ with its material files: points, texture coordinates, normals and faces of any number of corners.
// Groups and smoothing are passed over.
//
// Indices are per kind: a corner v/vt/vn names a point, a texture coordinate and a normal of separate lists.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

#include "sourceformats/meshes/mesh_file.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {
namespace {

/// Lines of a text, "\" at the end of one joined with the next, comments taken off.
bool next_line(std::string_view& left, std::string& line)
{
    line.clear();
    if (left.empty()) return false;
    while (!left.empty()) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        // A file without a last line break, and lines that Windows ends.
        std::string_view part = left.substr(0, end);
        left.remove_prefix(std::min(left.size(), end + 1));
        if (part.ends_with('\r')) part.remove_suffix(1);
        part = part.substr(0, part.find('#'));
        if (part.ends_with('\\')) {
            line.append(part.substr(0, part.size() - 1)).append(" ");
            continue;
        }
        line.append(part);
        break;
    }
    return true;
}

std::string_view take_word(std::string_view& left)
{
    left                        = trimmed(left);
    const std::size_t      end  = std::min(left.find_first_of(" \t"), left.size());
    const std::string_view word = left.substr(0, end);
    left                        = trimmed(left.substr(end));
    return word;
}

std::array<double, 3> numbers(std::string_view text)
{
    // Fewer than three numbers leave the others at zero; weights and colours behind them are not read.
    std::array<double, 3> out{};
    for (double& v : out)
        if (const auto n = parse_number(take_word(text))) v = *n;
    return out;
}

void read_materials(const std::string& text, MeshData& data, std::map<std::string, int>& known)
{
    std::string_view left = text;
    std::string      line;
    MeshMaterial*    at = nullptr;
    while (next_line(left, line)) {
        std::string_view       rest = line;
        const std::string_view key  = take_word(rest);
        if (key == "newmtl") {
            // The last definition of a name counts, which is how files that are put together behave.
            known[std::string(rest)] = static_cast<int>(data.materials.size());
            at                       = &data.materials.emplace_back();
            at->name                 = rest;
        } else if (at != nullptr && key == "Kd") {
            const auto c = numbers(rest);
            at->rgba     = {c[0], c[1], c[2], at->rgba[3]};
        } else if (at != nullptr && key == "d") {
            at->rgba[3] = parse_number(rest).value_or(1);
        } else if (at != nullptr && key == "Tr") {
            // "d" is opacity, "Tr" transparency.
            at->rgba[3] = 1 - parse_number(rest).value_or(0);
        } else if (at != nullptr && key == "map_Kd") {
            while (rest.starts_with('-')) {  // options have one to three values; the file is the last word
                const std::size_t space = rest.rfind(' ');
                if (space == std::string_view::npos) break;
                rest = rest.substr(space + 1);
            }
            at->texture = rest;
        }
    }
}

}  // namespace

std::string parse_obj(std::string_view bytes, const Beside& beside, MeshData& data)
{
    std::vector<Vec2d>         uvs;
    std::vector<Vec3d>         normals;
    std::map<std::string, int> known;
    std::string                line;
    int                        material = -1;
    bool                       all_uvs = true, all_normals = true;
    for (std::string_view left = bytes; next_line(left, line);) {
        std::string_view       rest = line;
        const std::string_view key  = take_word(rest);
        if (key == "v") {
            const auto p = numbers(rest);
            data.points.push_back({p[0], p[1], p[2]});
        } else if (key == "vt") {
            const auto p = numbers(rest);
            uvs.push_back({p[0], p[1]});
        } else if (key == "vn") {
            const auto p = numbers(rest);
            normals.push_back({p[0], p[1], p[2]});
        } else if (key == "mtllib") {
            read_materials(beside(std::string(rest)), data, known);
        } else if (key == "usemtl") {
            const auto at = known.find(std::string(rest));
            material      = at == known.end() ? -1 : at->second;
        } else if (key == "f") {
            int count = 0;
            while (!rest.empty()) {
                std::string_view word = take_word(rest);
                // Indices that are left out stay 0, which is none.
                long index[3] = {0, 0, 0};
                for (long& i : index) {
                    const std::size_t end = std::min(word.find('/'), word.size());
                    std::from_chars(word.data(), word.data() + end, i);
                    word.remove_prefix(std::min(word.size(), end + 1));
                }
                const auto place = [](long i, std::size_t size) {
                    // Indices begin at 1; negative ones count back from what stands above.
                    return i > 0 ? i - 1 : i < 0 ? static_cast<long>(size) + i : -1L;
                };
                const long p = place(index[0], data.points.size()), t = place(index[1], uvs.size()),
                           n = place(index[2], normals.size());
                data.corners.push_back(p < 0 || p > 0x7fffffff ? -1 : static_cast<int>(p));
                const bool has_uv = t >= 0 && t < static_cast<long>(uvs.size());
                const bool has_n  = n >= 0 && n < static_cast<long>(normals.size());
                // One corner without a normal makes the list incomplete: then all go, and whoever shows the mesh
                // computes them.
                all_uvs     = all_uvs && has_uv;
                all_normals = all_normals && has_n;
                data.uvs.push_back(has_uv ? uvs[static_cast<std::size_t>(t)] : Vec2d{});
                data.normals.push_back(has_n ? normals[static_cast<std::size_t>(n)] : Vec3d{});
                ++count;
            }
            data.counts.push_back(count);
            data.face_materials.push_back(material);
        }
    }
    if (!all_uvs) data.uvs.clear();
    if (!all_normals) data.normals.clear();
    return {};
}

}  // namespace mechane::sourceformats

#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/vec.h"

/// Files of triangles and polygons. Readers never trust a number of a file: counts are compared with the bytes that
/// are there, indices with the points.
namespace mechane::sourceformats {

struct MeshMaterial {
    std::string           name;
    std::array<double, 4> rgba{0.7, 0.7, 0.7, 1};
    std::string           texture;  ///< address, relative to the mesh file
    double                metallic = 0, roughness = 0.5;
};

struct MeshData {
    std::vector<Vec3d>        points;           ///< [m]
    std::vector<int>          counts, corners;  ///< corners of each face; indices into points
    std::vector<Vec3d>        normals;          ///< one a corner, or none
    std::vector<Vec2d>        uvs;              ///< one a corner, or none
    std::vector<int>          face_materials;   ///< one a face, or none; -1 for no material
    std::vector<MeshMaterial> materials;
};

/// Formats that `parse_mesh` knows, by suffix: ".stl .obj .dae .ply .gltf .glb .msh".
bool is_mesh_suffix(std::string_view suffix);

/// Gives the bytes of a file that a mesh file names (".mtl", ".bin"); empty when there is none.
using Beside = std::function<std::string(const std::string& address)>;

/// Reads a mesh. Points that are not finite and faces with fewer than three corners or with indices out of range are
/// left out, which `note` says.
/// @param suffix  lower case, with its dot
/// @param note    gets what was left out; empty: nothing
/// @return a message when there is no face
struct MeshRead {
    MeshData    data;
    std::string error, note;
};
MeshRead parse_mesh(std::string_view bytes, const std::string& suffix, const Beside& beside);

// One function a format. They fill `data` as the file has it; `parse_mesh` then leaves out what is not sound.
std::string parse_stl(std::string_view bytes, MeshData& data);
std::string parse_obj(std::string_view bytes, const Beside& beside, MeshData& data);
std::string parse_ply(std::string_view bytes, MeshData& data);
std::string parse_dae(std::string_view bytes, MeshData& data);
std::string parse_gltf(std::string_view bytes, const Beside& beside, MeshData& data);
std::string parse_msh(std::string_view bytes, MeshData& data);

/// A number of the file's bytes; the caller has checked that they are there.
template <class T>
T read_as(std::string_view bytes, std::size_t at)
{
    T value{};
    __builtin_memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

/// Points that are exactly the same become one.
void weld_equal_points(MeshData& data);

}  // namespace mechane::sourceformats

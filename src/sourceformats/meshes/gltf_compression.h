#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What a glTF file holds in compressed form, made plain by the libraries of those who define the forms.
namespace mechane::sourceformats {

/// What EXT_meshopt_compression says of a part of a buffer.
struct MeshoptView {
    std::size_t count = 0, stride = 0;
    std::string mode, filter;
};
/// The plain bytes. `wrong` says why there are none: a library that is missing, or bytes that are not sound.
std::string unpack_meshopt(std::string_view bytes, const MeshoptView& view, std::string& wrong);

/// A mesh that KHR_draco_mesh_compression holds.
struct DracoMesh {
    struct Attribute {
        std::size_t         width = 0;
        std::vector<double> values;    ///< `width` a point; whole numbers that the mesh calls normalized lie in -1 to 1
        double              most = 0;  ///< largest number of its kind where it is whole and not normalized yet, else 0
    };
    std::size_t                points = 0;
    std::vector<std::uint32_t> corners;     ///< three a triangle
    std::map<int, Attribute>   attributes;  ///< by their ids
};
/// `wrong` says why there is none.
DracoMesh unpack_draco(std::string_view bytes, std::string& wrong);

}  // namespace mechane::sourceformats

// The two compressions of glTF: EXT_meshopt_compression, by libmeshoptimizer where the system has it, and
// KHR_draco_mesh_compression, by libdraco where the program was built with it. A file that needs what is missing is
// told the package that brings it.
#include "sourceformats/meshes/gltf_compression.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <type_traits>

#ifdef MECHANE_HAS_DRACO
#include <draco/compression/decode.h>
#endif

namespace mechane::sourceformats {
namespace {

// A count in the file says how much memory is taken, so it is bounded before.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

/// meshoptimizer's decoders. The library is looked for when the first file needs it, so that programs run without it.
struct Meshopt {
    using Decode    = int (*)(void*, std::size_t, std::size_t, const unsigned char*, std::size_t);
    using Filter    = void (*)(void*, std::size_t, std::size_t);
    Decode vertices = nullptr, triangles = nullptr, indices = nullptr;
    Filter octahedral = nullptr, quaternion = nullptr, exponential = nullptr;
    bool   found = false;

    Meshopt()
    {
        void* library = nullptr;
        // The names under which distributions install it, the exact one first.
        for (const char* name : {"libmeshoptimizer.so.2d", "libmeshoptimizer.so.2", "libmeshoptimizer.so"})
            if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
        if (library == nullptr) return;
        const auto get = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        found = get(vertices, "meshopt_decodeVertexBuffer") && get(triangles, "meshopt_decodeIndexBuffer") &&
                get(indices, "meshopt_decodeIndexSequence") && get(octahedral, "meshopt_decodeFilterOct") &&
                get(quaternion, "meshopt_decodeFilterQuat") && get(exponential, "meshopt_decodeFilterExp");
    }
};

}  // namespace

std::string unpack_meshopt(std::string_view bytes, const MeshoptView& view, std::string& wrong)
{
    static const Meshopt kLibrary;
    const bool           attributes = view.mode == "ATTRIBUTES", triangles = view.mode == "TRIANGLES";
    if (!kLibrary.found)
        return wrong = "EXT_meshopt_compression needs libmeshoptimizer, which is not here (Debian: libmeshoptimizer2d)",
               std::string();
    // The bounds of the specification: rows of 4 to 256 bytes in multiples of 4; indices of 2 or 4 bytes.
    const bool good = attributes  ? view.stride >= 4 && view.stride <= 256 && view.stride % 4 == 0
                      : triangles ? view.count % 3 == 0 && (view.stride == 2 || view.stride == 4)
                                  : view.mode == "INDICES" && (view.stride == 2 || view.stride == 4);
    if (!good || view.count == 0 || view.count > kMostUnpacked / view.stride)
        return wrong = fmt::format("EXT_meshopt_compression does not have {} rows of {} bytes as '{}'", view.count,
                                   view.stride, view.mode.substr(0, 20)),
               std::string();
    // The decoders write count * stride bytes and read no more than they are given.
    std::string out(view.count * view.stride, '\0');
    const auto  decode = attributes ? kLibrary.vertices : triangles ? kLibrary.triangles : kLibrary.indices;
    if (decode(out.data(), view.count, view.stride, reinterpret_cast<const unsigned char*>(bytes.data()),
               bytes.size()) != 0)
        return wrong = "its bytes of EXT_meshopt_compression are not sound, or of a newer version of the codec",
               std::string();
    // Filters turn quantized numbers back in place: unit vectors, rotations, and floats with a shared exponent.
    const bool by_four = view.stride == 4 || view.stride == 8;
    if (view.filter == "OCTAHEDRAL" && by_four)
        kLibrary.octahedral(out.data(), view.count, view.stride);
    else if (view.filter == "QUATERNION" && view.stride == 8)
        kLibrary.quaternion(out.data(), view.count, view.stride);
    else if (view.filter == "EXPONENTIAL")
        kLibrary.exponential(out.data(), view.count, view.stride);
    else if (!view.filter.empty() && view.filter != "NONE")
        wrong = fmt::format("EXT_meshopt_compression has no filter '{}' for {} bytes", view.filter.substr(0, 20),
                            view.stride);
    return wrong.empty() ? std::move(out) : std::string();
}

#ifdef MECHANE_HAS_DRACO

namespace {

/// The largest value of an integer type, by which a normalized accessor divides; 0 for types that are not normalized.
double most_of(draco::DataType type)
{
    if (type == draco::DT_INT8) return 127;
    if (type == draco::DT_UINT8) return 255;
    if (type == draco::DT_INT16) return 32767;
    return type == draco::DT_UINT16 ? 65535 : 0;
}

DracoMesh plain(std::string_view bytes, std::string& wrong)
{
    DracoMesh            out;
    draco::DecoderBuffer buffer;
    buffer.Init(bytes.data(), bytes.size());
    draco::Decoder decoder;
    auto           made = decoder.DecodeMeshFromBuffer(&buffer);
    if (!made.ok()) return wrong = "its bytes of Draco are not sound: " + made.status().error_msg_string(), out;
    const std::unique_ptr<draco::Mesh> mesh = std::move(made).value();
    out.points                              = mesh->num_points();
    out.corners.reserve(3 * std::size_t{mesh->num_faces()});
    for (draco::FaceIndex f(0); f < mesh->num_faces(); ++f)
        for (const draco::PointIndex& p : mesh->face(f)) out.corners.push_back(p.value());
    for (int i = 0; i < mesh->num_attributes(); ++i) {
        const draco::PointAttribute* const a = mesh->attribute(i);
        if (a == nullptr || a->num_components() < 1 || a->num_components() > 16) continue;
        // Attributes are named by the id that the extension lists, not by their order.
        DracoMesh::Attribute& to = out.attributes[static_cast<int>(a->unique_id())];
        to.width                 = static_cast<std::size_t>(a->num_components());
        // Draco has divided already where it says so itself.
        to.most = a->normalized() ? 0 : most_of(a->data_type());
        to.values.assign(to.width * out.points, 0);
        float row[16] = {};
        for (draco::PointIndex p(0); p < mesh->num_points(); ++p) {
            const draco::AttributeValueIndex v = a->mapped_index(p);
            if (v.value() >= a->size() || !a->ConvertValue<float>(v, a->num_components(), row)) continue;
            for (std::size_t c = 0; c < to.width; ++c)
                to.values[to.width * p.value() + c] = static_cast<double>(row[c]);
        }
    }
    return out;
}

}  // namespace

DracoMesh unpack_draco(std::string_view bytes, std::string& wrong)
{
    // libdraco may throw; the rest of the program does not.
    try {
        return plain(bytes, wrong);
    } catch (const std::exception&) {  // more room than there is, asked for by a forged count
        wrong = "its bytes of Draco ask for more memory than there is";
        return {};
    }
}

#else

DracoMesh unpack_draco(std::string_view, std::string& wrong)
{
    wrong = "KHR_draco_mesh_compression needs a program that was built with libdraco (Debian: libdraco-dev)";
    return {};
}

#endif

}  // namespace mechane::sourceformats

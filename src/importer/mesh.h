#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// A UsdGeomMesh as triangles, in authored points. Left-handed meshes are turned, so triangles wind outwards in every
/// case.
struct MeshData {
    std::shared_ptr<const geometry::Mesh> mesh;
    std::vector<std::int32_t>             triangle_face;  ///< authored face of each triangle
    std::size_t                           face_count = 0;
};

/// Reads meshes and shares equal ones: instances of one prototype get one geometry::Mesh.
class MeshReader {
  public:
    /// @param plain_fan  every face as (0, i, i + 1), as Newton reads them
    explicit MeshReader(bool plain_fan) : plain_fan_(plain_fan) {}

    /// Triangles of a mesh prim; null with IMPORT_MESH_DATA in `found` when points or faces are missing. Faulty faces are
    /// dropped.
    const MeshData* read(const usd::Prim& prim, Diagnostics& found);
    /// The same for many prims on all threads; `read` then has them at hand. Findings come in the order of the prims.
    void read_all(const std::vector<usd::Prim>& prims, const tasks::Pool& pool, Diagnostics& found);
    /// The triangles of some faces as a mesh of its own, unused points left out.
    static std::shared_ptr<const geometry::Mesh> part_of(const MeshData& data, const std::vector<bool>& faces);

  private:
    [[nodiscard]] std::optional<geometry::Triangulation> triangulated(const usd::Prim& prim, Diagnostics& found) const;
    std::shared_ptr<const geometry::Mesh>                shared(geometry::Mesh mesh);

    bool                                                                          plain_fan_;
    std::unordered_map<usd::Path, std::optional<MeshData>>                        by_path_;     // never iterated
    std::unordered_multimap<std::uint64_t, std::shared_ptr<const geometry::Mesh>> by_content_;  // never iterated
};

}  // namespace mechane::importer

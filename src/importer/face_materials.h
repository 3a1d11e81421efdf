#pragma once
#include <string>
#include <vector>

#include "import.h"

namespace mechane::importer {

/// Faces of a mesh collider that one physics material covers.
struct FaceMaterial {
    std::string              subset;              ///< name of the GeomSubset; empty for the faces of none
    const physics::Material* material = nullptr;  ///< null: the faces of no subset, of a mesh without a material
    std::vector<bool>        faces;
};

/// The faces of each subset with a physics material of its own, in subset order, and first those of no such subset if
/// there are any. A face of several subsets belongs to the first. Empty when no subset has a material.
std::vector<FaceMaterial> face_materials(const Import& run, const physics::Collider& collider, const MeshData& data);

/// Says of which subsets the material is not used, where a collider has one material only.
void report_unused_materials(Import& run, const physics::Collider& collider);

}  // namespace mechane::importer

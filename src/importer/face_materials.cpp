// Materials by face: GeomSubsets that bind a physics material, in the order of the prim's children; a face belongs to
// the first that names it. Called with per_face_materials; otherwise what is not used is reported.

#include "face_materials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mechane::importer {
namespace {

/// The physics material that a subset of faces binds itself; null for other children and for subsets without one.
const physics::Material* own_material(const Import& run, const usd::Prim& child)
{
    static const usd::Token kPurpose("physics");
    if (child.type_name() != usd::Token("GeomSubset") || !child.has_api(usd::Token("MaterialBindingAPI")) ||
        child.attribute("elementType").get_or<std::string>("face") != "face")
        return nullptr;
    const usd::Prim bound = run.stage.bound_material(child, kPurpose);
    if (!bound) return nullptr;
    const physics::Index i = run.physics.material_at(bound.path());
    return i == physics::kNone ? nullptr : &run.physics.materials[static_cast<std::size_t>(i)];
}

}  // namespace

std::vector<FaceMaterial> face_materials(const Import& run, const physics::Collider& collider, const MeshData& data)
{
    std::vector<FaceMaterial> out;
    std::vector<bool>         free(data.face_count, true);
    for (const usd::Prim& child : collider.prim.children()) {
        const physics::Material* material = own_material(run, child);
        if (material == nullptr) continue;
        FaceMaterial own{child.name().text(), material, std::vector<bool>(data.face_count, false)};
        for (const int face : child.attribute("indices").get_or<std::vector<int>>({})) {
            const auto f = static_cast<std::size_t>(face);
            if (face < 0 || f >= free.size() || !free[f]) continue;
            own.faces[f] = true;
            free[f]      = false;
        }
        if (std::find(own.faces.begin(), own.faces.end(), true) != own.faces.end()) out.push_back(std::move(own));
    }
    // Faces of no subset have the mesh's own material.
    if (!out.empty() && std::find(free.begin(), free.end(), true) != free.end()) {
        const physics::Index rest = collider.own_material;
        out.insert(out.begin(),
                   {"", rest == physics::kNone ? nullptr : &run.physics.materials[static_cast<std::size_t>(rest)],
                    std::move(free)});
    }
    return out;
}

void report_unused_materials(Import& run, const physics::Collider& collider)
{
    const physics::Material* used = material_of(run, collider);
    if (run.conventions.unused_materials_silent || collider.materials.size() < 2) return;
    std::vector<std::string> unused;
    for (const usd::Prim& child : collider.prim.children())
        if (const physics::Material* material = own_material(run, child); material != nullptr && material != used)
            unused.push_back(fmt::format("<{}>", child.path().text()));
    const bool own = collider.own_material != physics::kNone &&
                     &run.physics.materials[static_cast<std::size_t>(collider.own_material)] != used;
    if (own) unused.push_back("the mesh itself");
    if (!unused.empty())
        run.found.add(codes::kFaceMaterials, collider.prim.site(),
                      fmt::format("{} collides with the material <{}>; what is bound to {} is not used",
                                  collider.path.text(), used->path.text(), fmt::join(unused, ", ")));
}

}  // namespace mechane::importer

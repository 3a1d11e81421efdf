// Makes of a model what is drawn: meshes, items with colours and textures, endless grounds, soft surfaces.
// Input: a model. Output: a Scene, in which equal shapes share one mesh; poses come from a frame later.
// A body with visible shapes shows those, and its colliders only as an overlay. A body without any shows its colliders.
// Called by everything that draws.

#include "mechane/viewer/scene.h"

#include <map>
#include <tuple>

#include "mechane/model/shape_table.h"
#include "picture_levels.h"
#include "soft_scene.h"
#include "tessellation.h"

namespace mechane::viewer {
namespace {

using model::GeoType;

DrawMesh mesh_of(const model::ShapeGeometry& shape, const model::Paint* paint)
{
    const Vec3d s = model::absorb_signs(shape.type, shape.scale);
    switch (shape.type) {
        case GeoType::plane:
            return tessellate_rectangle(s.x, s.y);
        case GeoType::sphere:
            return tessellate_ellipsoid({s.x, s.x, s.x});
        case GeoType::ellipsoid:
            return tessellate_ellipsoid(s);
        case GeoType::capsule:
            return tessellate_capsule(s.x, s.y);
        case GeoType::cylinder:
            return tessellate_cylinder(s.x, s.y);
        case GeoType::cone:
            return tessellate_cone(s.x, s.y);
        case GeoType::box:
            return tessellate_box(s);
        case GeoType::heightfield:
        case GeoType::mesh:
        case GeoType::convex_mesh:
            return paint != nullptr ? shade_mesh(*shape.source, s, paint->uvs) : shade_mesh(*shape.source, s);
        case GeoType::none:
        case GeoType::gaussian:
            return {};
    }
    return {};
}

bool has(std::int32_t flags, std::int32_t bit) { return (flags & bit) != 0; }

/// The paint of a shape, if its texture can be read and the coordinates belong to its mesh.
const model::Paint* drawable_paint(const model::MeshPointer& mesh)
{
    const model::Paint* paint = mesh != nullptr ? model::paint_of(mesh) : nullptr;
    if (paint == nullptr || paint->picture == nullptr || paint->uvs.size() != mesh->triangles.size() ||
        paint->picture->pixels() == nullptr)
        return nullptr;
    return paint;
}

}  // namespace

Posed world_pose(std::int32_t body, const Posed& X_BS, const std::vector<Pose>& body_q)
{ return body < 0 ? X_BS : static_cast<Posed>(body_q[static_cast<std::size_t>(body)]) * X_BS; }

Scene build_scene(const model::Model& model)
{
    Scene scene;
    scene.up_axis = model.up_axis;

    // Bodies with something visible keep their colliders for the overlay. Static shapes each decide for themselves.
    std::vector<std::uint8_t> has_visual(model.body_count());
    for (std::size_t i = 0; i < model.shape_count(); ++i)
        if (model.shape_body[i] >= 0 && has(model.shape_flags[i], model::shape_flag::visible) &&
            !has(model.shape_flags[i], model::shape_flag::site))
            has_visual[static_cast<std::size_t>(model.shape_body[i])] = 1;

    std::map<std::tuple<GeoType, double, double, double, const geometry::Mesh*, const model::Paint*>, std::int32_t>
                                                  known;
    std::map<const model::Picture*, std::int32_t> pictures;
    for (std::size_t i = 0; i < model.shape_count(); ++i) {
        const std::int32_t flags = model.shape_flags[i], body = model.shape_body[i];
        if (has(flags, model::shape_flag::site)) continue;
        const bool collider = has(flags, model::shape_flag::collide_shapes);
        const bool solid    = has(flags, model::shape_flag::visible) ||
                              (collider && (body < 0 || !has_visual[static_cast<std::size_t>(body)]));
        if (!solid && !collider) continue;

        const model::ShapeGeometry shape{model.shape_type[i], static_cast<Vec3d>(model.shape_scale[i]),
                                         model.shape_source[i].get()};
        const Posed                X_BS  = static_cast<Posed>(model.shape_transform[i]);
        const Vec3f                color = static_cast<Vec3f>(model.shape_color[i]);
        const auto                 index = static_cast<std::int32_t>(i);
        if (!model::is_usable(shape) || !is_finite(X_BS)) continue;
        // A plane of size 0 is endless and is no mesh: it is drawn by intersection.
        if (shape.type == GeoType::plane && (shape.scale.x == 0 || shape.scale.y == 0)) {
            scene.grounds.push_back({index, body, X_BS, color});
            continue;
        }
        const model::Paint* paint   = drawable_paint(model.shape_source[i]);
        std::int32_t        picture = -1;
        if (paint != nullptr) {
            const auto [place, first] =
                pictures.try_emplace(paint->picture.get(), static_cast<std::int32_t>(scene.pictures.size()));
            if (first) scene.pictures.push_back(levels_of(paint->picture->file(), *paint->picture->pixels()));
            picture = place->second;
        }
        const auto [entry, fresh] =
            // The address of a mesh is a key here, and the map is never iterated: the order of meshes is that of the
            // shapes.
            known.try_emplace({shape.type, shape.scale.x, shape.scale.y, shape.scale.z, shape.source, paint},
                              static_cast<std::int32_t>(scene.meshes.size()));
        if (fresh) scene.meshes.push_back(mesh_of(shape, paint));
        if (scene.meshes[static_cast<std::size_t>(entry->second)].triangles.empty()) continue;
        scene.items.push_back({.shape    = index,
                               .body     = body,
                               .mesh     = entry->second,
                               .X_BS     = X_BS,
                               .color    = color,
                               .opacity  = static_cast<float>(model.shape_opacity[i]),
                               .solid    = solid,
                               .collider = collider,
                               .picture  = picture,
                               .wrap_s   = paint != nullptr ? paint->wrap_s : model::Wrap::repeat,
                               .wrap_t   = paint != nullptr ? paint->wrap_t : model::Wrap::repeat});
    }
    add_softs(model, scene);
    return scene;
}

}  // namespace mechane::viewer

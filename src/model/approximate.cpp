// Replaces mesh colliders of a builder by hulls, convex parts, simplified meshes, boxes or spheres (Newton's
// approximate_meshes). Poses and scales in the body's frame [m]; masses of bodies do not change.
// Works shape by shape in ascending order; parts beyond the first become new shapes at the end, so indices of others
// stay.

#include "mechane/model/approximate.h"

#include <algorithm>
#include <memory>

#include "mechane/core/failure.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/kept.h"
#include "mechane/model/codes.h"

namespace mechane::model {
namespace {

bool is_mesh(const BuilderShape& shape)
{ return (shape.type == GeoType::mesh || shape.type == GeoType::convex_mesh) && shape.source != nullptr; }

geometry::Preparation preparation_of(MeshApproximation method)
{
    switch (method) {
        case MeshApproximation::decomposition:
            return geometry::Preparation::decomposition;
        case MeshApproximation::simplification:
            return geometry::Preparation::simplification;
        case MeshApproximation::convex_hull:
        case MeshApproximation::bounding_box:
        case MeshApproximation::bounding_sphere:
            break;
    }
    return geometry::Preparation::hull;
}

class Approximation {
  public:
    Approximation(ModelBuilder& builder, const ApproximateOptions& options, Diagnostics& out)
        : builder_(builder), options_(options), out_(out)
    {
    }

    /// @return whether the shape is another one now
    bool replace(std::int32_t index)
    {
        const BuilderShape before = shape(index);
        // A field belongs to the mesh; only simplification keeps the surface near enough.
        if (before.config.sdf && options_.method != MeshApproximation::simplification) {
            out_.add(kApproxRefused, {.prim = before.label}, "a distance field is wanted of the mesh itself");
            return false;
        }
        const std::size_t count = builder_.shapes.size();
        const bool        round = options_.method == MeshApproximation::bounding_sphere;
        if (round || options_.method == MeshApproximation::bounding_box) {
            if (!fit(index, round)) return false;
        } else if (!prepare(index)) {
            return false;
        }
        if (options_.keep_visual_shapes && before.config.is_visible) keep_visual(index, count, before);
        return true;
    }

  private:
    BuilderShape& shape(std::int32_t index) { return builder_.shapes[static_cast<std::size_t>(index)]; }

    bool failed(std::int32_t index, Diagnostic why)
    {
        why.site.prim = shape(index).label;
        out_.add(std::move(why));
        return false;
    }

    bool fit(std::int32_t index, bool round)
    {
        BuilderShape&      target = shape(index);
        std::vector<Vec3d> points = target.source->points;
        // The scale goes into the points: a sphere fitted before scaling would become an ellipsoid.
        for (Vec3d& p : points) p = scale(p, target.scale);
        if (round) {
            const auto sphere = geometry::bounding_sphere(points);
            if (!sphere) return failed(index, sphere.error());
            target.type  = GeoType::sphere;
            target.scale = {sphere->radius, 0, 0};
            target.xform = target.xform * Posed{sphere->centre, {}};
        } else {
            const auto box = geometry::bounding_box(points);
            if (!box) return failed(index, box.error());
            target.type  = GeoType::box;
            target.scale = box->half_extents;
            target.xform = target.xform * box->pose;
        }
        // A fitted shape has no mesh any more.
        target.source = nullptr;
        return true;
    }

    bool prepare(std::int32_t index)
    {
        Diagnostics said;
        const auto  prepared = geometry::prepare_mesh(*shape(index).source,
                                                      {.method         = preparation_of(options_.method),
                                                       .hull           = options_.hull,
                                                       .decomposition  = options_.decomposition,
                                                       .simplification = options_.simplification,
                                                       .time_limit     = {}},
                                                      // Preparing is expensive and depends on the mesh alone.
                                                      geometry::shared_cache().get(), said);
        for (Diagnostic d : said) failed(index, std::move(d));
        if (!prepared) return failed(index, prepared.error());
        for (std::size_t part = 0; part < prepared->parts.size(); ++part) {
            const auto         mesh   = std::make_shared<const geometry::Mesh>(prepared->parts[part]);
            const std::int32_t target = part == 0 ? index : twin(index, "_convex_" + std::to_string(part));
            shape(target).source      = mesh;
            shape(target).type        = mesh->is_convex ? GeoType::convex_mesh : GeoType::mesh;
        }
        return true;
    }

    /// One more shape of the same body, without mass.
    std::int32_t append(BuilderShape added, const std::string& suffix)
    {
        const auto index = static_cast<std::int32_t>(builder_.shapes.size());
        added.label += suffix;
        // The mass was counted with the mesh; parts must not add to it.
        added.config.density = 0;
        if (added.body != kWorldBody) builder_.bodies[static_cast<std::size_t>(added.body)].shapes.push_back(index);
        builder_.shapes.push_back(std::move(added));
        return index;
    }

    /// One more shape that collides as another does.
    std::int32_t twin(std::int32_t index, const std::string& suffix)
    {
        const std::int32_t added = append(shape(index), suffix);
        // Copied, as pairs are added while they are read.
        const auto         pairs = builder_.shape_collision_filter_pairs;
        for (const auto& [a, b] : pairs) {
            if (a == index) builder_.add_shape_collision_filter_pair(added, b);
            if (b == index) builder_.add_shape_collision_filter_pair(a, added);
        }
        return added;
    }

    /// The mesh as it was, only to be seen, while what collides is hidden.
    /// @param first  where the further parts begin
    void keep_visual(std::int32_t index, std::size_t first, const BuilderShape& before)
    {
        const auto hide = [](BuilderShape& s) {
            s.config.is_visible = false;
            s.flags &= ~shape_flag::visible;
        };
        hide(shape(index));
        for (std::size_t part = first; part < builder_.shapes.size(); ++part) hide(builder_.shapes[part]);
        BuilderShape seen                  = before;
        seen.config.has_shape_collision    = false;
        // The picture collides with nothing and has no mass.
        seen.config.has_particle_collision = false;
        seen.config.sdf.reset();
        seen.flags = shape_flag::visible;
        append(std::move(seen), "_visual");
    }

    ModelBuilder&             builder_;
    const ApproximateOptions& options_;
    Diagnostics&              out_;
};

}  // namespace

std::vector<std::int32_t> approximate_meshes(ModelBuilder& builder, const ApproximateOptions& options, Diagnostics& out)
{
    std::vector<std::int32_t> wanted;
    if (options.shapes) {
        wanted = *options.shapes;
    } else {
        for (std::size_t i = 0; i < builder.shapes.size(); ++i)
            if ((builder.shapes[i].flags & shape_flag::collide_shapes) != 0)
                wanted.push_back(static_cast<std::int32_t>(i));
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<std::int32_t> replaced;
    Approximation             run(builder, options, out);
    for (const std::int32_t index : wanted) {
        MCH_REQUIRE(index >= 0 && index < std::ssize(builder.shapes), "approximate_meshes", "shapes",
                    "indices of shapes of the builder");
        if (is_mesh(builder.shapes[static_cast<std::size_t>(index)]) && run.replace(index)) replaced.push_back(index);
    }
    return replaced;
}

}  // namespace mechane::model

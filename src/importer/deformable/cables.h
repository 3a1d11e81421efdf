#pragma once
#include <optional>
#include <string>
#include <vector>

#include "elements.h"
#include "reader.h"
#include "rods.h"

/// Linear curves with PhysicsCurvesDeformableSimAPI.
namespace mechane::importer {

/// A curve prim as it is simulated, before anything is added.
struct CurveSource {
    usd::Prim                       prim;
    std::vector<Vec3d>              points;  ///< in the builder's world
    std::vector<int>                counts;  ///< points of each curve
    bool                            closed = false;
    std::optional<DeformableValues> material;
    double                          density = 0;
    std::optional<ElementValues>    thicknesses;
    std::vector<double>             segment_radii, point_radii;  ///< over all curves
    [[nodiscard]] std::size_t       segments_of(std::size_t curve) const
    {
        const auto n = static_cast<std::size_t>(counts[curve]);
        return closed ? n : n > 0 ? n - 1 : 0;
    }
};

/// The points of curves and how many each has; nothing, with the reason, where they do not fit together.
std::optional<CurveSource> curve_shape(const DeformableReader& read, const usd::Prim& prim, std::string& why);
/// Material, density and radii too.
void read_curve_values(const DeformableReader& read, CurveSource& curve);

/// Normals and rest shape of a curve prim, one value a point where they can be used.
struct CurveFrames {
    std::optional<std::vector<Vec3d>> normals, rest_points, rest_normals;  ///< as authored
};
CurveFrames read_curve_frames(const DeformableReader& read, const CurveSource& curve);
/// Frames of segments between points from normals at their starts; nothing where they say nothing.
/// @param strict  a normal that cannot be used spoils the whole curve; else its segment alone
std::optional<std::vector<Quatd>> frames_from_normals(const DeformableReader& read, const usd::Prim& prim,
                                                      std::span<const Vec3d>                   points,
                                                      const std::optional<std::vector<Vec3d>>& normals,
                                                      std::string_view name, bool strict);
/// Rest points, frames and lengths of one curve; each is empty where the present ones hold.
struct CurveRest {
    std::vector<Vec3d>                points;
    std::optional<std::vector<Quatd>> frames;
    std::vector<double>               lengths;
};
/// @param points  of the curve, the first once more at the end of a closed one
CurveRest rest_of_curve(const DeformableReader& read, const usd::Prim& prim, std::span<const Vec3d> points,
                        const CurveFrames& frames, std::size_t first, bool closed);

/// Stiffness of rod joints from the material: stretch and shear as two half segments in series, bend and twist at the
/// joint's own radius.
void set_material_gains(const DeformableReader& read, const RodParts& parts, std::span<const double> lengths,
                        const std::optional<DeformableValues>& material, std::span<const double> segment_radii,
                        std::span<const double> joint_radii);

/// What the capsules of a curve are made of.
model::ShapeConfig shape_of_curve(const DeformableReader& read, const CurveSource& curve, bool collides);

/// One curve's segments for the masses.
struct MassRun {
    std::size_t               curve = 0, point_offset = 0, point_count = 0, segment_offset = 0;
    std::vector<std::int32_t> bodies;
    std::vector<double>       volumes;
};
void set_curve_masses(const DeformableReader& read, const CurveSource& curve, std::span<const MassRun> runs,
                      ImportedDeformable& out);

/// Collects what vendors say of a curve, and says what it authors at the wrong place.
void report_curve(const DeformableReader& read, const CurveSource& curve);
/// The self collision that the prim authors.
std::optional<bool> self_collision_of(const DeformableReader& read, const usd::Prim& prim);

/// An attachment that holds the end of a cable and so becomes the root joint of its tree.
struct CableRoot {
    std::string  attachment;
    std::int32_t point  = 0;
    std::int32_t parent = -1;  ///< body
    Vec3d        anchor;       ///< in it, or in the world
};

/// Adds the curves of one prim.
void add_cable(const DeformableReader& read, const usd::Prim& prim, const CableRoot* root);

/// Welds, and the attachments that become root joints.
struct CableTopology {
    std::map<std::string, CableRoot> roots;  ///< by cable
};
CableTopology weld_cables(const DeformableReader& read);

/// The point and body that an attachment's transform stands for; nothing when it is none. Body -1: the world.
std::optional<std::pair<std::int32_t, Vec3d>> attachment_target(const DeformableReader& read, const std::string& target,
                                                                const Vec3d& point);
/// The root that an attachment can give the cable whose first source it names.
std::optional<CableRoot> root_from(const DeformableReader& read, const usd::Prim& attachment, std::size_t point_count,
                                   bool closed, std::int32_t articulation);
std::string              first_target(const DeformableReader& read, const usd::Prim& prim, std::string_view name);

}  // namespace mechane::importer

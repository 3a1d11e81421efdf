// Kinds and sizes of shapes. The scale of the prim is taken into the sizes, as the shapes of solvers have none.
// Where a shape cannot follow an uneven scale, the largest one across its axis counts, and this is told.
// `colliders.cpp` calls it once pose and scale are known.

#include "shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechane/core/letters.h"
#include "mechane/physics/codes.h"

namespace mechane::physics {

namespace {

const usd::Token kRadius("radius"), kHeight("height"), kSize("size"), kAxisName("axis"), kRadiusTop("radiusTop"),
    kRadiusBottom("radiusBottom"), kPoints("points"), kWidths("widths"), kCounts("faceVertexCounts"),
    kIndices("faceVertexIndices"), kApproximation("physics:approximation"), kDoubleSided("doubleSided");

struct TypeRow {
    usd::Token type;
    ShapeKind  kind;
};
const std::array<TypeRow, 10>& types()
{
    static const std::array<TypeRow, 10> rows{{{"Mesh", ShapeKind::mesh},
                                               {"Cube", ShapeKind::cube},
                                               {"Sphere", ShapeKind::sphere},
                                               {"Capsule", ShapeKind::capsule},
                                               {"Capsule_1", ShapeKind::capsule_1},
                                               {"Cylinder", ShapeKind::cylinder},
                                               {"Cylinder_1", ShapeKind::cylinder_1},
                                               {"Cone", ShapeKind::cone},
                                               {"Plane", ShapeKind::plane},
                                               {"Points", ShapeKind::sphere_points}}};
    return rows;
}

struct Scales {
    double along = 1, across = 1;
    bool   uneven = false;
};
/// Scales along the axis and across it; unequal ones across would make an elliptic cylinder.
Scales about_axis(Axis axis, const Vec3d& s)
{
    const auto   a = static_cast<std::size_t>(axis), b = (a + 1) % 3, c = (a + 2) % 3;
    const double low = std::min(s[b], s[c]), high = std::max(s[b], s[c]);
    return {s[a], high, high - low > 1e-6 * high};
}

// A size as authored; its absolute value counts.
double size_of(const Reader& reader, const usd::Prim& prim, const usd::Token& name, double otherwise)
{
    const double authored = reader.number(prim, name, otherwise);
    if (authored < 0)
        reader.found.add(kShapeNegative, prim.attribute(name).site(), fmt::format("{} is {}", name.text(), authored));
    return std::abs(authored);
}

void require_positive(const Reader& reader, Collider& collider, std::initializer_list<double> sizes)
{
    for (const double size : sizes) {
        if (std::isfinite(size) && size > 0) continue;
        if (reader.options.conventions.flat_shapes_valid && std::isfinite(size)) continue;
        reader.invalidate(collider, kShapeDegenerate, collider.prim.site(),
                          fmt::format("a size of <{}> is {}", collider.path.text(), size));
        return;
    }
}

void warn_uneven(const Reader& reader, const Collider& collider)
{
    reader.found.add(kShapeNonuniform, collider.prim.site(),
                     fmt::format("<{}> is scaled by ({}, {}, {})", collider.path.text(), collider.scale.x,
                                 collider.scale.y, collider.scale.z),
                     "Scale it evenly, or keep the scale with --option exact_shapes=true; the largest scale is used.");
}

void read_cube(const Reader& reader, Collider& collider, const Vec3d& s)
{
    const double half     = size_of(reader, collider.prim, kSize, 2) / 2;
    collider.half_extents = half * s;
    require_positive(reader, collider, {collider.half_extents.x, collider.half_extents.y, collider.half_extents.z});
    // A sheared box is a parallelepiped: its eight corners are kept in the frame of the shape, for a hull.
    if (!collider.sheared || reader.options.conventions.sheared_boxes_stay_boxes || !collider.valid) return;
    const Posed X_WS = collider.body == kNone
                           ? collider.X_BS
                           : reader.model.bodies[static_cast<std::size_t>(collider.body)].X_WB * collider.X_BS;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d p{corner & 1 ? half : -half, corner & 2 ? half : -half, corner & 4 ? half : -half};
        collider.sheared_corners.push_back(inverse_times(X_WS, usd::transform_point(collider.world, p)));
    }
}

void read_round(const Reader& reader, Collider& collider, const Vec3d& s, double radius, double height)
{
    const usd::Prim& prim = collider.prim;
    collider.axis         = reader.axis(prim, kAxisName, Axis::z);
    const Scales scales   = about_axis(collider.axis, s);
    if (scales.uneven) warn_uneven(reader, collider);
    collider.half_height = size_of(reader, prim, kHeight, height) / 2 * scales.along;
    const bool two_radii = collider.kind == ShapeKind::capsule_1 || collider.kind == ShapeKind::cylinder_1;
    if (two_radii) {
        collider.radius     = size_of(reader, prim, kRadiusBottom, radius) * scales.across;
        collider.radius_top = size_of(reader, prim, kRadiusTop, radius) * scales.across;
        require_positive(reader, collider, {std::max(collider.radius, collider.radius_top)});
    } else {
        collider.radius     = size_of(reader, prim, kRadius, radius) * scales.across;
        collider.radius_top = collider.kind == ShapeKind::cone ? 0 : collider.radius;
        require_positive(reader, collider, {collider.radius});
    }
    // A capsule without a cylinder is a ball.
    const bool capsule = collider.kind == ShapeKind::capsule || collider.kind == ShapeKind::capsule_1;
    if (!capsule || !std::isfinite(collider.half_height)) require_positive(reader, collider, {collider.half_height});
}

void read_points(const Reader& reader, Collider& collider, const Vec3d& s)
{
    const auto points = reader.value(collider.prim, kPoints).get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>{});
    const auto widths = reader.value(collider.prim, kWidths).get<std::vector<double>>().value_or(std::vector<double>{});
    const double largest = max_component(s);
    if (points.empty() || points.size() != widths.size()) {
        reader.invalidate(
            collider, kShapePoints, collider.prim.site(),
            fmt::format("<{}> has {} points and {} widths", collider.path.text(), points.size(), widths.size()));
        return;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SpherePoint point{points[i], scale(points[i], collider.scale), largest * std::abs(widths[i]) / 2};
        if (!is_finite(point.center) || !std::isfinite(point.radius)) {
            reader.invalidate(collider, kShapePoints, collider.prim.site(),
                              fmt::format("point {} of <{}> is not finite", i, collider.path.text()));
            collider.points.clear();
            return;
        }
        collider.points.push_back(point);
    }
}

Approximation approximation_of(const Reader& reader, const usd::Prim& prim)
{
    static const usd::Token kNoneToken("none");
    const usd::Token        token = reader.token(prim, kApproximation, kNoneToken);
    std::string             text  = token.text();
    for (const Approximation a :
         {Approximation::none, Approximation::convex_decomposition, Approximation::convex_hull,
          Approximation::bounding_sphere, Approximation::bounding_cube, Approximation::mesh_simplification}) {
        const std::string_view known = to_string(a);
        // Newton's importer takes the token in any case.
        if (same_word(text, known)) return a;
    }
    if (!text.empty())
        reader.found.add(kApproxUnknown, prim.attribute(kApproximation).site(),
                         fmt::format("the approximation of <{}> is \"{}\"", prim.path().text(), text));
    return Approximation::none;
}

void read_mesh(const Reader& reader, const Record& record, Collider& collider)
{
    collider.mesh_scale    = collider.scale;
    collider.double_sided  = reader.flag(record.prim, kDoubleSided, false);
    collider.approximation = record.has_mesh_collision ? approximation_of(reader, record.prim) : Approximation::none;
    if (reader.options.conventions.meshes_as_authored) return;
    const auto counts = reader.value(record.prim, kCounts).get<std::vector<int>>();
    if (!counts || counts->empty() || reader.value(record.prim, kPoints).empty() ||
        reader.value(record.prim, kIndices).empty())
        reader.invalidate(collider, kMeshEmpty, record.prim.site(),
                          fmt::format("<{}> has no points or no faces", collider.path.text()));
    if (!collider.sheared) return;
    // world = scale-and-shear, then rotation: take the rotation of the shape frame off the linear part.
    const Posed X_WS = collider.body == kNone
                           ? collider.X_BS
                           : reader.model.bodies[static_cast<std::size_t>(collider.body)].X_WB * collider.X_BS;
    // Row `row` of a row-vector matrix is the image of a unit vector, and so a column of the matrix that acts from the
    // left.
    const auto column = [&](int row) {
        return rotate_inverse(X_WS.q, Vec3d{collider.world(row, 0), collider.world(row, 1), collider.world(row, 2)});
    };
    collider.sheared_points = Mat33d::from_columns(column(0), column(1), column(2));
}

}  // namespace

bool shape_kind_of(const Record& record, Collider& collider)
{
    if (!record.custom.empty()) {
        collider.kind         = ShapeKind::custom;
        collider.custom_token = record.custom;
        return true;
    }
    const usd::Token type = record.prim.type_name();
    // The exact name first: it is the usual case, and `Capsule_1` is no kind of `Capsule`.
    for (const TypeRow& row : types())
        if (row.type == type) {
            collider.kind = row.kind;
            return true;
        }
    if (!record.is_xformable) return false;
    for (const TypeRow& row : types())
        if (record.prim.is_a(row.type)) {
            collider.kind = row.kind;
            return true;
        }
    return false;
}

void read_shape(const Reader& reader, const Record& record, Collider& collider)
{
    const Vec3d s = abs(collider.scale);
    switch (collider.kind) {
        case ShapeKind::sphere:
            collider.radius = size_of(reader, record.prim, kRadius, 1) * max_component(s);
            if (max_component(s) - std::min({s.x, s.y, s.z}) > 1e-6 * max_component(s)) warn_uneven(reader, collider);
            require_positive(reader, collider, {collider.radius});
            return;
        case ShapeKind::cube:
            return read_cube(reader, collider, s);
        case ShapeKind::capsule:
        case ShapeKind::capsule_1:
            return read_round(reader, collider, s, 0.5, 1);
        case ShapeKind::cylinder:
        case ShapeKind::cylinder_1:
        case ShapeKind::cone:
            return read_round(reader, collider, s, 1, 2);
        case ShapeKind::plane:
            collider.axis = reader.axis(record.prim, kAxisName, Axis::z);
            if (collider.body != kNone)
                reader.found.add(kPlaneDynamic, record.prim.site(),
                                 fmt::format("the plane <{}> belongs to a body", collider.path.text()));
            return;
        case ShapeKind::mesh:
            return read_mesh(reader, record, collider);
        case ShapeKind::sphere_points:
            return read_points(reader, collider, s);
        case ShapeKind::custom:
            return;
    }
}

}  // namespace mechane::physics

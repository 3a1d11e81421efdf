#pragma once
#include <cstdint>

/// How the names of contact points are put together: bits 0 to 39 say which features meet, 40 to 43 how the point was
/// found, 44 and up which triangle of a mesh it belongs to, plus one. Closed forms number their points from 0. The names
/// of fields and of pressure (sdf_contacts.cpp, patch_contacts.cpp) are made otherwise.
namespace mechane::collision {

/// How a point was found.
enum class Found : std::uint8_t {
    closed_form     = 0,  ///< or its number says it all
    on_first_face   = 1,  ///< the second shape's feature clipped against a face of the first
    on_second_face  = 2,  ///< the first shape's feature clipped against a face of the second
    along_edges     = 3,  ///< an end of the overlap of two edges
    nearest_pair    = 4,  ///< of the cores
    out_of_a_mesh   = 5,  ///< through the face nearest to a centre that has sunk into a closed mesh
    over_a_triangle = 6,  ///< the deepest point, followed over the surface to the triangle above it
    through_a_face  = 7,  ///< the deepest point behind a triangle that the shape passes through
    off_a_face      = 8,  ///< the nearest point of a triangle that is apart
    way_out         = 9,  ///< the shortest way found out of all triangles
};

constexpr std::uint64_t feature_name(Found how, std::uint64_t features = 0)
{ return (static_cast<std::uint64_t>(how) << 40) | features; }
constexpr Found how_found(std::uint64_t feature) { return static_cast<Found>((feature >> 40) & 0xf); }

/// The part of a name that says which triangle.
constexpr std::uint64_t triangle_name(std::int32_t triangle)
{ return (static_cast<std::uint64_t>(triangle) + 1) << 44; }
/// That of two triangles, of which the second mesh has `count`; large meshes use one name more than once.
constexpr std::uint64_t triangles_name(std::int32_t first, std::size_t second, std::size_t count)
{ return (static_cast<std::uint64_t>(first) * count + second + 1) << 44; }
/// -1 for none.
constexpr std::int64_t triangle_of_name(std::uint64_t feature) { return static_cast<std::int64_t>(feature >> 44) - 1; }

/// The part of a name of `along_edges`: both edges, and which end.
constexpr std::uint64_t edges_name(std::uint64_t first, std::uint64_t second, std::uint64_t end)
{ return (first << 24) | (second << 8) | end; }
constexpr std::uint64_t pair_name(std::uint64_t first, std::uint64_t second) { return (first << 16) | second; }

/// A corner of the feature that was clipped, or where a side cut one of its edges.
constexpr std::uint32_t cut_name(std::uint32_t side, std::uint32_t edge) { return ((side + 1) << 16) | (edge & 0xffffu); }
/// The edge of what was clipped that runs along the side from there.
constexpr std::uint32_t side_name(std::uint32_t side) { return 0x8000u | side; }
/// Whether a name is that of a corner of the second shape over a face of the first.
constexpr bool is_corner_name(std::uint64_t feature)
{ return (feature >> 40) == static_cast<std::uint64_t>(Found::on_first_face) && (feature & 0xffff0000u) == 0; }

}  // namespace mechane::collision

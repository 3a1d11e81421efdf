#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "solvers/soft/laws.h"

/// The elements of a model by the particles that they hold, in a form that is quick to go through.
namespace mechane::solvers::soft {

/// Corner `corner` of element `element` is the particle that this is listed for.
struct Corner {
    std::int32_t element, corner;
};

/// Lists of corners by particle, one behind the other.
struct CornerLists {
    std::vector<std::int32_t> start;  ///< [particle_count + 1]
    std::vector<Corner>       corners;
};

/// Elements that resist something; what has no stiffness and no damping is left out.
struct Elements {
    std::vector<std::array<std::int32_t, 2>> spring_points;
    std::vector<SpringLaw>                   springs;
    std::vector<std::array<std::int32_t, 3>> triangle_points;
    std::vector<TriangleLaw>                 triangles;
    std::vector<std::array<std::int32_t, 4>> edge_points;
    std::vector<BendingLaw>                  edges;
    std::vector<std::array<std::int32_t, 4>> tet_points;
    std::vector<TetLaw>                      tets;
    std::vector<std::int32_t>                triangle_rows, tet_rows;  ///< of the model, whose activations they take
    CornerLists                              of_springs, of_triangles, of_edges, of_tets;
};

Elements elements_of(const model::Model& model);
/// Takes over activations of a control; empty arrays stand for those of the model.
void activate(Elements& elements, const model::Model& model, const model::Control& control);

/// The positions that the corners of an element have.
template <std::size_t n>
std::array<Vec3d, n> gather(const std::array<std::int32_t, n>& points, const std::vector<Vec3d>& x)
{
    std::array<Vec3d, n> out;
    for (std::size_t i = 0; i < n; ++i) out[i] = x[static_cast<std::size_t>(points[i])];
    return out;
}

/// Adds force and Hessian of all elements at one particle.
/// @param before  positions at the start of the step
void add_elements(const Elements& elements, std::size_t particle, const std::vector<Vec3d>& x,
                  const std::vector<Vec3d>& before, double inv_dt, Block& out);

/// What a particle is part of, in words: "'/World/cloth'", "tetrahedron 3"; empty for a loose one.
std::string part_of(const model::Model& model, std::int32_t particle);

/// Groups of particles of which no two share an element; those of the model where it has any.
std::vector<std::vector<std::int32_t>> color_groups(const model::Model& model, const Elements& elements);

}  // namespace mechane::solvers::soft

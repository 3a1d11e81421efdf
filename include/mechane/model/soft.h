#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"
#include "mechane/model/types.h"

/// What holds particles together: springs, triangles, bending edges, tetrahedra, attachments to bodies. SI units.
namespace mechane::model {

/// Stiffness of a triangle of cloth. Defaults are Newton's.
/// Newton's model of cloth: a Neo-Hookean membrane in the plane of the triangle.
struct TriangleMaterial {
    double ke = 100, ka = 100;  ///< Lame parameters mu and lambda of the membrane [N/m]
    double kd   = 10;           ///< damping on the rate of the metric [N s/m]
    double drag = 0, lift = 0;  ///< coefficients against air at rest, dimensionless
};

/// Stiffness of an edge between two triangles: energy ke/2 * rest length * (angle - rest angle)^2.
struct BendingMaterial {
    double                ke = 100, kd = 0;  ///< [N], [N s]
    std::optional<double> rest{};            ///< rest angle [rad]; the present one when unset
};

/// Stiffness of a tetrahedron.
/// Neo-Hookean, as Newton has it.
struct TetMaterial {
    double k_mu = 1e3, k_lambda = 1e3;  ///< Lame parameters [Pa]
    double k_damp = 0;                  ///< damping on the rate of the metric [Pa s]
};

/// A spring between two particles.
struct BuilderSpring {
    /// Its particles.
    std::int32_t i = 0, j = 0;
    double       rest_length = 0;   ///< [m]
    double       ke = 100, kd = 0;  ///< [N/m], [N s/m]
    double       control = 0;       ///< dimensionless; no solver here reads it
};

/// What a triangle of `tri_indices` resists with. Without a material it is a surface alone.
struct BuilderTriangle {
    std::array<double, 4> pose{};          ///< inverse of the rest edges in the triangle's plane, row by row [1/m]
    double                area = 0;        ///< at rest [m^2]
    std::array<double, 5> material{};      ///< ke, ka [N/m], kd [N s/m], drag, lift [-]
    double                activation = 0;  ///< dimensionless, acts as a strain
    Vec3d                 color{0.7, 0.5, 0.3};  ///< RGB, 0..1, dimensionless
    double                opacity = 1;           ///< dimensionless, 0..1
};

/// What an edge of `edge_indices` resists with.
struct BuilderEdge {
    double                rest_angle = 0, rest_length = 0;  ///< [rad], [m]
    std::array<double, 2> bending{};                        ///< ke [N], kd [N s]
};

/// A tetrahedron whose volume (1, 2, 3 seen from 0) is positive.
struct BuilderTet {
    std::array<std::int32_t, 4> indices{};
    Mat33d                      pose{};          ///< inverse of the matrix whose columns are the rest edges [1/m]
    std::array<double, 3>       material{};      ///< k_mu, k_lambda [Pa], k_damp [Pa s]
    double                      activation = 0;  ///< dimensionless, acts as a strain
};

/// A particle that is held at a point of a body.
struct BuilderAttachment {
    std::int32_t body = 0, particle = 0;  ///< body kWorldBody: at a point of the world
    Vec3d        body_point;              ///< body frame, or the world [m]
    double       stiffness = 1e4;         ///< [N/m]; infinite: it does not give way
    double       damping   = 0;           ///< [N s/m]
    /// Off: it holds nothing.
    bool         enabled = true;
    std::int32_t world   = kGlobalWorld;
};

/// A cloth or a soft body by name: half-open ranges of what it is made of.
struct SoftObject {
    using Range = std::array<std::int32_t, 2>;
    std::string  label;
    std::int32_t world = kGlobalWorld;
    Range        particle{}, tri{}, edge{};  ///< of surfaces; of volumes `particle` and `tet`
    Range        tet{};
};

/// A cable by name: half-open ranges of its segments and of their joints, the root joint among them.
/// A cable is a chain of bodies with rod joints between them, not of particles.
struct CurveObject {
    std::string       label;
    std::int32_t      world = kGlobalWorld;
    SoftObject::Range body{}, joint{};
};

/// What a mesh of cloth is made of.
struct ClothOptions {
    TriangleMaterial      tri{};
    BendingMaterial       edge{};
    bool                  add_springs = false;  ///< along edges, across them and between their opposite corners
    double                spring_ke = 100, spring_kd = 0;  ///< [N/m], [N s/m]
    std::optional<double> particle_radius{};               ///< [m]; the builder's default when unset
    Vec3d                 color{0.7, 0.5, 0.3};            ///< RGB, 0..1, dimensionless
    double                opacity = 1;                     ///< dimensionless, 0..1
    std::string           label{};
};

/// Which sides of a grid are held: x = 0, x = dim_x, y = dim_y, y = 0.
struct FixedSides {
    /// Held particles weigh nothing, so that no force moves them.
    bool left = false, right = false, top = false, bottom = false;
};

/// What a soft body is made of.
struct SoftOptions {
    TetMaterial      tet{};
    double           density = 1;         ///< [kg/m^3]
    TriangleMaterial tri{0, 0, 0, 0, 0};  ///< of its skin
    /// With bending of `edge` at the edges of its skin.
    bool                  add_surface_mesh_edges = true;
    BendingMaterial       edge{0, 0, {}};        ///< of its skin's edges
    std::optional<double> particle_radius{};     ///< [m]; the builder's default when unset
    Vec3d                 color{0.7, 0.5, 0.3};  ///< RGB, 0..1, dimensionless
    double                opacity = 1;           ///< dimensionless, 0..1
    std::string           label{};
    /// Every node of a grid weighs a whole cell, as in Newton 1.8, so that a cell of eight nodes weighs eight times
    /// what it should.
    bool newton_masses = false;
};

/// How particles are put into groups of which no two members share an element.
struct ColorOptions {
    /// Whether particles across an edge, or at the ends of a spring, may not share a group; elements without stiffness
    /// never count.
    bool   include_bending = true, include_springs = true;
    bool   balance = true;  ///< move particles from large groups to small ones
    double ratio   = 1.1;   ///< ratio of the largest to the smallest group, which balancing aims at
};

/// Rest shape of a triangle. `area` is zero where it is degenerate.
struct TriangleRest {
    std::array<double, 4> pose{};    ///< inverse of the rest edges, 2x2 row by row [1/m]
    double                area = 0;  ///< [m^2]
};
/// @param p, q, r  corners at rest [m], in any frame
TriangleRest triangle_rest(const Vec3d& p, const Vec3d& q, const Vec3d& r);

/// Rest shape of a tetrahedron; `volume` is signed, `pose` is zero where it is not positive.
struct TetRest {
    Mat33d pose{};      ///< inverse of the rest edges [1/m]
    double volume = 0;  ///< [m^3]
};
/// @param p, q, r, s  corners at rest [m], in any frame
TetRest tet_rest(const Vec3d& p, const Vec3d& q, const Vec3d& r, const Vec3d& s);

/// The angle between the triangles (o0, v1, v2) and (o1, v2, v1); zero where they are flat or degenerate [rad].
double dihedral_angle(const Vec3d& o0, const Vec3d& o1, const Vec3d& v1, const Vec3d& v2);

/// Rows (opposite corner of the first triangle, of the second or -1, two ends) of each undirected edge once, by first
/// appearance: triangles in order, in each (0, 1), (1, 2), (2, 0). Of an edge of more than two triangles the first two
/// count.
std::vector<std::array<std::int32_t, 4>> edges_of(std::span<const std::array<std::int32_t, 3>> triangles);

/// Faces that occur once among tetrahedra, wound outwards, in order of their first appearance.
std::vector<std::array<std::int32_t, 3>> surface_of(std::span<const std::array<std::int32_t, 4>> tets);

/// Groups of the nodes of a graph so that no edge is within one: greedy by degree of saturation of what is known
/// (maximum cardinality search), then balanced. Ties are broken by index.
/// @param edges  pairs of nodes below `count`; loops and repeats do not matter
std::vector<std::vector<std::int32_t>> color_graph(std::size_t                                  count,
                                                   std::span<const std::array<std::int32_t, 2>> edges,
                                                   const ColorOptions&                          options = {});

}  // namespace mechane::model

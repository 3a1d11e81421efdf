#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/math/pose.h"
#include "mechane/model/model.h"
#include "mechane/model/paint.h"

namespace mechane::viewer {

/// Triangles with a normal at each vertex, and the lines that show the shape when it is drawn as wire. Lengths in
/// metres.
struct DrawMesh {
    std::vector<Vec3f>                        positions, normals;  ///< equal counts; normals are unit, outwards
    std::vector<std::array<std::uint32_t, 3>> triangles;           ///< counter-clockwise seen from outside
    std::vector<std::array<std::uint32_t, 2>> lines;               ///< creases and outlines, indices into `positions`
    std::vector<Vec2f> uvs;  ///< texture coordinates of each vertex, v upwards; empty for what no picture paints
};

/// A picture in sizes to draw from. The first is the picture itself, halved until no edge is longer than 2048 pixels;
/// each other one is half of the one before, down to one pixel.
struct DrawPicture {
    std::string                file;
    int                        width = 0, height = 0;  ///< of the file
    std::vector<model::Pixels> levels;
};

/// A surface that particles carry. Its mesh holds their places in the model; those of a moment are a frame's.
struct DrawSoft {
    std::string               label;
    std::vector<std::int32_t> particles;  ///< of each vertex of the mesh
};

/// One shape of the model as it is drawn, or one surface of particles.
struct DrawItem {
    std::int32_t shape = -1;  ///< in the model; -1 for surfaces of particles
    std::int32_t body  = -1;  ///< -1: fixed in the world
    std::int32_t mesh  = -1;  ///< in Scene::meshes
    Posed        X_BS;        ///< shape in body, or in the world
    Vec3f        color;       ///< display (sRGB) RGB
    float        opacity  = 1;
    bool         solid    = false;  ///< drawn as itself
    bool         collider = false;  ///< drawn by the overlay of colliders
    std::int32_t picture  = -1;     ///< in Scene::pictures; its colours are multiplied with `color`; -1: none
    model::Wrap  wrap_s = model::Wrap::repeat, wrap_t = model::Wrap::repeat;
    std::int32_t soft = -1;  ///< in Scene::softs: its vertices are particles
};

/// A particle that is part of no surface, drawn as a ball.
struct DrawBall {
    std::int32_t particle = -1;
    float        radius   = 0;  ///< [m]
};

/// An infinite plane, drawn as a grid around what moves.
struct Ground {
    std::int32_t shape = -1;
    std::int32_t body  = -1;
    Posed        X_BS;  ///< normal along z
    Vec3f        color;
};

/// What of a model can be drawn. Visual shapes are solid; a body that has none shows its colliders instead.
struct Scene {
    int                      up_axis = 2;
    std::vector<DrawMesh>    meshes;  ///< shared: equal shapes have one
    std::vector<DrawItem>    items;
    std::vector<Ground>      grounds;
    std::vector<DrawPicture> pictures;
    std::vector<DrawSoft>    softs;
    std::vector<DrawBall>    balls;
    std::int32_t             ball_mesh = -1;  ///< in `meshes`: a ball of radius 1; -1 without balls
};

Scene build_scene(const model::Model& model);

/// Says what pictures and pages of a model lack of what its stage authors: parts of materials that are not drawn,
/// files that cannot be read, opacities that hide most of it.
void report_looks(const model::Model& model, Diagnostics& found);

/// Colour of balls, display RGB.
inline constexpr Vec3f kBallColor{0.7F, 0.55F, 0.35F};

/// Normals of a surface whose vertices have moved, unit, outwards.
std::vector<Vec3f> soft_normals(const DrawMesh& mesh, const std::vector<Vec3d>& points);

/// Pose of an item when its body is at `body_q`; the item's own pose when it is fixed in the world.
Posed world_pose(std::int32_t body, const Posed& X_BS, const std::vector<Pose>& body_q);

}  // namespace mechane::viewer

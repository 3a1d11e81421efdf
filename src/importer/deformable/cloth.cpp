// Meshes with PhysicsSurfaceDeformableSimAPI as cloth: triangles, thickness by face or point, stiffness of membrane and
// bending, rest shape, masses. Stage units in, SI out.
// With plate theory: stretch E t / (1 - nu^2) [N/m], bending D = E t^3 / (12 (1 - nu^2)) [N m].
//
// t    thickness [m];  nu  Poisson's ratio;  D  bending stiffness of a plate
// fan  triangles of a face from its first corner; face_count_ counts faces, kept_ the triangles with an area
// rest a triangle may have points of its own at rest: panels of a garment lie apart there

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "deformables.h"
#include "elements.h"
#include "mechane/usd/key_times.h"
#include "reader.h"

/// Meshes with PhysicsSurfaceDeformableSimAPI as cloth.
namespace mechane::importer {
namespace {

using Face = std::array<std::int32_t, 3>;

constexpr std::string_view kClothApi      = "PhysicsSurfaceDeformableMaterialAPI";
constexpr DeformableField  kClothFields[] = {
    {"surfaceThickness", FieldRange::positive},
    {"youngsModulus"},
    {"poissonsRatio", FieldRange::poisson},
    {"surfaceStretchStiffness"},
    {"surfaceShearStiffness"},
    {"surfaceBendStiffness"},
    {"density", FieldRange::density},
    // Of an earlier revision: moduli instead of stiffnesses.
    {"thickness", FieldRange::positive},
    {"stretchStiffness"},
    {"shearStiffness"},
    {"bendStiffness"},
};
constexpr std::string_view kClothEarlier[] = {"thickness", "stretchStiffness", "shearStiffness", "bendStiffness"};
constexpr std::string_view kClothCurrent[] = {"surfaceThickness",      "youngsModulus",
                                              "poissonsRatio",         "surfaceStretchStiffness",
                                              "surfaceShearStiffness", "surfaceBendStiffness"};

/// How a membrane of some thickness resists stretching [N/m] and bending [N m]; nothing where no material says so.
struct Stiffness {
    std::optional<double> stretch, bend;
};

/// -1 at a border.
/// The triangle that a mesh has on the one or the other side of an edge, by the row of edges_of.
std::vector<std::array<std::int32_t, 2>> triangles_of_edges(const std::vector<std::array<std::int32_t, 4>>& edges,
                                                            const std::vector<Face>&                        faces)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> by_ends;
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            by_ends[std::minmax(faces[f][k], faces[f][(k + 1) % 3])].push_back(static_cast<std::int32_t>(f));
    std::vector<std::array<std::int32_t, 2>> out;
    for (const auto& row : edges) {
        const auto& beside = by_ends.at(std::minmax(row[2], row[3]));
        out.push_back({beside[0], beside.size() > 1 ? beside[1] : -1});
    }
    return out;
}

// The order of the steps matters: thickness needs the faces, stiffness the thickness, masses the rest areas.
class Cloth {
  public:
    Cloth(const DeformableReader& read, const usd::Prim& prim) : read_(read), run_(read.run()), prim_(prim) {}

    void add()
    {
        if (!may_import(read_, prim_, "cloth") || !read_mesh()) return;
        read_rest_mode();
        report_misplaced(read_, prim_, kClothApi);
        read_material();
        read_thickness();
        read_rest_shape();
        build();
        set_bending();
        set_masses();
        run_.result.deformables.push_back(std::move(out_));
    }

  private:
    bool skip(std::string why)
    {
        read_.warn(codes::kDeformableSkipped, prim_, std::move(why));
        return false;
    }

    bool read_mesh()
    {
        const auto points  = prim_.attribute("points").get<std::vector<Vec3d>>();
        const auto counts  = prim_.attribute("faceVertexCounts").get<std::vector<int>>();
        const auto indices = prim_.attribute("faceVertexIndices").get<std::vector<int>>();
        if (!points || points->empty() || !counts || counts->empty() || !indices || indices->empty())
            return skip("the mesh lacks points or faces; no cloth is made");
        face_count_ = counts->size();
        // Mirrored transforms turn the winding as leftHanded does; both together cancel.
        // The winding decides which side is out, for drawing and for the sign of bending angles.
        const bool flip = (prim_.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded") !=
                          read_.mirrored(prim_);
        flipped_        = flip;
        std::size_t at  = 0;
        const auto  all = static_cast<std::int64_t>(points->size());
        for (std::size_t f = 0; f < counts->size(); ++f) {
            const int n = (*counts)[f];
            // Faces with less than three corners have no triangle.
            if (n < 3) return skip(fmt::format("face {} has {} corners; no cloth is made", f, n));
            if (at + static_cast<std::size_t>(n) > indices->size()) break;
            for (int k = 0; k < n; ++k)
                if (const int i = (*indices)[at + static_cast<std::size_t>(k)]; i < 0 || i >= all)
                    return skip(fmt::format("face {} names point {} of {}; no cloth is made", f, i, all));
            // A fan from the first corner, as OpenUSD triangulates for most.
            for (int k = 1; k + 1 < n; ++k) {
                const auto corner = [&](int c) { return (*indices)[at + static_cast<std::size_t>(c)]; };
                fan_.push_back({corner(0), corner(k), corner(k + 1)});
                fan_source_.push_back(f);
            }
            at += static_cast<std::size_t>(n);
        }
        std::int64_t sum = 0;
        for (const int n : *counts) sum += n;
        if (sum != std::ssize(*indices))
            return skip(fmt::format("faceVertexCounts adds up to {}, and there are {} indices; no cloth is made", sum,
                                    indices->size()));
        vertices_ = read_.placed_points(prim_, *points);
        if (!std::all_of(vertices_.begin(), vertices_.end(), [](const Vec3d& p) { return is_finite(p); }))
            return skip("a point is not finite; no cloth is made");
        return keep_usable();
    }

    [[nodiscard]] static bool usable(const Vec3d& p, const Vec3d& q, const Vec3d& r)
    {
        // As Newton: absolute, in metres.
        constexpr double kLeast = 1e-12;
        const double     sides  = std::min({length(q - p), length(r - p), length(r - q)});
        // Area and shortest side: a sliver with a long side still has no usable frame.
        return length(cross(q - p, r - p)) > kLeast && sides > kLeast && model::triangle_rest(p, q, r).area > kLeast;
    }

    /// Triangles without area cannot be simulated. Newton then leaves out the cloth.
    bool keep_usable()
    {
        std::vector<std::size_t> flat;
        for (std::size_t t = 0; t < fan_.size(); ++t) {
            const auto at = [&](std::size_t k) { return vertices_[static_cast<std::size_t>(fan_[t][k])]; };
            if (usable(at(0), at(1), at(2)))
                kept_.push_back(t);
            else
                flat.push_back(t);
        }
        // Newton refuses a cloth with any flat triangle; here it is left out.
        if (kept_.empty() || (run_.conventions.flat_triangles_refuse_cloth && !flat.empty()))
            return skip(fmt::format("{} of {} triangles have no area, the first is {} of face {}; no cloth is made",
                                    flat.size(), fan_.size(), flat.front(), fan_source_[flat.front()]));
        if (!flat.empty())
            read_.warn(codes::kDeformableElement, prim_,
                       fmt::format("{} of {} triangles have no area and are left out, the first is {} of face {}",
                                   flat.size(), fan_.size(), flat.front(), fan_source_[flat.front()]));
        for (const std::size_t t : kept_) {
            faces_.push_back(flipped_ ? Face{fan_[t][2], fan_[t][1], fan_[t][0]} : fan_[t]);
            source_.push_back(fan_source_[t]);
        }
        return true;
    }

    void read_rest_mode()
    {
        const std::string authored = read_.text(prim_, "restBendAnglesDefault");
        mode_authored_             = !authored.empty();
        // "flat" is the schema's default: what is folded in the stage then unfolds.
        out_.rest_bend_angles = authored.empty() ? "flat" : authored;
        if (out_.rest_bend_angles == "flat" || out_.rest_bend_angles == "restShape") return;
        read_.fault(prim_, "restBendAnglesDefault",
                    fmt::format("restBendAnglesDefault = {}, expected flat or restShape; flat is used", authored));
        out_.rest_bend_angles = "flat";
    }

    void read_material()
    {
        material_ = read_.material(prim_, kClothApi, kClothFields);
        if (material_) out_.material = *material_;
        const DeformableValues& values = out_.material;
        if (has_any_of(values, kClothEarlier) || values.contains("surfaceThickness"))
            read_.warn(codes::kDeformableDeprecated, prim_,
                       "its material authors names of an earlier revision; author physics:surface*Stiffness on the "
                       "material and physics:thicknesses on the geometry");
        if (values.contains("surfaceShearStiffness") || values.contains("shearStiffness"))
            read_.warn(codes::kDeformableApproximated, prim_,
                       "the stiffness against shear is not applied: the membrane is isotropic, and its stretch "
                       "stiffness counts");
        out_.density = read_.density(prim_, deformable_value(values, "density"), !material_);
    }

    void read_thickness()
    {
        out_.thicknesses = element_values(read_, prim_, "thicknesses",
                                          {{"constant", 1}, {"face", face_count_}, {"point", vertices_.size()}});
        std::optional<double> one = deformable_value(out_.material, "surfaceThickness");
        if (!one) one = deformable_value(out_.material, "thickness");
        // A shell of the mass schema says a thickness too.
        if (!one &&
            run_.resolvers.get(prim_, resolve::Key::shape_mass_model, run_.context).text().value_or("solid") == "shell")
            if (const auto shell =
                    run_.resolvers.get(prim_, resolve::Key::shape_shell_thickness, run_.context).number();
                shell && std::isfinite(*shell) && *shell > 0)
                one = shell;
        if (!one && !out_.thicknesses)
            run_.found.add(codes::kDeformableFallback, prim_.site(),
                           fmt::format("<{}>: no usable thickness is authored; 1 mm is used", prim_.path().text()));
        const double otherwise = one.value_or(read_.default_thickness());
        face_thickness_.assign(faces_.size(), otherwise);
        point_thickness_.assign(vertices_.size(), otherwise);
        if (!out_.thicknesses) return;
        const std::vector<double>& values = out_.thicknesses->values;
        if (out_.thicknesses->element_type == "constant") {
            face_thickness_.assign(faces_.size(), values[0]);
            point_thickness_.assign(vertices_.size(), values[0]);
        } else if (out_.thicknesses->element_type == "face") {
            // By authored faces: a quad counts once at a point, not for each of its triangles.
            std::vector<std::set<std::size_t>> of_point(vertices_.size());
            for (std::size_t t = 0; t < faces_.size(); ++t) {
                face_thickness_[t] = values[source_[t]];
                for (const std::int32_t p : faces_[t]) of_point[static_cast<std::size_t>(p)].insert(source_[t]);
            }
            // A point's thickness is the mean of its faces.
            for (std::size_t p = 0; p < of_point.size(); ++p) {
                if (of_point[p].empty()) continue;
                double sum = 0;
                for (const std::size_t f : of_point[p]) sum += values[f];
                point_thickness_[p] = sum / static_cast<double>(of_point[p].size());
            }
        } else {
            point_thickness_ = values;
            for (std::size_t t = 0; t < faces_.size(); ++t) {
                face_thickness_[t] = 0;
                // A triangle's thickness is the mean of its points.
                for (const std::int32_t p : faces_[t]) face_thickness_[t] += values[static_cast<std::size_t>(p)] / 3;
            }
        }
    }

    [[nodiscard]] Stiffness stiffness(double t) const
    {
        if (!material_) return {};
        const DeformableValues& m = *material_;
        const auto times = [](std::optional<double> x, double by) { return x ? std::optional(*x * by) : std::nullopt; };
        const auto stretch = deformable_value(m, "stretchStiffness"), bend = deformable_value(m, "bendStiffness");
        // Only names of the earlier revision: they are moduli, times t or t^3.
        if (has_any_of(m, kClothEarlier) && !has_any_of(m, kClothCurrent))
            return {times(stretch, t), times(bend, t * t * t)};
        const double E     = deformable_value(m, "youngsModulus").value_or(read_.default_modulus());
        const double nu    = deformable_value(m, "poissonsRatio").value_or(DeformableReader::kDefaultPoisson),
                     plane = 1 - nu * nu;
        Stiffness    out;
        out.stretch = deformable_value(m, "surfaceStretchStiffness");
        if (!out.stretch) out.stretch = times(stretch, t);
        if (!out.stretch) out.stretch = E * t / plane;
        out.bend = deformable_value(m, "surfaceBendStiffness");
        if (!out.bend) out.bend = times(bend, t * t * t);
        if (!out.bend) out.bend = E * t * t * t / (12 * plane);
        return out;
    }

    /// The rest shape of the kept triangles: points, and for each triangle which of them.
    void read_rest_shape()
    {
        const auto points  = read_.points(prim_, "restShapePoints");
        const auto indices = read_.ints(prim_, "restTriVertexIndices");
        rest_points_       = vertices_;
        // Without a rest shape the mesh is its own.
        // Every refusal below comes back to this.
        rest_faces_       = faces_;
        const auto no_use = [&](std::string why) {
            read_.warn(codes::kDeformableRest, prim_, std::move(why));
            rest_points_ = vertices_;
            rest_faces_  = faces_;
        };
        if (!points) {
            bool same = indices.size() == 3 * fan_.size() || indices.empty();
            for (std::size_t i = 0; same && i < indices.size(); ++i) same = indices[i] == fan_[i / 3][i % 3];
            if (!same) no_use("restTriVertexIndices is authored without restShapePoints and is not the mesh's");
            return;
        }
        if (!std::all_of(points->begin(), points->end(), [](const Vec3d& p) { return is_finite(p); }))
            return no_use("restShapePoints holds a point that is not finite");
        if (indices.empty() && points->size() != vertices_.size())
            return no_use(fmt::format("restShapePoints has {} points, expected {}", points->size(), vertices_.size()));
        if (!indices.empty() && indices.size() != 3 * fan_.size())
            return no_use(
                fmt::format("restTriVertexIndices has {} indices, expected {}", indices.size(), 3 * fan_.size()));
        for (const int i : indices)
            if (i < 0 || i >= std::ssize(*points))
                return no_use(fmt::format("restTriVertexIndices names point {} of {}", i, points->size()));
        rest_points_ = read_.placed_vectors(prim_, *points);
        if (!indices.empty()) {
            rest_faces_.clear();
            for (const std::size_t t : kept_) {
                const Face face{indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]};
                rest_faces_.push_back(flipped_ ? Face{face[2], face[1], face[0]} : face);
            }
        }
        for (std::size_t t = 0; t < rest_faces_.size(); ++t)
            if (!usable(rest(t, 0), rest(t, 1), rest(t, 2)))
                return no_use(fmt::format("triangle {} of the rest shape has no area", kept_[t]));
        rest_applied_ = true;
    }

    [[nodiscard]] const Vec3d& rest(std::size_t t, std::size_t k) const
    { return rest_points_[static_cast<std::size_t>(rest_faces_[t][k])]; }

    /// Where a corner of the cloth is in the rest copy of a triangle.
    [[nodiscard]] const Vec3d& rest_corner(std::int32_t triangle, std::int32_t vertex) const
    {
        const auto t = static_cast<std::size_t>(triangle);
        // Found by the vertex, since rest triangles have other points in the same order of corners.
        const std::size_t k = faces_[t][0] == vertex ? 0 : faces_[t][1] == vertex ? 1 : 2;
        return rest(t, k);
    }

    void build()
    {
        model::ModelBuilder& b     = run_.builder;
        const bool           meets = collides(read_, prim_);
        if (!meets && run_.conventions.deformables_always_collide)
            read_.warn(codes::kDeformableApproximated, prim_,
                       "it has no enabled collider, and it collides all the same");
        // The first triangle stands for the whole in the builder's call; each gets its own below.
        const Stiffness     first = stiffness(face_thickness_.front());
        model::ClothOptions options;
        options.tri.ke = first.stretch.value_or(options.tri.ke);
        // No area term: stretch stiffness says all of an isotropic membrane here.
        options.tri.ka          = 0;
        options.edge.ke         = first.bend.value_or(options.edge.ke);
        options.particle_radius = 0.5 * point_thickness_.front();
        options.label           = prim_.path().text();
        const Appearance look   = appearance_of(run_.stage, run_.physics, prim_, run_.found);
        if (!run_.conventions.cloth_color_unread) {
            options.color   = look.color.value_or(options.color);
            options.opacity = look.opacity.value_or(options.opacity);
        }
        // Where this cloth begins in the builder's lists.
        particle0_ = b.particles.size(), tri0_ = b.tri_indices.size(), edge0_ = b.edge_indices.size();
        b.add_cloth_mesh({}, {}, vertices_, faces_, 0, options);
        for (std::size_t p = 0; p < vertices_.size(); ++p) {
            model::BuilderParticle& particle = b.particles[particle0_ + p];
            // A mesh without a collider passes through everything.
            particle.radius = 0.5 * point_thickness_[p];
            if (!meets && !run_.conventions.deformables_always_collide)
                particle.flags |= model::particle_flag::passes_through;
        }
        for (std::size_t t = 0; t < faces_.size(); ++t) {
            model::BuilderTriangle& triangle = b.tri_elements[tri0_ + t];
            triangle.material[0]             = stiffness(face_thickness_[t]).stretch.value_or(triangle.material[0]);
            if (!rest_applied_) continue;
            const model::TriangleRest at_rest = model::triangle_rest(rest(t, 0), rest(t, 1), rest(t, 2));
            triangle.pose                     = at_rest.pose;
            triangle.area                     = at_rest.area;
        }
        const auto count = [](std::size_t n) { return static_cast<std::int32_t>(n); };
        out_.path        = prim_.path().text();
        out_.kind        = ImportedDeformable::Kind::cloth;
        out_.particle    = {count(particle0_), count(b.particles.size())};
        out_.tri         = {count(tri0_), count(b.tri_indices.size())};
        out_.edge        = {count(edge0_), count(b.edge_indices.size())};
        out_.placed      = read_.placement(prim_);
    }

    void set_bending()
    {
        model::ModelBuilder&                     b = run_.builder;
        std::vector<std::array<std::int32_t, 4>> edges;
        for (std::size_t e = edge0_; e < b.edge_indices.size(); ++e) {
            auto row = b.edge_indices[e];
            // Edges of the builder count particles of the model; here those of the mesh.
            for (std::int32_t& p : row)
                if (p >= 0) p -= static_cast<std::int32_t>(particle0_);
            edges.push_back(row);
        }
        const auto beside   = triangles_of_edges(edges, faces_);
        const bool by_point = out_.thicknesses && out_.thicknesses->element_type == "point";
        double     mismatch = 0;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            model::BuilderEdge& edge = b.edge_elements[edge0_ + e];
            const auto&         row  = edges[e];
            const auto [t0, t1]      = beside[e];
            const auto thickness_of  = [&](std::int32_t t) { return face_thickness_[static_cast<std::size_t>(t)]; };
            // Thickness of an edge: of its ends if points say it, else of the triangles beside it.
            const double thickness = by_point ? 0.5 * (point_thickness_[static_cast<std::size_t>(row[2])] +
                                                       point_thickness_[static_cast<std::size_t>(row[3])])
                                     : t1 < 0 ? thickness_of(t0)
                                              : 0.5 * (thickness_of(t0) + thickness_of(t1));
            // Bending acts on edges, stretch on triangles.
            edge.bending[0] = stiffness(thickness).bend.value_or(edge.bending[0]);
            if (!rest_applied_) continue;
            edge.rest_length = length(rest_corner(t0, row[3]) - rest_corner(t0, row[2]));
            if (t1 < 0) continue;
            // An edge has two lengths where panels are cut apart; the last counts, as with Newton.
            const double other = length(rest_corner(t1, row[3]) - rest_corner(t1, row[2]));
            mismatch           = std::max(mismatch, std::abs(other - edge.rest_length) / std::max(other, 1e-30));
            edge.rest_length   = other;
        }
        if (mismatch > 1e-4)
            read_.warn(codes::kDeformableRest, prim_,
                       fmt::format("the panels of the rest shape give edges two lengths, up to {:.2g} apart; the last "
                                   "counts",
                                   mismatch));
        set_rest_angles(edges, beside);
    }

    void set_rest_angles(const std::vector<std::array<std::int32_t, 4>>& edges,
                         const std::vector<std::array<std::int32_t, 2>>& beside)
    {
        model::ModelBuilder& b     = run_.builder;
        const auto           pairs = read_.ints(prim_, "restAdjTriPairs");
        std::vector<double>  angles;
        if (const usd::Attribute authored = read_.find(prim_, "restBendAngles")) {
            run_.took(prim_, authored.name().text());
            angles = usd::start_authored_as<std::vector<double>>(authored).value_or(std::vector<double>{});
        }
        const bool flat = out_.rest_bend_angles == "flat";
        // Without a rest shape the builder has taken the angles of the points.
        bool was_bent = false;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            model::BuilderEdge& edge = b.edge_elements[edge0_ + e];
            const auto [t0, t1]      = beside[e];
            was_bent                 = was_bent || (t1 >= 0 && std::abs(edge.rest_angle) > 1e-6);
            // A border edge does not bend.
            if (flat || t1 < 0) {
                edge.rest_angle = 0;
            } else if (rest_applied_) {
                const auto& row = edges[e];
                edge.rest_angle = rest_angle(row, t0, t1);
            }
        }
        const bool overridden = apply_pairs(pairs, angles, edges, beside);
        if (flat && !mode_authored_ && !rest_applied_ && !overridden && was_bent)
            read_.warn(codes::kDeformableRest, prim_,
                       "nothing says how it is bent at rest, so it is flat at rest although its points are not; author "
                       "physics:restBendAnglesDefault = restShape to keep its folds");
    }

    /// The dihedral angle of two triangles, each in its own rest copy: these may lie apart, so each gives its own
    /// normal and edge, as the copies of one simulation edge.
    [[nodiscard]] double rest_angle(const std::array<std::int32_t, 4>& row, std::int32_t t0, std::int32_t t1) const
    {
        const Vec3d &o0 = rest_corner(t0, row[0]), &a0 = rest_corner(t0, row[2]), &b0 = rest_corner(t0, row[3]);
        const Vec3d &o1 = rest_corner(t1, row[1]), &a1 = rest_corner(t1, row[2]), &b1 = rest_corner(t1, row[3]);
        // Zero is flat; the sign is that of the fold seen along the edge from its third to its fourth index.
        const Vec3d n0 = normalized(cross(a0 - o0, b0 - o0)), n1 = normalized(cross(b1 - o1, a1 - o1));
        return std::atan2(dot(cross(n0, n1), normalized(b0 - a0)), dot(n0, n1));
    }

    bool apply_pairs(const std::vector<int>& pairs, const std::vector<double>& angles,
                     const std::vector<std::array<std::int32_t, 4>>& edges,
                     const std::vector<std::array<std::int32_t, 2>>& beside)
    {
        if (pairs.empty() && angles.empty()) return false;
        if (pairs.size() != 2 * angles.size()) {
            read_.warn(
                codes::kDeformableRest, prim_,
                fmt::format("restAdjTriPairs has {} indices and restBendAngles {} angles, expected two for each; "
                            "both are ignored",
                            pairs.size(), angles.size()));
            return false;
        }
        // Edges between faces; the diagonals inside of a face cannot be named.
        // A pair of faces may share several edges after triangulation: all of them get the angle.
        std::map<std::pair<int, int>, std::vector<std::size_t>> edges_between;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const auto [t0, t1] = beside[e];
            if (t1 < 0) continue;
            // Faces and not triangles are named in pairs.
            const auto f0 = static_cast<int>(source_[static_cast<std::size_t>(t0)]);
            const auto f1 = static_cast<int>(source_[static_cast<std::size_t>(t1)]);
            if (f0 != f1) edges_between[std::minmax(f0, f1)].push_back(e);
        }
        bool any = false;
        for (std::size_t i = 0; i < angles.size(); ++i) {
            const std::pair<int, int> faces = std::minmax(pairs[2 * i], pairs[2 * i + 1]);
            const auto                found = edges_between.find(faces);
            if (!std::isfinite(angles[i])) {
                read_.warn(codes::kDeformableRest, prim_,
                           fmt::format("restBendAngles[{}] is not finite; it is skipped", i));
            } else if (found == edges_between.end()) {
                read_.warn(codes::kDeformableRest, prim_,
                           fmt::format("restAdjTriPairs[{}]: the faces {} and {} share no edge; it is skipped", i,
                                       faces.first, faces.second));
            } else {
                any = true;
                for (const std::size_t e : found->second)
                    run_.builder.edge_elements[edge0_ + e].rest_angle = angles[i] * kDegrees;  // authored in degrees
            }
        }
        return any;
    }

    void set_masses()
    {
        model::ModelBuilder& b = run_.builder;
        Elements             elements;
        elements.authored    = face_count_;
        elements.point_count = vertices_.size();
        elements.sources     = source_;
        for (std::size_t t = 0; t < faces_.size(); ++t) {
            elements.points.emplace_back(faces_[t].begin(), faces_[t].end());
            // A volume of a triangle is area times thickness.
            elements.volumes.push_back(b.tri_elements[tri0_ + t].area * face_thickness_[t]);
        }
        std::vector<double> masses;
        if (auto authored = authored_masses(read_, prim_, "face", elements, out_.masses)) {
            masses = *std::move(authored);
        } else {
            std::vector<double> of_faces;
            for (const double volume : elements.volumes) of_faces.push_back(out_.density * volume);
            masses     = lumped(of_faces, elements);
            double sum = 0;
            for (const double m : masses) sum += m;
            // The body's mass scales the densities' result.
            if (const auto whole = read_.body_mass(prim_); whole && sum > 0)
                for (double& m : masses) m *= *whole / sum;
        }
        for (std::size_t p = 0; p < masses.size(); ++p) b.particles[particle0_ + p].mass = masses[p];
    }

    const DeformableReader&         read_;
    Import&                         run_;
    usd::Prim                       prim_;
    ImportedDeformable              out_;
    std::size_t                     face_count_ = 0;
    bool                            flipped_ = false, mode_authored_ = false, rest_applied_ = false;
    std::vector<Vec3d>              vertices_, rest_points_;
    std::vector<Face>               fan_;                 ///< all triangles as authored
    std::vector<std::size_t>        fan_source_;          ///< authored face of each
    std::vector<std::size_t>        kept_;                ///< of them
    std::vector<Face>               faces_, rest_faces_;  ///< kept ones, wound outwards
    std::vector<std::size_t>        source_;              ///< authored face of each kept one
    std::optional<DeformableValues> material_;
    std::vector<double>             face_thickness_, point_thickness_;
    std::size_t                     particle0_ = 0, tri0_ = 0, edge0_ = 0;
};

}  // namespace

void add_cloth(const DeformableReader& read, const usd::Prim& prim) { Cloth(read, prim).add(); }

}  // namespace mechane::importer

// Tetrahedral meshes as soft bodies: elements, rest shape, materials as Lame parameters, masses. Inverted and flat
// elements are left out with a warning.
//
// mu, lambda  Lame parameters: stiffness against shear and against change of volume [Pa]
// pose        inverse of the edge vectors of an element at rest; F = D pose is the deformation gradient
// skin        triangles that belong to one element only: what collides and is drawn

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deformables.h"
#include "elements.h"
#include "mechane/model/codes.h"
#include "reader.h"

/// Tetrahedral meshes as soft bodies.
namespace mechane::importer {
namespace {

using Tet                                  = std::array<std::int32_t, 4>;
constexpr std::string_view kVolumeSim      = "PhysicsVolumeDeformableSimAPI",
                           kVolumeApi      = "PhysicsVolumeDeformableMaterialAPI";
constexpr DeformableField  kVolumeFields[] = {
    {"youngsModulus"}, {"poissonsRatio", FieldRange::poisson}, {"density", FieldRange::density}};

/// The body in whose subtree the prim lies; invalid where a rigid body or an articulation comes first.
usd::Prim body_above(const usd::Prim& prim)
{
    for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent()) {
        if (DeformableReader::applies(p, "PhysicsDeformableBodyAPI")) return p;
        // A rigid body's subtree is its own.
        if (p.has_api("PhysicsRigidBodyAPI") || p.has_api("PhysicsArticulationRootAPI")) return {};
    }
    return {};
}

class Volume {
  public:
    Volume(const DeformableReader& read, const usd::Prim& prim)
        : read_(read), run_(read.run()), prim_(prim), declared_(DeformableReader::applies(prim, kVolumeSim))
    {
    }

    // Three ways to be here: simulated by its schema, a plain TetMesh, or graphics of a deformable body.
    void add()
    {
        if (!declared_)
            if (const usd::Prim body = body_above(prim_)) {
                read_.warn(codes::kDeformableApproximated, prim_,
                           fmt::format("it is part of the deformable body <{}> and no simulation geometry; it is not "
                                       "simulated",
                                       body.path().text()));
                return;
            }
        if (!may_import(read_, prim_, "soft body")) return;
        if (declared_) report_misplaced(read_, prim_, kVolumeApi);
        // The ledger lists every attribute of the prim from here on.
        run_.collect(prim_);
        if (!read_mesh()) return;
        read_material();
        read_rest_shape();
        // A rest shape has nothing to say of no element.
        if (kept_.empty() && rests_) {
            refuse_all();
        } else if (build()) {
            set_masses();
            run_.result.deformables.push_back(std::move(out_));
        }
    }

  private:
    bool skip(std::string why)
    {
        read_.warn(codes::kDeformableSkipped, prim_, std::move(why));
        return false;
    }

    bool refuse_all() { return skip("all tetrahedra are flat or inverted; no soft body is made"); }

    bool read_mesh()
    {
        const auto points  = prim_.attribute("points").get<std::vector<Vec3d>>();
        const auto indices = prim_.attribute("tetVertexIndices").get<std::vector<int>>();
        if (!points || points->empty() || !indices || indices->empty())
            return skip("the mesh lacks points or tetrahedra; no soft body is made");
        if (indices->size() % 4 != 0)
            return skip(
                fmt::format("tetVertexIndices has {} indices, expected four for each tetrahedron; no soft body "
                            "is made",
                            indices->size()));
        left_handed_ = prim_.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded";
        for (std::size_t i = 0; i < indices->size(); ++i) {
            const int p = (*indices)[i];
            if (p < 0 || p >= std::ssize(*points))
                return skip(
                    fmt::format("tetrahedron {} names point {} of {}; no soft body is made", i / 4, p, points->size()));
            if (i % 4 == 0) authored_.push_back({});
            authored_.back()[i % 4] = p;
        }
        // leftHanded and a mirroring transform both change the sign of volumes; both together cancel.
        for (const Tet& t : authored_) tets_.push_back(wound(t, left_handed_ != read_.mirrored(prim_)));
        vertices_ = read_.placed_points(prim_, *points);
        if (!std::all_of(vertices_.begin(), vertices_.end(), [](const Vec3d& p) { return is_finite(p); }))
            return skip("a point is not finite; no soft body is made");
        // Relative to the size of the mesh: a small body has small tetrahedra.
        const double scale = largest_extent();
        for (std::size_t t = 0; t < tets_.size(); ++t) {
            const double v = volume(vertices_, tets_[t]);
            // What single precision cannot tell from nothing is flat.
            // 1e-12 of the cube about the mesh.
            if (v > 1e-12 * scale * scale * scale)
                kept_.push_back(t);
            else
                (v < 0 ? inverted_ : flat_).push_back(t);
        }
        const auto first = [](const std::vector<std::size_t>& list) { return list.empty() ? 0 : list.front(); };
        if (kept_.empty() && !run_.conventions.unusable_elements_count) return refuse_all();
        if (!inverted_.empty() || !flat_.empty())
            read_.warn(codes::kDeformableElement, prim_,
                       fmt::format("of {} tetrahedra {} are inverted and {} flat; they are left out, the first is {}",
                                   tets_.size(), inverted_.size(), flat_.size(),
                                   inverted_.empty() ? first(flat_)
                                   : flat_.empty()   ? first(inverted_)
                                                     : std::min(first(flat_), first(inverted_))));
        return true;
    }

    // The first index is kept, so that messages and files agree.
    // Exchanging two corners changes the sign of the volume.
    static Tet wound(const Tet& t, bool swap) { return swap ? Tet{t[0], t[2], t[1], t[3]} : t; }

    // Six times the volume is the triple product of three edges.
    static double volume(const std::vector<Vec3d>& points, const Tet& t)
    {
        const auto at = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
        return dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) / 6;
    }

    [[nodiscard]] double largest_extent() const
    {
        Vec3d lo = vertices_.front(), hi = lo;
        for (const Vec3d& p : vertices_) lo = min(lo, p), hi = max(hi, p);
        return max_component(hi - lo);
    }

    void read_material()
    {
        // Newton's density for plain TetMeshes is 1 kg/m^3, ours that of the builder.
        options_.density = run_.conventions.soft_density_is_one ? 1.0 : options_.density;
        if (declared_) {
            const auto            material = read_.material(prim_, kVolumeApi, kVolumeFields);
            std::optional<double> density;
            if (material) {
                out_.material  = *material;
                const auto get = [&](const char* name, double otherwise) {
                    const auto at = material->find(name);
                    return at == material->end() ? otherwise : at->second;
                };
                options_.tet = lame_parameters(get("youngsModulus", read_.default_modulus()),
                                               get("poissonsRatio", DeformableReader::kDefaultPoisson));
                if (material->contains("density")) density = get("density", 0);
            }
            options_.density = read_.density(prim_, density, !material);
            return;
        }
        // A plain tetrahedral mesh takes what its bound material says, whatever API that applies.
        const usd::Prim bound = run_.stage.bound_material(prim_, "physics");
        if (!bound) return;
        run_.deformable_materials.insert(bound.path());
        const bool current = DeformableReader::applies(bound, kVolumeApi);
        if (current || run_.resolvers.has("physx")) {
            // A modulus of an earlier PhysX material counts where PhysX's words are read.
            auto modulus = read_.field(bound, kVolumeFields[0]), poisson = read_.field(bound, kVolumeFields[1]);
            if (!modulus && current) modulus = read_.default_modulus();
            if (modulus) options_.tet = lame_parameters(*modulus, poisson.value_or(DeformableReader::kDefaultPoisson));
        }
        if (current || bound.has_api("PhysicsMaterialAPI"))
            if (const auto density = read_.field(bound, kVolumeFields[2])) options_.density = *density;
    }

    void read_rest_shape()
    {
        if (!declared_) return;
        const auto points  = read_.points(prim_, "restShapePoints");
        const auto indices = read_.ints(prim_, "restTetVertexIndices");
        const auto no_use  = [&](std::string why) { read_.warn(codes::kDeformableRest, prim_, std::move(why)); };
        // The mesh's own indices are no rest shape and no fault.
        if (!points) {
            bool same = indices.empty() || indices.size() == 4 * authored_.size();
            for (std::size_t i = 0; same && i < indices.size(); ++i) same = indices[i] == authored_[i / 4][i % 4];
            if (!same) no_use("restTetVertexIndices is authored without restShapePoints and is not the mesh's");
            return;
        }
        if (!std::all_of(points->begin(), points->end(), [](const Vec3d& p) { return is_finite(p); }))
            return no_use("restShapePoints holds a point that is not finite");
        if (indices.empty() && points->size() != vertices_.size())
            return no_use(fmt::format("restShapePoints has {} points, expected {}", points->size(), vertices_.size()));
        if (!indices.empty() && indices.size() != 4 * authored_.size())
            return no_use(
                fmt::format("restTetVertexIndices has {} indices, expected {}", indices.size(), 4 * authored_.size()));
        for (const int i : indices)
            if (i < 0 || i >= std::ssize(*points))
                return no_use(fmt::format("restTetVertexIndices names point {} of {}", i, points->size()));
        // The rest shape has no place, only a form: it is rotated and scaled, not moved.
        const std::vector<Vec3d> placed = read_.placed_vectors(prim_, *points);
        std::vector<Mat33d>      poses;
        std::vector<double>      volumes;
        for (std::size_t t = 0, next = 0; t < tets_.size(); ++t) {
            const bool used = next < kept_.size() && kept_[next] == t;
            if (used) ++next;
            // Newton looks at the rest shape of what is left out too.
            if (!used && !run_.conventions.unusable_elements_count) continue;
            Tet tet = tets_[t];
            if (!indices.empty())
                tet = wound({indices[4 * t], indices[4 * t + 1], indices[4 * t + 2], indices[4 * t + 3]},
                            left_handed_ != read_.mirrored(prim_));
            const auto           at   = [&](std::size_t k) { return placed[static_cast<std::size_t>(tet[k])]; };
            const model::TetRest rest = model::tet_rest(at(0), at(1), at(2), at(3));
            // One unusable element refuses the rest shape: a partial one would pull at the others.
            if (!(rest.volume > 0))
                return no_use(fmt::format("tetrahedron {} of the rest shape is flat or inverted", t));
            if (!used) continue;
            poses.push_back(rest.pose);
            volumes.push_back(rest.volume);
        }
        rests_        = true;
        rest_poses_   = std::move(poses);
        rest_volumes_ = std::move(volumes);
    }

    bool build()
    {
        model::ModelBuilder& b     = run_.builder;
        const bool           meets = !declared_ || collides(read_, prim_);
        if (!meets && run_.conventions.deformables_always_collide)
            read_.warn(codes::kDeformableApproximated, prim_,
                       "it has no enabled collider, and it collides all the same");
        options_.label        = prim_.path().text();
        const Appearance look = appearance_of(run_.stage, run_.physics, prim_, run_.found);
        options_.color        = look.color.value_or(options_.color);
        options_.opacity      = look.opacity.value_or(options_.opacity);
        // Triangles exist for contact; their elasticity is that of the elements.
        options_.tri = {};
        // The skin collides and is drawn, and resists nothing.
        options_.tri.ke = options_.tri.ka = options_.tri.kd = 0;
        std::vector<Tet> kept;
        for (const std::size_t t : kept_) kept.push_back(tets_[t]);
        particle0_ = b.particles.size(), tet0_ = b.tets.size();
        const std::size_t tri0 = b.tri_indices.size(), edge0 = b.edge_indices.size();
        // The skin is that of all elements: Newton's also where some are left out.
        const auto skin = run_.conventions.unusable_elements_count ? model::surface_of(tets_) : model::surface_of(kept);
        b.add_soft_mesh({}, {}, vertices_, kept, {}, skin, options_);
        if (!run_.conventions.soft_radius_is_default) set_radius(skin);
        // Without a collider particles pass through everything.
        for (std::size_t p = particle0_;
             !meets && !run_.conventions.deformables_always_collide && p < b.particles.size(); ++p)
            b.particles[p].flags |= model::particle_flag::passes_through;
        if (!rest_poses_.empty()) {
            for (std::size_t t = 0; t < kept.size(); ++t) b.tets[tet0_ + t].pose = rest_poses_[t];
            // The rest shape decides the masses, since it decides the volumes: a quarter of an element for each
            // corner.
            for (std::size_t p = particle0_; p < b.particles.size(); ++p) b.particles[p].mass = 0;
            for (std::size_t t = 0; t < kept.size(); ++t)
                for (const std::int32_t p : kept[t])
                    b.particles[particle0_ + static_cast<std::size_t>(p)].mass +=
                        options_.density * rest_volumes_[t] / 4;
        }
        const auto count = [](std::size_t n) { return static_cast<std::int32_t>(n); };
        out_.path        = prim_.path().text();
        out_.kind        = ImportedDeformable::Kind::volume;
        out_.density     = options_.density;
        out_.particle    = {count(particle0_), count(b.particles.size())};
        out_.tri         = {count(tri0), count(b.tri_indices.size())};
        out_.edge        = {count(edge0), count(b.edge_indices.size())};
        out_.tet         = {count(tet0_), count(b.tets.size())};
        out_.placed      = read_.placement(prim_);
        return true;
    }

    // Larger balls would overlap their neighbours at rest.
    /// Half the shortest edge of the skin, and no more than the builder's default.
    void set_radius(const std::vector<std::array<std::int32_t, 3>>& skin)
    {
        // Twice the default radius is the longest edge that matters.
        double shortest = 2 * run_.builder.default_particle_radius;
        for (const auto& t : skin)
            for (std::size_t k = 0; k < 3; ++k)
                shortest = std::min(shortest, length(vertices_[static_cast<std::size_t>(t[k])] -
                                                     vertices_[static_cast<std::size_t>(t[(k + 1) % 3])]));
        for (std::size_t p = particle0_; p < run_.builder.particles.size(); ++p)
            run_.builder.particles[p].radius = 0.5 * shortest;
    }

    void set_masses()
    {
        if (!declared_) return;
        model::ModelBuilder& b = run_.builder;
        Elements             elements;
        elements.authored    = tets_.size();
        elements.point_count = vertices_.size();
        // Newton lets tetrahedra that it leaves out weigh, unless there is a rest shape.
        const bool               all = run_.conventions.unusable_elements_count && rest_poses_.empty();
        std::vector<std::size_t> members(kept_);
        if (all) {
            members.clear();
            for (std::size_t t = 0; t < tets_.size(); ++t) members.push_back(t);
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            elements.points.emplace_back(tets_[members[i]].begin(), tets_[members[i]].end());
            elements.volumes.push_back(rest_volumes_.empty() ? std::abs(volume(vertices_, tets_[members[i]]))
                                                             : rest_volumes_[i]);
            elements.sources.push_back(members[i]);
        }
        double sum = 0;
        for (std::size_t p = particle0_; p < b.particles.size(); ++p) sum += b.particles[p].mass;
        if (const auto masses = authored_masses(read_, prim_, "tetrahedron", elements, out_.masses)) {
            for (std::size_t p = 0; p < masses->size(); ++p) b.particles[particle0_ + p].mass = (*masses)[p];
        } else if (const auto whole = read_.body_mass(prim_); whole && sum > 0) {
            for (std::size_t p = particle0_; p < b.particles.size(); ++p) b.particles[p].mass *= *whole / sum;
        }
    }

    const DeformableReader&  read_;
    Import&                  run_;
    usd::Prim                prim_;
    bool                     declared_;  ///< it applies the simulation API
    bool                     left_handed_ = false, rests_ = false;
    ImportedDeformable       out_;
    model::SoftOptions       options_;
    std::vector<Vec3d>       vertices_;
    std::vector<Tet>         authored_, tets_;  ///< as authored, and wound to positive volumes
    std::vector<std::size_t> kept_, inverted_, flat_;
    std::vector<Mat33d>      rest_poses_;
    std::vector<double>      rest_volumes_;
    std::size_t              particle0_ = 0, tet0_ = 0;
};

}  // namespace

void add_volume(const DeformableReader& read, const usd::Prim& prim) { Volume(read, prim).add(); }

}  // namespace mechane::importer

// Signed distance fields and questions to single meshes, for programs that have no model: `Sdf`, `MeshQueries`,
// `NarrowPhase`, `bounding_box`.
// Points, directions and normals are rows of three numbers in the mesh's own frame; distances are metres, negative
// inside.
// Building a field frees the interpreter's lock and uses the shared thread pool. Single questions keep the lock: they
// last micro-seconds, and taking it again would cost more.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechane/collision/narrow_phase.h"
#include "mechane/collision/queries.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/marching_cubes.h"
#include "mechane/geometry/mesh_distance.h"
#include "mechane/geometry/sdf.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/pool.h"
#include "python/values.h"

/// Distances from meshes and their fields, and the narrow phase without a model.
namespace mechane::python {

namespace {

using geometry::Mesh;
using geometry::Sdf;

Vec3d row(const double* p) { return {p[0], p[1], p[2]}; }

void append(std::vector<double>& out, const Vec3d& v) { out.insert(out.end(), {v.x, v.y, v.z}); }

constexpr std::array<const char*, 3> kStorage{"uint8", "uint16", "float32"};
constexpr std::array<const char*, 4> kSigns{"auto", "parity", "winding", "normal"};

/// Enumerations travel as their names. The position in the table is the enumerator's value: both must have the same
/// order.
template <class E, std::size_t n>
E named(const std::array<const char*, n>& names, const std::string& name, const char* argument)
{
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw nb::value_error((std::string(argument) + ": unknown name '" + name + "'").c_str());
    return static_cast<E>(found - names.begin());
}

std::shared_ptr<Sdf> make_sdf(const Mesh& mesh, std::optional<int> max_resolution, std::optional<double> voxel,
                              double inner, double outer, double padding, const std::string& storage,
                              const std::string& sign, const Numbers3& scale)
{
    geometry::SdfOptions options;
    options.max_resolution    = max_resolution;
    options.target_voxel_size = voxel;
    options.band_inner        = inner;
    options.band_outer        = outer;
    options.padding           = padding;
    options.storage           = named<geometry::SdfStorage>(kStorage, storage, "texture_format");
    options.sign              = named<geometry::SignMethod>(kSigns, sign, "sign_method");
    options.scale             = vec3(scale);
    const auto  pool          = current_pool();
    Result<Sdf> made          = [&] {
        const nb::gil_scoped_release released;
        return geometry::build_sdf(mesh, options, pool.get());
    }();
    return std::make_shared<Sdf>(unwrap(std::move(made)));
}

/// The field that interpolates values at the corners of a grid of cells of one edge.
std::shared_ptr<Sdf> sdf_of_grid(const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& values,
                                 const Numbers3& lower, double voxel, double inner, double outer,
                                 const std::string& storage)
{
    const std::array<std::size_t, 3> n{values.shape(0), values.shape(1), values.shape(2)};
    if (n[0] < 2 || n[1] < 2 || n[2] < 2 || !(voxel > 0))
        throw nb::value_error("values: expected at least 2 corners each way and a voxel_size above zero");
    const Vec3d low      = vec3(lower);
    const auto  at       = [&](std::size_t x, std::size_t y, std::size_t z) { return values(x, y, z); };
    // Trilinear within the cell of the point; points outside the grid get the value of the nearest point of its
    // boundary, so that the distance does not grow there. The last cell includes its upper corner (index n - 2).
    const auto  distance = [&](const Vec3d& p) {
        std::array<std::size_t, 3> cell{};
        Vec3d                      t;
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = std::clamp((p[k] - low[k]) / voxel, 0.0, static_cast<double>(n[k] - 1));
            cell[k]        = std::min(static_cast<std::size_t>(x), n[k] - 2);
            t[k]           = x - static_cast<double>(cell[k]);
        }
        double sum = 0;
        for (std::size_t corner = 0; corner < 8; ++corner) {
            const std::size_t i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
            sum += (i ? t.x : 1 - t.x) * (j ? t.y : 1 - t.y) * (k ? t.z : 1 - t.z) *
                   at(cell[0] + i, cell[1] + j, cell[2] + k);
        }
        return sum;
    };
    geometry::Aabbd box;
    box.lower = low;
    box.upper = low + voxel * Vec3d{static_cast<double>(n[0] - 1), static_cast<double>(n[1] - 1),
                                    static_cast<double>(n[2] - 1)};
    geometry::SdfOptions options;
    options.target_voxel_size = voxel;
    options.band_inner        = inner;
    options.band_outer        = outer;
    options.padding           = 0;
    options.storage           = named<geometry::SdfStorage>(kStorage, storage, "texture_format");
    // Nothing is known of the surface within the grid; the area of the box stands for its area.
    const Vec3d e             = box.upper - box.lower;
    return std::make_shared<Sdf>(
        unwrap(geometry::build_sdf(box, 2 * (e.x * e.y + e.y * e.z + e.z * e.x), distance, options, nullptr)));
}

nb::object sampled(const Sdf& sdf, const DoublesIn& points)
{
    const std::size_t   n = points.size() / 3;
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = sdf.sample(row(points.data() + 3 * i));
    return owned(std::move(out), {n});
}

nb::object gradients(const Sdf& sdf, const DoublesIn& points)
{
    const std::size_t   n = points.size() / 3;
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) append(out, sdf.sample_gradient(row(points.data() + 3 * i)).gradient);
    return owned(std::move(out), {n, std::size_t{3}});
}

/// Questions to one mesh: nearest points, signed distances, rays. Made once, asked often.
class MeshQueries {
  public:
    explicit MeshQueries(const Mesh& mesh, const std::string& sign)
        : distance_(mesh, named<geometry::SignMethod>(kSigns, sign, "sign_method")),
          shape_(collision::make_mesh_shape(mesh, {1, 1, 1}, false))
    {
    }

    /// Nearest points of the surface: signed distances [n], points [n, 3], triangles [n].
    nb::tuple nearest(const DoublesIn& points) const
    {
        const std::size_t         n = points.size() / 3;
        std::vector<double>       distance(n), point;
        std::vector<std::int32_t> triangle(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3d p     = row(points.data() + 3 * i);
            const auto  found = distance_.nearest(p);
            distance[i]       = distance_.inside(p, found) ? -found.distance : found.distance;
            triangle[i]       = found.triangle;
            append(point, found.point);
        }
        return nb::make_tuple(owned(std::move(distance), {n}), owned(std::move(point), {n, std::size_t{3}}),
                              owned(std::move(triangle), {n}));
    }

    /// First points of rays on the surface: t in lengths of the direction, -1 where it is missed; normals [n, 3].
    /// t counts lengths of the direction as given, so that a direction that is not normalised gives fractions of a
    /// segment.
    nb::tuple rays(const DoublesIn& origins, const DoublesIn& directions) const
    {
        collision::Shape shape;
        shape.kind            = collision::ShapeKind::mesh;
        shape.mesh            = &shape_;
        const std::size_t   n = origins.size() / 3;
        std::vector<double> t(n, -1.0), normal;
        for (std::size_t i = 0; i < n; ++i) {
            const auto hit = collision::cast_ray(shape, row(origins.data() + 3 * i), row(directions.data() + 3 * i));
            if (hit) t[i] = hit->t;
            append(normal, hit ? hit->normal : Vec3d{});
        }
        return nb::make_tuple(owned(std::move(t), {n}), owned(std::move(normal), {n, std::size_t{3}}));
    }

  private:
    geometry::MeshDistance distance_;
    collision::MeshShape   shape_;
};

/// The narrow phase on shapes that a caller describes: kinds [n], rows of place and size [n, 15] as of `collide_rows`,
/// meshes where the kind needs one, margins and gaps [m].
class NarrowPhase {
  public:
    NarrowPhase(std::size_t max_candidate_pairs, bool reduce_contacts)
        : phase_({.max_candidate_pairs = max_candidate_pairs, .reduce_contacts = reduce_contacts})
    {
    }

    nb::tuple launch(const IntsIn& kinds, const DoublesIn& rows, const nb::list& meshes, const DoublesIn& scales,
                     const DoublesIn& margins, const DoublesIn& gaps, const IntsIn& pairs)
    {
        const std::size_t                        n = kinds.size();
        std::vector<collision::NarrowPhaseShape> shapes(n);
        std::vector<collision::MeshShape>        surfaces(n);
        std::vector<collision::HullShape>        hulls(n);
        for (std::size_t i = 0; i < n; ++i) {
            collision::Shape& s = shapes[i].shape;
            // Shapes point into `surfaces` and `hulls`, which have their full size from the start: growing would move
            // them.
            s.kind              = static_cast<collision::ShapeKind>(kinds.data()[i]);
            const double* r     = rows.data() + 15 * i;
            s.p                 = row(r);
            s.R                 = {row(r + 3), row(r + 6), row(r + 9)};
            s.size              = row(r + 12);
            shapes[i].margin    = margins.data()[i];
            shapes[i].gap       = gaps.data()[i];
            if (s.kind != collision::ShapeKind::mesh && s.kind != collision::ShapeKind::hull) continue;
            const Mesh& mesh  = *nb::cast<std::shared_ptr<Mesh>>(meshes[i]);
            const Vec3d scale = row(scales.data() + 3 * i);
            if (s.kind == collision::ShapeKind::mesh) {
                surfaces[i] = collision::make_mesh_shape(mesh, scale, true);
                s.mesh      = &surfaces[i];
                s.hull      = surfaces[i].hull.get();
            } else {
                hulls[i] = collision::make_hull_shape(mesh, scale);
                s.hull   = &hulls[i];
            }
        }
        std::vector<collision::ShapePair> candidates;
        // Pairs come from the caller's broad phase, hence indices are checked; a pair beyond max_candidate_pairs is
        // counted and left out.
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            const collision::ShapePair pair{pairs.data()[i], pairs.data()[i + 1]};
            const auto known = [&](std::int32_t k) { return k >= 0 && static_cast<std::size_t>(k) < n; };
            if (!known(pair.first) || !known(pair.second))
                throw nb::index_error("candidate_pair: there is no such shape");
            candidates.push_back(pair);
        }
        std::vector<std::int32_t>    ids;
        std::vector<double>          position, normal, penetration;
        collision::NarrowPhaseStatus status;
        {
            const nb::gil_scoped_release released;
            status = phase_.launch_custom_write(shapes, candidates, [&](const collision::ContactData& c) {
                ids.insert(ids.end(), {c.shape0, c.shape1});
                append(position, c.centre);
                append(normal, c.normal);
                penetration.push_back(c.distance);
            });
        }
        const std::size_t m = penetration.size();
        return nb::make_tuple(status.dropped_pairs, owned(std::move(ids), {m, std::size_t{2}}),
                              owned(std::move(position), {m, std::size_t{3}}),
                              owned(std::move(normal), {m, std::size_t{3}}), owned(std::move(penetration), {m}));
    }

  private:
    collision::NarrowPhase phase_;
};

/// An incomplete last row is left out.
nb::tuple bounding_box(const DoublesIn& points)
{
    std::vector<Vec3d> at;
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) at.push_back(row(points.data() + i));
    const geometry::OrientedBox box = unwrap(geometry::bounding_box(at));
    return nb::make_tuple(to_python(box.pose), to_python(box.half_extents));
}

}  // namespace

void bind_fields(nb::module_& m)
{
    nb::class_<Sdf>(m, "Sdf")
        .def(nb::new_(&make_sdf), nb::arg("mesh"), nb::arg("max_resolution").none(), nb::arg("voxel").none(),
             nb::arg("inner"), nb::arg("outer"), nb::arg("padding"), nb::arg("storage"), nb::arg("sign"),
             nb::arg("scale"))
        .def_static("of_grid", &sdf_of_grid, nb::arg("values"), nb::arg("lower"), nb::arg("voxel"), nb::arg("inner"),
                    nb::arg("outer"), nb::arg("storage"))
        .def("sample", &sampled)
        .def("gradient", &gradients)
        .def("isomesh",
             [](const Sdf& sdf, double level) { return std::make_shared<Mesh>(geometry::extract_isomesh(sdf, level)); })
        .def_prop_ro("lower", [](const Sdf& sdf) { return to_python(sdf.lower()); })
        .def_prop_ro("upper", [](const Sdf& sdf) { return to_python(sdf.upper()); })
        .def_prop_ro("voxel", [](const Sdf& sdf) { return sdf.voxel(); })
        .def_prop_ro("blocks",
                     [](const Sdf& sdf) { return nb::make_tuple(sdf.blocks()[0], sdf.blocks()[1], sdf.blocks()[2]); })
        .def_prop_ro("bricks", [](const Sdf& sdf) { return sdf.brick_count(); })
        .def_prop_ro("memory", [](const Sdf& sdf) { return sdf.memory(); })
        .def("to_bytes",
             [](const Sdf& sdf) {
                 const std::vector<std::byte> bytes = sdf.to_bytes();
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def_static("from_bytes", [](const nb::bytes& bytes) {
            const auto* begin = static_cast<const std::byte*>(bytes.data());
            auto        sdf   = Sdf::from_bytes({begin, bytes.size()});
            if (!sdf) throw nb::value_error("not a field of distances of this version");
            return std::make_shared<Sdf>(*std::move(sdf));
        });
    nb::class_<MeshQueries>(m, "MeshQueries")
        .def(nb::init<const Mesh&, const std::string&>(), nb::arg("mesh"), nb::arg("sign"))
        .def("nearest", &MeshQueries::nearest)
        .def("rays", &MeshQueries::rays);
    nb::class_<NarrowPhase>(m, "NarrowPhase")
        .def(nb::init<std::size_t, bool>(), nb::arg("max_candidate_pairs"), nb::arg("reduce_contacts"))
        .def("launch", &NarrowPhase::launch, nb::arg("kinds"), nb::arg("rows"), nb::arg("meshes"), nb::arg("scales"),
             nb::arg("margins"), nb::arg("gaps"), nb::arg("pairs"));
    m.def("bounding_box", &bounding_box);
}

}  // namespace mechane::python

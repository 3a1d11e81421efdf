// Visual shapes and sites: geometry of bodies and of the world that does not collide. Sizes by UsdGeom's rules with the
// scale of the transform; colour and paint from color.cpp and paint.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "exact_round.h"
#include "import.h"
#include "mechane/geometry/hull.h"
#include "mechane/physics/solid_size.h"
#include "mechane/usd/instancer_copies.h"
#include "mechane/usd/start_value.h"
#include "newton_placement.h"
#include "paint.h"
#include "shape_frames.h"
#include "tapered.h"

namespace mechane::importer {
namespace {

using model::GeoType;

enum class VisualKind { none, cube, sphere, plane, capsule, cylinder, cone, capsule_1, cylinder_1, mesh };

VisualKind visual_kind(const usd::Prim& prim)
{
    constexpr std::array<std::pair<const char*, VisualKind>, 9> kKinds{{{"Cube", VisualKind::cube},
                                                                        {"Sphere", VisualKind::sphere},
                                                                        {"Plane", VisualKind::plane},
                                                                        {"Capsule", VisualKind::capsule},
                                                                        {"Cylinder", VisualKind::cylinder},
                                                                        {"Cone", VisualKind::cone},
                                                                        {"Capsule_1", VisualKind::capsule_1},
                                                                        {"Cylinder_1", VisualKind::cylinder_1},
                                                                        {"Mesh", VisualKind::mesh}}};
    for (const auto& [name, kind] : kKinds)
        if (prim.type_name().text() == name) return kind;
    return VisualKind::none;
}

/// Newton asks the prim, so a collider below an instancer, which is in no list, is one as well.
bool is_enabled_collider(const Import& run, const usd::Prim& prim)
{
    const physics::Index collider = run.physics.collider_at(prim.path());
    if (collider != physics::kNone) return run.collider(collider).enabled;
    return run.conventions.invalid_colliders_hidden && prim.has_api("PhysicsCollisionAPI") &&
           prim.attribute("physics:collisionEnabled").get_or<bool>(true);
}

/// What an instancer makes copies of is not seen where it stands. Newton draws it there, once.
bool is_prototype(const Import& run, const usd::Prim& prim)
{
    static const usd::Token kInstancer("PointInstancer");
    return !run.conventions.prototypes_drawn && prim.parent() && prim.parent().type_name() == kInstancer &&
           !usd::instancer_item(prim);
}

bool is_site(const usd::Prim& prim) { return prim.has_api("NewtonSiteAPI") || prim.has_api("MjcSiteAPI"); }

/// Frames that Newton multiplies in single precision, in the stage's units.
struct NewtonFrames {
    Posed                X_WB;
    std::array<Posed, 2> X_WS;  ///< the stage in the builder's world, the moved root in the stage
};

/// Adds visual shapes below one prim or one prim alone.
class VisualLoader {
  public:
    VisualLoader(Import& run, std::int32_t body, const usd::Matrix4d& owner_from_stage,
                 std::optional<NewtonFrames> in_single = {})
        : run_(run), body_(body), owner_from_stage_(owner_from_stage), in_single_(in_single)
    {
    }

    void load_below(const usd::Prim& prim, bool geometry)
    {
        for (const usd::Prim& child : prim.children()) load(child, geometry);
    }

    /// One prim and what is below it; bodies below are their own business.
    void load(const usd::Prim& prim, bool geometry)
    {
        if (leaves_body(prim) || run_.ignored(prim.path())) return;
        if (is_enabled_collider(run_, prim))
            return load_below(prim, geometry && !run_.conventions.nothing_seen_below_colliders);
        const bool site = is_site(prim);
        if (!site && run_.deformable.count(prim.path()) != 0) return load_below(prim, geometry);
        if (prim.is_a("PhysicsJoint") || is_prototype(run_, prim)) return;
        if (site && !run_.options.load_sites) return;
        if (site || geometry) add(prim, site);
        load_below(prim, geometry);
    }

    void add(const usd::Prim& prim, bool site)
    {
        const VisualKind kind = visual_kind(prim);
        // A disabled collider, or a prim met twice, is there already.
        const bool tapered = kind == VisualKind::capsule_1 || kind == VisualKind::cylinder_1;
        if (tapered && run_.conventions.tapered_shapes_dropped) return;
        if (kind == VisualKind::none || run_.result.path_shape_map.count(prim.path().text()) != 0) return;

        const usd::Matrix4d world = run_.stage.world_matrix(prim);
        // Also under a mirror, of which its lengths know nothing.
        const PlacedScale placed = in_single_ ? placed_as_newton(in_single_->X_WB, in_single_->X_WS, world)
                                              : placed_scale(world * owner_from_stage_);
        if (!is_finite(placed.pose)) return;
        const bool drawn = is_drawn(run_, prim);
        look_            = appearance_of(run_.stage, run_.physics, prim, run_.found);

        model::BuilderShape shape;
        shape.label                         = prim.path().text();
        shape.body                          = body_;
        shape.xform                         = {run_.length() * placed.pose.p, placed.pose.q};
        shape.config                        = run_.builder.default_shape;
        shape.config.density                = 0;
        shape.config.has_shape_collision    = false;
        shape.config.has_particle_collision = false;
        shape.config.is_site    = site && (kind != VisualKind::plane || !run_.conventions.plane_sites_are_visuals);
        shape.config.is_visible = site || drawn;
        if (kind == VisualKind::mesh) {
            add_mesh(prim, shape, placed.scale);
        } else {
            if (size_primitive(prim, kind, placed.scale, shape)) emit(std::move(shape), placed.scale);
        }
    }

  private:
    /// @return whether there is anything to see; what is endless is reported with the other values (unusable_values)
    bool size_primitive(const usd::Prim& prim, VisualKind kind, const Vec3d& scale, model::BuilderShape& shape) const
    {
        const double unit = run_.length();
        const auto   size = physics::solid_size(prim, [this](const usd::Attribute& attribute, double otherwise) {
            return run_.conventions.samples_need_default ? attribute.get_or<double>(otherwise)
                                                         : usd::start_or<double>(attribute, otherwise);
        });
        if (!size) return false;
        for (const double x :
             {size->half_edge, size->bottom, size->top, size->half_height, size->half_width, size->half_length})
            if (!std::isfinite(x)) return false;
        const auto  axis = static_cast<physics::Axis>(size->axis);
        const auto  a    = static_cast<std::size_t>(size->axis);
        const Vec3d s    = abs(scale);
        // Round shapes take the larger scale across their axis.
        const double around = std::max(s[(a + 1) % 3], s[(a + 2) % 3]), half = size->half_height * s[a];
        const auto   turn = [&](GeoType type) {
            shape.type    = type;
            shape.xform.q = turned_onto(shape.xform.q, axis, run_.conventions.axes_in_single_precision);
        };
        const auto along = [&](GeoType type) {
            turn(type);
            shape.scale = {unit * size->bottom * around, unit * half, 0};
        };
        switch (kind) {
            case VisualKind::cube:
                shape.type  = GeoType::box;
                shape.scale = unit * size->half_edge * s;
                break;
            case VisualKind::sphere:
                shape.type  = GeoType::sphere;
                shape.scale = {unit * size->bottom * max_component(s), 0, 0};
                if (!run_.conventions.round_shapes_inexact && (run_.options.exact_shapes || is_exact(prim)) &&
                    max_component(s) - std::min({s.x, s.y, s.z}) > 1e-6 * max_component(s)) {
                    shape.type  = GeoType::ellipsoid;
                    shape.scale = unit * size->bottom * s;
                }
                break;
            case VisualKind::capsule:
                along(GeoType::capsule);
                break;
            case VisualKind::cylinder:
                along(GeoType::cylinder);
                break;
            case VisualKind::cone:
                along(GeoType::cone);
                break;
            case VisualKind::capsule_1:
            case VisualKind::cylinder_1: {
                const bool capsule = kind == VisualKind::capsule_1;
                // Equal radii: the plain shape, as for colliders.
                if (std::abs(size->bottom - size->top) <= 1e-6 * size->bottom) {
                    along(capsule ? GeoType::capsule : GeoType::cylinder);
                    break;
                }
                auto hull =
                    geometry::build_hull(tapered_points(capsule, size->bottom * around, size->top * around, half, axis),
                                         {.max_vertices = 256});
                if (!hull) return false;
                shape.type   = GeoType::convex_mesh;
                shape.source = std::make_shared<const geometry::Mesh>(std::move(*hull));
                shape.scale  = {unit, unit, unit};
                break;
            }
            case VisualKind::plane: {
                // Newton's planes are infinite unless somebody authors how large they are.
                const auto extent = [&](const char* name, double half_size) {
                    return run_.conventions.seen_planes_infinite
                               ? std::abs(prim.attribute(name).authored_as<double>().value_or(0))
                               : 2 * half_size;
                };
                // UsdGeomPlane measures its width along z when it faces x, its length along z when it faces y.
                turn(GeoType::plane);
                shape.scale = {unit * extent("width", size->half_width) * (axis == physics::Axis::x ? s.z : s.x),
                               unit * extent("length", size->half_length) * (axis == physics::Axis::y ? s.z : s.y), 0};
                break;
            }
            case VisualKind::mesh:
            case VisualKind::none:
                return false;
        }
        return true;
    }

    /// @param part  one of several that a mesh is drawn as; without a colour each gets another
    /// @param mesh   what the shape is made of, where a texture may lie on it; null for primitives
    /// @param faces  those of the mesh that the shape has; empty: all
    void emit(model::BuilderShape shape, const Vec3d& scale, bool part = false, const MeshData* data = nullptr,
              const usd::Prim& mesh = {}, const std::vector<bool>& faces = {})
    {
        // A colour beside the texture tints it; Newton tints whole meshes only, not their parts.
        const bool tinted   = look_.color && !(part && run_.conventions.tint_whole_meshes_only);
        const bool textured = look_.textured && !tinted && shape.type == GeoType::mesh;
        const bool visible  = shape.config.is_visible;
        shape.color = textured ? Vec3d{1, 1, 1}
                               : look_.color.value_or(visible && !part ? Vec3d{kNeutralGrey, kNeutralGrey, kNeutralGrey}
                                                                       : palette_color(run_.builder.shapes.size()));
        shape.opacity            = look_.opacity.value_or(1);
        const bool        counts = visible && !shape.config.is_site;
        const std::string label  = shape.label;
        if (textured) run_.note_texture(label, look_);
        if (counts && data == nullptr && !tinted) run_.note_unplaced(label, look_);
        if (visible && data != nullptr)
            shape.source = model::painted(shape.source, paint_of(run_, look_, mesh, *data, faces));
        const std::int32_t index            = run_.builder.add_shape(std::move(shape));
        run_.result.path_shape_map[label]   = index;
        run_.result.path_shape_scale[label] = scale;
        if (counts) run_.bodies_with_visuals.insert(body_);
    }

    void add_mesh(const usd::Prim& prim, model::BuilderShape shape, const Vec3d& scale)
    {
        Diagnostics     unreadable;  // a mesh that only looks is not worth a finding of its own
        const MeshData* data = run_.meshes.read(prim, run_.conventions.faults_refuse_import ? run_.found : unreadable);
        if (data == nullptr) {
            if (run_.conventions.faults_refuse_import && unreadable.empty())
                run_.refuse(codes::kMeshData, prim.site(),
                            fmt::format("{} has no usable mesh data", prim.path().text()));
            return;
        }
        shape.type  = GeoType::mesh;
        shape.scale = run_.length() * scale;
        std::vector<bool>                                    covered(data->face_count, false);
        std::vector<std::pair<usd::Prim, std::vector<bool>>> parts;
        for (const usd::Prim& child : prim.children()) {
            if (!child.is_a("GeomSubset") || child.attribute("elementType").get_or<std::string>("face") != "face")
                continue;
            const std::string family = child.attribute("familyName").get_or<std::string>("");
            // Only subsets of materials divide a mesh.
            if (!family.empty() && family != "materialBind") continue;
            if (!binds_material(child)) continue;
            std::vector<bool> faces(data->face_count, false);
            bool              any = false;
            for (const int f : child.attribute("indices").get_or<std::vector<int>>({})) {
                if (f < 0 || static_cast<std::size_t>(f) >= data->face_count) continue;
                faces[static_cast<std::size_t>(f)] = covered[static_cast<std::size_t>(f)] = any = true;
            }
            if (any) parts.emplace_back(child, std::move(faces));
        }
        if (parts.empty()) {
            shape.source = data->mesh;
            emit(std::move(shape), scale, false, data, prim);
            return;
        }
        covered.flip();
        if (std::find(covered.begin(), covered.end(), true) != covered.end())
            parts.insert(parts.begin(), {prim, covered});
        std::int32_t first = -1;
        for (const auto& [owner, faces] : parts) {
            model::BuilderShape part = shape;
            part.label               = owner.path().text();
            part.source              = MeshReader::part_of(*data, faces);
            if (part.source->triangles.empty()) continue;
            look_ = appearance_of(run_.stage, run_.physics, owner, run_.found);
            emit(std::move(part), scale, true, data, prim, faces);
            if (first < 0) first = static_cast<std::int32_t>(run_.builder.shapes.size()) - 1;
        }
        if (first >= 0) run_.result.path_shape_map[prim.path().text()] = first;
    }

    /// A body of its own, or cut off by a reset of the transform stack.
    [[nodiscard]] bool leaves_body(const usd::Prim& prim) const
    {
        if (run_.options.reset_stack == physics::ResetStack::static_part && run_.stage.resets_transform(prim))
            return true;
        if (!prim.has_api("PhysicsRigidBodyAPI")) return false;
        return run_.options.nested_bodies != physics::NestedBodies::schema ||
               run_.physics.body_at(prim.path()) != physics::kNone;
    }

    static bool binds_material(const usd::Prim& subset)
    {
        for (const usd::Token& name : subset.authored_property_names())
            if (name.text().starts_with("material:binding"))
                if (const usd::Relationship r = subset.relationship(name); r && !r.targets().empty()) return true;
        return false;
    }

    Import&                     run_;
    std::int32_t                body_;
    usd::Matrix4d               owner_from_stage_;
    std::optional<NewtonFrames> in_single_;  ///< when shapes are placed as Newton does
    Appearance                  look_;
};

}  // namespace

PlacedScale placed_scale(const usd::Matrix4d& m)
{
    PlacedScale out;
    Vec3d       rows[3];
    double      lengths[3];
    for (int r = 0; r < 3; ++r) {
        rows[r]    = {m(r, 0), m(r, 1), m(r, 2)};
        lengths[r] = length(rows[r]);
        if (lengths[r] > 0) rows[r] = rows[r] / lengths[r];
    }
    // A mirrored frame: one negative scale keeps the rotation proper.
    if (usd::determinant3(m) < 0) {
        rows[0]    = -rows[0];
        lengths[0] = -lengths[0];
    }
    out.pose.p = {m(3, 0), m(3, 1), m(3, 2)};
    out.pose.q = from_matrix(Mat33d::from_columns(rows[0], rows[1], rows[2]));
    out.scale  = {lengths[0], lengths[1], lengths[2]};
    return out;
}

bool is_drawn(const Import& run, const usd::Prim& prim)
{
    static const usd::Token kImageable("Imageable"), kDefault("default"), kProxy("proxy");
    using physics::Inherited;
    if (!prim.is_a(kImageable)) return false;
    if (run.physics.may_inherit(prim, Inherited::visibility) && !run.stage.visible(prim)) return false;
    if (!run.physics.may_inherit(prim, Inherited::purpose)) return true;
    const usd::Token purpose = run.stage.purpose(prim);
    return purpose == kDefault || purpose == kProxy;
}

void add_visuals_of_body(Import& run, physics::Index body, std::int32_t index)
{
    if (!run.options.load_sites && !run.options.load_visual_shapes) return;
    // The body's authored frame: its shapes keep their place in it wherever the builder puts the body.
    const auto owner_from_stage = usd::inverse(usd::from_pose(run.body(body).X_WB));
    if (!owner_from_stage) return;
    std::optional<NewtonFrames> in_single;
    if (run.conventions.axes_in_single_precision) {
        const auto in_stage_units = [&](const Posed& X) { return Posed{X.p / run.length(), X.q}; };
        in_single                 = {in_stage_units(run.X_WB[static_cast<std::size_t>(body)]),
                                     {in_stage_units(run.X_WS), in_stage_units(run.root_offset(body))}};
    }
    VisualLoader(run, index, *owner_from_stage, in_single)
        .load_below(run.body(body).prim, run.options.load_visual_shapes);
}

void add_static_visuals(Import& run)
{
    const bool geometry = run.options.load_visual_shapes && run.options.load_static_visual_shapes;
    if (!geometry && (run.conventions.sites_need_visuals || !run.options.load_sites)) return;
    const Posed     X_builder{run.X_WS.p / run.length(), run.X_WS.q};
    VisualLoader    loader(run, model::kWorldBody, usd::from_pose(X_builder));
    const usd::Prim root = run.stage.prim_at(usd::Path(run.options.root_path));
    if (!root) return;
    for (const usd::Prim& prim : root.subtree()) {
        if (prim.path().is_root() || visual_kind(prim) == VisualKind::none || run.ignored(prim.path()) ||
            run.deformable.count(prim.path()) != 0 || is_enabled_collider(run, prim))
            continue;
        // What a body has below it is its own.
        bool of_body = false, of_prototype = false;
        for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent()) {
            const physics::Index b = run.physics.body_at(p.path());
            of_body = of_body ||
                      (b != physics::kNone && (run.conventions.disabled_bodies_keep_visuals || run.body(b).enabled));
            of_prototype = of_prototype || is_prototype(run, p);
            if (run.options.reset_stack == physics::ResetStack::static_part && run.stage.resets_transform(p)) break;
        }
        if (of_body || of_prototype) continue;
        const bool site = is_site(prim);
        if (site ? run.options.load_sites : geometry) loader.add(prim, site);
    }
}

}  // namespace mechane::importer

// Colliders as shapes: geometry by kind, contact settings by resolvers, materials, colours and visibility. Stage units
// in, metres out (run.length()); poses in the owner body or the world.
// Order: colliders by kind as OpenUSD's parser lists them, further parts of meshes, visual twins; indices of the first
// are independent of how many pieces meshes have.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "approximation.h"
#include "exact_round.h"
#include "face_materials.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/weld.h"
#include "mechane/model/codes.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"
#include "paint.h"
#include "shape_frames.h"
#include "tapered.h"

namespace mechane::importer {
namespace {

using model::GeoType;
using physics::ShapeKind;

/// Settings of a distance field, where one is asked for or may be needed.
std::optional<model::SdfConfig> sdf_config(const resolve::SdfSettings& settings)
{
    if (!settings.has_sdf && !settings.hydroelastic) return std::nullopt;
    model::SdfConfig out;
    out.force_sdf             = settings.has_sdf;
    out.sdf_max_resolution    = settings.max_resolution;
    out.sdf_target_voxel_size = settings.target_voxel_size;
    out.sdf_narrow_band_inner = settings.band_inner;
    out.sdf_narrow_band_outer = settings.band_outer;
    out.sdf_texture_format    = settings.texture_format == "uint8"     ? model::SdfFormat::uint8
                                : settings.texture_format == "float32" ? model::SdfFormat::float32
                                                                       : model::SdfFormat::uint16;
    out.sdf_padding           = settings.padding;
    return out;
}

/// The rule of a name that the resolvers know; nothing for the empty one.
std::optional<model::MaterialCombine> combine_rule(std::string_view name)
{
    if (name == "average") return model::MaterialCombine::average;
    if (name == "min") return model::MaterialCombine::minimum;
    if (name == "multiply") return model::MaterialCombine::multiply;
    if (name == "max") return model::MaterialCombine::maximum;
    return std::nullopt;
}

/// Whether any solver authored anything on a collider or its material. Most colliders are plain, and some twenty
/// lookups can be spared then. `label` is the collider's path, under which its attributes have been collected.
bool may_be_tuned(const Import& run, const physics::Collider& collider, const physics::Material* material,
                  const std::string& label)
{
    if (run.conventions.every_collider_looked_up || run.log != nullptr || material != nullptr ||
        run.builder.default_shape.is_hydroelastic)
        return true;
    for (const auto& [resolver, prims] : run.result.schema_attrs)
        if (const auto prim = prims.find(label); prim != prims.end() && !prim->second.empty()) return true;
    const auto apis = collider.prim.authored_apis();
    return std::any_of(apis.begin(), apis.end(),
                       [](const usd::Token& api) { return api.text().starts_with("Newton"); });
}

/// Says of what is authored under a key that it has no effect.
void leave(const Import& run, const usd::Prim& prim, resolve::Key key, const std::string& reason)
{
    if (run.log == nullptr) return;
    const resolve::Resolved answer = run.resolvers.get(prim, key, run.context);
    if (answer.authored()) run.log->correct(prim, answer.attribute, physics::Use::ignored, reason);
}

/// Whether a collider that asks for pressure contact bounds a volume that could be pressed; says so where not.
bool can_press(Import& run, const physics::Collider& collider)
{
    std::string why;
    if (collider.kind == ShapeKind::plane) why = "a plane makes point contacts only";
    if (collider.kind == ShapeKind::mesh) {
        const physics::Approximation method = approximation_of(run, collider);
        const MeshData*              data   = run.meshes.read(collider.prim, run.found);
        if (data != nullptr && !geometry::encloses_volume(*data->mesh) &&
            (method == physics::Approximation::none || method == physics::Approximation::mesh_simplification))
            why = "a mesh that is not closed makes point contacts only";
    }
    if (why.empty()) return true;
    const resolve::Resolved asked =
        run.resolvers.get(collider.prim, resolve::Key::shape_hydroelastic_enabled, run.context);
    run.found.add(model::kHydroelasticUnsupported, asked.authored() ? asked.site : collider.prim.site(),
                  fmt::format("<{}>: {}", collider.path.text(), why));
    leave(run, collider.prim, resolve::Key::shape_hydroelastic_enabled, why);
    leave(run, collider.prim, resolve::Key::shape_kh, why);
    return false;
}

model::ShapeConfig config_of(Import& run, const physics::Collider& collider, const physics::Material* material,
                             const std::string& label)
{
    model::ShapeConfig config  = run.builder.default_shape;
    const auto         i       = static_cast<std::size_t>(&collider - run.physics.colliders.data());
    config.density             = run.masses.collider_density[i];
    config.is_solid            = !run.masses.collider_shell[i];
    config.has_shape_collision = config.has_particle_collision = collider.enabled;
    if (!may_be_tuned(run, collider, material, label)) {
        // Nothing authored: defaults, as the lookups would give.
        config.gap = config.gap.value_or(run.builder.rigid_gap);
        return config;
    }

    resolve::ContactValues defaults;
    defaults.ke = config.ke, defaults.kd = config.kd, defaults.kf = config.kf, defaults.ka = config.ka;
    defaults.mu_torsional = config.mu_torsional, defaults.mu_rolling = config.mu_rolling;
    defaults.margin = config.margin, defaults.gap = config.gap.value_or(run.builder.rigid_gap);
    const auto contact =
        resolve::contact_values(run.resolvers, collider.prim, material != nullptr ? material->prim : usd::Prim{},
                                run.context, defaults, run.found);
    config.ke = contact.ke, config.kd = contact.kd, config.kf = contact.kf, config.ka = contact.ka;
    config.mu_torsional = contact.mu_torsional, config.mu_rolling = contact.mu_rolling;
    config.margin = contact.margin, config.gap = contact.gap;
    if (const auto rule = combine_rule(contact.friction_combine)) config.friction_combine = rule;
    if (const auto rule = combine_rule(contact.restitution_combine)) config.restitution_combine = rule;
    if (material != nullptr && run.log)
        for (const char* name : {"mjc:priority", "mjc:solmix"})
            if (run.log->find(material->prim, name) != nullptr)
                run.log->correct(material->prim, name, physics::Use::ignored,
                                 "coefficients combine by the rule of the solver");
    if (material != nullptr) {
        if (run.conventions.static_friction_dropped && run.log)
            run.log->dismiss(material->prim, "physics:staticFriction", "newton-1.8 has one friction");
        // Newton has one coefficient; the static one is extra here.
        config.mu          = material->dynamic_friction;
        config.restitution = material->restitution;
        if (!run.conventions.static_friction_dropped) config.mu_static = material->static_friction;
    }
    auto sdf  = resolve::sdf_settings(run.resolvers, collider, run.context, config.is_hydroelastic, run.found);
    config.kh = sdf.kh;
    if (sdf.hydroelastic && !run.conventions.sdf_as_authored) sdf.hydroelastic = can_press(run, collider);
    config.is_hydroelastic = sdf.hydroelastic;
    if (collider.kind == ShapeKind::plane && !run.conventions.sdf_as_authored) {
        using resolve::Key;
        for (const Key key :
             {Key::shape_sdf_target_voxel_size, Key::shape_sdf_max_resolution, Key::shape_sdf_narrow_band_inner,
              Key::shape_sdf_narrow_band_outer, Key::shape_sdf_texture_format, Key::shape_sdf_padding})
            // The log tells why what was authored has no effect.
            leave(run, collider.prim, key, "a plane has no distance field");
        sdf.has_sdf = false;
    }
    if (auto authored = sdf_config(sdf)) config.sdf = std::move(authored);  // else the builder's default stays
    if (const auto group = run.resolvers.get(collider.prim, resolve::Key::shape_collision_group, run.context).number();
        group && !run.conventions.collision_group_unread)
        config.collision_group = static_cast<std::int32_t>(*group);
    return config;
}

/// The scale that Newton notes: lengths of the axes in the world, with the signs of the scales that are authored.
Vec3d newton_scale(const physics::Collider& collider)
{
    Vec3d out, signs{1, 1, 1};
    for (int row = 0; row < 3; ++row)
        out[static_cast<std::size_t>(row)] =
            // Rows of the matrix are the axes (row vectors in OpenUSD).
            length(Vec3d{collider.world(row, 0), collider.world(row, 1), collider.world(row, 2)});
    for (usd::Prim p = collider.prim; p && !p.path().is_root(); p = p.parent()) {
        for (const usd::Token& op : p.attribute("xformOpOrder").get_or<std::vector<usd::Token>>({})) {
            const usd::Token name = usd::attribute_of_op(op);
            if (!name.text().starts_with("xformOp:scale")) continue;
            if (const auto s = usd::start_as<Vec3d>(p.attribute(name)))
                for (std::size_t i = 0; i < 3; ++i) signs[i] *= (*s)[i] < 0 ? -1 : 1;
        }
        // Scales above a reset do not act.
        if (p.stage().resets_transform(p)) break;
    }
    return scale(out, signs);
}

/// Adds one collider prim, which may be several shapes.
class ColliderAdder {
  public:
    ColliderAdder(Import& run, physics::Index index)
        : run_(run), index_(index), collider_(run.collider(index)), owner_(run.body_index(collider_.body))
    {
    }

    void add()
    {
        const std::string path = collider_.path.text();
        if (const auto there = run_.result.path_shape_map.find(path); there != run_.result.path_shape_map.end()) {
            // A disabled collider has come in as a visual shape already.
            run_.shape_of[static_cast<std::size_t>(index_)] = there->second;
            return;
        }
        shape_.label  = path;
        shape_.body   = owner_;
        shape_.xform  = owner_ < 0 ? run_.placed(owner_pose_in_stage() * collider_.X_BS) : run_.scaled(collider_.X_BS);
        shape_.config = config_of(run_, collider_, material_of(run_, collider_), path);
        look_         = appearance_of(run_.stage, run_.physics, collider_.prim, run_.found);
        drawn_        = is_drawn(run_, collider_.prim);
        hidden_       = run_.options.hide_collision_shapes && run_.options.load_visual_shapes &&
                        run_.bodies_with_visuals.count(owner_) != 0;
        shape_.config.is_visible = (run_.options.force_show_colliders || drawn_) && !hidden_;
        if (collider_.kind == ShapeKind::mesh)
            add_mesh();
        else
            add_primitive();
    }

  private:
    /// A collider of a body that was left out stands where the body stands.
    [[nodiscard]] Posed owner_pose_in_stage() const
    { return collider_.body == physics::kNone ? Posed{} : run_.body(collider_.body).X_WB; }

    std::int32_t emit(model::BuilderShape shape)
    {
        const bool textured = look_.textured && !look_.color && collider_.kind == ShapeKind::mesh;
        shape.color =
            // White: the picture's colours are taken as they are.
            textured ? Vec3d{1, 1, 1}
                     : look_.color.value_or(shape.config.is_visible ? Vec3d{kNeutralGrey, kNeutralGrey, kNeutralGrey}
                                                                    : palette_color(run_.builder.shapes.size()));
        // A mesh carries its opacity, whether it is drawn or not.
        if (shape.config.is_visible || collider_.kind == ShapeKind::mesh) shape.opacity = look_.opacity.value_or(1);
        const std::string label = shape.label;
        if (textured) run_.note_texture(label, look_);
        if (shape.config.is_visible && !look_.color && collider_.kind != ShapeKind::mesh)
            run_.note_unplaced(label, look_);
        const std::int32_t index = run_.builder.add_shape(std::move(shape));
        // The map names the first shape of a collider.
        if (run_.shape_of[static_cast<std::size_t>(index_)] >= 0) {
            run_.further_shapes[index_].push_back(index);
            return index;
        }
        run_.shape_of[static_cast<std::size_t>(index_)] = index;
        run_.result.path_shape_map[label]               = index;
        run_.result.path_shape_scale[label] =
            run_.conventions.scale_by_axes ? newton_scale(collider_) : collider_.scale;
        return index;
    }

    void emit_along(GeoType type, double radius, double half_height)
    {
        shape_.type    = type;
        shape_.xform.q = turned_onto(shape_.xform.q, collider_.axis, run_.conventions.axes_in_single_precision);
        shape_.scale   = {run_.length() * radius, run_.length() * half_height, 0};
        emit(shape_);
    }

    void add_primitive()
    {
        const double unit = run_.length();
        if (keeps_uneven_scale(run_, collider_)) return add_exact();
        switch (collider_.kind) {
            case ShapeKind::sphere:
                shape_.type  = GeoType::sphere;
                shape_.scale = {unit * collider_.radius, 0, 0};
                emit(shape_);
                return;
            case ShapeKind::cube:
                // A box that is sheared by its parents is no box.
                if (!collider_.sheared_corners.empty() && !run_.conventions.sheared_boxes_stay_boxes)
                    return add_hull(collider_.sheared_corners);
                shape_.type  = GeoType::box;
                shape_.scale = unit * collider_.half_extents;
                emit(shape_);
                return;
            case ShapeKind::capsule:
                return emit_along(GeoType::capsule, collider_.radius, collider_.half_height);
            case ShapeKind::cylinder:
                return emit_along(GeoType::cylinder, collider_.radius, collider_.half_height);
            case ShapeKind::cone:
                return emit_along(GeoType::cone, collider_.radius, collider_.half_height);
            case ShapeKind::plane:
                shape_.type    = GeoType::plane;
                shape_.xform.q = turned_onto(shape_.xform.q, collider_.axis, run_.conventions.axes_in_single_precision);
                shape_.scale   = {};
                emit(shape_);
                return;
            case ShapeKind::capsule_1:
            case ShapeKind::cylinder_1:
                return add_tapered();
            case ShapeKind::sphere_points:
                return add_points();
            case ShapeKind::mesh:
            case ShapeKind::custom:
                return;
        }
    }

    void add_exact()
    {
        const ExactRound exact = exact_round(run_, collider_);
        if (!exact.semi_axes) return add_hull(exact.points);
        shape_.type  = GeoType::ellipsoid;
        shape_.scale = run_.length() * *exact.semi_axes;
        emit(shape_);
    }

    void add_tapered()
    {
        const bool capsule = collider_.kind == ShapeKind::capsule_1;
        if (run_.conventions.tapered_shapes_dropped) return;
        // Equal radii: the plain shape.
        if (std::abs(collider_.radius - collider_.radius_top) <= 1e-6 * collider_.radius)
            return emit_along(capsule ? GeoType::capsule : GeoType::cylinder, collider_.radius, collider_.half_height);
        add_hull(
            tapered_points(capsule, collider_.radius, collider_.radius_top, collider_.half_height, collider_.axis));
    }

    void add_points()
    {
        // Each sphere is a shape: a cloud of many belongs in a field.
        constexpr std::size_t kMost = 1000;
        if (run_.conventions.point_clouds_dropped || collider_.points.size() > kMost) {
            if (!run_.conventions.point_clouds_dropped)
                run_.found.add(codes::kApproxFallback, collider_.prim.site(),
                               fmt::format("{} has {} spheres, more than {}; left out", shape_.label,
                                           collider_.points.size(), kMost));
            return;
        }
        for (const physics::SpherePoint& point : collider_.points) {
            model::BuilderShape ball = shape_;
            ball.type                = GeoType::sphere;
            ball.xform               = shape_.xform * Posed{run_.length() * point.scaled_center, {}};
            ball.scale               = {run_.length() * point.radius, 0, 0};
            emit(std::move(ball));
        }
    }

    void add_hull(const std::vector<Vec3d>& points)
    {
        // All of them: which of a round body's points a budget keeps would hang on rounding.
        auto hull = geometry::build_hull(points, {.max_vertices = 256});
        if (!hull) return;
        shape_.type   = GeoType::convex_mesh;
        shape_.source = std::make_shared<const geometry::Mesh>(std::move(*hull));
        shape_.scale  = {run_.length(), run_.length(), run_.length()};
        emit(shape_);
    }

    void add_mesh()
    {
        const MeshData* data = run_.meshes.read(collider_.prim, run_.found);
        if (data == nullptr) {
            if (run_.conventions.faults_refuse_import)
                run_.refuse(codes::kMeshData, collider_.prim.site(),
                            fmt::format("{} has no usable mesh data", shape_.label));
            return;
        }
        const physics::Approximation method = approximation_of(run_, collider_);
        if (run_.options.per_face_materials && method == physics::Approximation::none && !collider_.sheared_points)
            if (add_faces(*data)) return;
        // One material for the whole collider.
        report_unused_materials(run_, collider_);
        const std::vector<CollisionPart>& parts = approximate(run_, collider_, *data);
        // What is drawn keeps the authored faces as a visual shape beside the simpler collider.
        if (method != physics::Approximation::none) run_.approximated.push_back(index_);
        const bool twin =
            method != physics::Approximation::none && run_.options.load_visual_shapes && drawn_ && !hidden_;
        if (twin) shape_.config.is_visible = false;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            model::BuilderShape part = shape_;
            // As Newton names them.
            if (i > 0) part.label = fmt::format("{}_convex_{}", shape_.label, i);
            part.type   = parts[i].type;
            part.source = parts[i].source;
            part.xform  = shape_.xform * run_.scaled(parts[i].X_SP);
            part.scale  = run_.length() * parts[i].scale;
            if (i > 0) {
                part.color =
                    run_.builder.shapes[static_cast<std::size_t>(run_.shape_of[static_cast<std::size_t>(index_)])]
                        .color;
                part.opacity = look_.opacity.value_or(1);
                run_.further_parts.emplace_back(index_, std::move(part));
                continue;
            }
            if (twin)
                run_.paint.of_twin[index_] = paint_of(run_, look_, collider_.prim, *data);
            else if (shape_.config.is_visible && part.source == data->mesh)
                part.source = model::painted(part.source, paint_of(run_, look_, collider_.prim, *data));
            const auto n = emit(std::move(part));
            if (twin) {
                // The collider shows its authored colour when somebody looks at colliders.
                model::BuilderShape& added = run_.builder.shapes[static_cast<std::size_t>(n)];
                added.color   = look_.textured && !look_.color
                                    ? Vec3d{1, 1, 1}
                                    : look_.color.value_or(Vec3d{kNeutralGrey, kNeutralGrey, kNeutralGrey});
                added.opacity = look_.opacity.value_or(1);
            }
        }
        if (twin) run_.twins.push_back(index_);
    }

    /// A shape for every material that subsets of the faces have; the first keeps the collider's name.
    bool add_faces(const MeshData& data)
    {
        const std::vector<FaceMaterial> materials = face_materials(run_, collider_, data);
        for (const FaceMaterial& covered : materials) {
            // Subsets may have materials of their own.
            model::BuilderShape part = shape_;
            part.config              = config_of(run_, collider_, covered.material, shape_.label);
            part.config.is_visible   = shape_.config.is_visible;
            part.type                = GeoType::mesh;
            part.source              = MeshReader::part_of(data, covered.faces);
            part.scale               = run_.length() * collider_.mesh_scale;
            if (&covered != &materials.front()) part.label += "_" + covered.subset;
            if (part.config.is_visible)
                part.source = model::painted(part.source, paint_of(run_, look_, collider_.prim, data, covered.faces));
            emit(std::move(part));
        }
        return !materials.empty();
    }

    Import&                  run_;
    physics::Index           index_;
    const physics::Collider& collider_;
    std::int32_t             owner_;
    model::BuilderShape      shape_;
    Appearance               look_;
    bool                     drawn_ = false, hidden_ = false;
};

/// The authored mesh of an approximated collider, drawn and nothing else.
void add_twin(Import& run, physics::Index index)
{
    const physics::Collider&   collider = run.collider(index);
    const MeshData*            data     = run.meshes.read(collider.prim, run.found);
    const model::BuilderShape& simple =
        run.builder.shapes[static_cast<std::size_t>(run.shape_of[static_cast<std::size_t>(index)])];
    model::BuilderShape twin;
    twin.label  = simple.label + "_visual";
    twin.body   = simple.body;
    twin.type   = GeoType::mesh;
    twin.source = data->mesh;
    twin.xform =
        simple.body < 0
            ? run.placed((collider.body == physics::kNone ? Posed{} : run.body(collider.body).X_WB) * collider.X_BS)
            : run.scaled(collider.X_BS);
    twin.scale             = run.length() * collider.mesh_scale;
    twin.color             = simple.color;
    twin.opacity           = simple.opacity;
    twin.source            = model::painted(data->mesh, std::exchange(run.paint.of_twin[index], nullptr));
    twin.config            = run.builder.default_shape;
    twin.config.density    = 0;
    twin.config.is_visible = true;
    if (run.conventions.drawn_twin_keeps_margin) twin.config.margin = simple.config.margin;
    twin.config.has_shape_collision = twin.config.has_particle_collision = false;
    run.twin_shapes[index]                                               = run.builder.add_shape(std::move(twin));
}

/// Newton goes from method to method in the order in which it meets them, and with each first through what is drawn.
/// Boxes and spheres that stand in for meshes then vanish from bodies where something else is seen.
void finish_approximations_as_newton(Import& run)
{
    const auto is_visible = [](const model::BuilderShape& s) { return (s.flags & model::shape_flag::visible) != 0; };
    std::vector<physics::Approximation> methods;
    for (const physics::Index i : run.approximated)
        if (std::find(methods.begin(), methods.end(), run.collider(i).approximation) == methods.end())
            methods.push_back(run.collider(i).approximation);
    for (const physics::Approximation method : methods)
        for (const bool drawn : {true, false}) {
            std::vector<physics::Index> members;
            for (const physics::Index i : run.approximated)
                if (run.collider(i).approximation == method &&
                    (std::find(run.twins.begin(), run.twins.end(), i) != run.twins.end()) == drawn)
                    members.push_back(i);
            if (drawn)
                for (const physics::Index i : members) add_twin(run, i);
            for (auto& [collider, part] : run.further_parts)
                if (std::find(members.begin(), members.end(), collider) != members.end())
                    run.further_shapes[collider].push_back(run.builder.add_shape(std::move(part)));
            std::map<std::int32_t, int> seen;
            if (!members.empty())
                for (const model::BuilderShape& shape : run.builder.shapes) seen[shape.body] += is_visible(shape);
            for (const physics::Index i : members) {
                model::BuilderShape& shape =
                    run.builder.shapes[static_cast<std::size_t>(run.shape_of[static_cast<std::size_t>(i)])];
                const bool simple = shape.type == GeoType::box || shape.type == GeoType::sphere;
                if (!simple || !is_visible(shape) || seen[shape.body] < 2) continue;
                shape.flags &= ~model::shape_flag::visible;
                --seen[shape.body];
            }
        }
    run.approximated.clear();
    run.further_parts.clear();
    run.twins.clear();
}

}  // namespace

const physics::Material* material_of(const Import& run, const physics::Collider& collider)
{
    if (collider.materials.empty()) return nullptr;
    const physics::Index i = collider.materials.front();
    return i == physics::kNone ? nullptr : &run.physics.materials[static_cast<std::size_t>(i)];
}

void add_colliders(Import& run)
{
    for (const physics::Material& material : run.physics.materials) run.collect(material.prim, false);
    for (const physics::Index i : run.physics.colliders_by_kind()) {
        const physics::Collider& collider = run.collider(i);
        if (!collider.valid || run.ignored(collider.path) || run.deformable.count(collider.path) != 0) continue;
        if (!run.in_turn(collider.scene, run.world_of_collider, static_cast<std::size_t>(i))) continue;
        if (collider.body != physics::kNone && run.ignored_bodies.count(collider.body) != 0)
            run.found.add(codes::kIgnoredBodyShapes, run.body(collider.body).prim.site(),
                          fmt::format("{} is ignored, its colliders are static", run.body(collider.body).path.text()));
        run.collect(collider.prim);
        ColliderAdder(run, i).add();
    }
    if (run.conventions.approximations_in_passes) return finish_approximations_as_newton(run);
    // Further pieces of decomposed meshes follow, so that a collider's index does not depend on how many pieces others
    // have.
    for (auto& [collider, part] : run.further_parts)
        run.further_shapes[collider].push_back(run.builder.add_shape(std::move(part)));
    run.further_parts.clear();
    // Visual copies follow all colliders, grouped by the method that replaced them.
    std::stable_sort(run.twins.begin(), run.twins.end(), [&](physics::Index a, physics::Index b) {
        return run.collider(a).approximation < run.collider(b).approximation;
    });
    for (const physics::Index i : run.twins) add_twin(run, i);
    run.approximated.clear();
    run.twins.clear();
}

}  // namespace mechane::importer

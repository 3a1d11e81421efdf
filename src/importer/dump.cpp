// `mechane dump`: an import as JSON, with the names and shapes that a script on Newton writes for the same stage, for
// comparison in tests. Arrays beyond a length are hashed (dump_json.cpp).
// Numbers are those of single precision, as Newton's arrays hold them.

#include "mechane/importer/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dump_json.h"
#include "mechane/geometry/mass.h"
#include "mechane/importer/import_usd.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"

namespace mechane::importer {
namespace {

/// Newton counts the world of the globals as one: without any world its arrays have an entry more.
std::vector<std::int32_t> worlds(const model::Model& m, std::vector<std::int32_t> starts)
{
    if (m.world_count == 0 && !starts.empty()) starts.push_back(starts.back());
    return starts;
}

/// An attribute's value: numbers, texts and lists of them as such, quaternions real part first, anything rarer as usda
/// text.
Json json_value(const usd::Value& value, std::size_t limit)
{
    const ArrayWriter write(limit);
    const std::string type = value.type_name();
    if (value.empty()) return nullptr;
    if (type == "bool") return value.get<bool>().value_or(false);
    if (const auto v = value.get<std::int64_t>();
        v && type.find("[]") == std::string::npos && type.find("int") != std::string::npos)
        return *v;
    if (const auto v = value.get<double>()) return json_number(*v);
    if (const auto v = value.get<std::string>()) return *v;
    if (const auto v = value.get<usd::AssetPath>()) return {{"asset", v->authored}};
    if (const auto v = value.get<Vec2d>()) return write.floats({2}, {v->x, v->y});
    if (const auto v = value.get<Vec3d>()) return write.floats({3}, {v->x, v->y, v->z});
    if (const auto v = value.get<Quatd>(); v && type.find("quat") != std::string::npos)
        return write.floats({4}, {v->w, v->x, v->y, v->z});
    if (const auto v = value.get<std::vector<std::string>>()) return write.texts(*v);
    if (const auto v = value.get<std::vector<usd::Token>>()) {
        Json list = Json::array();
        for (const usd::Token& token : *v) list.push_back(token.text());
        return list;
    }
    if (const auto v = value.get<std::vector<int>>(); v && type.find("int") != std::string::npos) return write.ints(*v);
    if (const auto v = value.get<std::vector<double>>()) return write.floats({v->size()}, *v);
    return value.to_text();
}

Json json_vec(const ArrayWriter& write, const Vec3d& v) { return write.floats({3}, {v.x, v.y, v.z}); }

Json json_pose(const ArrayWriter& write, const Posed& X)
{ return write.floats({7}, {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w}); }

/// Maps from old to new index list what stayed; "-1" is the world.
Json json_collapse(const model::CollapseResult& collapsed, const ArrayWriter& write)
{
    const auto remap = [](const std::vector<std::int32_t>& to, const auto& stayed) {
        Json out = Json::object();
        for (std::size_t i = 0; i < to.size(); ++i)
            if (stayed(static_cast<std::int32_t>(i))) out[std::to_string(i)] = to[i];
        return out;
    };
    Json bodies =
        remap(collapsed.body_remap, [&](std::int32_t b) { return collapsed.body_merged_parent.count(b) == 0; });
    bodies["-1"] = -1;
    Json out     = {
        {"body_remap", std::move(bodies)},
        {"joint_remap", remap(collapsed.joint_remap,
                              [&](std::int32_t j) { return collapsed.joint_remap[static_cast<std::size_t>(j)] >= 0; })},
        {"body_merged_parent", Json::object()},
        {"body_merged_transform", Json::object()}};
    for (const auto& [body, survivor] : collapsed.body_merged_parent)
        out["body_merged_parent"][std::to_string(body)] = survivor;
    for (const auto& [body, X] : collapsed.body_merged_transform)
        out["body_merged_transform"][std::to_string(body)] = json_pose(write, X);
    return out;
}

Json json_result(const ImportResult& r, const ArrayWriter& write, std::size_t limit)
{
    Json out = {{"fps", r.fps},
                {"duration", r.duration},
                {"linear_unit", r.linear_unit},
                {"mass_unit", r.mass_unit},
                {"up_axis", r.up_axis == 'X'   ? 0
                            : r.up_axis == 'Y' ? 1
                                               : 2},
                {"path_body_map", r.path_body_map},
                {"path_joint_map", r.path_joint_map},
                {"path_shape_map", r.path_shape_map},
                {"path_collision_group_map", r.path_collision_group_map},
                {"actuator_count", r.actuator_count},
                {"physics_scene_path", r.physics_scene_path ? Json(*r.physics_scene_path) : Json()},
                {"physics_dt", r.physics_dt ? Json(*r.physics_dt) : Json()},
                {"max_solver_iterations", r.max_solver_iterations ? Json(*r.max_solver_iterations) : Json()}};
    // Particles of granular media are not imported; the keys say so to scripts that read them.
    out["path_particle_map"]   = Json::object();
    out["particle_scene_path"] = Json();
    out["collapse_results"]    = r.collapse_results ? json_collapse(*r.collapse_results, write) : Json();
    Json& merged = out["path_body_relative_transform"] = Json::object();
    for (const auto& [path, X] : r.path_body_relative_transform) merged[path] = json_pose(write, X);
    Json& scale = out["path_shape_scale"] = Json::object();
    for (const auto& [path, s] : r.path_shape_scale) scale[path] = json_vec(write, s);
    Json& scene = out["scene_attributes"] = Json::object();
    for (const auto& [name, value] : r.scene_attributes) scene[name] = json_value(value, limit);
    Json& vendors = out["schema_attrs"] = Json::object();
    for (const auto& [resolver, prims] : r.schema_attrs) {
        Json& by_prim = vendors[resolver] = Json::object();
        for (const auto& [path, attributes] : prims) {
            Json& values = by_prim[path] = Json::object();
            for (const auto& [name, value] : attributes) values[name] = json_value(value, limit);
        }
    }
    Json& scenes = out["scenes"] = Json::array();
    for (const ImportedScene& s : r.scenes)
        scenes.push_back(
            {{"path", s.path},
             {"world", s.world},
             {"gravity", json_vec(write, s.gravity)},
             {"physics_dt", s.physics_dt},
             {"physics_dt_authored", s.physics_dt_authored},
             {"max_solver_iterations", s.max_solver_iterations ? Json(*s.max_solver_iterations) : Json()}});
    return out;
}

template <class List, class Get>
Json labels_of(const List& list, const Get& get)
{
    Json out = Json::array();
    for (const auto& item : list) out.push_back(get(item));
    return out;
}

Json body_shapes(const std::vector<std::vector<std::int32_t>>& by_body, const std::vector<std::int32_t>& fixed)
{
    Json out = {{"-1", fixed}};
    for (std::size_t b = 0; b < by_body.size(); ++b) out[std::to_string(b)] = by_body[b];
    return out;
}

/// The user's own attributes by the object that holds them.
Json json_custom(const model::CustomArrays& custom, const ArrayWriter& write)
{
    Json out = Json::object();
    for (const model::CustomArray& array : custom.arrays) {
        const auto          components = static_cast<std::size_t>(model::component_count(array.type));
        std::vector<double> values;
        for (std::size_t i = 0; i < array.size(); ++i) {
            const model::CustomValue v = array.at(i);
            values.insert(values.end(), v.begin(), v.begin() + static_cast<std::ptrdiff_t>(components));
        }
        const std::vector<std::size_t> shape =
            components == 1 ? std::vector{array.size()} : std::vector{array.size(), components};
        out[std::string(to_string(array.assignment))][array.key] = write.floats(shape, values);
    }
    return out;
}

Json json_builder(const model::ModelBuilder& b, const ArrayWriter& write, std::size_t limit)
{
    std::set<std::pair<std::int32_t, std::int32_t>> pairs(b.shape_collision_filter_pairs.begin(),
                                                          b.shape_collision_filter_pairs.end());
    std::vector<std::int64_t>                       flat;
    Json                                            labels = Json::array();
    // Labels are for people; the pairs themselves are all there.
    constexpr std::size_t kMostNames = 200;
    for (const auto& [x, y] : pairs) {
        flat.push_back(x);
        flat.push_back(y);
        if (labels.size() < kMostNames)
            labels.push_back(
                {b.shapes[static_cast<std::size_t>(x)].label, b.shapes[static_cast<std::size_t>(y)].label});
    }
    std::size_t dofs = 0, coords = 0;
    for (const model::BuilderJoint& j : b.joints) {
        const auto& info = model::joint_type_info(j.type);
        const auto  axes = static_cast<std::int32_t>(j.linear_axes.size() + j.angular_axes.size());
        dofs += static_cast<std::size_t>(info.dofs < 0 ? axes : info.dofs);
        coords += static_cast<std::size_t>(info.coords < 0 ? axes : info.coords);
    }
    std::vector<std::vector<std::int32_t>> by_body;
    std::vector<std::int32_t>              fixed;
    for (const model::BuilderBody& body : b.bodies) by_body.push_back(body.shapes);
    for (std::size_t s = 0; s < b.shapes.size(); ++s)
        if (b.shapes[s].body < 0) fixed.push_back(static_cast<std::int32_t>(s));
    constexpr std::array kAxes{"X", "Y", "Z"};
    return {
        {"counts",
         {{"body_count", b.bodies.size()},
          {"joint_count", b.joints.size()},
          {"joint_dof_count", dofs},
          {"joint_coord_count", coords},
          {"shape_count", b.shapes.size()},
          {"articulation_count", b.articulations.size()},
          {"particle_count", b.particles.size()},
          {"tet_count", b.tets.size()},
          {"tri_count", b.tri_indices.size()},
          {"edge_count", b.edge_indices.size()},
          {"spring_count", b.springs.size()}}},
        {"body_label", labels_of(b.bodies, [](const auto& x) { return x.label; })},
        {"joint_label", labels_of(b.joints, [](const auto& x) { return x.label; })},
        {"shape_label", labels_of(b.shapes, [](const auto& x) { return x.label; })},
        {"articulation_label", labels_of(b.articulations, [](const auto& x) { return x.label; })},
        {"joint_type_name", labels_of(b.joints, [](const auto& x) { return std::string(model::to_string(x.type)); })},
        {"shape_type_name", labels_of(b.shapes, [](const auto& x) { return std::string(model::to_string(x.type)); })},
        {"shape_collision_filter_pairs", ArrayWriter(2 * limit).integers({flat.size() / 2, 2}, flat)},
        {"shape_collision_filter_pair_labels", std::move(labels)},
        {"body_shapes", body_shapes(by_body, fixed)},
        {"gravity", json_vec(write, b.gravity)},
        {"up_axis", kAxes[static_cast<std::size_t>(b.up_axis)]}};
}

Json json_mesh(const geometry::Mesh& mesh, bool solid, const ArrayWriter& all)
{
    const ArrayWriter         write = all.with_at_most(24);
    std::vector<double>       points;
    std::vector<std::int64_t> indices;
    for (const Vec3d& p : mesh.points) points.insert(points.end(), {p.x, p.y, p.z});
    for (const auto& t : mesh.triangles) indices.insert(indices.end(), {t[0], t[1], t[2]});
    const geometry::MassProperties mass = geometry::mesh_mass(mesh, {1, 1, 1}, 1);
    const auto&                    i    = mass.inertia;
    return {{"mesh",
             {{"vertices", write.floats({mesh.points.size(), 3}, points)},
              {"indices", write.integers({indices.size()}, indices)},
              {"isSolid", solid},
              {"mass", json_number(mass.mass)},
              {"com", write.floats({3}, {mass.com.x, mass.com.y, mass.com.z})},
              {"inertia",
               write.floats({3, 3}, {i.r0.x, i.r0.y, i.r0.z, i.r1.x, i.r1.y, i.r1.z, i.r2.x, i.r2.y, i.r2.z})}}}};
}

void put_bodies(Json& out, const model::Model& m, const ArrayWriter& w)
{
    out["body_count"]       = m.body_count();
    out["body_label"]       = m.body_label;
    out["body_q"]           = w.poses(m.body_q);
    out["body_qd"]          = w.spatials(m.body_qd);
    out["body_com"]         = w.vectors(m.body_com);
    out["body_inertia"]     = w.matrices(m.body_inertia);
    out["body_inv_inertia"] = w.matrices(m.body_inv_inertia);
    out["body_mass"]        = w.reals(m.body_mass);
    out["body_inv_mass"]    = w.reals(m.body_inv_mass);
    out["body_flags"]       = w.ints(m.body_flags);
    out["body_world"]       = w.ints(m.body_world);
    out["body_world_start"] = w.ints(worlds(m, m.body_world_start));
    out["body_shapes"]      = body_shapes(m.body_shapes, m.static_shapes);
}

void put_joints(Json& out, const model::Model& m, const ArrayWriter& w)
{
    std::vector<std::int64_t> dims;
    for (const auto& d : m.joint_dof_dim) dims.insert(dims.end(), {d[0], d[1]});
    out["joint_count"]             = m.joint_count();
    out["joint_coord_count"]       = m.joint_coord_count();
    out["joint_dof_count"]         = m.joint_dof_count();
    out["joint_label"]             = m.joint_label;
    out["joint_type"]              = w.ints(m.joint_type);
    out["joint_parent"]            = w.ints(m.joint_parent);
    out["joint_child"]             = w.ints(m.joint_child);
    out["joint_ancestor"]          = w.ints(m.joint_ancestor);
    out["joint_X_p"]               = w.poses(m.joint_X_p);
    out["joint_X_c"]               = w.poses(m.joint_X_c);
    out["joint_enabled"]           = w.flags(m.joint_enabled);
    out["joint_dof_dim"]           = w.integers({m.joint_dof_dim.size(), 2}, dims);
    out["joint_articulation"]      = w.ints(m.joint_articulation);
    out["joint_mimic_joint"]       = w.ints(m.joint_mimic_joint);
    out["joint_mimic_coeffs"]      = w.pairs(m.joint_mimic_coeffs);
    out["joint_world"]             = w.ints(m.joint_world);
    out["joint_world_start"]       = w.ints(worlds(m, m.joint_world_start));
    out["joint_dof_world_start"]   = w.ints(worlds(m, m.joint_dof_world_start));
    out["joint_coord_world_start"] = w.ints(worlds(m, m.joint_coord_world_start));
    out["joint_q_start"]           = w.ints(m.joint_q_start);
    out["joint_qd_start"]          = w.ints(m.joint_qd_start);
    out["joint_q"]                 = w.reals(m.joint_q);
    out["joint_target_q"]          = w.reals(m.joint_target_q);
    out["joint_rest_q"]            = w.reals(m.joint_rest_q);
    out["joint_qd"]                = w.reals(m.joint_qd);
    out["joint_target_qd"]         = w.reals(m.joint_target_qd);
    out["joint_f"]                 = w.reals(m.joint_f);
    out["joint_act"]               = w.reals(m.joint_act);
    out["joint_axis"]              = w.vectors(m.joint_axis);
    out["joint_armature"]          = w.reals(m.joint_armature);
    out["joint_friction"]          = w.reals(m.joint_friction);
    out["joint_damping"]           = w.reals(m.joint_damping);
    out["joint_stiffness"]         = w.reals(m.joint_stiffness);
    out["joint_target_ke"]         = w.reals(m.joint_target_ke);
    out["joint_target_kd"]         = w.reals(m.joint_target_kd);
    out["joint_target_mode"]       = w.ints(m.joint_target_mode);
    out["joint_limit_lower"]       = w.reals(m.joint_limit_lower);
    out["joint_limit_upper"]       = w.reals(m.joint_limit_upper);
    out["joint_limit_ke"]          = w.reals(m.joint_limit_ke);
    out["joint_limit_kd"]          = w.reals(m.joint_limit_kd);
    out["joint_effort_limit"]      = w.reals(m.joint_effort_limit);
    out["joint_velocity_limit"]    = w.reals(m.joint_velocity_limit);
}

void put_shapes(Json& out, const model::Model& m, const ArrayWriter& w)
{
    out["shape_count"]                 = m.shape_count();
    out["shape_label"]                 = m.shape_label;
    out["shape_type"]                  = w.ints(m.shape_type);
    out["shape_body"]                  = w.ints(m.shape_body);
    out["shape_transform"]             = w.poses(m.shape_transform);
    out["shape_scale"]                 = w.vectors(m.shape_scale);
    out["shape_flags"]                 = w.ints(m.shape_flags);
    out["shape_is_solid"]              = w.flags(m.shape_is_solid);
    out["shape_margin"]                = w.reals(m.shape_margin);
    out["shape_gap"]                   = w.reals(m.shape_gap);
    out["shape_material_ke"]           = w.reals(m.shape_material_ke);
    out["shape_material_kd"]           = w.reals(m.shape_material_kd);
    out["shape_material_kf"]           = w.reals(m.shape_material_kf);
    out["shape_material_ka"]           = w.reals(m.shape_material_ka);
    out["shape_material_kh"]           = w.reals(m.shape_material_kh);
    out["shape_material_mu"]           = w.reals(m.shape_material_mu);
    out["shape_material_restitution"]  = w.reals(m.shape_material_restitution);
    out["shape_material_mu_torsional"] = w.reals(m.shape_material_mu_torsional);
    out["shape_material_mu_rolling"]   = w.reals(m.shape_material_mu_rolling);
    if (std::any_of(m.shape_surface_velocity.begin(), m.shape_surface_velocity.end(),
                    [](const Spatial& v) { return !(v == Spatial{}); }))
        out["shape_surface_velocity"] = w.spatials(m.shape_surface_velocity);
    out["shape_collision_group"]      = w.ints(m.shape_collision_group);
    out["shape_collision_radius"]     = w.reals(m.shape_collision_radius);
    out["shape_collision_aabb_lower"] = w.vectors(m.shape_collision_aabb_lower);
    out["shape_collision_aabb_upper"] = w.vectors(m.shape_collision_aabb_upper);
    out["shape_color"]                = w.vectors(m.shape_color);
    out["shape_opacity"]              = w.reals(m.shape_opacity);
    out["shape_world"]                = w.ints(m.shape_world);
    out["shape_world_start"]          = w.ints(worlds(m, m.shape_world_start));
    Json& sources = out["shape_source"] = Json::array();
    for (std::size_t i = 0; i < m.shape_count(); ++i)
        sources.push_back(m.shape_source[i] != nullptr ? json_mesh(*m.shape_source[i], m.shape_is_solid[i] != 0, w)
                                                       : Json());
}

template <class Row>
std::vector<double> flat_numbers(const std::vector<Row>& rows)
{
    std::vector<double> out;
    for (const Row& row : rows)
        for (const auto x : row) out.push_back(static_cast<double>(x));
    return out;
}

template <std::size_t N>
Json corners(const std::vector<std::array<std::int32_t, N>>& rows, const ArrayWriter& w)
{
    std::vector<std::int64_t> out;
    for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
    return w.integers({rows.size(), N}, out);
}

template <class Object>
void put_objects(Json& out, const std::string& kind, const std::vector<Object>& objects,
                 std::initializer_list<std::pair<const char*, model::SoftObject::Range Object::*>> parts,
                 const ArrayWriter&                                                                w)
{
    std::vector<std::int64_t> worlds_of;
    Json                      labels = Json::array();
    for (const Object& one : objects) labels.push_back(one.label), worlds_of.push_back(one.world);
    out[kind + "_count"] = objects.size();
    out[kind + "_label"] = std::move(labels);
    out[kind + "_world"] = w.integers({objects.size()}, worlds_of);
    for (const auto& [name, part] : parts)
        for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
            std::vector<std::int64_t> values;
            for (const Object& one : objects) values.push_back((one.*part)[end]);
            out[kind + "_" + name + (end == 0 ? "_start" : "_end")] = w.integers({objects.size()}, values);
        }
}

void put_soft(Json& out, const model::Model& m, const ArrayWriter& w)
{
    out["particle_count"]       = m.particle_count();
    out["particle_q"]           = w.vectors(m.particle_q);
    out["particle_qd"]          = w.vectors(m.particle_qd);
    out["particle_mass"]        = w.reals(m.particle_mass);
    out["particle_inv_mass"]    = w.reals(m.particle_inv_mass);
    out["particle_radius"]      = w.reals(m.particle_radius);
    out["particle_flags"]       = w.ints(m.particle_flags);
    out["particle_world"]       = w.ints(m.particle_world);
    out["particle_world_start"] = w.ints(worlds(m, m.particle_world_start));
    out["spring_count"]         = m.spring_stiffness.size();
    out["spring_indices"]       = w.ints(m.spring_indices);
    out["spring_rest_length"]   = w.reals(m.spring_rest_length);
    out["spring_stiffness"]     = w.reals(m.spring_stiffness);
    out["spring_damping"]       = w.reals(m.spring_damping);
    out["tri_count"]            = m.tri_indices.size();
    out["tri_indices"]          = corners(m.tri_indices, w);
    out["tri_poses"]            = w.floats({m.tri_poses.size(), 2, 2}, flat_numbers(m.tri_poses));
    out["tri_areas"]            = w.reals(m.tri_areas);
    out["tri_materials"]        = w.floats({m.tri_materials.size(), 5}, flat_numbers(m.tri_materials));
    out["edge_count"]           = m.edge_indices.size();
    out["edge_indices"]         = corners(m.edge_indices, w);
    out["edge_rest_angle"]      = w.reals(m.edge_rest_angle);
    out["edge_rest_length"]     = w.reals(m.edge_rest_length);
    out["edge_bending_properties"] =
        w.floats({m.edge_bending_properties.size(), 2}, flat_numbers(m.edge_bending_properties));
    out["tet_count"]                           = m.tet_indices.size();
    out["tet_indices"]                         = corners(m.tet_indices, w);
    out["tet_poses"]                           = w.matrices(m.tet_poses);
    out["tet_materials"]                       = w.floats({m.tet_materials.size(), 3}, flat_numbers(m.tet_materials));
    out["attachment_particle_body_count"]      = m.attachment_particle_body_count();
    out["attachment_particle_body_body"]       = w.ints(m.attachment_particle_body_body);
    out["attachment_particle_body_particle"]   = w.ints(m.attachment_particle_body_particle);
    out["attachment_particle_body_body_point"] = w.vectors(m.attachment_particle_body_body_point);
    out["attachment_particle_body_stiffness"]  = w.reals(m.attachment_particle_body_stiffness);
    out["attachment_particle_body_damping"]    = w.reals(m.attachment_particle_body_damping);
    out["attachment_particle_body_enabled"]    = w.flags(m.attachment_particle_body_enabled);
    using model::CurveObject, model::SoftObject;
    put_objects(out, "curve", m.curves, {{"body", &CurveObject::body}, {"joint", &CurveObject::joint}}, w);
    put_objects(out, "surface", m.surfaces,
                {{"particle", &SoftObject::particle}, {"tri", &SoftObject::tri}, {"edge", &SoftObject::edge}}, w);
    put_objects(out, "volume", m.volumes, {{"particle", &SoftObject::particle}, {"tet", &SoftObject::tet}}, w);
}

Json json_sdf(const model::SdfConfig& sdf)
{
    const auto  number = [](const auto& value) { return value ? Json(*value) : Json(); };
    const char* format = sdf.sdf_texture_format == model::SdfFormat::uint8    ? "uint8"
                         : sdf.sdf_texture_format == model::SdfFormat::uint16 ? "uint16"
                                                                              : "float32";
    return {{"force_sdf", sdf.force_sdf},
            {"sdf_max_resolution", number(sdf.sdf_max_resolution)},
            {"sdf_target_voxel_size", number(sdf.sdf_target_voxel_size)},
            {"sdf_narrow_band_range", {sdf.sdf_narrow_band_inner, sdf.sdf_narrow_band_outer}},
            {"sdf_texture_format", format},
            {"sdf_padding", number(sdf.sdf_padding)}};
}

/// What UsdPhysics can say and Newton's model has no place for.
void put_extensions(Json& out, const model::Model& m, const ArrayWriter& w)
{
    out["joint_drive_type"]                = w.ints(m.joint_drive_type);
    out["joint_break_force"]               = w.reals(m.joint_break_force);
    out["joint_break_torque"]              = w.reals(m.joint_break_torque);
    out["joint_cone_limit"]                = w.pairs(m.joint_cone_limit);
    out["joint_exclude_from_articulation"] = w.flags(m.joint_exclude_from_articulation);
    out["body_starts_asleep"]              = w.flags(m.body_starts_asleep);
    out["body_scene"]                      = w.ints(m.body_scene);
    out["shape_material_mu_static"]        = w.reals(m.shape_material_mu_static);
    const auto chosen                      = [](const std::vector<std::int32_t>& rules) {
        return std::any_of(rules.begin(), rules.end(), [](std::int32_t r) { return r != model::kNoCombine; });
    };
    if (chosen(m.shape_friction_combine)) out["shape_friction_combine"] = w.ints(m.shape_friction_combine);
    if (chosen(m.shape_restitution_combine)) out["shape_restitution_combine"] = w.ints(m.shape_restitution_combine);
    Json& fields = out["shape_sdf_config"] = Json::array();
    for (const auto& sdf : m.shape_sdf_config) fields.push_back(sdf ? json_sdf(*sdf) : Json());
}

Json json_model(const model::Model& m, const ArrayWriter& w, bool extensions)
{
    Json out = Json::object();
    put_bodies(out, m, w);
    put_joints(out, m, w);
    put_shapes(out, m, w);
    put_soft(out, m, w);
    if (extensions) put_extensions(out, m, w);
    out["articulation_count"]          = m.articulation_count();
    out["articulation_label"]          = m.articulation_label;
    out["articulation_start"]          = w.ints(m.articulation_start);
    out["articulation_end"]            = w.ints(m.articulation_end);
    out["articulation_world"]          = w.ints(m.articulation_world);
    out["articulation_world_start"]    = w.ints(worlds(m, m.articulation_world_start));
    out["max_joints_per_articulation"] = m.max_joints_per_articulation;
    out["max_dofs_per_articulation"]   = m.max_dofs_per_articulation;
    out["gravity"]                     = w.vectors(m.gravity);
    out["up_axis"]                     = m.up_axis;
    // One more for readers that know Newton's counting only.
    out["world_count"] = std::max(1, m.world_count);  // Newton counts the world of the globals
    Json& pairs = out["shape_collision_filter_pairs"] = Json::array();
    for (const auto& [a, b] : m.shape_collision_filter_pairs) pairs.push_back({a, b});
    return out;
}

Json json_error(const Diagnostic& d) { return {{"type", d.id}, {"message", d.message}}; }

Json warnings_of(const Diagnostics& found)
{
    std::set<std::string> lines;
    for (const Diagnostic& d : found)
        if (d.severity != Severity::info) lines.insert(to_text(d));
    return lines;
}

}  // namespace

Result<std::string> dump_model(const usd::Stage& stage, const ImportOptions& options, std::size_t limit)
{
    model::ModelBuilder builder;
    Diagnostics         found;
    const auto          result = import_usd(stage, options, builder, found);
    if (!result) return result.error();

    const ArrayWriter      write(limit);
    const bool             newton = options.compat == Compat::newton_1_8;
    Json                   out    = {{"schema", "mechane.dump.model/1"},
                                     {"result", json_result(*result, write, limit)},
                                     {"builder", json_builder(builder, write, limit)}};
    model::FinalizeOptions finalize;
    finalize.allow_orphan_joints = !newton;
    Diagnostics checked;
    auto        model = builder.finalize(finalize, checked);
    if (!model) out["finalize"] = {{"error", json_error(model.error())}};
    // Newton refuses orphan joints unless told otherwise: both answers are shown.
    if (!model && newton) {
        finalize.allow_orphan_joints = true;
        checked.clear();
        model = builder.finalize(finalize, checked);
        if (!model) out["finalizeUnchecked"] = {{"error", json_error(model.error())}};
    }
    if (model) out["model"] = json_model(*model, write, !newton);
    if (model) out["custom"] = json_custom(model->custom_arrays, write);
    found.append(checked);
    out["warnings"] = warnings_of(found);
    return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace mechane::importer

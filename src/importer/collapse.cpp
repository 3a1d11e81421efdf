// Last step of import_usd that renumbers bodies and joints: bodies that fixed joints hold together become one
// (newton:collapse_fixed_joints of the scene, or the caller's option).
// model::collapse_fixed_joints does the work and answers remaps. This file keeps the maps by path true: a merged body's
// path leads to its survivor, with its pose relative to it in path_body_relative_transform; a joint that vanished has
// no entry any more.

#include "mechane/model/collapse.h"

#include "import.h"
#include "physics/beside_trees.h"

namespace mechane::importer {

namespace {

std::optional<bool> authored_collapse(const Import& run)
{ return run.scene ? run.scene.attribute("newton:collapse_fixed_joints").authored_as<bool>() : std::nullopt; }

}  // namespace

bool merges_fixed_joints(const Import& run)
// What the scene says goes before what the caller says.
{ return authored_collapse(run).value_or(run.options.collapse_fixed_joints); }

void collapse(Import& run)
{
    if (authored_collapse(run))
        run.took(run.scene, "newton:collapse_fixed_joints", physics::Use::used, "merges bodies that fixed joints hold");
    if (!merges_fixed_joints(run)) return;

    model::CollapseKeep keep;
    keep.joints = run.options.joints_to_keep;
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i) {
        if (run.joint_of[i] < 0 || !physics::is_equality(run.physics.joints[i])) continue;
        // The two bodies of an equality are the frames that it speaks of.
        const model::BuilderJoint& equality = run.builder.joints[static_cast<std::size_t>(run.joint_of[i])];
        for (const std::int32_t b : {equality.parent, equality.child})
            if (b >= 0) keep.bodies.push_back(b);
    }
    model::CollapseResult result = model::collapse_fixed_joints(run.builder, keep, run.found,
                                                                run.conventions.merged_inertia_about_origin
                                                                    ? model::MergedInertia::survivor_origin
                                                                    : model::MergedInertia::center_of_mass);
    // The relative transform is looked up by the old index, so this comes before the index is replaced.
    for (auto& [path, body] : run.result.path_body_map) {
        if (body < 0) continue;
        if (const auto pose = result.body_merged_transform.find(body); pose != result.body_merged_transform.end())
            run.result.path_body_relative_transform[path] = pose->second;
        body = result.body_remap[static_cast<std::size_t>(body)];
    }
    // Every member of a merged joint keeps its entry; joints that the importer made are there by their labels now.
    std::map<std::string, std::int32_t> joints;
    for (const auto& [path, joint] : run.result.path_joint_map)
        if (const std::int32_t now = joint < 0 ? -1 : result.joint_remap[static_cast<std::size_t>(joint)]; now >= 0)
            joints[path] = now;
    for (std::size_t j = 0; j < run.builder.joints.size(); ++j)
        joints.try_emplace(run.builder.joints[j].label, static_cast<std::int32_t>(j));
    run.result.path_joint_map   = std::move(joints);
    run.result.collapse_results = std::move(result);
}

}  // namespace mechane::importer

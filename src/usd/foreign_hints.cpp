// Hints for files that are no OpenUSD. A code has one hint, and that of most speaks of OpenUSD's attributes; here are
// the words for links, joints and geometries instead. A finding with a hint of its own, which names no attribute, keeps
// it. Called where findings go out: by the rules of conformance, the command line and Python.

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "mechane/usd/foreign.h"

namespace mechane::usd {
namespace {

constexpr const char* kGiveMass    = "Give the link a mass and an inertia, or collision geometry to compute them from.";
constexpr const char* kGiveInertia = "Give the link an inertia beside its mass.";
constexpr const char* kMendFrames =
    "Correct the frames of the joint in the file, or the places of the links that it joins.";
constexpr const char* kExchangeLinks =
    "Exchange the two links of the joint, with its frames and the signs of its limits.";
constexpr const char* kMendMesh  = "Give the mesh points and faces that fit together.";
constexpr const char* kLoopMeant = "Nothing to do where the loop is meant; else take one of its joints out.";

constexpr std::pair<std::string_view, const char*> kForeignHints[] = {
    {"IMPORT_ACT_TARGET", "Name one hinge or slide in the actuator."},
    {"IMPORT_ANIMATION_START", "Nothing to do."},
    {"IMPORT_ART_CYCLE", kLoopMeant},
    {"IMPORT_ART_LOOP_CUT", kLoopMeant},
    {"IMPORT_ART_REVERSED", kExchangeLinks},
    {"IMPORT_D6_UNLIMITED_AXIS", "Give every axis that shall move its limits."},
    {"IMPORT_DEFORMABLE_FALLBACK", "Give the soft body a thickness."},
    {"IMPORT_HULL_CUT", "Take the mesh apart, or make it simpler."},
    {"IMPORT_JOINT_INVERSE", kExchangeLinks},
    {"IMPORT_JOINT_SELF", "Let the joint join two links."},
    {"IMPORT_JOINT_SKIPPED", "Let the joint name two links that are there."},
    {"IMPORT_JOINT_SNAPPED", kMendFrames},
    {"IMPORT_JOINT_WORLD_FRAME", kMendFrames},
    {"IMPORT_MESH_DATA", kMendMesh},
    {"IMPORT_MIMIC_UNIT", "Let joints follow others of one axis and of the same kind."},
    {"IMPORT_MJC_ACT_TARGET", "Name one joint, tendon, site or body in the actuator."},
    {"PHY_INERTIA_APPROX", kGiveInertia},
    {"PHY_JOINT_FRAME_GAP", kMendFrames},
    {"PHY_JOINT_NO_BODY", "Let the joint name links that are there."},
    {"PHY_MASS_DEFAULTED", kGiveMass},
    {"PHY_MESH_EMPTY", kMendMesh},
    {"PHY_MESH_NOT_CLOSED", "Close the mesh, or give the link its mass and inertia."},
    {"PHY_SCENE_MISSING", "Nothing to do: the earth's gravity along minus z is assumed."},
    {"REP-1.1-m", "Put the links so that the robot stands on its origin, unless it hangs on a wall or ceiling."},
    {"REP-1.3-d", "Nothing to do if the joint turns freely; else give it a range."},
    {"REP-1.3-l", "Give the link a mass above 0 and not infinite."},
    {"REP-1.3-m", kGiveMass},
    {"REP-1.3-q", "Leave the mass of a link out that is only a frame, or give it geometry."},
    {"REP-1.3.1-c", "Give the link primitive shapes or convex meshes as collision geometry."},
    {"REP-1.3.2-b", "Nothing to do; a lighter mesh can stand beside it in the folder that a conversion makes."},
    {"REP-1.3.3-a", "Make the collision geometry smaller, unless the shapes of both links are apart."},
    {"REP-1.3.3-b", "Nothing to do where all links may touch."},
    {"REP-2.10-c", "Nothing to do; or give links and joints different names, of letters, digits and underscores."},
    {"REP-2.7-i", "Nothing to do; or name the link with letters, digits and underscores alone."},
    {"REP-3.5-a", "Nothing to do: the folder that a conversion makes holds each mesh once."},
    {"RESOLVE_MASS_SMALL_SPHERE", kGiveInertia},
    {"RESOLVE_MASS_TENSOR_COM", kGiveInertia},
    {"RESOLVE_MASS_ZERO", kGiveMass},
    {"RESOLVE_SDF_APPROX", "Nothing to do: the triangles themselves are used."},
    {"RESOLVE_SHELL_ZERO", "Give the shell a mass."},
    {"RUN_JOINT_BROKE", "Raise the force or torque at which the joint breaks, if it should hold."},
    {"RUN_NOTHING_MOVES", "Give the robot links that joints let move, or free its root."},
    {"RUN_NO_COLLIDERS", "Give the links collision geometry, or they will fall through everything."},
    {"RUN_OVERLAP_KEPT", "Nothing to do; make the collision geometry smaller if the links should not touch."},
    {"RUN_PROJECTED", kMendFrames},
    {"RUN_START_LIMIT", "Nothing to do if the limits are meant: joints start at 0 where nothing else is said."},
    {"STAGE_UNITS_UNAUTHORED", "Nothing to do."},
};

/// Whether the hint speaks of attributes, schemas or repairs that only OpenUSD has.
bool is_about_stages(std::string_view hint)
{
    constexpr std::array<std::string_view, 21> kStageWords{
        "physics:", "newton:", "mjc:",          "API",    "xformOp", "localPos",    "physx",
        "author",   "Author",  "metersPerUnit", "fix --", "prim",    "assetInfo",   "Physics",
        "Xform",    ".usda",   "variant",       "layer",  "schema",  "mesh_medium", "both angles"};
    return std::ranges::any_of(kStageWords, [&](std::string_view w) { return hint.find(w) != std::string_view::npos; });
}

}  // namespace

std::string foreign_hint(std::string_view id, const std::string& hint)
{
    if (!is_about_stages(hint) && id != "PHY_SCENE_MISSING") return hint;
    const auto* const row = std::ranges::find(kForeignHints, id, &std::pair<std::string_view, const char*>::first);
    if (row != std::end(kForeignHints)) return row->second;
    // Most others ask for a value and name no attribute: to author is a word of OpenUSD alone.
    constexpr std::string_view kAuthor = "Author ";
    if (hint.starts_with(kAuthor)) return "Give " + hint.substr(kAuthor.size());
    // Of rules that judge what a conversion makes, the result is what can be mended.
    constexpr std::string_view kThere = "In the OpenUSD that a conversion makes: ";
    if (hint.empty() || hint.starts_with(kThere) || !id.starts_with("REP-")) return hint;
    return std::string(kThere) + hint;
}

}  // namespace mechane::usd

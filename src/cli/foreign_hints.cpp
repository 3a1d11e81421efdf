// Hints for files that are no OpenUSD. A code has one hint, and that of most speaks of OpenUSD's attributes; here are
// the words for links, joints and geometries instead. A finding with a hint of its own, which names no attribute, keeps
// it. Called by Io, for text and for JSON.

#include "cli/foreign_hints.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace mechane::cli {
namespace {

constexpr const char* kMass    = "Give the link a mass and an inertia, or collision geometry to compute them from.";
constexpr const char* kInertia = "Give the link an inertia beside its mass.";
constexpr const char* kFrames =
    "Correct the frames of the joint in the file, or the places of the links that it joins.";
constexpr const char* kTurned = "Exchange the two links of the joint, with its frames and the signs of its limits.";
constexpr const char* kMesh   = "Give the mesh points and faces that fit together.";
constexpr const char* kLoop   = "Nothing to do where the loop is meant; else take one of its joints out.";

constexpr std::pair<std::string_view, const char*> kHints[] = {
    {"IMPORT_ACT_TARGET", "Name one hinge or slide in the actuator."},
    {"IMPORT_ANIMATION_START", "Nothing to do."},
    {"IMPORT_ART_CYCLE", kLoop},
    {"IMPORT_ART_LOOP_CUT", kLoop},
    {"IMPORT_ART_REVERSED", kTurned},
    {"IMPORT_D6_UNLIMITED_AXIS", "Give every axis that shall move its limits."},
    {"IMPORT_DEFORMABLE_FALLBACK", "Give the soft body a thickness."},
    {"IMPORT_HULL_CUT", "Take the mesh apart, or make it simpler: 'mechane mesh FILE --simplify 0.1 -o simple.stl'."},
    {"IMPORT_JOINT_INVERSE", kTurned},
    {"IMPORT_JOINT_SELF", "Let the joint join two links."},
    {"IMPORT_JOINT_SKIPPED", "Let the joint name two links that are there."},
    {"IMPORT_JOINT_SNAPPED", kFrames},
    {"IMPORT_JOINT_WORLD_FRAME", kFrames},
    {"IMPORT_MESH_DATA", kMesh},
    {"IMPORT_MIMIC_UNIT", "Let joints follow others of one axis and of the same kind."},
    {"IMPORT_MJC_ACT_TARGET", "Name one joint, tendon, site or body in the actuator."},
    {"PHY_INERTIA_APPROX", kInertia},
    {"PHY_JOINT_FRAME_GAP", kFrames},
    {"PHY_JOINT_NO_BODY", "Let the joint name links that are there."},
    {"PHY_MASS_DEFAULTED", kMass},
    {"PHY_MESH_EMPTY", kMesh},
    {"RESOLVE_MASS_SMALL_SPHERE", kInertia},
    {"RESOLVE_MASS_TENSOR_COM", kInertia},
    {"RESOLVE_MASS_ZERO", kMass},
    {"RESOLVE_SDF_APPROX", "Nothing to do: the triangles themselves are used."},
    {"RESOLVE_SHELL_ZERO", "Give the shell a mass."},
    {"RUN_JOINT_BROKE", "Raise the force or torque at which the joint breaks, if it should hold."},
    {"RUN_NO_COLLIDERS", "Give the links collision geometry, or they will fall through everything."},
    {"RUN_NOTHING_MOVES", "Give the robot links that joints let move, or free its root: --floating."},
    {"RUN_OVERLAP_KEPT", "Nothing to do; make the collision geometry smaller if the links should not touch."},
    {"RUN_PROJECTED", kFrames},
    {"RUN_START_LIMIT",
     "Nothing to do if the limits are meant: joints start at 0 where nothing else is said. Start elsewhere: --set "
     "JOINT.q=30deg, "
     "or hold the joint at its limit: --hold 100,10."},
    {"STAGE_UNITS_UNAUTHORED", "Nothing to do."},
};

/// Whether the hint speaks of attributes, schemas or repairs that only OpenUSD has.
bool is_about_stages(std::string_view hint)
{
    constexpr std::array<std::string_view, 12> kWords{"physics:", "newton:",       "mjc:",   "API",
                                                      "xformOp",  "localPos",      "physx",  "author",
                                                      "Author",   "metersPerUnit", "fix --", "prim"};
    return std::ranges::any_of(kWords, [&](std::string_view w) { return hint.find(w) != std::string_view::npos; });
}

}  // namespace

std::string foreign_hint(const Diagnostic& finding)
{
    if (!is_about_stages(finding.hint)) return finding.hint;
    const auto* const row =
        std::ranges::find(kHints, std::string_view(finding.id), &std::pair<std::string_view, const char*>::first);
    if (row != std::end(kHints)) return row->second;
    // Most others ask for a value and name no attribute: to author is a word of OpenUSD alone.
    constexpr std::string_view kAuthor = "Author ";
    if (!finding.hint.starts_with(kAuthor)) return finding.hint;
    return "Give " + finding.hint.substr(kAuthor.size());
}

}  // namespace mechane::cli

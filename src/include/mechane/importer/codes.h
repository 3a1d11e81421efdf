#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::importer::codes {

// clang-format off
// -- arguments: nothing has been read yet, nothing is imported
inline constexpr Code kArgOption{"IMPORT_ARG_OPTION", Severity::error, "An import option is unknown or has a value of another type.", "mechane schema options lists them.", "E_ARG_OPTION"};
inline constexpr Code kArgBase{"IMPORT_ARG_BASE", Severity::error, "Options about the base joint contradict each other.", "Give either floating or base_joint; floating = true only without parent_body.", "E_ARG_BASE"};
inline constexpr Code kArgParent{"IMPORT_ARG_PARENT", Severity::error, "parent_body is not a body of the most recently added articulation.", "Attach to a body of the articulation that was added last.", "E_ARG_PARENT"};
inline constexpr Code kArgRootXform{"IMPORT_ARG_ROOT_XFORM", Severity::error, "override_root_xform needs xform.", "Give the pose that the articulation root shall have: --option xform=[x,y,z,qx,qy,qz,qw].", "E_ARG_ROOT_XFORM"};
inline constexpr Code kArgJointOrdering{"IMPORT_ARG_JOINT_ORDERING", Severity::error, "joint_ordering is none of dfs, bfs, none.", "Use dfs, bfs or none.", "E_ARG_JOINT_ORDERING"};
inline constexpr Code kStageComposition{"IMPORT_STAGE_COMPOSITION", Severity::error, "The stage has composition errors.", "Repair the references, or go on without them: --option allow_missing=true.", "E_STAGE_COMPOSITION"};
inline constexpr Code kRootPath{"IMPORT_ROOT_PATH", Severity::error, "root_path names no prim of the stage.", "Name an existing prim.", "E_ROOT_PATH"};
inline constexpr Code kScenePath{"IMPORT_SCENE_PATH", Severity::error, "The option scene names no physics scene of the stage.", "Name a valid PhysicsScene prim, or all: --option scene=all.", "E_SCENE_PATH"};
inline constexpr Code kSceneWorld{"IMPORT_SCENE_WORLD", Severity::error, "A stage with several simulations is imported into a world that is open.", "Import it outside begin_world, or choose one scene with --option scene=/PATH.", "E_SCENE_WORLD"};
inline constexpr Code kExplainUnknown{"EXPLAIN_UNKNOWN", Severity::error, "Nothing of the model has this path, or it has no such field.", "Name a body, joint or collider, and a field of it after a dot."};

// -- scene and units
inline constexpr Code kLinearUnit{"IMPORT_STAGE_LINEAR_UNIT", Severity::info, "The stage's length unit is not the metre.", "Nothing to do; with --option units=stage the numbers stay as authored.", "W_STAGE_LINEAR_UNIT"};
inline constexpr Code kMassUnit{"IMPORT_STAGE_MASS_UNIT", Severity::info, "The stage's mass unit is not the kilogram.", "Nothing to do; with --option units=stage the numbers stay as authored.", "W_STAGE_MASS_UNIT"};
inline constexpr Code kUnitsUnauthored{"STAGE_UNITS_UNAUTHORED", Severity::info, "The stage does not say its length unit; it is taken as the metre.", "Author metersPerUnit, or set --option unauthored_units=usd for OpenUSD's 0.01."};
inline constexpr Code kSceneIdle{"IMPORT_SCENE_IDLE", Severity::warning, "A physics scene has a gravity of its own and simulates no body.", "Name the scene in physics:simulationOwner of its bodies, or remove it."};
inline constexpr Code kAnimationStart{"IMPORT_ANIMATION_START", Severity::warning, "The animation of a body that forces move is followed at its start only.", "Author physics:kinematicEnabled = 1 where the animation is to be followed."};
inline constexpr Code kMujocoFlag{"IMPORT_MUJOCO_FLAG", Severity::info, "A flag of MuJoCo on the scene switches a part of the model off.", "Remove the flag if this is not meant, or leave mjc out of --resolvers."};
inline constexpr Code kStepRate{"SCENE_STEP_RATE", Severity::warning, "An authored number of steps a second cannot be used.", "Author one positive finite number for all scenes, or give --dt."};
inline constexpr Code kDeformable{"IMPORT_DEFORMABLE_UNSUPPORTED", Severity::warning, "Deformables of vendor schemas and particle systems are not imported.", "Author UsdPhysics deformables, or leave these prims out with --option ignore_paths=/PATH.", "W_DEFORMABLE_UNSUPPORTED"};
inline constexpr Code kVendorUnread{"IMPORT_VENDOR_UNREAD", Severity::warning, "The stage authors values of a vendor whose resolver is not in use.", "Set --resolvers auto."};
inline constexpr Code kNotSimulated{"IMPORT_NOT_SIMULATED", Severity::warning, "The stage authors values of PhysX that change the motion there and have no effect here.", "`mechane info --ledger` lists them with the reasons; remove those that are not meant."};
inline constexpr Code kCustomMeta{"IMPORT_CUSTOM_META", Severity::warning, "A custom attribute of the scene lacks assignment or frequency.", "Author both in its customData; the declaration is skipped.", "W_CUSTOM_META"};
inline constexpr Code kCustomEnum{"IMPORT_CUSTOM_ENUM", Severity::warning, "A custom attribute has an unknown assignment or frequency.", "Use model, state, control or contact; once, world, body, shape, joint, joint_dof, joint_coord or articulation.", "W_CUSTOM_ENUM"};
inline constexpr Code kCustomType{"IMPORT_CUSTOM_TYPE", Severity::error, "A custom attribute is of a type that no array holds.", "Use a number, a flag, a vector or a quaternion; the declaration is skipped.", "E_CUSTOM_TYPE"};
inline constexpr Code kCustomPlacement{"IMPORT_CUSTOM_PLACEMENT", Severity::warning, "A custom attribute is authored on a prim of another kind than it is declared for.", "Author it on a prim of the declared frequency; it has no effect here.", "W_CUSTOM_PLACEMENT"};

// -- bodies and joints
inline constexpr Code kIgnoredBodyShapes{"IMPORT_IGNORED_BODY_SHAPES", Severity::warning, "A body was ignored but its colliders were not; they became static.", "Let the expression in --option ignore_paths=... match the children too.", "W_IGNORED_BODY_SHAPES"};
inline constexpr Code kBodyKinematicChild{"IMPORT_BODY_KINEMATIC_CHILD", Severity::error, "A kinematic body hangs on another body by a joint.", "Make the body dynamic, or exclude the joint from the articulation.", "E_BODY_KINEMATIC_CHILD"};
inline constexpr Code kKinematicVelocity{"IMPORT_KINEMATIC_VELOCITY", Severity::warning, "A kinematic body has a velocity and no animation that moves it; it rests.", "Animate its transform, make it dynamic, or let it move with --option kinematic_velocity=follow."};
inline constexpr Code kJointSkipped{"IMPORT_JOINT_SKIPPED", Severity::warning, "A joint was left out.", "Name at least one enabled rigid body in physics:body0 or physics:body1.", "W_JOINT_SKIPPED"};
inline constexpr Code kJointUnresolved{"IMPORT_JOINT_UNRESOLVED", Severity::error, "A joint of an articulation has no imported end.", "Do not ignore both bodies of a joint.", "E_JOINT_UNRESOLVED"};
inline constexpr Code kJointSelf{"IMPORT_JOINT_SELF", Severity::error, "Both ends of a joint are the same rigid body.", "Correct physics:body0 or physics:body1.", "E_JOINT_SELF"};
inline constexpr Code kArtCycle{"IMPORT_ART_CYCLE", Severity::error, "The joints of an articulation form a loop.", "Set physics:excludeFromArticulation on one joint of the loop.", "E_ART_CYCLE"};
inline constexpr Code kArtMultiRoot{"IMPORT_ART_MULTI_ROOT", Severity::error, "An articulation falls into several trees.", "Give each tree an articulation root of its own.", "E_ART_MULTI_ROOT"};
inline constexpr Code kArtReversed{"IMPORT_ART_REVERSED", Severity::error, "A joint's body0 lies farther from the root than its body1.", "Exchange physics:body0 and physics:body1.", "E_ART_REVERSED"};
inline constexpr Code kLoopCut{"IMPORT_ART_LOOP_CUT", Severity::warning, "The joint closes a loop; it is simulated as a loop constraint outside the tree.", "Set physics:excludeFromArticulation on the joint that shall close the loop.", "W_ART_LOOP_CUT"};
inline constexpr Code kJointReversed{"IMPORT_JOINT_REVERSED", Severity::info, "The joint's body0 lies farther from the root than its body1; its ends were exchanged.", "Nothing to do; author body0 nearer to the root to avoid the exchange.", "W_JOINT_REVERSED"};
inline constexpr Code kMergeType{"IMPORT_MERGE_TYPE", Severity::error, "A joint with other than one degree of freedom shares its two bodies with another joint.", "Leave one joint between the two bodies.", "E_MERGE_TYPE"};
inline constexpr Code kMergeAnchor{"IMPORT_MERGE_ANCHOR", Severity::warning, "Joints merged into one have different anchors; those of the first are used.", "Give the joints between two bodies the same anchors.", "W_MERGE_ANCHOR"};
inline constexpr Code kParallelJoint{"IMPORT_PARALLEL_JOINT", Severity::warning, "Two joints connect the same two bodies and cannot be merged into one.", "Leave one joint between the two bodies.", "W_PARALLEL_JOINT"};
inline constexpr Code kD6Unlimited{"IMPORT_D6_UNLIMITED_AXIS", Severity::warning, "A PhysicsJoint has axes without a limit; they are locked as in Newton.", "Apply PhysicsLimitAPI to every axis that shall move.", "W_D6_UNLIMITED_AXIS"};
inline constexpr Code kTargetRange{"IMPORT_DRIVE_TARGET_RANGE", Severity::warning, "The target of a drive lies beyond the limits of its joint.", "Author a target within the limits; the middle of the range is held instead, or the only end that it has.", "W_DRIVE_TARGET_RANGE"};
inline constexpr Code kJointSnapped{"IMPORT_JOINT_SNAPPED", Severity::warning, "The frames of a joint do not meet in the authored poses; the child was moved.", "Correct physics:localPos and physics:localRot, or the poses of the bodies.", "W_JOINT_SNAPPED"};
inline constexpr Code kWorldFrame{"IMPORT_JOINT_WORLD_FRAME", Severity::warning, "The world's side of a joint does not meet its body; it is taken to be where the body stands, which is where the joint's coordinates are zero.", "Author physics:localPos and physics:localRot of the side without a body: where the joint's frame is in the world."};
inline constexpr Code kJointInverse{"IMPORT_JOINT_INVERSE", Severity::warning, "A joint that slides and turns has the moving body as body0 and the world as body1; its slides are simulated along the axes of the world's side.", "Exchange physics:body0 and physics:body1, with their frames and the signs of limits and targets."};
inline constexpr Code kMimicLeader{"IMPORT_MIMIC_LEADER", Severity::warning, "The leader of a mimic joint was not imported; the mimic is left out.", "Name an imported joint.", "W_MIMIC_LEADER"};
inline constexpr Code kServoReplaces{"IMPORT_SERVO_REPLACES_DRIVE", Severity::warning, "A servo of MuJoCo and a drive of UsdPhysics with other gains act on one joint; the servo counts.", "Leave one of them, or give both the same gains."};
inline constexpr Code kActTarget{"IMPORT_ACT_TARGET", Severity::error, "An actuator has no hinge or slider to drive.", "Name one imported revolute or prismatic joint in newton:targets.", "E_ACT_TARGET"};
inline constexpr Code kActControl{"IMPORT_ACT_CONTROL", Severity::error, "An actuator has no control law that can be simulated.", "Apply NewtonPDControlAPI, with at most NewtonMaxEffortClampingAPI.", "E_ACT_CONTROL"};
inline constexpr Code kMjcActTarget{"IMPORT_MJC_ACT_TARGET", Severity::warning, "An actuator of MuJoCo acts on nothing that was imported; it is left out.", "Name one joint, tendon, site or body in mjc:target."};
inline constexpr Code kActMultiTarget{"IMPORT_ACT_MULTI_TARGET", Severity::warning, "An actuator names several joints.", "Give each joint an actuator of its own; the first is driven.", "W_ACT_MULTI_TARGET"};
inline constexpr Code kMimicInvalid{"IMPORT_MIMIC_INVALID", Severity::error, "A mimic joint cannot be honoured and is left out.", "Leader and follower must be different one-dof joints of one articulation; joints must not follow one another in a circle.", "E_MIMIC_INVALID"};
inline constexpr Code kMimicUnit{"IMPORT_MIMIC_UNIT", Severity::warning, "A number of a mimic joint has no defined unit: the offset of a joint of several degrees of freedom, or the factor of joints of different kinds.", "Mimic joints of one degree of freedom and of the same kind, or use ExtendedPhysicsMimicAPI. An offset is taken in the unit of lengths, a factor per radian.", "W_MIMIC_UNIT"};

// -- shapes
inline constexpr Code kMeshData{"IMPORT_MESH_DATA", Severity::error, "A mesh has no usable points or faces.", "Author points, faceVertexCounts and faceVertexIndices that fit together.", "E_MESH_DATA"};
inline constexpr Code kXformUnlisted{"IMPORT_XFORM_UNLISTED", Severity::warning, "A transform operation is authored and not listed in xformOpOrder, so it moves nothing.", "List it in xformOpOrder, or remove it."};
inline constexpr Code kVisualSize{"IMPORT_VISUAL_SIZE", Severity::warning, "A size of a shape that is only seen is zero or infinite.", "Author a positive size; nothing is seen of the shape."};
inline constexpr Code kGeometryNumber{"IMPORT_GEOMETRY_NUMBER", Severity::warning, "Points, sizes, normals or colours of a shape hold numbers that are not finite.", "Export the geometry again; faces and points that need these numbers are left out."};
inline constexpr Code kApproxFallback{"IMPORT_APPROX_FALLBACK", Severity::warning, "The approximation of a mesh collider was replaced by a simpler one.", "Author convex pieces as colliders of their own.", "W_APPROX_FALLBACK"};
inline constexpr Code kHullCut{"IMPORT_HULL_CUT", Severity::warning, "The hull of a mesh collider lost corners to the limit of its vertices, and its surface moved.", "Raise newton:maxHullVertices, or take the meshes apart."};
inline constexpr Code kInstancerItems{"IMPORT_INSTANCER_ITEMS", Severity::warning, "Items of a point instancer are not as it authors them, or not there.", "Give prototypes that exist and do not hold the instancer, and arrays of one length."};
inline constexpr Code kFilteredPair{"IMPORT_FILTERED_PAIR", Severity::warning, "An end of physics:filteredPairs has no imported shapes; the pair is dropped.", "Name a collider, a body or an articulation.", "W_FILTERED_PAIR"};
inline constexpr Code kColorSpace{"IMPORT_COLOR_SPACE", Severity::warning, "A colour has a colour space that is not converted.", "Author the colour in linear Rec.709 or sRGB.", "W_COLOR_SPACE"};
inline constexpr Code kOpacityClamp{"IMPORT_OPACITY_CLAMP", Severity::warning, "An opacity lies outside 0 to 1.", "Author a number from 0 to 1.", "W_OPACITY_CLAMP"};
inline constexpr Code kOpacityMulti{"IMPORT_OPACITY_MULTI", Severity::warning, "One shape has several opacities.", "Author one opacity, or split the mesh; the first is used.", "W_OPACITY_MULTI"};
inline constexpr Code kMjcNotRegistered{"IMPORT_MJC_NOT_REGISTERED", Severity::error, "MuJoCo's resolver is listed, but its custom attributes are not declared.", "Call register_mujoco_attributes on the builder, or leave --option register_mujoco=true.", "E_MJC_NOT_REGISTERED"};
inline constexpr Code kWorldMixed{"IMPORT_WORLD_MIXED", Severity::error, "The colliders of one body, or of bodies that joints tie together, name different worlds.", "Author one newton:world for all of them; they stay global.", "E_WORLD_MIXED"};
inline constexpr Code kWorldIgnored{"IMPORT_WORLD_IGNORED", Severity::warning, "A collider's newton:world has no effect.", "Author a whole number from -1 on, and import into a builder without worlds.", "W_WORLD_IGNORED"};
inline constexpr Code kJointScenes{"IMPORT_JOINT_SCENES", Severity::error, "A joint ties bodies that different physics scenes simulate.", "Give both bodies one physics:simulationOwner; the joint is left out.", "E_JOINT_SCENES"};
inline constexpr Code kFaceMaterials{"IMPORT_FACE_MATERIALS", Severity::info, "Subsets of a mesh's faces have physics materials of their own, and a collider has one.", "Author one material for the whole mesh, or set --option per_face_materials=true: each subset becomes a shape of its own.", "W_FACE_MATERIALS"};
inline constexpr Code kTextureLinear{"IMPORT_TEXTURE_LINEAR", Severity::warning, "A picture with linear colours cannot be read, so it is shown without being encoded.", "Use a PNG or JPEG file, or author the colour space that the file has.", "W_TEXTURE_LINEAR"};
inline constexpr Code kTextureUnplaced{"IMPORT_TEXTURE_UNPLACED", Severity::warning, "A picture lies on a shape that is no mesh and has no texture coordinates.", "Bind the material to a mesh with primvars:st; the shape is drawn in a plain colour."};
inline constexpr Code kTextureMissing{"IMPORT_TEXTURE_MISSING", Severity::warning, "Pictures that materials name are not there; their shapes are drawn in a plain colour.", "Correct the paths, or give the folder where they are: --search-path.", "W_TEXTURE_MISSING"};

// -- deformables
inline constexpr Code kDeformableSkipped{"IMPORT_DEFORMABLE_SKIPPED", Severity::warning, "A deformable, or a part of one, was left out.", "Correct its points, faces or flags."};
inline constexpr Code kDeformableValue{"IMPORT_DEFORMABLE_VALUE", Severity::warning, "A value of a deformable or its material cannot be used.", "Author a value of the expected type and range."};
inline constexpr Code kDeformableRest{"IMPORT_DEFORMABLE_REST", Severity::warning, "The rest shape of a deformable cannot be used; the simulated shape is at rest.", "Give rest points and indices that fit the simulated elements, without flat or inverted ones."};
inline constexpr Code kDeformableElement{"IMPORT_DEFORMABLE_ELEMENT", Severity::warning, "Flat or inverted elements of a deformable were left out.", "Repair the mesh; the others are simulated."};
inline constexpr Code kDeformableApproximated{"IMPORT_DEFORMABLE_APPROXIMATED", Severity::warning, "A part of what a deformable authors has no effect.", "See the message for what is simulated instead."};
inline constexpr Code kDeformableFallback{"IMPORT_DEFORMABLE_FALLBACK", Severity::info, "A deformable does not author a thickness; 1 mm is used.", "Author physics:thicknesses and physics:thicknesses:elementType."};
inline constexpr Code kDeformableDeprecated{"IMPORT_DEFORMABLE_DEPRECATED", Severity::warning, "A deformable authors names of an earlier revision of its schema.", "Author the names of the current revision; see docs/soft.md."};
inline constexpr Code kDeformableAttachment{"IMPORT_DEFORMABLE_ATTACHMENT", Severity::warning, "An attachment of a deformable has no effect.", "Attach points or segments to a transform, with indices and coordinates that fit together."};
inline constexpr Code kDeformableWeld{"IMPORT_DEFORMABLE_WELD", Severity::warning, "Cables that an attachment joins are not welded to one.", "Let the points coincide, with infinite stiffness and without a loop."};
inline constexpr Code kDeformableFilter{"IMPORT_DEFORMABLE_FILTER", Severity::warning, "A filter of a deformable's elements has no effect.", "Name cables, bodies or colliders, with groups that pair up."};
// clang-format on

}  // namespace mechane::importer::codes

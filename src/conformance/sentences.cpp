// The sentences of REP-0158 one by one, with the rules that judge each, or why none does. `mechane explain` quotes
// them, and rules_json() lists them beside the rules.

#include "mechane/conformance/sentence.h"

#include <algorithm>
#include <array>
#include <string>

/// REP-0158:2026 "OpenUSD Conventions for Simulation Asset Interoperability", quoted. The document is in the public
/// domain (CC0-1.0). Marks of code and emphasis are left out.
namespace mechane::conformance {
namespace {

constexpr const char* kSimulator  = "Of simulators: what `mechane sim -o FILE.mcap`, `ros tf` and `ros interfaces` do.";
constexpr const char* kConverter  = "Of converters.";
constexpr const char* kRegistry   = "Of the schema registry.";
constexpr const char* kReview     = "Only people can check it: `check --manual`.";
constexpr const char* kBackground = "A reason or a permission: nothing to check.";

constexpr std::array kSentences{
    // -- 1.1
    Sentence{"1.1", "Assets must use MKS (Meters, Kilograms, Seconds).", "1.1-a 1.1-b 1.1-c 1.1-d", ""},
    Sentence{"1.1", "Root layer metadata metersPerUnit and kilogramsPerUnit must be explicitly set to 1.0.",
             "1.1-a 1.1-b", ""},
    Sentence{"1.1",
             "timeCodesPerSecond must also be set to 1.0 so that one USD time code equals one second, ensuring "
             "time-sampled data (e.g., animated joint trajectories) plays back at the correct rate without additional "
             "scaling.",
             "1.1-c", ""},
    Sentence{"1.1",
             "All upstream units (e.g., CAD millimeters) must be baked into geometry and physics during the "
             "Extract-Transform-Load (ETL) pipeline.",
             "1.1-d 1.1-o", "Whether the numbers were baked is seen where layers disagree; else people check it."},
    Sentence{"1.1", "Simulators are entitled to assume 1.0 scaling.", "", kBackground},
    Sentence{"1.1", "The stage upAxis must be \"Z\".", "1.1-e 1.1-d", ""},
    Sentence{"1.1", "Assets must follow the strict ROS Right-Handed convention: X-forward, Y-left, Z-up.",
             "1.1-f 1.1-e", "Which way a robot looks is not checked: nothing in the asset says where its front is."},
    Sentence{"1.1",
             "To guarantee a parity with ROS geometry_msgs/Transform, kinematic prims must use a minimal xformOpOrder "
             "stack: exactly one xformOp:translate and one xformOp:orient (quaternion).",
             "1.1-g",
             "\"Exactly one translate and one orient\" and \"identity scale or omit\" are read together: an identity "
             "scale behind them is tolerated with an info. Joints have no transform in UsdPhysics.",
             true},
    Sentence{"1.1",
             "Baked 4x4 matrices (xformOp:transform) are prohibited on final assets, as they obscure scale and force "
             "costly runtime decomposition.",
             "1.1-h", ""},
    Sentence{
        "1.1",
        "While Euler angles (xformOp:rotateXYZ) are acceptable in source assets for human readability and URDF rpy "
        "alignment, ETL pipelines must convert all Euler rotations (translating URDF radians to USD degrees) and "
        "decompose all CAD matrices into this translate/orient format.",
        "1.1-i 1.3-e", "The profile source checks assets before the pipeline."},
    Sentence{"1.1",
             "Kinematic prims (rigid bodies and joints) must maintain identity scale or omit xformOp:scale "
             "entirely.",
             "1.1-j", ""},
    Sentence{"1.1", "Scaling must be applied exclusively to the leaf visual or collision geometry prims.", "1.1-k", ""},
    Sentence{"1.1", "Assets must not rely on root-node rotations (e.g., xformOp:rotateX = -90) to align geometry.",
             "1.1-l", ""},
    Sentence{"1.1", "Points and normals should be transform-applied (frozen) to Z-up at the source level.", "1.1-l",
             "Checked by the rotation that would stand in for it."},
    Sentence{
        "1.1",
        "For assets intended to be placed on the ground (e.g., warehouse racks), the root origin should be located "
        "at the bottom-center of the bounding box (Z=0) to facilitate predictable drag-and-drop scene composition "
        "in simulators.",
        "1.1-m", ""},
    Sentence{"1.1", "Mobile bases should adhere to REP 105 origin conventions.", "1.1-n", kReview},
    // -- 1.2
    Sentence{"1.2", "This REP adopts the ASWF Guidelines for Structuring USD Assets.", "1.2-m", kReview},
    Sentence{"1.2.1",
             "Assets must use functional layering (ETL) to isolate core OpenUSD data from simulation and ROS-specific "
             "schemas.",
             "1.2.1-a 1.2.1-d 1.2.1-h",
             "Of assets of several layers; one of a single layer is told to divide itself by REP-1.2.1-i alone."},
    Sentence{"1.2.1",
             "Schema- and relationship-bearing layers must be authored as ASCII (.usda); heavy-data layers as binary "
             "Crate (.usdc).",
             "1.2.1-b 1.2.1-c", ""},
    Sentence{"1.2.1",
             "The core data must be decomposed into granular, functional files to maximize deduplication and "
             "performance:",
             "1.2.1-a 1.2.1-k", ""},
    Sentence{"1.2.1", "geometries.usdc: Contains pure mesh topology and vertices (no physics, no schemas).",
             "1.2.1-d 1.2.1-k", ""},
    Sentence{"1.2.1", "materials.usda: Contains material and look-dev definitions.", "1.2.1-e", ""},
    Sentence{"1.2.1", "instances.usda: (Optional, recommended): Assembles geometries and materials via references.",
             "1.2.1-f", ""},
    Sentence{"1.2.1",
             "base.usda: The pure kinematic hierarchy (Xforms), referencing the underlying instances and geometries "
             "without physical or execution logic.",
             "1.2.1-g", ""},
    Sentence{"1.2.1", "Domain metadata must be isolated into overlay files, including:", "1.2.1-h", ""},
    Sentence{"1.2.1", "physics.usda: Contains UsdPhysics rigid bodies and joints.", "1.2.1-h 1.2.1-k", ""},
    Sentence{"1.2.1", "ros.usda: Contains the Ros*API schemas.", "1.2.1-h 1.2.1-k", ""},
    Sentence{"1.2.1",
             "The final distributed asset must be a lightweight interface layer that uses Payloads to load the "
             "Features.",
             "1.2.1-i",
             "1.2.3 and 2.2 forbid payloads around links, joints and Ros*API prims, and physics.usda and ros.usda hold "
             "nothing else. The prohibition wins. A feature layer that the entry brings in by payload on its default "
             "prim is a warning, with --strict-payloads an error.",
             true},
    Sentence{"1.2.1",
             "Simulator-specific implementations (e.g., proprietary execution graphs) must be limited to what is "
             "strictly necessary and confined to a separate proprietary layer (e.g., isaac.usda, o3de.usda).",
             "1.2.1-j 1.2.1-l 1.3-u", ""},
    Sentence{"1.2.2",
             "Individual distributable assets (e.g., a sensor, a box) must have kind=\"component\" on their root prim.",
             "1.2.2-a 1.2.2-e", ""},
    Sentence{"1.2.2", "Aggregates (e.g., a Warehouse containing racks) must have kind=\"assembly\" or kind=\"group\".",
             "1.2.2-b 1.2.2-d", ""},
    Sentence{"1.2.2", "Authors should use kind=\"subcomponent\" for organizational prims within a component.",
             "1.2.2-c", ""},
    Sentence{"1.2.2",
             "Assets must adhere to the OpenUSD Model Hierarchy to ensure predictable selection and traversal:",
             "1.2.2-d 1.2.2-e", ""},
    Sentence{"1.2.3",
             "Asset authors should not rely on Inherits or Specializes arcs that target class definitions outside the "
             "asset's own layer stack for core robot kinematics, physics APIs, or ROS schemas when distributing "
             "standalone assets.",
             "1.2.3-a", ""},
    Sentence{"1.2.3",
             "The inherits-instanceable pattern, where the class prim is defined within the same asset, remains valid "
             "and is recommended for applying uniform overrides across instances.",
             "1.2.3-f", kReview},
    Sentence{"1.2.3",
             "Permitted for logical assembly (e.g., composing a robot by referencing an independent arm.usda "
             "and base.usda).",
             "", kBackground},
    Sentence{"1.2.3",
             "Heavy data (high-resolution meshes, point clouds, large textures) must be referenced via Payloads rather "
             "than standard References.",
             "1.2.3-b", "Textures are files of their own: nothing loads them with the layer that names them."},
    Sentence{
        "1.2.3", "Payloads must not encapsulate joint or link prims themselves.", "1.2.3-c",
        "1.2.1 has the entry \"use Payloads to load the Features\", and a figure shows it so. The prohibition wins "
        "here, because it is specific and stated three times (1.2.3, 2.1.1, 2.2); that layout on the default prim "
        "of the entry is a warning, with --strict-payloads an error.",
        true},
    Sentence{
        "1.2.3",
        "The kinematic topology (Prims bearing PhysicsRigidBodyAPI, PhysicsJoint schemas, and Ros*API schemas) must "
        "reside in the primarily loaded scene graph (e.g., via Local authoring or standard References).",
        "1.2.3-c 1.2.3-d 2.2-d", ""},
    Sentence{"1.2.3", "The Payload should solely encapsulate the nested geometric and material data.", "1.2.3-e", ""},
    Sentence{"1.2.4", "Any asset utilizing VariantSets must author a default variant selection.", "1.2.4-a 1.2.4-b",
             ""},
    Sentence{"1.2.4",
             "This ensures that if the asset is loaded by a simulator or automated pipeline without explicit variant "
             "overrides, it resolves to a valid, physically and visually complete state.",
             "1.2.4-b 1.2.4-c", ""},
    Sentence{"1.2.4",
             "Simulators and tooling must only evaluate and instantiate ROS interfaces that are active within the "
             "currently resolved variant state of the stage.",
             "", kSimulator},
    Sentence{
        "1.2.5",
        "All distributable assets must set defaultPrim metadata on the root layer, pointing to the asset's primary "
        "entrypoint prim.",
        "1.2.5-a 1.2.5-b", ""},
    Sentence{"1.2.5",
             "Without it, referencing @robot.usda@ without an explicit prim path is undefined behavior and the Payload "
             "pattern breaks silently.",
             "1.2.5-b", ""},
    Sentence{"1.2.5",
             "All distributable assets must populate the assetInfo dictionary on the defaultPrim with at minimum:",
             "1.2.5-c 1.2.5-d", ""},
    Sentence{"1.2.5",
             "string assetInfo:identifier: A unique, stable identifier for the asset (e.g., a URI or canonical name).",
             "1.2.5-c", ""},
    Sentence{"1.2.5", "string assetInfo:version: A version string (e.g., \"1.0.0\").", "1.2.5-d", ""},
    Sentence{"1.2.5",
             "To carry robotics-specific provenance (e.g., URDF package origin, original SDFormat model URI, or "
             "component catalog IDs), authors should use a namespaced sub-dictionary: assetInfo[\"ros\"].",
             "1.2.5-e", ""},
    Sentence{"1.2.5", "Internal references must use relative paths (./geo/mesh.usdc).", "1.2.5-f 1.2.5-g", ""},
    Sentence{"1.2.5",
             "For distributed, highly interoperable assets, all file dependencies should be self-contained and rely "
             "exclusively on relative paths.",
             "1.2.5-h 1.2.5-k", ""},
    Sentence{"1.2.5", "External dependencies targeting other ROS packages must use the package:// URI scheme.",
             "1.2.5-i 1.2.5-j", ""},
    Sentence{"1.2.5",
             "Absolute paths or proprietary schemes (e.g., omniverse://) are prohibited for external package "
             "references.",
             "1.2.5-i 1.2.5-f", ""},
    Sentence{
        "1.2.5",
        "Tooling and simulators aiming for ROS interoperability must provide a custom OpenUSD ArResolver plugin to "
        "resolve these URIs.",
        "",
        "Of tools: every verb resolves package://, and a plug-in for other programs is installed (docs/install.md)."},
    Sentence{"1.2.5",
             "Assets must not use custom or vendor-specific string attributes (e.g., custom string my_sim:prefabPath = "
             "\"robot.usd\") to dynamically load, instantiate, or compose assets at runtime.",
             "1.2.5-m", ""},
    Sentence{"1.2.5", "Asset composition must rely purely on native OpenUSD references or payloads.", "1.2.5-m", ""},
    Sentence{"1.2.5",
             "Plugins interfacing with the ROS ecosystem must generate stages that conform to the physical hierarchies "
             "and API schemas defined in this document.",
             "", "Layers of a plug-in are checked as any others."},
    Sentence{"1.2.6",
             "They must not be used to clone articulated physics assets to create massive parallel arrays (e.g., for "
             "reinforcement learning).",
             "1.2.6-a 1.2.6-b 1.2.6-c", ""},
    Sentence{"1.2.6", "Authors must distribute a single, self-contained canonical environment.", "1.2.6-c", ""},
    Sentence{"1.2.6",
             "Simulators supporting massive parallelism are expected to handle environment replication natively at "
             "runtime via their own APIs.",
             "", "Of simulators: `sim --worlds N`."},
    Sentence{"1.2.6", "Authors must not bake arrays of physics-enabled clones into the source file.", "1.2.6-c", ""},
    // -- 1.3
    Sentence{
        "1.3",
        "Asset authors should place the joint prim as a sibling adjacent to the child link it connects, within the "
        "scope of the parent link, to ensure self-contained modularity.",
        "1.3-a",
        "Beside the child and within the parent are one place only where links nest; either satisfies the rule.", true},
    Sentence{"1.3",
             "Note that UsdPhysicsJoint prims rely on relational targeting (body0 and body1) rather than hierarchy, "
             "which means parsers must reconstruct the kinematic tree exclusively from these relationships.",
             "1.3-b", ""},
    Sentence{"1.3",
             "Non-continuous joints (e.g., revolute, prismatic) must author explicit physics:lowerLimit and "
             "physics:upperLimit attributes.",
             "1.3-d 1.3-e",
             "A revolute joint without either may be continuous or forgotten: a warning. Infinite limits say it."},
    Sentence{
        "1.3",
        "A composed simulation stage must contain at most one UsdPhysicsArticulationRootAPI per connected kinematic "
        "tree.",
        "1.3-f", ""},
    Sentence{"1.3",
             "Assets (e.g., a modular gripper) should be self-contained with an articulation root for standalone use.",
             "1.3-g", ""},
    Sentence{
        "1.3",
        "When composed into a larger kinematic tree, the composing stage should use the OpenUSD list-edit operation "
        "delete apiSchemas = [\"PhysicsArticulationRootAPI\"] to prune nested articulation roots.",
        "1.3-h", ""},
    Sentence{"1.3", "Articulations must form a spanning tree.", "1.3-i 1.3-j", ""},
    Sentence{"1.3",
             "Joints that close a kinematic loop (e.g., parallel linkages, four-bar mechanisms) must set "
             "physics:excludeFromArticulation = true.",
             "1.3-i 1.3-j 1.3-k", ""},
    Sentence{"1.3",
             "Parsers building the kinematic tree must treat these joints as standalone maximal-coordinate constraints "
             "rather than parent-child links.",
             "", kSimulator},
    Sentence{"1.3", "Assets and simulators must follow UsdPhysicsMassAPI guidelines.", "1.3-l 1.3-m 1.3-r", ""},
    Sentence{"1.3", "Dynamic bodies must define a strictly positive mass (mass > 0).", "1.3-l 1.3-m", ""},
    Sentence{"1.3",
             "Setting mass = 0 to imply infinite/static mass violates the UsdPhysics specification, which ignores 0.0 "
             "and falls back to a computed default mass.",
             "1.3-l", ""},
    Sentence{"1.3",
             "Fixed props (e.g., walls, racks) must possess a PhysicsCollisionAPI but omit the PhysicsRigidBodyAPI.",
             "1.3-n", ""},
    Sentence{"1.3",
             "A fixed robot base must have a valid mass > 0 and be anchored via a UsdPhysicsFixedJoint with an empty "
             "physics:body0 relationship (which natively represents the world).",
             "1.3-o", ""},
    Sentence{"1.3",
             "Moving bodies that are animated but not dynamically driven by physics should set the "
             "physics:kinematicEnabled attribute to true.",
             "1.3-p", ""},
    Sentence{"1.3", "Non-physical dummy frames (e.g., camera_optical_frame) must not possess a PhysicsRigidBodyAPI.",
             "1.3-q", ""},
    Sentence{"1.3", "They should be tracked using the RosFrameAPI as defined in Section 2.7.", "1.3-q", ""},
    Sentence{"1.3",
             "Unlike URDF and SDFormat's 6-value symmetric matrix, OpenUSD requires an eigendecomposed inertia tensor.",
             "1.3-r 1.3-s", ""},
    Sentence{
        "1.3",
        "Converters must mathematically decompose the source matrix into physics:diagonalInertia (eigenvalues) and "
        "physics:principalAxes (quaternion).",
        "1.3-r 1.3-s", ""},
    Sentence{
        "1.3",
        "This native decomposed form is the strict single source of truth; custom 6-value array attributes must not "
        "be authored or parsed.",
        "1.3-s", ""},
    Sentence{"1.3", "Authors must use ExtendedPhysics* schemas for interoperability, following Section 4.2.2.", "1.3-t",
             ""},
    Sentence{"1.3",
             "When interoperable schema is not available, assets must isolate the specific feature, e.g. deformable "
             "soft-body physics into a feature layer for specific domain or vendor (see Section 1.2.1).",
             "1.3-u 1.2.1-j", ""},
    Sentence{
        "1.3.1", "Collision geometries should explicitly specify purpose=\"guide\" and physics:approximation=\"none\".",
        "1.3.1-a 1.3.1-b",
        "The default variant that follows has \"convexHull\". What is asked for is an explicit word: convexHull, or "
        "none where the mesh is convex or the collider static.",
        true},
    Sentence{"1.3.1",
             "To ensure assets function across both standard physics engines and advanced contact-rich solvers (e.g., "
             "Newton), assets should employ a \"Dual-Fidelity Pattern\" utilizing a collision_fidelity OpenUSD "
             "VariantSet:",
             "1.3.1-c", ""},
    Sentence{"1.3.1", "The default variant must contain \"convexHull\" or primitive shapes.", "1.3.1-d", ""},
    Sentence{"1.3.1",
             "A secondary variant may contain high-fidelity concave trimeshes intended for Signed Distance Field (SDF) "
             "or Hydroelastic collision generation, provided the target simulator supports these paradigms.",
             "", "3.4 asks such meshes to be closed: REP-3.4-e checks the state with `--variants each`."},
    Sentence{"1.3.2",
             "Each link's visual and collision scopes should be organized as sibling children (e.g., /{link}/visual, "
             "/{link}/collision).",
             "1.3.2-a", ""},
    Sentence{"1.3.2",
             "To ensure assets function across high-end renderers (Isaac Sim, O3DE), CPU-bound physics simulators "
             "(Gazebo, MuJoCo), and lightweight tooling, assets should provide multiple visual representations via a "
             "visual_representation VariantSet on the visual scope.",
             "1.3.2-b", ""},
    Sentence{"1.3.2",
             "mesh_medium (Default Variant): Decimated mesh geometry for real-time engines and standard simulation "
             "workloads.",
             "1.3.2-c 1.3.2-d", ""},
    Sentence{"1.3.2",
             "volumetric_splat (Optional Variant): 3D Gaussian Splat radiance field authored using the "
             "UsdVolParticleField3DGaussianSplat schema (OpenUSD 26.03).",
             "1.3.2-e 1.3.2-d", ""},
    Sentence{
        "1.3.2",
        "Collision meshes are not subject to this VariantSet; their fidelity is governed by the collision_fidelity "
        "VariantSet (Section 1.3.1).",
        "1.3.2-f", ""},
    Sentence{"1.3.3",
             "UsdPhysicsJoint disables collisions between its connected links by default (physics:collisionEnabled = "
             "false).",
             "1.3.3-a", ""},
    Sentence{"1.3.3",
             "Assets should use UsdPhysicsCollisionGroup to define collision group filtering and may use "
             "UsdPhysicsFilteredPairsAPI for fine-grained exceptions.",
             "1.3.3-b 1.3.3-c", ""},
    Sentence{
        "1.3.4",
        "To ensure deterministic contact dynamics across engines, authors must bind a UsdShadeMaterial bearing the "
        "UsdPhysicsMaterialAPI to collision geometries.",
        "1.3.4-a 1.3.4-b", ""},
    Sentence{"1.3.4",
             "This material must define physics:staticFriction, physics:dynamicFriction, and physics:restitution.",
             "1.3.4-c", ""},
    Sentence{"1.3.4",
             "To prevent conflicts with visual shading networks, the physical material must be bound to the collision "
             "geometry explicitly using the physics material purpose (material:binding:physics), rather than the "
             "default all-purpose binding.",
             "1.3.4-a 1.3.4-d", ""},
    Sentence{"1.3.4",
             "Because engines utilize distinct friction models, converters must approximate these baseline values into "
             "their specific representations (e.g., SDF <surface> or MJCF <friction>).",
             "", kConverter},
    Sentence{
        "1.4",
        "To guarantee interoperability across different solvers, physical properties and engine-specific parameters "
        "must be explicitly decoupled into separate functional layers:",
        "1.2.1-j 1.4-c", ""},
    Sentence{"1.4",
             "This file must adhere to the standard OpenUSD Physics specification and must not contain any "
             "vendor-specific extensions.",
             "1.2.1-j 1.4-b", ""},
    Sentence{
        "1.4",
        "Engine-specific parameters (e.g., proprietary solver iterations, specialized friction models, GPU tensors) "
        "not covered by core OpenUSD schemas must be explicitly namespaced with a vendor prefix (e.g., mujoco:, "
        "isaac:).",
        "1.4-b", ""},
    Sentence{"1.4",
             "These must be isolated within discrete \"Proprietary Layers\" (Section 1.2.1) and never authored in the "
             "baseline simulation payload or neutral physics layer.",
             "1.2.1-j 1.4-c 1.3-u", ""},
    Sentence{"1.4", "Authors must strive to minimize this proprietary layer to what is strictly necessary.", "1.2.1-l",
             ""},
    // -- 2
    Sentence{"2", "This section defines a set of declarative, engine-agnostic API schemas (of type SingleApply).",
             "2-b", ""},
    Sentence{
        "2",
        "Simulators are responsible for reading these schemas and generating their respective underlying execution "
        "logic.",
        "", kSimulator},
    Sentence{"2",
             "Assets must not duplicate the same ROS interface in another form (e.g., a hand-authored execution graph "
             "publishing the same topic alongside the authored Ros*API schema); persisted runtime artifacts belong in "
             "the simulator's proprietary layer (Section 1.2.1), not in the neutral ROS layer.",
             "2-a 1.2.1-j", ""},
    Sentence{"2.1", "The root prim of a ROS-interfaced simulation asset may define its context namespace.", "2.1-a",
             ""},
    Sentence{"2.1",
             "int ros:context:domain_id (Optional): Overrides the default ROS Domain ID for interfaces descending from "
             "this context.",
             "2.1-b", ""},
    Sentence{"2.1", "It is only valid for the top-most context in the resolved USD Stage and ignored otherwise.",
             "2.1-c", ""},
    Sentence{"2.1.1",
             "The effective namespace is the top-down concatenation of ros:context:namespace attributes along the "
             "ancestor chain, automatically joined by / (e.g., \"robot_1\" and \"left_camera\" produce "
             "/robot_1/left_camera).",
             "2.1.1-j", ""},
    Sentence{"2.1.1", "An absent or empty attribute contributes no segment.", "",
             "Of tools: `ros interfaces` prints resolved names."},
    Sentence{"2.1.1",
             "Composable (default): A bare name with no leading or trailing / and no runtime substitutions (~, {}).",
             "2.1.1-a", "A name with slashes inside is tolerated with an info: the chain is the same either way."},
    Sentence{"2.1.1", "Absolute: A leading / resets the chain, ignoring all ancestor values.", "2.1.1-b", ""},
    Sentence{
        "2.1.1",
        "ros:context:parent_frame is only valid on the outermost RosContextAPI in the stage and must be ignored on "
        "nested contexts.",
        "2.1-c", ""},
    Sentence{"2.1.1",
             "TF frames for all joints and links within one robot must be published on a single /tf and /tf_static "
             "topic, scoped using only the outermost RosContextAPI namespace.",
             "2.1.1-i", kSimulator},
    Sentence{"2.1.1", "Sub-namespace segments must not be appended to the TF topic name.", "", kSimulator},
    Sentence{"2.1.1",
             "Each robot instance must carry a unique ros:context:namespace on its root prim; authors should use the "
             "stage prim name (e.g., robot_1, robot_2).",
             "2.1.1-c 2.1.1-k", ""},
    Sentence{"2.1.1", "A modular asset's root namespace must be authored on its defaultPrim.", "2.1.1-d", ""},
    Sentence{"2.1.1",
             "When referencing that asset elsewhere, namespace overrides must be placed on the entry-point prim "
             "containing the composition arc to preserve instanceable = true compatibility.",
             "2.1.1-e",
             "The same section ends with \"should not set instanceable = true\", and 1.2.6 and 3.5 forbid instances of "
             "logical prims: instances with a context inside are REP-1.2.6-a.",
             true},
    Sentence{"2.1.1",
             "For duplicate sub-assets, each reference's entry-point prim must carry a distinct namespace via a local "
             "opinion \xe2\x80\x94 no source file modification is required.",
             "2.1.1-f", ""},
    Sentence{"2.1.1",
             "RosContextAPI prims must reside outside Payload arcs so the namespace graph can be resolved without "
             "loading heavy geometry (see Section 2.2).",
             "2.1.1-g", ""},
    Sentence{
        "2.1.1",
        "Sub-assets intended for per-instance namespace override should not set instanceable = true, as descendant "
        "prims become instance proxies whose attributes cannot be overridden; any override must be authored on the "
        "reference root prim or an ancestor outside the Payload arc.",
        "1.2.6-a 2.1.1-e", ""},
    Sentence{
        "2.2",
        "Aggregate interfaces spanning a kinematic tree (e.g., JointState publisher, FollowJointTrajectory server) "
        "should be decoupled from the physical rigid-body hierarchy.",
        "2.2-a", ""},
    Sentence{"2.2",
             "Authors should place them on dedicated, non-physical logical prims (e.g., /Robot/Interfaces) descendant "
             "from the RosContextAPI prim.",
             "2.2-a 2.1-a", ""},
    Sentence{"2.2",
             "Localized interfaces (e.g., Image, LaserScan) must be placed on a child UsdGeomXform of the physical "
             "link.",
             "2.2-b",
             "2.8 puts a camera's topics below the camera, which is no direct child of the link. A descendant with no "
             "other body between is read as a child.",
             true},
    Sentence{"2.2",
             "Multiple interfaces for the same sensor (e.g., image_raw and camera_info) must distribute them across "
             "separate child prims, one interface per prim.",
             "2.2-c", "2.8 has one optical frame per camera: further topics stand on Xforms below it.", true},
    Sentence{"2.2", "Interface prims must reside outside payloads.", "2.2-d", ""},
    Sentence{"2.3",
             "Tooling and compliant simulators must attempt to resolve the ros:*:type string (e.g., "
             "sensor_msgs/msg/Image) dynamically against the sourced ROS environment.",
             "2.3-a 2.3-b", kSimulator},
    Sentence{"2.3",
             "If the interface type is not found, the simulator must safely disable that specific interface, allow the "
             "rest of the asset to function normally, and emit a distinct warning/error.",
             "", kSimulator},
    Sentence{"2.3",
             "All ros:*:name values must adhere to ROS topic naming rules (alphanumeric, underscores, and forward "
             "slashes only; cannot start with a number).",
             "2.3-c", ""},
    Sentence{"2.3",
             "All ROS interfaces (RosTopicAPI, RosServiceAPI, RosActionAPI) support a bool ros:*:starts_enabled "
             "attribute (Optional, Default: true).",
             "2-c", kSimulator},
    Sentence{"2.4", "token ros:topic:role: Values: [\"publisher\", \"subscription\"].", "2.4-a 2-c", ""},
    Sentence{"2.4", "string ros:topic:name: The topic name relative to the active namespace.", "2.4-b 2-c",
             "\"Relative\", while 2.3 allows slashes: a leading one is an absolute name, a warning.", true},
    Sentence{"2.4", "string ros:topic:type: The ROS message type.", "2.4-c 2-c", ""},
    Sentence{"2.4",
             "double ros:topic:publish_rate: Target publication frequency in Hz. Required for publishers; ignored for "
             "subscriptions.",
             "2.4-d 2-c", ""},
    Sentence{"2.4",
             "This must only be used to reference external global frames (e.g., \"map\", \"earth\") that cannot exist "
             "natively within the USD stage.",
             "2.4-e", ""},
    Sentence{"2.4", "Relevant only for message types containing a std_msgs/Header.", "2.4-e", ""},
    Sentence{"2.4", "If an attribute is omitted, simulators must assume the specified defaults.", "", kSimulator},
    Sentence{
        "2.4",
        "(Note: As per REP 2003, simulated sensors should default to \"system_default\" which maps to best-effort, "
        "while map publishers should use \"transient_local\").",
        "2.4-i",
        "The middleware's own default for reliability is reliable. system_default is passed through, except for "
        "publishers of sensor_msgs types with everything at default, which are best effort. Joint states are sent "
        "reliably all the same: they are the state of a robot, of which controllers need each.",
        true},
    Sentence{"2.4", "bool ros:topic:qos:match_publisher (Optional, Default: false). For subscriptions only.", "2.4-h",
             ""},
    Sentence{"2.4", "token ros:topic:qos:reliability: Values: [\"system_default\", \"reliable\", \"best_effort\"].",
             "2.4-f", ""},
    Sentence{"2.4", "token ros:topic:qos:durability: Values: [\"system_default\", \"transient_local\", \"volatile\"].",
             "2.4-f", ""},
    Sentence{"2.4", "token ros:topic:qos:history: Values: [\"system_default\", \"keep_last\", \"keep_all\"].", "2.4-f",
             ""},
    Sentence{"2.4", "int ros:topic:qos:depth: Queue size. Evaluated only when history is keep_last.", "2.4-g", ""},
    Sentence{"2.5", "token ros:service:role: Values: [\"server\", \"client\"].", "2.5-a", ""},
    Sentence{"2.5", "string ros:service:name: The service name.", "2.5-b", ""},
    Sentence{"2.5", "string ros:service:type: The service type (e.g., std_srvs/srv/SetBool).", "2.5-c", ""},
    Sentence{"2.6", "token ros:action:role: Values: [\"server\", \"client\"].", "2.6-a", ""},
    Sentence{"2.6", "string ros:action:name: The action name.", "2.6-b", ""},
    Sentence{"2.6", "string ros:action:type: The action type (e.g., control_msgs/action/FollowJointTrajectory).",
             "2.6-c", ""},
    Sentence{"2.7",
             "To prevent flooding the /tf topic with generic physical props (e.g., warehouse boxes), compliant "
             "simulators should not broadcast transforms for every PhysicsRigidBodyAPI.",
             "", kSimulator},
    Sentence{"2.7",
             "Simulators should automatically infer and broadcast TF frames (using the ROS-validated Prim name) for "
             "Prims that represent a ROS interface structure:",
             "2.7-f 2.7-h 2.7-i", ""},
    Sentence{"2.7",
             "If the implicit frame is connected to its parent via a PhysicsFixedJoint, or has no joint but is rigidly "
             "parented in the USD hierarchy, the simulator must broadcast it to /tf_static.",
             "", kSimulator},
    Sentence{"2.7", "All movable joint connections must be broadcast to /tf.", "", kSimulator},
    Sentence{"2.7",
             "An interface prim's frame_id is determined by its nearest ancestor that is a TF frame (implicit or "
             "explicit).",
             "2.8-c", "`ros interfaces` prints it."},
    Sentence{"2.7",
             "To publish TFs for non-physical dummy frames (e.g., a kinematic grasp_point, a camera_optical_frame), "
             "asset authors must apply the RosFrameAPI schema to the target UsdGeomXform Prim.",
             "2.7-e 1.3-q", ""},
    Sentence{
        "2.7",
        "string ros:frame:id (Optional): Overrides the TF frame name. If omitted, the validated Prim name is used.",
        "2.7-f 2.7-h", ""},
    Sentence{"2.7", "If true, the simulator must broadcast the frame to /tf_static relative to its USD parent.",
             "2.7-g",
             "A USD parent need not be a frame: the nearest frame above is the parent, and the transform is the one "
             "between the two.",
             true},
    Sentence{"2.7", "If false (e.g., an Xform animated by USD TimeSamples), it must be broadcast to /tf.", "2.7-g", ""},
    Sentence{
        "2.8",
        "To bridge this without opaque simulator-side rotations, authors must decouple the physical sensor from its "
        "optical interface.",
        "2.8-a", ""},
    Sentence{
        "2.8",
        "Authors must create a child UsdGeomXform (e.g., camera_optical_frame) rotated 180 degrees around its local "
        "X-axis.",
        "2.8-b", ""},
    Sentence{"2.8",
             "All RosTopicAPI and RosFrameAPI schemas must be applied exclusively to this optical frame, ensuring "
             "deterministic data orientation in RViz.",
             "2.8-a 2.8-c", "2.2 wants one interface per prim: further topics stand on Xforms below the frame.", true},
    Sentence{"2.9", "Simulator-level interfaces are prohibited in assets to avoid clashes, including:", "2.9-a 2.9-b",
             ""},
    Sentence{"2.9", "/clock topic (rosgraph_msgs/msg/Clock interface) for simulation time.", "2.9-a", ""},
    Sentence{"2.9", "Any interfaces included in the simulation_interfaces package (e.g. spawning, simulation control).",
             "2.9-b", ""},
    Sentence{"2.10",
             "To ensure that joints are correctly identified and mapped to said concepts, the custom property "
             "ros:joint:name may be applied to all Prims bearing built-in UsdPhysicsJoint schema.",
             "2.10-a", ""},
    Sentence{"2.10",
             "If this property is authored, its value is the single source of truth for ROS-facing joint identity, "
             "including mapping for FollowJointTrajectory action goals, JointState messages, integration with "
             "ros2_control, and for conversion to other formats (e.g., MJCF's <joint name=\"\">).",
             "2.10-b", ""},
    Sentence{"2.10", "Authors should keep the property value and the prim name aligned where naming rules permit.",
             "2.10-c", ""},
    Sentence{"2.10", "If this property is missing, simulators must fall back to using the prim name.", "2.10-b",
             kSimulator},
    // -- 3
    Sentence{"3.1",
             "Assets must use UsdPreviewSurface as the normative surface definition to ensure a direct mapping to glTF "
             "2.0's pbrMetallicRoughness workflow.",
             "3.1-a", ""},
    Sentence{"3.1", "Proprietary shaders (e.g., MDL, OSL) must not replace the universal surface output.", "3.1-b", ""},
    Sentence{"3.1", "Assets should bind a single Material universally.", "3.1-c", ""},
    Sentence{
        "3.1",
        "Inside that Material, the UsdPreviewSurface must be wired to the universal outputs:surface terminal (which "
        "glTF/web converters natively parse), while proprietary shaders may be included by wiring them to "
        "renderer-specific terminals (e.g., outputs:mdl:surface).",
        "3.1-a 3.1-b", ""},
    Sentence{
        "3.1",
        "Multi-tile UV mapping (UDIMs) is unsupported by glTF 2.0 and many real-time engines, and must not be used.",
        "3.1-d", ""},
    Sentence{"3.1", "Unique UVs must be packed into the [0, 1] space (Texture Atlasing).", "3.1-e", ""},
    Sentence{"3.1",
             "If multiple high-resolution textures are required for a single mesh, authors must partition the geometry "
             "using UsdGeomSubset (with familyName=\"materialBind\") and assign separate materials.",
             "3.1-f", ""},
    Sentence{"3.1", "UV coordinates outside [0, 1] are reserved for seamless tiling textures using repeat wrap modes.",
             "3.1-e", ""},
    Sentence{"3.2", "8-bit PNG and JPEG are the only permitted formats for materials.", "3.2-a 3.2-b", ""},
    Sentence{"3.2", "Normal, Metallic, Roughness, and packed ORM maps must use lossless PNG.", "3.2-c", ""},
    Sentence{"3.2",
             "BaseColor and Emissive maps may use JPEG to reduce footprint, provided they lack an alpha channel.",
             "3.2-c", ""},
    Sentence{"3.2", "Treat KTX2 strictly as a downstream glTF export target via KHR_texture_basisu glTF extension.",
             "3.2-a", ""},
    Sentence{"3.2",
             "EXR, TIFF, and other HDR/DCC formats must not be used for albedo, normal, or ORM maps in distributed "
             "assets.",
             "3.2-a", ""},
    Sentence{
        "3.2",
        "As an exception, High Dynamic Range (.hdr) files are permitted only for UsdLuxDomeLight environment maps.",
        "3.2-f 3.2-a", ""},
    Sentence{"3.3",
             "Procedural texture graphs (noise generation, math nodes, node graphs) are not interoperable and must be "
             "baked down into explicit data using either:",
             "3.3-a", ""},
    Sentence{"3.3",
             "\"vertex\" interpolation is recommended, as \"uniform\" and \"faceVarying\" require converters to split "
             "the mesh vertices to comply with glTF\xe2\x80\x99s vertex attribute requirements.",
             "3.3-b", ""},
    Sentence{"3.4", "Collision meshes must be explicitly triangulated by the author.", "3.4-a", ""},
    Sentence{
        "3.4",
        "Visual meshes may use quads or n-gons, but converters targeting glTF 2.0 must triangulate all geometry at "
        "export time.",
        "", kConverter},
    Sentence{"3.4",
             "Meshes must use orientation = \"rightHanded\" (the OpenUSD default), which defines counter-clockwise "
             "vertex winding as front-facing.",
             "3.4-b 3.4-d", ""},
    Sentence{"3.4", "Assets must not rely on doubleSided = true to mask incorrect winding.", "3.4-c", ""},
    Sentence{"3.4",
             "Collision meshes must be watertight (closed, manifold) and free of self-intersections to ensure stable "
             "physics and mass derivation.",
             "3.4-e 3.4-f", "A convex hull is closed by construction: there both are warnings."},
    Sentence{"3.4", "Non-manifold geometry (e.g., open edges) is limited to purely visual meshes.", "3.4-e", ""},
    Sentence{"3.5",
             "Repetitive geometry (bolts, LED arrays on a sensor) must utilize native OpenUSD instancing to minimize "
             "memory footprint.",
             "3.5-a", ""},
    Sentence{"3.5",
             "Authors must only instance leaf geometry (visuals and colliders), not logical Prims containing "
             "PhysicsRigidBodyAPI, Joints, or Ros*API schemas, as OpenUSD instance proxies obscure child prims from "
             "relationship targeting.",
             "1.2.6-a 1.2.6-b", ""},
    Sentence{
        "3.5",
        "Note: The OpenUSD specification requires the prim to compose its geometry via a composition arc (Reference "
        "or Payload) for this flag to be valid.",
        "3.5-c",
        "OpenUSD makes instances of inherits, specializes and variants too, and 1.2.3 recommends inherits: any arc "
        "is enough.",
        true},
    Sentence{"3.5",
             "Converters must map this to native glTF Node sharing (multiple nodes referencing a single mesh index).",
             "", kConverter},
    Sentence{"3.5", "Converters must map this directly to the glTF EXT_mesh_gpu_instancing extension.", "", kConverter},
    Sentence{"3.6", "Lighting must be authored using core UsdLux schemas.", "3.6-a", ""},
    Sentence{"3.6",
             "Assets should prioritize standard punctual lights: UsdLuxDistantLight (Directional), UsdLuxSphereLight "
             "(Point), and UsdLuxSphereLight modified by the UsdLuxShapingAPI (Spot).",
             "3.6-b", ""},
    Sentence{"3.6", "Converters must map these directly to the glTF KHR_lights_punctual extension.", "", kConverter},
    Sentence{"3.6",
             "Complex area lights (e.g., UsdLuxRectLight, UsdLuxCylinderLight) lack universal support outside of "
             "path-traced engines and should be avoided for interoperable assets.",
             "3.6-b", ""},
    Sentence{"3.6",
             "The emissiveColor attribute on a UsdPreviewSurface must be used for indicators such as robot status LEDs "
             "so the source itself appears bright.",
             "3.6-e", kReview},
    Sentence{"3.6",
             "However, emissive geometry must not be used for primary scene illumination, as standard simulator "
             "rasterizers will not compute their light transport.",
             "3.6-c", ""},
    Sentence{"3.6",
             "If a robot component must actively illuminate its surroundings, authors must co-locate a standard UsdLux "
             "punctual light with the emissive geometry under the same parent Xform.",
             "3.6-d", ""},
    Sentence{
        "3.7",
        "Converters must export only the resolved variant: an explicit selection if provided, otherwise the default "
        "authored per Section 1.2.4, destructively discarding all others.",
        "", kConverter},
    Sentence{"3.7",
             "This resolved state must be baked by flattening OpenUSD composition arcs into a static, logically nested "
             "kinematic tree.",
             "", kConverter},
    Sentence{"3.7", "Capable exporters may preserve material variations via the KHR_materials_variants extension.", "",
             kConverter},
    Sentence{"3.8", "Exporters must adhere to the following:", "", kConverter},
    // -- 4
    Sentence{"4.1",
             "The normative OpenUSD schema definition for all Ros*API schemas is provided in core/ros/schema.usda.",
             "2-c", "The schemas are part of the program (`schema show RosTopicAPI`)."},
    Sentence{"4.2",
             "A submission must follow the rules of this REP where applicable, e.g. including declarative parameters "
             "that can be implemented across simulators, and adhering to general rules for sensors and control schemas "
             "(e.g. graceful degradation).",
             "", kRegistry},
    Sentence{"4.2",
             "A submission must include addition to Compliance Checker and any other supplementary conversion tools "
             "within the repository, which allows the use of new schema to be validated.",
             "", kRegistry},
    Sentence{"4.2", "A submission must also include documentation of use and a minimal example asset.", "", kRegistry},
    Sentence{"4.2.1", "Schema definitions must leverage core OpenUSD primitives to prevent attribute duplication.",
             "4.2.1-a", ""},
    Sentence{"4.2.1", "If no native analogue exists, schemas must be applied to a standard UsdGeomXform.",
             "4.2.1-a 4.2.4-b", ""},
    Sentence{"4.2.1",
             "Extension schemas must not include metadata to handle ROS communication (e.g., topic names, QoS).",
             "4.2.1-b", ""},
    Sentence{"4.2.1",
             "Instead, they should utilize relationships to target distinct transport prims (e.g., RosTopicAPI) to "
             "expose their data or commands.",
             "4.2.1-b", ""},
    Sentence{"4.2.1",
             "If the core OpenUSD specification formally ratifies an equivalent schema, the corresponding extension "
             "schema will be deprecated.",
             "4.2.1-c", ""},
    Sentence{"4.2.2",
             "To prevent collisions with core OpenUSD updates, incubating physics schemas must use the ExtendedPhysics "
             "class prefix and the ext_physics: property prefix, followed by a concept-specific sub-namespace (e.g. "
             "ext_physics::mimic).",
             "4.2.2-a 4.2.2-c 4.2.2-d 4.2.2-e",
             "A double colon is no legal property name in OpenUSD: the namespace is ext_physics:mimic:.", true},
    Sentence{"4.2.2", "Vendor prefixes (e.g., newton:) and core prefixes (e.g., physics:) are prohibited.",
             "4.2.2-a 1.4-b", ""},
    Sentence{"4.2.2",
             "Assets generated by tools using vendor-specific staging schemas must be processed via ecosystem tooling "
             "(e.g., automated compliance fixers) to replace them with their ExtendedPhysics* equivalents prior to "
             "distribution.",
             "1.3-t", "`fix` does it."},
    Sentence{"4.2.2",
             "Vendor prefixes are prohibited in distributed assets because they encode engine identity into properties "
             "that should be engine-neutral; the physics: prefix is reserved for AOUSD-ratified schemas.",
             "1.3-t 1.4-b",
             "1.4 asks for vendor prefixes in layers of their own: prohibited is read as \"for what ext_physics has a "
             "word\".",
             true},
    Sentence{"4.2.3",
             "Controllers should be decoupled from the physical rigid-body hierarchy: authors should place them on "
             "dedicated logical prims (e.g., /Robot/Controllers) and explicitly target their actuated mechanisms.",
             "4.2.3-b 4.2.3-a", ""},
    Sentence{"4.2.3", "Simulators must not rely on Xform scene graph nesting to infer a controller's scope.", "",
             kSimulator},
    Sentence{"4.2.3",
             "Controllers must declare targets using OpenUSD relationships (rel) or standard UsdCollectionAPI "
             "collections.",
             "4.2.3-a 4.2.3-h", ""},
    Sentence{
        "4.2.3",
        "Position, velocity, and effort targets must be routed through normative OpenUSD dynamics paradigms (e.g., "
        "UsdPhysicsDriveAPI) or universally ratified extension schemas, deferring to isolated vendor extensions "
        "only when a ratified standard for the required actuation modality does not exist.",
        "4.2.3-c", ""},
    Sentence{"4.2.3",
             "Controllers that directly manipulate spatial transforms should only actuate prims where "
             "physics:kinematicEnabled = true.",
             "4.2.3-d", ""},
    Sentence{
        "4.2.3",
        "Control schemas should not handle simulator-level state changes (e.g., native simulator state APIs or ROS "
        "simulation_interfaces), including resets for RL training or entity state manipulation.",
        "4.2.3-f", ""},
    Sentence{"4.2.3",
             "While VariantSets remain the standard for structural hardware changes, simulators should provide dynamic "
             "lifecycle management of controllers to support runtime switching.",
             "", "Of simulators: `sim --enable NAME@T`, `--disable NAME@T`."},
    Sentence{
        "4.2.3",
        "The asset's authored state must prevent write conflicts at load time by ensuring controllers actuating the "
        "same targets are not simultaneously active (e.g., via a bool control:starts_enabled schema property).",
        "4.2.3-e", ""},
    Sentence{"4.2.4",
             "Sensor schemas must emulate measurable phenomena to ensure valid Software-in-the-Loop (SiL) testing.",
             "4.2.4-a", ""},
    Sentence{"4.2.4",
             "Simulator-generated Ground Truth artifacts (e.g., semantic segmentations, bounding boxes) must not be "
             "bundled into physical sensor schemas; they should be explicitly requested via dedicated annotator "
             "schemas.",
             "4.2.4-a", ""},
    Sentence{"4.2.4",
             "Sensor schemas must be applied directly to the UsdGeomXform or UsdGeomCamera defining their physical "
             "origin and local coordinate frame.",
             "4.2.4-b", ""},
    Sentence{"4.2.4",
             "To ensure efficient parser discovery, these prims must reside in the asset's lightweight, traversable "
             "kinematic hierarchy.",
             "4.2.4-b", ""},
    Sentence{"4.2.4", "Sensor schemas must define a functional, universal baseline of parameters.", "4.2.4-c", ""},
    Sentence{"4.2.4",
             "Advanced, engine-specific behaviors (e.g., proprietary rendering profiles, custom noise models) must be "
             "authored exclusively via vendor-namespaced custom attributes (e.g., isaac:, gazebo:).",
             "4.2.4-c", ""},
    Sentence{
        "4.2.4",
        "Simulators must safely ignore unrecognized namespaces and gracefully fall back to the universal baseline.", "",
        kSimulator},
    Sentence{
        "4.3",
        "These assets will have payloads hosted independently (e.g. in a dedicated repository such as Hugging Face) "
        "and must pass the Compliance Checker.",
        "", kRegistry},
};

/// Rules that restate no sentence.
struct Derivation {
    std::string_view rule, from;
};
constexpr std::array kDerivations{
    Derivation{"1.3-c", "UsdPhysics: readers disagree about a body below another one. Section 1.3 lets links nest."},
    Derivation{"3.2-g",
               "Section 3.2: a map of data that is read as colour is changed as a lossy format would change it."},
    Derivation{"3.4-g", "Section 3.4: a mesh with indices out of range or without a size has no surface to be closed."},
    Derivation{"4.2.2-f", "Section 1.1, degrees: what converters bring from URDF is in radians."},
};

/// The number of a rule without "REP-".
std::string_view bare(const Rule& rule) { return rule.id.substr(std::min<std::size_t>(4, rule.id.size())); }

}  // namespace

bool Sentence::names(const Rule& rule) const
{
    const std::string_view id = bare(rule);
    for (std::size_t at = 0; at < rules.size();) {
        const std::size_t end = std::min(rules.find(' ', at), rules.size());
        if (rules.substr(at, end - at) == id) return true;
        at = end + 1;
    }
    return false;
}

std::span<const Sentence> sentences() { return kSentences; }

std::vector<const Sentence*> sentences_of(const Rule& rule)
{
    std::vector<const Sentence*> found;
    for (const Sentence& sentence : kSentences)
        if (sentence.names(rule)) found.push_back(&sentence);
    return found;
}

std::string_view derivation_of(const Rule& rule)
{
    for (const Derivation& derivation : kDerivations)
        if (derivation.rule == bare(rule)) return derivation.from;
    return {};
}

std::string help_page(const Rule& rule)
{ return "docs/rules/" + std::string(rule.section()) + ".md#" + std::string(rule.id); }

}  // namespace mechane::conformance

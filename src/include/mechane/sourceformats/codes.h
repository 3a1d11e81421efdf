#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::sourceformats {

// clang-format off
inline constexpr Code kReadFailed{"SOURCE_READ_FAILED", Severity::error, "A file of another format could not be read.", "Check the path, and that the file is readable."};
inline constexpr Code kFormatUnknown{"SOURCE_FORMAT_UNKNOWN", Severity::error, "The file is none of the formats that can be converted.", "Give a .urdf or .xacro file with a <robot>, an .xml or .mjcf file with a <mujoco>, an .sdf or .world file with an <sdf>, a .gltf or .glb file, or a mesh: .stl, .obj, .ply, .dae, .msh."};
inline constexpr Code kXmlInvalid{"SOURCE_XML_INVALID", Severity::error, "The file is not well-formed XML; what stands before the fault was read.", "Correct the XML at the place that the message names."};
inline constexpr Code kXmlRefused{"SOURCE_XML_REFUSED", Severity::error, "The file declares a document type or entities, which are never expanded.", "Remove the DOCTYPE and write the text of its entities out."};
inline constexpr Code kLimit{"SOURCE_LIMIT", Severity::error, "The file exceeds a limit of size, depth or number of elements.", "Split the file, or generate it with fewer elements."};
inline constexpr Code kInclude{"SOURCE_INCLUDE", Severity::error, "An included file is missing, or includes itself.", "Correct the file name; package://, $(find ...) and model:// need --package NAME=FOLDER, ROS_PACKAGE_PATH or AMENT_PREFIX_PATH."};
inline constexpr Code kXacro{"SOURCE_XACRO", Severity::error, "A xacro element or expression could not be expanded; it is left out.", "Correct it, or expand the file with ROS's xacro and convert the result."};
inline constexpr Code kNumber{"SOURCE_NUMBER", Severity::error, "A value is not the finite number, or not as many numbers, as the format asks for; the default counts.", "Write finite numbers, separated by spaces."};
inline constexpr Code kWord{"SOURCE_WORD", Severity::error, "A value is none of the words that the format knows; the default counts.", "Write one of the words that the message names."};
inline constexpr Code kMissing{"SOURCE_ELEMENT_MISSING", Severity::error, "An element or attribute that the format requires is missing; what needs it is left out.", "Add it."};
inline constexpr Code kDuplicate{"SOURCE_NAME_DUPLICATE", Severity::error, "Two elements of one kind have the same name; the later one got another name.", "Give every element a name of its own."};
inline constexpr Code kUnknownName{"SOURCE_NAME_UNKNOWN", Severity::error, "A name refers to nothing; what refers to it is left out.", "Name an element that exists."};
inline constexpr Code kTree{"SOURCE_TREE", Severity::error, "Joints form a cycle, or give a link two parents; the later joint is left out.", "Give every link one parent, and the robot one root."};
inline constexpr Code kFrames{"SOURCE_FRAMES", Severity::error, "A frame is told relative to itself, or attached to itself; the rest of its pose counts from the world.", "Let relative_to and attached_to end at a model or link."};
inline constexpr Code kMeshMissing{"SOURCE_MESH_MISSING", Severity::error, "A mesh file was not found; the shape is left out.", "Put the file where the path says; package:// and model:// need --package NAME=FOLDER, ROS_PACKAGE_PATH or AMENT_PREFIX_PATH."};
inline constexpr Code kMeshInvalid{"SOURCE_MESH_INVALID", Severity::error, "A mesh file cannot be read, or holds no triangles; the shape is left out.", "Write it anew as STL, OBJ, PLY, COLLADA, glTF or MSH."};
inline constexpr Code kMeshUnit{"SOURCE_MESH_UNIT", Severity::warning, "A mesh file is larger than any robot if its numbers are metres.", "If the file is in millimetres, convert it with --mesh-unit 0.001."};
inline constexpr Code kTextureMissing{"SOURCE_TEXTURE_MISSING", Severity::warning, "A texture was not found; the material keeps its colour.", "Put the picture where the path says."};
inline constexpr Code kMassMissing{"SOURCE_MASS_MISSING", Severity::error, "A link that moves has no mass.", "Add an <inertial> with a positive mass, or give --default-mass."};
inline constexpr Code kInertia{"SOURCE_INERTIA", Severity::error, "A mass is not positive, or an inertia is that of no body.", "Correct it in the program that the file comes from."};
inline constexpr Code kShape{"SOURCE_SHAPE", Severity::error, "A shape has a size that is not positive; it is left out.", "Correct its size."};
inline constexpr Code kLimits{"SOURCE_LIMITS", Severity::warning, "The lower limit of a joint is above the upper one; USD locks such a joint.", "Exchange the limits, or use a fixed joint."};
inline constexpr Code kUnsupported{"SOURCE_UNSUPPORTED", Severity::warning, "The format says something that USD has no word for here; it is left out.", "See the loss report."};
inline constexpr Code kLost{"SOURCE_LOST", Severity::warning, "Something that matters to the motion is not the same in USD as in the source.", "See `mechane convert`, whose loss report names value and reason."};
inline constexpr Code kWriteFailed{"SOURCE_WRITE_FAILED", Severity::error, "The result could not be made.", "See the message."};
// clang-format on

}  // namespace mechane::sourceformats

#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::resolve {

inline constexpr Code kMassDensity{"RESOLVE_MASS_DENSITY", Severity::warning, "An authored density is not usable.",
                                   "Author a finite density above 0; it is treated as not authored.", "W_MASS_DENSITY"};
inline constexpr Code kMassDiagonal{"RESOLVE_MASS_DIAG", Severity::warning, "An authored diagonal inertia is not usable.",
                                    "Author three finite moments of zero or more; it is treated as not authored.", "W_MASS_DIAG"};
inline constexpr Code kMassMass{"RESOLVE_MASS_MASS", Severity::warning, "An authored mass of a body is not usable.",
                                "Author a finite mass above 0; it is treated as not authored.", "W_MASS_MASS"};
inline constexpr Code kColliderMass{"RESOLVE_COLLIDER_MASS", Severity::warning,
                                    "An authored mass of a collider is not usable.",
                                    "Author a finite mass above 0; it is treated as not authored.", "W_COLLIDER_MASS"};
inline constexpr Code kMassAndDensity{"RESOLVE_MASS_AND_DENSITY", Severity::warning,
                                      "A body authors mass and density but no inertia.",
                                      "Remove one; the density is ignored.", "W_MASS_AND_DENSITY"};
inline constexpr Code kMassZero{"RESOLVE_MASS_ZERO", Severity::warning, "A body ends with zero mass and inertia.",
                                "Author physics:mass or give it a collider.", "W_MASS_ZERO"};
inline constexpr Code kMassSmallSphere{"RESOLVE_MASS_SMALL_SPHERE", Severity::warning,
                                       "A body with a mass has no collider to derive its inertia from.",
                                       "Author physics:diagonalInertia; a sphere of 0.1 m is used.", "W_MASS_SMALL_SPHERE"};
inline constexpr Code kColliderNoMass{"RESOLVE_COLLIDER_NO_MASS", Severity::warning,
                                      "A collider has no volume that could give mass.",
                                      "Author its mass and diagonal inertia; it is left out of the body's mass.", "W_COLLIDER_NO_MASS"};
inline constexpr Code kInertiaTensor{
    "RESOLVE_INERTIA_TENSOR", Severity::warning, "An authored inertia tensor is not usable.",
    "Author six finite numbers Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a positive semidefinite tensor; it is ignored.", "W_INERTIA_TENSOR"};
inline constexpr Code kMassTensorCom{
    "RESOLVE_MASS_TENSOR_COM", Severity::warning,
    "The inertia was scaled from the shapes, whose centre of mass is not the one that the body has.",
    "Author physics:diagonalInertia.", "W_MASS_TENSOR_COM"};
inline constexpr Code kMaterialDensity{"RESOLVE_MATERIAL_DENSITY", Severity::warning,
                                       "The density of a material is not finite.",
                                       "Author a finite density; the default is used.", "W_MATERIAL_DENSITY"};
inline constexpr Code kShellNegative{"RESOLVE_SHELL_NEG", Severity::warning, "A shell thickness is negative.",
                                     "Author zero or more; the contact margin is used.", "W_SHELL_NEG"};
inline constexpr Code kShellZero{"RESOLVE_SHELL_ZERO", Severity::warning, "A shell has no thickness, so it adds no mass.",
                                 "Author newton:shellThickness.", "W_SHELL_ZERO"};
inline constexpr Code kShellThick{"RESOLVE_SHELL_THICK", Severity::error, "A shell is thicker than its shape.",
                                  "Author a thickness below every half extent; the shape is taken as solid.", "E_SHELL_THICK"};
inline constexpr Code kMeshInverted{"PHY_MESH_INVERTED", Severity::info, "The faces of a mesh collider wind inwards.",
                                    "Reverse the orientation; the mass is computed as if they wound outwards."};
inline constexpr Code kMeshNotClosed{"PHY_MESH_NOT_CLOSED", Severity::warning,
                                     "A mesh collider is not closed, so its volume is that of its convex hull.",
                                     "Close the mesh or author the mass."};
inline constexpr Code kHullFlat{"PHY_HULL_FLAT", Severity::info, "The convex hull of a mesh collider is flat.",
                                "Give the mesh some thickness; it is thickened by 1e-4 of its extent."};
inline constexpr Code kMeshFace{"MESH_FACE_INVALID", Severity::warning,
                                "A face of a mesh has fewer than 3 vertices or an index outside the points.",
                                "Repair the topology; the face is dropped."};
inline constexpr Code kDeprecatedAttr{"RESOLVE_DEPRECATED_ATTR", Severity::warning, "An attribute has an older spelling.",
                                      "Use the name in the message.", "W_DEPRECATED_ATTR"};
inline constexpr Code kNonschemaAttr{"RESOLVE_NONSCHEMA_ATTR", Severity::warning,
                                     "An attribute is used that no schema defines.",
                                     "Use the attribute of a schema that says the same.", "W_NONSCHEMA_ATTR"};
inline constexpr Code kNegMargin{"RESOLVE_NEG_MARGIN", Severity::warning, "The contact margin is negative.",
                                 "Author a margin of at least the gap.", "W_NEG_MARGIN"};
inline constexpr Code kResolverTable{"RESOLVER_TABLE", Severity::error,
                                     "A file with a resolver's table cannot be used.",
                                     "Correct the entry that the message names; docs/resolve.md has the format."};
inline constexpr Code kResolverUnknown{"RESOLVER_UNKNOWN", Severity::error, "A schema resolver has an unknown name.",
                                       "Use newton, physx or mjc."};
inline constexpr Code kSdfVoxel{"RESOLVE_SDF_VOXEL", Severity::warning, "The target voxel size of an SDF is not positive.",
                                "Author a positive length; it is dropped.", "W_SDF_VOXEL"};
inline constexpr Code kSdfRes{"RESOLVE_SDF_RES", Severity::warning, "The resolution of an SDF is not positive.",
                              "Author a positive multiple of 8; it is dropped.", "W_SDF_RES"};
inline constexpr Code kSdfRes8{"RESOLVE_SDF_RES8", Severity::warning, "The resolution of an SDF is not a multiple of 8.",
                               "Author a multiple of 8; it is dropped.", "W_SDF_RES8"};
inline constexpr Code kSdfBoth{"RESOLVE_SDF_BOTH", Severity::info, "An SDF has a voxel size and a resolution.",
                               "Author one; the voxel size is used.", "W_SDF_BOTH"};
inline constexpr Code kSdfFormat{"RESOLVE_SDF_FORMAT", Severity::warning, "The texture format of an SDF is unknown.",
                                 "Use uint8, uint16 or float32; uint16 is used.", "W_SDF_FORMAT"};
inline constexpr Code kSdfPadding{"RESOLVE_SDF_PADDING", Severity::warning, "The padding of an SDF is negative.",
                                  "Author zero or more; it is dropped.", "W_SDF_PADDING"};
inline constexpr Code kSdfBand{"RESOLVE_SDF_BAND", Severity::error, "The narrow band of an SDF does not enclose the surface.",
                               "Author inner < 0 < outer; the default band is used.", "E_SDF_BAND"};
inline constexpr Code kSdfMeshBoth{"RESOLVE_SDF_MESH_BOTH", Severity::warning,
                                   "A collider applies NewtonSDFCollisionAPI and NewtonMeshCollisionAPI.",
                                   "Keep one; the SDF is used.", "W_SDF_MESH_BOTH"};
inline constexpr Code kSdfApprox{"RESOLVE_SDF_APPROX", Severity::warning, "A collider with an SDF asks for an approximation.",
                                 "Author physics:approximation = none, which is used.", "W_SDF_APPROX"};
inline constexpr Code kMaterialCombine{"MATERIAL_COMBINE", Severity::warning,
                                       "A material names no rule by which coefficients combine.",
                                       "Use average, min, multiply or max; the rule of the solver is used."};
inline constexpr Code kHydroKh{"RESOLVE_HYDRO_KH", Severity::warning, "The hydroelastic stiffness is not positive.",
                               "Author a positive value; 1e10 is used.", "W_HYDRO_KH"};
inline constexpr Code kHydroNoSdf{"RESOLVE_HYDRO_NO_SDF", Severity::warning,
                                  "A hydroelastic collider has nothing to build its SDF from.",
                                  "Apply NewtonSDFCollisionAPI or author a resolution; the flag is cleared.", "W_HYDRO_NO_SDF"};
inline constexpr Code kPortNoBound{"RESOLVE_PORT_NO_BOUND", Severity::warning,
                                   "A collider has no size, so fractions of it cannot become lengths.",
                                   "Author newton:sdfNarrowBandInner, sdfNarrowBandOuter and sdfPadding by hand.", "W_PORT_NO_BOUND"};
inline constexpr Code kPortLeft{"RESOLVE_PORT_LEFT", Severity::warning,
                                "A PhysX value has no counterpart in Newton's words, or not in this form, and stays.",
                                "Remove it by hand once nothing reads it any more."};
inline constexpr Code kPortInstance{"RESOLVE_PORT_INSTANCE", Severity::warning,
                                    "A collider inside an instance cannot be edited there.",
                                    "Port the file that the instance refers to.", "W_PORT_INSTANCE"};
// Names: whoever imports a stage says them, and whoever checks one.
inline constexpr Code kApiUnapplied{"IMPORT_API_UNAPPLIED", Severity::warning, "A physics value stands on a prim that does not apply the schema which has it.", "Apply the schema in the message, or remove the value; it has no effect."};
inline constexpr Code kCustomUndeclared{"IMPORT_CUSTOM_UNDECLARED", Severity::warning, "An attribute in the namespace newton: is in no schema and is not declared.", "Declare it on the scene, or correct its name.", "W_CUSTOM_UNDECLARED"};
inline constexpr Code kPropertyUnknown{"IMPORT_PROPERTY_UNKNOWN", Severity::warning, "A property in a namespace of physics is in no schema, and has no effect.", "Correct its name, or register the schema that defines it."};

}  // namespace mechane::resolve

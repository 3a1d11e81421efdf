#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of finalize. Sites name the entity's label as prim and the array as property.
namespace mechane::model {

inline constexpr Code kStructure{"MODEL_STRUCTURE", Severity::error,
                                 "Bodies, joints, articulations, shapes or worlds of the builder do not fit together.",
                                 "Correct the entity named in the message.", "E_STRUCTURE"};
inline constexpr Code kOrphanJoint{"MODEL_ORPHAN_JOINT", Severity::error,
                                   "A joint connects bodies outside of every articulation.",
                                   "Add the joint to an articulation, or allow orphan joints to make it a loop joint.", "E_ORPHAN_JOINT"};
inline constexpr Code kShapeMaterial{"MODEL_SHAPE_MATERIAL", Severity::error,
                                     "A colliding shape has a contact material that is not finite.",
                                     "Give the shape a finite material.", "E_SHAPE_MATERIAL"};
inline constexpr Code kInertiaFixed{
    "MODEL_INERTIA_FIXED", Severity::warning, "A body's mass or inertia is not physical and was corrected in the model.",
    "Give the body a positive mass and principal moments above 1e-10 kg m^2 that satisfy the triangle inequality; Newton corrects the same.", "W_INERTIA_FIXED"};
inline constexpr Code kNegativeGap{"MODEL_NEG_GAP", Severity::warning, "A colliding shape has a negative contact gap.",
                                   "Use a gap of zero or more; contacts are otherwise made only in penetration.", "W_NEG_GAP"};
inline constexpr Code kNumberFixed{"MODEL_NUMBER_FIXED", Severity::warning,
                                   "A number of the model is not finite or outside its range and was replaced.",
                                   "Correct the value named in the message."};
inline constexpr Code kRotationFixed{"MODEL_ROTATION_FIXED", Severity::warning,
                                     "A rotation is not a unit quaternion and was replaced.",
                                     "Give a unit quaternion."};
inline constexpr Code kAxisFixed{"MODEL_AXIS_FIXED", Severity::warning,
                                 "A joint axis has no direction and was replaced by X.",
                                 "Give the joint a finite axis that is not zero."};
inline constexpr Code kAxesDependent{"MODEL_AXES_DEPENDENT", Severity::warning,
                                     "Two axes of one joint are not perpendicular.",
                                     "Give linear axes at right angles to each other, and angular axes likewise."};
inline constexpr Code kShapeDegenerate{"MODEL_SHAPE_DEGENERATE", Severity::warning,
                                       "A shape has no usable size or geometry and does not collide.",
                                       "Give the shape a positive, finite size and, if it is a mesh, triangles."};
inline constexpr Code kHydroelasticUnsupported{
    "MODEL_HYDRO_UNSUPPORTED", Severity::warning,
    "A plane, a height field or a mesh that is not closed cannot be hydroelastic; it makes point contacts.",
    "Use a box or a closed mesh where pressure contact is needed."};
inline constexpr Code kSdfCarried{
    "MODEL_SDF_CARRIED", Severity::warning,
    "A mesh brings its distance field; how one is to be built was said as well and does not count.",
    "Build the mesh's field with these values, or leave them out."};
inline constexpr Code kBodyImmovable{"MODEL_BODY_IMMOVABLE", Severity::warning,
                                     "A dynamic body that nothing holds has no mass and stays where it is.",
                                     "Give the body a mass or a collider with density, or make it kinematic."};

inline constexpr Code kCustomUnknown{"MODEL_CUSTOM_UNKNOWN", Severity::error,
                                     "An object has no custom attribute of this name and type.",
                                     "Ask the object that holds it, by its key and type."};
inline constexpr Code kCustomConflict{"MODEL_CUSTOM_CONFLICT", Severity::error,
                                      "A custom attribute is declared twice with different properties.",
                                      "Give both declarations one type, frequency and assignment, or other names.", "E_CUSTOM_CONFLICT"};
inline constexpr Code kCustomReserved{"MODEL_CUSTOM_RESERVED", Severity::error,
                                      "A custom attribute has the name of an array that the object has anyway.",
                                      "Use another name, or a namespace.", "E_CUSTOM_RESERVED"};
inline constexpr Code kCustomContact{"MODEL_CUSTOM_CONTACT_FREQ", Severity::error,
                                     "A custom attribute has a value for each contact but is not assigned to contacts.",
                                     "Use assignment = contact, or a frequency of the model.", "E_CUSTOM_CONTACT_FREQ"};

inline constexpr Code kApproxRefused{"MODEL_APPROX_REFUSED", Severity::warning,
                                     "A mesh was not replaced by a simpler shape.",
                                     "Take the distance field from the shape, or leave the shape out of the call."};

inline constexpr Code kWorldsNested{"MODEL_WORLDS_NESTED", Severity::error,
                                    "A builder that has worlds of its own cannot be copied into worlds.",
                                    "Copy a scene without worlds, or take the worlds that it has."};

inline constexpr Code kCollapseLoopWeld{"MODEL_COLLAPSE_LOOP_WELD", Severity::warning,
                                        "A joint could not be collapsed, or holds nothing after others were.",
                                        "Weld bodies by fixed joints of an articulation.", "W_COLLAPSE_LOOP_WELD"};
inline constexpr Code kCollapseKeptMassless{"MODEL_COLLAPSE_KEPT_MASSLESS", Severity::warning,
                                            "A fixed joint that is kept carries a body without mass.",
                                            "Give the body a mass, or let the joint collapse.", "W_COLLAPSE_KEPT_MASSLESS"};

}  // namespace mechane::model

#pragma once
#include <cstdint>
#include <vector>

#include "mechane/physics/conventions.h"
#include "mechane/usd/path.h"

namespace mechane::physics {

/// What an enabled rigid body below another one is.
enum class NestedBodies : std::uint8_t {
    independent,  ///< a body of its own, as OpenUSD's parser reads it
    /// Not a body unless its transform stack is reset (the text of the schema); its colliders join the ancestor.
    schema,
    error,  ///< like independent, and an error
};

/// What `!resetXformStack!` below a rigid body does to a prim that is no body itself.
enum class ResetStack : std::uint8_t {
    body,        ///< nothing: it stays part of the body, as OpenUSD's parser reads it
    static_part  ///< it leaves the body, with all below it, and is part of the world
};

/// What a MassAPI on a prim between a body and its collider does.
enum class MassOnXforms : std::uint8_t {
    inherit,  ///< density holds for everything below, mass replaces the total of the subtree
    ignore,   ///< nothing, with PHY_MASS_IGNORED, as OpenUSD computes it
};

/// What to read and by which rules.
/// Where products differ, defaults are Mechane's own answers.
struct ParseOptions {
    std::vector<usd::Path> roots{};    ///< subtrees to read; empty: the whole stage
    std::vector<usd::Path> exclude{};  ///< subtrees to leave out
    /// How questions are answered on which products differ: `kOpenUsd26` reads exactly as OpenUSD 26.11 does.
    Conventions  conventions    = kMechane;
    NestedBodies nested_bodies  = NestedBodies::independent;
    ResetStack   reset_stack    = ResetStack::body;
    MassOnXforms mass_on_xforms = MassOnXforms::inherit;
    /// Newton's schemas imply their UsdPhysics base (a prim with NewtonCollisionAPI alone is a collider).
    bool newton_schemas_imply_base = true;
    /// Read the names that documents misspell (`RevoluteJoint`, `gravity`) as they are meant.
    bool lenient_names = false;
    /// What is switched on at some time of an animation is read as enabled; `starts_disabled` of the entry says how it
    /// begins. A limit that moves does not lock its axis.
    bool animation = false;
    /// Type names and applied schemas that mean a shape, joint or instancer of another engine.
    std::vector<usd::Token> custom_shapes{}, custom_joints{}, custom_instancers{};
    /// Only objects of these simulation owners; the empty path stands for "no owner". Empty: everything.
    std::vector<usd::Path> owners{};
    /// Threads to read with; 0: all cores. The model and the findings do not depend on it.
    int threads = 0;
};

}  // namespace mechane::physics

#pragma once

namespace mechane::model {

/// What somebody changed in a model between two steps, for those who keep something that was made of it.
struct ModelChanges {
    /// Nothing has to be made anew.
    bool numbers = false;  ///< gains, limits, gravity, coefficients: read anew at every step
    /// Trees, rows and pairs are listed anew.
    bool structure = false;  ///< joints enabled, bodies made kinematic, limits that come or go
    bool inertia   = false;  ///< masses, centres of mass, inertias
    /// Not for their sizes or kinds, which are fixed for the life of a model.
    bool shapes = false;  ///< where colliders are in their bodies
    bool pairs  = false;  ///< which shapes collide

    /// Several of these are set where one change touches several things.
    [[nodiscard]] bool any() const { return numbers || structure || inertia || shapes || pairs; }
    /// What either says.
    ModelChanges& operator|=(const ModelChanges& other)
    {
        numbers   = numbers || other.numbers;
        structure = structure || other.structure;
        inertia   = inertia || other.inertia;
        shapes    = shapes || other.shapes;
        pairs     = pairs || other.pairs;
        return *this;
    }
};

}  // namespace mechane::model

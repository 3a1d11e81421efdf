#pragma once
#include <cstddef>
#include <iterator>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/model/contacts.h"
#include "mechane/state.h"

namespace mechane {

/// One point of contact, in the world frame.
/// Copied out of the view, so that it can be kept. A pair of shapes may have several.
struct Contact {
    /// The order of the two is fixed by their kinds and ids, and the same in every step.
    ShapeId shape0{}, shape1{};
    BodyId  body0{}, body1{};  ///< of the shapes; kWorld for what stands
    Vec3    point{};           ///< midway between the two surfaces [m]
    /// Body 1 is pushed along it, body 0 against it. It is that of the step; points and distance follow the poses.
    Vec3 normal{};  ///< unit, from shape 0 to shape 1; dimensionless
    /// Mean over the step, friction included: its part along the normal is dot(force, normal).
    Vec3 force{};       ///< on body 1 by body 0 [N]; body 0 feels the opposite
    Real distance = 0;  ///< between the surfaces [m], negative in penetration
    /// It carries a force. Collision also lists pairs that are near: within the gaps of their shapes.
    /// Exactly: a row that was a candidate and got no impulse in any substep has the force 0.
    [[nodiscard]] bool touching() const { return force.x != 0 || force.y != 0 || force.z != 0; }
};

/// A view of the contacts of a state, for loops; computes each Contact when it is looked at. Valid until the next step
/// or edit of the simulation, or while the three that it was made of are. They come in the order of shape 0, shape 1
/// and the features that meet, the same in every run.
class Contacts {
    /// What is looked at, for the view and for its iterators.
    struct View {
        const Model*           model;
        const State*           state;
        const model::Contacts* rows;
        bool                   touching;

        [[nodiscard]] Contact     at(std::size_t index) const;
        [[nodiscard]] std::size_t next(std::size_t index) const;  ///< the first that is listed, from there on
        [[nodiscard]] std::size_t end() const { return static_cast<std::size_t>(rows->rigid_contact_count); }
    };

  public:
    /// Looks at rows one after the other. It holds what it needs, so that it may outlive the view, not the simulation.
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type        = Contact;
        using difference_type   = std::ptrdiff_t;
        using pointer           = void;
        using reference         = Contact;

        iterator() = default;
        /// Computes the contact: keep the value where more than one of its numbers is read.
        Contact   operator*() const { return of().at(index_); }
        iterator& operator++()
        {
            index_ = of().next(index_ + 1);
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;
            ++*this;
            return before;
        }
        /// Of one view: it compares places, not views.
        bool operator==(const iterator& other) const { return index_ == other.index_; }

      private:
        friend class Contacts;
        iterator(const View& view, std::size_t index) : view_(view), index_(index) {}
        [[nodiscard]] const View& of() const
        {
            MCH_REQUIRE(view_.rows != nullptr, "Contacts::iterator", "this", "an iterator of contacts");
            return view_;
        }
        View        view_{};
        std::size_t index_ = 0;
    };

    /// From building blocks: the three are referred to, not copied.
    /// @param touching  those that carry a force, and no others
    Contacts(const Model& model, const State& state, const model::Contacts& rows, bool touching = false);
    /// What a view refers to has to outlive it, so temporary objects are refused.
    Contacts(const Model&, const State&&, const model::Contacts&, bool = false) = delete;
    Contacts(const Model&, const State&, const model::Contacts&&, bool = false) = delete;

    /// `for (const Contact& c : sim.touching())` is what they are for.
    [[nodiscard]] iterator begin() const { return {view_, view_.next(0)}; }
    [[nodiscard]] iterator end() const { return {view_, view_.end()}; }
    /// Walks through all rows where those that touch are asked for.
    [[nodiscard]] std::size_t size() const;  ///< counts
    /// Stops at the first one that is listed.
    [[nodiscard]] bool empty() const { return view_.next(0) == view_.end(); }

    /// The rows, under Newton's names: a building block.
    [[nodiscard]] const model::Contacts& arrays() const noexcept { return *view_.rows; }

  private:
    View view_;
};

}  // namespace mechane

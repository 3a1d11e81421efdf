#pragma once
#include <cstddef>
#include <iterator>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/model/contacts.h"
#include "mechane/state.h"

namespace mechane {

/// One point of contact, in the world frame.
struct Contact {
    ShapeId shape0{}, shape1{};
    BodyId  body0{}, body1{};  ///< of the shapes; kWorld for what stands
    Vec3    point{};           ///< midway between the two surfaces [m]
    Vec3    normal{};          ///< unit, from shape 0 to shape 1; dimensionless
    Vec3    force{};           ///< on body 1 by body 0 [N]; body 0 feels the opposite
    Real    distance = 0;      ///< between the surfaces [m], negative in penetration
    /// It carries a force. Collision also lists pairs that are near: within the gaps of their shapes.
    [[nodiscard]] bool touching() const { return force.x != 0 || force.y != 0 || force.z != 0; }
};

/// A view of the contacts of a state, for loops; computes each Contact when it is looked at. Valid until the next step.
class Contacts {
  public:
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type        = Contact;
        using difference_type   = std::ptrdiff_t;
        using pointer           = void;
        using reference         = Contact;

        iterator() = default;
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
        bool operator==(const iterator& other) const { return index_ == other.index_; }

      private:
        friend class Contacts;
        iterator(const Contacts* contacts, std::size_t index) : contacts_(contacts), index_(index) {}
        [[nodiscard]] const Contacts& of() const
        {
            MCH_REQUIRE(contacts_ != nullptr, "Contacts::iterator", "this", "an iterator of contacts");
            return *contacts_;
        }
        const Contacts* contacts_ = nullptr;
        std::size_t     index_    = 0;
    };

    /// @param touching  those that carry a force, and no others
    Contacts(const Model& model, const State& state, const model::Contacts& rows, bool touching = false);
    Contacts(Model&&, const State&, const model::Contacts&, bool = false) = delete;

    [[nodiscard]] iterator    begin() const { return {this, next(0)}; }
    [[nodiscard]] iterator    end() const { return {this, rows()}; }
    [[nodiscard]] std::size_t size() const;  ///< counts
    [[nodiscard]] bool        empty() const { return next(0) == rows(); }

    /// The rows, under Newton's names: a building block.
    [[nodiscard]] const model::Contacts& arrays() const noexcept { return *rows_; }

  private:
    [[nodiscard]] Contact     at(std::size_t index) const;
    [[nodiscard]] std::size_t next(std::size_t index) const;  ///< the first that is listed, from there on
    [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(rows_->rigid_contact_count); }

    const Model*           model_;
    const State*           state_;
    const model::Contacts* rows_;
    bool                   touching_;
};

}  // namespace mechane

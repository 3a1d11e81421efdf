#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "difference/kinematics.h"
#include "difference/matching.h"
#include "difference/shapes.h"
#include "mechane/difference/compare.h"
#include "mechane/geometry/mass.h"
#include "mechane/math/random.h"

/// The comparison of two robots, part by part: what is found goes into one Comparison.
namespace mechane::difference {

namespace sf = sourceformats;

/// What a difference looks like: "+5.5 %", "x57.3: degrees read as radians?"; empty where it looks like nothing known.
std::string note_of(double a, double b);

/// What a file says of a link's mass, if anything. A weightless link carries the mass that a format demanded of it; the
/// values kept aside in `unused` are those that the file meant.
const std::optional<sf::Inertial>& inertial_of(const sf::Link& link);

/// The link that stands for the world in formats which have no word for it.
bool is_world(const sf::Link& link);

/// Mass properties in the axes that X leads to.
geometry::MassProperties placed(const sf::Inertial& inertial, const Posed& X);

/// Compares two robots value by value. Each part lies in a file of its own: masses, frames, joints, shapes, motion.
class Comparer {
  public:
    /// What a difference is told of, and the names under which a loss report may speak of it.
    struct Item {
        std::string              text;
        std::vector<std::string> names;
    };

    Comparer(const sf::RobotTree& a, const sf::RobotTree& b, const CompareOptions& options);

    Comparison run();

  private:
    const CompareOptions& options_;
    Kinematics            a_, b_;
    Matching              match_;
    std::vector<Posed>    pose_a_, pose_b_;
    std::vector<Posed> shift_a_, shift_b_;  ///< by link of A, of roots: from its frame to where its tree is seen from
    double             size_ = 0;
    Comparison         out_;

    // -- what is found

    [[nodiscard]] bool   wanted(Quantity q) const;
    [[nodiscard]] double allowed(Quantity q, double of) const;
    /// Where a link of A is seen from: the root of its tree; of B: the same link there.
    /// Seen from the root, a robot that stands elsewhere in the world or lies in other axes is still the same robot.
    /// Where the world is, is compared once, for the root itself.
    [[nodiscard]] std::pair<Posed, Posed> bases(std::size_t link_of_a, const std::vector<Posed>& a,
                                                const std::vector<Posed>& b) const;
    /// Where the frames of two roots lie otherwise in the same body, both are seen from its centre of mass, along the
    /// axes of the world.
    /// One format may put a root's frame at its joint and another at its centre of mass. The mass decides: if both
    /// inertias agree once they are seen from the centre of mass, the bodies are the same and only the frame moved.
    void find_bases();
    void differ(Quantity q, std::string item, std::string field, std::optional<Side> a, std::optional<Side> b,
                double amount, double tolerance, std::string note, std::string expected);
    void number(Quantity q, const Item& item, const char* field, double a, double b, const char* unit,
                const sf::Place& at_a, const sf::Place& at_b, double tolerance = -1);
    /// Parts that were paired by where they stand: their names differ, which what asks for them by name feels.
    /// @param field  under which a loss report announces that a name changes
    void renamed(Quantity q, const Item& item, const char* field, const std::string& a, const std::string& b,
                 const sf::Place& at_a, const sf::Place& at_b);
    void only(Quantity q, const Item& item, const char* field, bool in_a, std::string value, const sf::Place& place,
              const std::string& announced);

    // -- masses

    [[nodiscard]] bool near(const geometry::MassProperties& x, const geometry::MassProperties& y) const;
    /// Links that are one piece, together.
    /// @param part  the one of them that is compared
    [[nodiscard]] bool near_as_sum(const geometry::MassProperties& x, const geometry::MassProperties& y,
                                   const geometry::MassProperties& part) const;
    void               masses();

    // -- frames

    void pose(Quantity q, const Item& item, const Posed& x, const Posed& y, const sf::Place& at_a,
              const sf::Place& at_b, double tolerance, const std::string& more = {});
    void frames();
    /// Why a link of B has no partner: it lies within a joint that became several.
    [[nodiscard]] std::string chain_link(std::size_t l) const;

    // -- joints

    void stands();
    void joints();
    void axis(const Item& item, const sf::Joint& one, const sf::Joint& two, const sf::Dof& x, const sf::Dof& y,
              std::size_t j);
    void drives(const Item& item, const sf::Dof& x, const sf::Dof& y);
    void mimic(std::size_t j);
    void loops();
    /// The second of two points that hold two links as a hinge of the other robot does; nothing where they do not.
    /// @param ball  the joint that is matched with the hinge
    [[nodiscard]] std::optional<std::size_t> hinge_by_points(std::size_t hinge, bool hinge_in_a,
                                                             std::size_t ball) const;

    // -- shapes

    void shapes(bool collider);
    void extents(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
                 const Extent& y);
    /// Planes without end by what they touch: which way they look, and how far from the root.
    void planes(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
                const Extent& y);
    /// Puts the parts of meshes in the place of meshes that have no like partner.
    template <class Seen>
    bool cut(const sf::RobotTree& tree, Extents& own, const Extents& other, const ShapePairs& pairs, bool first,
             const Seen& seen) const;

    // -- what one simulator alone reads

    /// Whether an item was found to differ in a quantity.
    [[nodiscard]] bool is_told(Quantity q, const std::string& item) const;
    void               engine_value(const std::string& what, const sf::Extra& one, const sf::Extra& two);
    /// @param gains_told  the gains of an actuator are told by a drive
    void engine_values(const std::string& what, const std::vector<sf::Extra>& x, const std::vector<sf::Extra>& y,
                       bool gains_told = false);
    /// An actuator that is the drive of a joint is told by the gains of this drive, if these differ.
    [[nodiscard]] bool gains_are_told(const sf::VendorPrim& actuator) const;
    void               engine_prims();
    void               engine_joints();
    void               engine_shapes();
    void               engine_scene();
    void               sites();
    void               engine();

    // -- motion

    void scene();
    /// A state drawn by chance within the limits, in both robots; what only one has stays at zero.
    /// Both robots get the same motion, so the drawn values are the coordinates of A and follow into those of B. Axes
    /// without a limit are drawn within half a turn or a metre either way; a range wider than 20 is cut to +-10, since
    /// far values add only rounding.
    void draw(Random& random, RobotState& x, RobotState& y) const;
    void kinematics();
};

}  // namespace mechane::difference

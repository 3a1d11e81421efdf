#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/sourceformats/convert.h"

/// Two robots of any formats, compared by what they mean: SI, radians, z up, defaults filled in.
namespace mechane::difference {

/// What is compared, in the order in which differences are told: causes before effects.
enum class Quantity {
    mass,
    center_of_mass,
    inertia,
    frame,    ///< poses of links, sites and cameras with all joints at zero
    joint,    ///< kind, parent and child, axis and pivot at zero
    limit,    ///< of position, speed and force, and what breaks a joint
    gain,     ///< stiffness, damping and targets of drives
    passive,  ///< damping, friction and armature
    mimic,
    loop,        ///< joints that close loops
    collider,    ///< shapes that touch: bounds and volume
    contact,     ///< friction and restitution of colliders
    visual,      ///< bounds and area
    looks,       ///< what is seen and not felt: materials, pictures, surfaces, lights, cameras (looks.h)
    scene,       ///< gravity
    state,       ///< how bodies and joints start: velocities, asleep, held by others (kinematic)
    pair,        ///< which bodies may touch
    soft,        ///< cloth, soft bodies and cables: how many parts, masses, rest shapes, stiffness
    property,    ///< any other value that a stage authors
    kinematics,  ///< poses of links at states drawn by chance
    rollout
};
std::string_view to_string(Quantity quantity);  ///< "mass", "center_of_mass", ...
/// @return nothing for a word that is none
std::optional<Quantity> quantity_of(std::string_view word);

/// How far two values may be apart: absolute + relative * the size that `of` names.
struct Tolerance {
    Quantity         quantity;
    double           absolute, relative;
    std::string_view of;      ///< what the relative part is relative to
    std::string_view reason;  ///< why it is so large
};
std::span<const Tolerance> tolerances();

/// One side of a difference.
struct Side {
    std::string value;  ///< with its unit
    Site        site;
};

struct Difference {
    Quantity            quantity = Quantity::mass;
    std::string         item;                       ///< "link 'arm'", "joint 'elbow'"
    std::string         field;                      ///< "mass", "lower limit"
    std::optional<Side> a, b;                       ///< nothing where only the other side has the item
    double              amount = 0, tolerance = 0;  ///< how far apart, and how far they may be; 0: not a number
    std::string         note;      ///< what the difference looks like: "+5.5 %", "x57.3: degrees read as radians?"
    std::string         expected;  ///< why the loss report of a conversion announces it; empty: it does not
};

/// How many values of a quantity were compared.
struct Count {
    std::size_t compared = 0, different = 0, expected = 0;  ///< expected ones are among the different ones
};

struct Comparison {
    std::vector<Difference> differences;  ///< by quantity, then in the order of the first robot
    std::vector<Count>      counts;       ///< by Quantity
    [[nodiscard]] bool      equal() const { return differences.empty(); }
    /// The first difference that no loss report announces.
    [[nodiscard]] const Difference* first_unexpected() const;
    void                            add(Difference difference);
    void                            count(Quantity quantity, std::size_t n = 1);
    /// A value that is told under another quantity is not told again.
    void drop(Quantity quantity, const std::string& item, std::string_view field);
    void keep(const std::vector<Quantity>& only);  ///< leaves the others out
    void sort();                                   ///< by quantity
};

struct CompareOptions {
    const sourceformats::LossReport* losses = nullptr;  ///< of the conversion of the first into the second
    std::vector<bool>*               needed = nullptr;  ///< by entry of the report, set where it announces a difference
    std::vector<Quantity>            only{};            ///< empty: all
    double                           scale  = 1;        ///< of all tolerances
    int                              states = 100;      ///< drawn by chance
    std::uint64_t                    seed   = 1;
};

/// A robot with what reading it found.
struct Robot {
    std::string               file;
    sourceformats::RobotTree  tree;
    Diagnostics               found;
    sourceformats::LossReport losses{};  ///< of the reading
};

/// Reads a robot of any format that can be opened.
/// @error those of sourceformats::read_robot, usd::Stage::open and exporter::robot_of_stage
Result<Robot> open_robot(const std::string& file, const sourceformats::ReadOptions& read, const usd::OpenOptions& open);

/// Adds values of two files of one format that no robot has a word for, as the reports of the readings name them.
void compare_unread(Comparison& out, const Robot& a, const Robot& b, const CompareOptions& options);

/// Links, joints, shapes and frames are paired by their names; names that a conversion changed by its report. Poses are
/// seen from the root of each tree, so that it does not matter where a floating robot stands, nor where in a link its
/// frame lies. Shapes of a link are paired by name, else by where they are.
Comparison compare(const sourceformats::RobotTree& a, const sourceformats::RobotTree& b,
                   const CompareOptions& options = {});

}  // namespace mechane::difference

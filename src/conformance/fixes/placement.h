#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// Writes placements of prims anew as translate, orient and, on leaves, scale, so that everything stays where it is in
/// the world. What a prim may not keep (a body's scale, the root's rotation) goes to what lies below it.
class Placement {
  public:
    explicit Placement(Repair& repair) : repair_(repair) {}

    /// What a prim hands down of its local matrix M = handed * kept.
    enum class HandDown {
        scale,    ///< keeps rotation and translation; a Gprim takes the scale into its form
        turn,     ///< keeps the translation only; the one Xform below that holds everything hands the turn on
        nothing,  ///< keeps everything, scale too
    };

    /// @param after  multiplied to the prim's local matrix: what its parent handed down, or a turn of the world
    /// @param local  the change is one that every user of the prim's source shares
    /// @return false when it was refused
    bool rewrite(const usd::Prim& prim, const usd::Matrix4d& after, HandDown hand, bool local);
    /// Turns the whole stage: every prim that nothing but the world places. The default prim hands the turn down.
    /// @return false when some prim cannot be turned; then none is
    bool turn_world(const usd::Matrix4d& turn);
    /// From here on a scale that would shear what it is handed to stays where it is, and a stack that no translation,
    /// rotation and scale express gets a turn in front. Other rules still find both; what is repaired does not hang on
    /// them.
    void keep_scales() { keeps_scales_ = true; }

  private:
    Repair& repair_;
    bool    keeps_scales_ = false;  ///< what cannot be handed down stays; a sheared stack stays as it is

    /// The parts of a local matrix at one time.
    struct Parts {
        Vec3d translate, scale{1, 1, 1};
        Quatd orient{0, 0, 0, 1};
    };
    /// What is to be written for one prim.
    struct Plan {
        usd::Prim               prim;
        EditPlace               at;
        std::vector<usd::Token> ops;                 ///< that are there now
        std::vector<double>     times;               ///< of their samples
        std::vector<Parts>      parts;               ///< at the default time, then at `times`
        Vec3d                   scaled_by{1, 1, 1};  ///< the scale that was handed down
        usd::Matrix4d           baked;               ///< goes into the form of a Gprim
        std::optional<Quatd>    before;              ///< the stack stays, with this turn in front of it
    };

    /// Appends the plans of a prim and, where it hands something down, of what lies below. Nothing is written before
    /// all of them are possible.
    bool plan(const usd::Prim& prim, const usd::Matrix4d& after, HandDown hand, bool local, std::vector<Plan>& plans);
    bool plan_below(const usd::Prim& prim, const usd::Matrix4d& handed, bool turned, std::vector<Plan>& plans);
    void write(const Plan& plan);
    void write_before(const Plan& plan);
    /// Whether a prim could hand its scale down to all that is below it.
    bool hands_down(const usd::Prim& prim, const usd::Matrix4d& after);
    void scale_mass(const usd::Prim& prim, const Vec3d& scale);
    /// Whether an instancer can hand a matrix down: to the places of its copies and to what is copied.
    bool hands_to_copies(const usd::Prim& prim, const usd::Matrix4d& handed);
    void scale_copies(const usd::Prim& prim, double scale);
    /// What instancers copy, with the instancers.
    using Prototypes = std::multimap<usd::Path, usd::Path>;
    std::optional<Prototypes> prototypes_;
    const Prototypes&         prototypes();
    /// An instancer elsewhere that copies the prim, operations and all: its copies would be moved as well.
    std::optional<usd::Path> copied_elsewhere(const usd::Prim& prim);
};

/// Whether a prim leaves the stack of what is above it. What an instancer above it copies does not: a copy takes its
/// operations, and stands where the instancer puts it.
bool stands_alone(const usd::Stage& stage, const usd::Prim& prim);
/// Where a prim is in the world; of what an instancer copies, where a copy without a place of its own would be.
usd::Matrix4d place_of(const usd::Stage& stage, const usd::Prim& prim, usd::TimeCode time = {});

/// How a prim of these facts may keep a scale.
Placement::HandDown allowed_scale(const PrimFacts& prim);

/// The joints of a stage and, with path, prim and the targets of their sides, those in what its instancers copy, which
/// the physics model does not have.
std::vector<physics::Joint> joints_of(const Facts& facts);

/// Where a joint's frame on one side is in the world, rigid: as it stands on the prim that the side names, or in the
/// world where it names none. Nothing when the named prim is not there.
std::optional<usd::Matrix4d> joint_frame(const usd::Stage& stage, const physics::Joint& joint, int side);

/// Where the two frames of each joint and the sites of each attachment are in the world.
class JointFrames {
  public:
    explicit JointFrames(const Facts& facts);
    /// Writes the joints' local frames and the attachments' points anew, for what was moved or scaled since.
    /// @param turned  the world turned meanwhile (row vectors)
    void restore(Repair& repair, const usd::Matrix4d& turned) const;

  private:
    struct Side {
        usd::Path     joint, target;
        int           side = 0;
        usd::Matrix4d frame;  ///< in the world, rigid
    };
    /// Points of an attachment in the space of what its relationship src0 or src1 names.
    struct Sites {
        usd::Path          attachment, target;
        std::string        coords;  ///< the attribute
        std::vector<Vec3d> points;  ///< in the world
    };
    std::vector<Side>  sides_;
    std::vector<Sites> sites_;

    void restore_joints(Repair& repair, const usd::Matrix4d& turned) const;
    void restore_attachments(Repair& repair, const usd::Matrix4d& turned) const;
};

}  // namespace mechane::conformance

#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/difference/compare.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/recording.h"

/// Two robots, or two recordings, compared by how they move.
namespace mechane::difference {

/// A run with the names of what moves.
struct Motion {
    struct Body {
        std::string name;
        Vec3d       com;           ///< in the body's frame [m]
        bool        root = false;  ///< no joint holds it but a free one
        int         base = -1;     ///< the root of its tree, -1: the world
        Site        site;
        double      reach = 0;  ///< of its shapes, from the centre of mass [m]
    };
    struct Joint {
        std::string       name;
        int               child = -1;  ///< body
        int               q     = 0;   ///< first coordinate
        std::vector<bool> turns;  ///< by coordinate: an angle; empty for joints whose coordinates are no such numbers
        Site              site;
    };
    std::string        source, solver;
    std::vector<Body>  bodies;
    std::vector<Joint> joints;
    record::Recording  recording;
    bool               diverged = false;  ///< the run did not come to its end
};

/// The names in a scene of what a recording of it moves.
Motion motion_of(const run::Scene& scene, record::Recording recording);
/// A recording whose scene is not there: bodies by their numbers.
Motion motion_of(record::Recording recording);

struct RolloutOptions {
    double                           duration = 2;  ///< [s]
    std::string                      solver   = "softstep";
    int                              threads  = 0;
    std::optional<double>            dt{};           ///< of both; that of the first stage, else 1/60 s
    double                           scale  = 1;     ///< of the tolerance
    bool                             guard  = true;  ///< judge by how sensitive the first one is
    const sourceformats::LossReport* losses = nullptr;
};

/// Where two motions part.
struct Divergence {
    double      t = 0;                     ///< [s]
    std::string joint;                     ///< empty: no joint that both have is off
    double      joint_a = 0, joint_b = 0;  ///< its coordinate [rad or m]
    bool        joint_turns = true;
    std::string body;  ///< that is farthest off at that time
    double      metres = 0, radians = 0;
    double      tolerance = 0;  ///< [m or rad]
    Site        a, b;           ///< of the joint, else of the body
};

struct Rollout {
    double                    duration = 0;  ///< [s] that both have
    std::string               solver;
    std::size_t               bodies = 0, joints = 0;  ///< that both have
    std::optional<Divergence> first;
    std::string               farthest;  ///< the body that is farthest off at the last time that is judged
    double                    metres = 0, radians = 0;
    double                    most = 0;  ///< how far off any body is at any time that is judged [m]
    std::string               most_of;
    double                    judged = 0;  ///< [s] up to which the motions were compared
    double                    size   = 0;  ///< of what moves, at the start [m]
    /// From when on the motion is not judged: a change of gravity by a hundred thousandth moves the first one so far
    /// that no difference would tell anything [s].
    std::optional<double> sensitive;
    std::string           refused;  ///< why there is no run; empty: there is one
    bool                  diverged_a = false, diverged_b = false;
    std::string           expected;  ///< why the loss report announces a difference
    Motion                a, b;      ///< for drawing
};

/// Compares where bodies and joints of the same names are, frame by frame. Bodies by their centres of mass and how far
/// they have turned, seen from where the root of their tree started: how frames lie in bodies, and where a floating
/// robot starts, makes no difference.
/// @param sensitive  the first one with gravity changed by a hundred thousandth, or null
Rollout compare_motions(Motion a, Motion b, const Motion* sensitive, const RolloutOptions& options);

/// Simulates both scenes alike and compares them.
/// @error those of run::simulate
Result<Rollout> compare_rollouts(const run::Scene& a, const run::Scene& b, const RolloutOptions& options,
                                 Diagnostics& found);

/// The model of a stage that is open already.
/// @error those of importer::import_usd and model::ModelBuilder::finalize
Result<run::Scene> scene_of(std::shared_ptr<const usd::Stage> stage, const run::SceneOptions& options,
                            Diagnostics& found);

/// What a loss report says of motion: the reason why a converted robot may move otherwise; empty where it says nothing.
std::string motion_losses(const sourceformats::LossReport& losses);

/// Both runs in one scene, beside each other, for a page.
struct Together {
    model::Model      model;
    record::Recording recording;
};
/// @error those of model::ModelBuilder::finalize and add_builder
Result<Together> side_by_side(const run::Scene& a, const record::Recording& run_a, const run::Scene& b,
                              const record::Recording& run_b);

}  // namespace mechane::difference

#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechane/collision/hydroelastic.h"
#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/simulation/recording.h"
#include "mechane/viewer/server.h"

namespace mechane::viewer {

struct LivePageOptions {
    ServerOptions server{};
    std::string   title{}, solver{};
    double        dt         = 0;      ///< external step [s]; 0: unknown
    bool          can_reset  = true;   ///< the page offers to begin again, and to move joints
    bool          can_record = false;  ///< the page offers to record
    bool          overlaid   = false;  ///< copies of a world are drawn in one place, not side by side
    std::string   findings = "[]";  ///< JSON list of {id, severity, message, prim, place, hint}, shown beside the model
    /// JSON list of {path, linear, angular}: what keys and gamepads drive, with its largest speeds [m/s, rad/s].
    std::string controllers = "[]";
    std::string looks{};  ///< as `HtmlOptions::looks`
};

/// What a page asked for. Numbers are checked: finite, and indices inside of the model.
struct LiveCommand {
    enum class Kind {
        came,    ///< a page has connected
        play,    ///< run on
        pause,   ///< stand still
        step,    ///< `index` steps, then stand still
        reset,   ///< begin again
        speed,   ///< `value` simulated seconds per second
        target,  ///< drive target of dof `index` := `value`, in rad or m, rad/s or m/s for drives of velocity
        joint,   ///< coordinate of dof `index` := `value`, at rest
        pick,    ///< shape `index` was picked
        record,  ///< recording on (`value` not 0) or off
        drive,   ///< controller `index` goes at `value` m/s and turns at `turn` rad/s
        told,    ///< a guest gave a controller a message of its own, which a replay does not have
        left     ///< a page that had driven or pulled is gone
    };
    Kind          kind  = Kind::came;
    std::int32_t  index = 0;
    double        value = 0;
    std::uint64_t page  = 0;
    double        turn  = 0;
};

/// What a page shows beside the state.
struct LiveStatus {
    bool   playing = true, recording = false, diverged = false;
    double realtime = 0;  ///< simulated seconds per second, measured
};

/// A spring between a point of a body and the mouse.
struct Pull {
    std::int32_t body = -1;
    Vec3d        point;   ///< body frame [m]
    Vec3d        target;  ///< world [m]
};

/// The force of a pull: f = k (target - point) - d v at the point, critically damped for the mass m that a free body
/// opposes there, 1/m = 1/mass + |r x|^2 / inertia. k = m (0.5/dt)^2 keeps an explicit step stable; it is bounded by
/// that of a mass of everything that hangs together with the body and 2 Hz, so that large robots can be lifted and
/// small parts are not torn off.
/// @param dt  external step [s]
/// @return wrench about the centre of mass, world axes [N, N m]
Spatial pull_wrench(const model::Model& model, const model::State& state, const Pull& pull, double dt);

/// The page of a model whose state somebody else changes: a simulation (`LiveSession`), or the loop of a program.
class LivePage {
  public:
    /// @error VIEW_PORT
    static Result<std::unique_ptr<LivePage>> open(const model::Model& model, const model::State& state,
                                                  LivePageOptions options);
    ~LivePage();

    [[nodiscard]] std::string url() const;
    [[nodiscard]] int         port() const;
    [[nodiscard]] std::size_t pages() const;

    /// Shows a moment: what `run::make_frame` makes.
    /// @param patches  surfaces of pressure contact, for pages that show them
    void show(const record::Frame& frame, const model::Control& control, const LiveStatus& status,
              std::span<const collision::ContactFace> patches = {});
    /// Whether a page shows surfaces of pressure contact.
    [[nodiscard]] bool shows_patches() const;
    /// What the pages ask for, in order; waits so long for something. What is no command is left out.
    [[nodiscard]] std::vector<LiveCommand> commands(std::chrono::milliseconds wait);
    /// What the mouse pulls at.
    [[nodiscard]] const std::optional<Pull>& pull() const;
    /// A JSON object to a page, or to all.
    void send(const std::string& json, std::uint64_t page = 0);
    /// A sentence that every page shows.
    void say(const std::string& text);

  private:
    struct Impl;
    explicit LivePage(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Where bodies stand that are fixed to others, as their joints say.
struct FixedBody {
    std::int32_t body = -1, parent = -1;
    Posed        X_PB;  ///< body in parent [m]
};
/// Bodies that are fixed to others, parents first; each once, and none in a circle.
std::vector<FixedBody> fixed_bodies(const model::Model& model);

/// The bytes of a frame as a page reads them (`web/src/live.ts` is the other side).
/// @param fixed  bodies that are left out where they stand as their joint says; the page knows the same list
/// @param first, count  dofs whose coordinate, rate and target are in it
std::string live_frame(const model::Model& model, const record::Frame& frame, const model::Control& control,
                       const LiveStatus& status, bool with_contacts, std::int32_t first, std::int32_t count,
                       std::span<const collision::ContactFace> patches = {}, std::span<const FixedBody> fixed = {});

/// The coordinate of a dof whose joint has one for each; -1 for those of ball and free joints.
std::int32_t coordinate_of(const model::Model& model, std::int32_t joint, std::int32_t dof);

}  // namespace mechane::viewer

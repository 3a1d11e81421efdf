#pragma once
#include <functional>
#include <memory>
#include <string>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/simulate.h"
#include "mechane/viewer/live_page.h"

namespace mechane::viewer {

/// Takes part in a live simulation beside its pages. All functions are called by `LiveSession::run`, between steps.
class LiveGuest {
  public:
    LiveGuest()                            = default;
    LiveGuest(const LiveGuest&)            = delete;
    LiveGuest& operator=(const LiveGuest&) = delete;
    virtual ~LiveGuest()                   = default;
    /// What it asks for since the last time.
    virtual std::vector<LiveCommand> commands() = 0;
    /// The state after each step, at the start, and after what set it back to its beginning.
    virtual void stepped(const record::Frame& frame, const LiveStatus& status) = 0;
    /// The simulation runs although no page looks on.
    [[nodiscard]] virtual bool present() const = 0;
};

struct LiveSessionOptions {
    run::SimulateOptions run{};  ///< solver, step, settings, table of commands, `follow`; `frames` is not read
    LivePageOptions      page{};
    bool                 paused = false;
    double               speed  = 1;  ///< simulated seconds per second
    std::string          record{};    ///< file for a recording from the start on; further ones get a number
    std::string          source{}, scene{}, program{};  ///< for the header of a recording
    /// A JSON object about the entities of a shape that was picked: called between two steps.
    std::function<std::string(std::int32_t shape)> facts{};
    std::function<void(const std::string&)>        say{};   ///< for who started it: what pages are told of files
    std::function<bool()>                          stop{};  ///< asked often; true ends `run`
    /// Controller, forward speed [m/s], turn to the left [rad/s]: called between two steps.
    std::function<void(std::int32_t controller, double linear, double angular)> drive{};
    std::vector<std::shared_ptr<LiveGuest>>                                     guests{};
};

/// A simulation that pages look at and change: the loop of `run::simulate` in the time of the clock.
class LiveSession {
  public:
    /// Opens the page and makes the state of the start. The model outlives the session.
    /// @error VIEW_PORT, RUN_ARGUMENT, RUN_SET_UNKNOWN, RUN_CONTROL_FILE, RECORD_WRITE_FAILED, and those of make_solver
    static Result<std::unique_ptr<LiveSession>> start(const model::Model& model, LiveSessionOptions options,
                                                      Diagnostics& found);
    ~LiveSession();

    [[nodiscard]] std::string url() const;
    [[nodiscard]] int         port() const;
    /// Steps while a page looks on, until `stop` says so.
    /// @error RECORD_WRITE_FAILED
    Result<void>               run();
    [[nodiscard]] std::int64_t steps() const;  ///< that were computed, over all beginnings

  private:
    struct Impl;
    explicit LiveSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::viewer

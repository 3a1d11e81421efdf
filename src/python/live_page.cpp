// The live page for a loop of Python's own: opens it, shows states, and tells what its pages ask for.
// A page holds on to its model. Calls that may wait or send release the interpreter's lock.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "mechane/simulation/frame.h"
#include "mechane/viewer/live_page.h"
#include "python/errors.h"
#include "python/indices.h"
#include "python/live_page.h"

namespace mechane::python {
namespace {

using viewer::LiveCommand;
using Kind = LiveCommand::Kind;

const char* name_of(Kind kind)
{
    switch (kind) {
        case Kind::play:
            return "play";
        case Kind::pause:
            return "pause";
        case Kind::step:
            return "step";
        case Kind::speed:
            return "speed";
        case Kind::target:
            return "target";
        case Kind::pick:
            return "pick";
        case Kind::came:
        case Kind::reset:
        case Kind::joint:
        case Kind::record:
        case Kind::drive:
        case Kind::told:
        case Kind::left:
            break;
    }
    return nullptr;
}

/// A page and the model whose states it shows.
class LoopPage {
  public:
    LoopPage(std::shared_ptr<model::Model> model, const std::string& title, int port, double dt)
        : model_(std::move(model)), defaults_(model::make_control(*model_))
    {
        check_indices(*model_);
        viewer::LivePageOptions options;
        options.title         = title;
        options.server.port   = port;
        options.server.framed = true;
        options.dt            = dt;
        options.can_reset     = false;  // the loop is the program's
        page_                 = unwrap(viewer::LivePage::open(*model_, model::make_state(*model_), std::move(options)));
    }

    void show(const model::State& state, const model::Contacts* contacts, const model::Control* control, bool playing,
              double realtime)
    {
        if (page_->pages() == 0) return;
        if (state.body_q.size() != model_->body_count() || state.joint_q.size() != model_->joint_coord_count())
            throw nb::value_error("state: of another model");
        static const model::Contacts none;
        const record::Frame          frame = run::make_frame(*model_, state, contacts != nullptr ? *contacts : none);
        const nb::gil_scoped_release released;
        page_->show(frame, control != nullptr ? *control : defaults_, {.playing = playing, .realtime = realtime});
    }

    /// What pages ask of a loop: (word, dof or shape, value).
    nb::list commands(double wait)
    {
        std::vector<LiveCommand> given;
        {
            const nb::gil_scoped_release released;
            given = page_->commands(std::chrono::milliseconds(static_cast<int>(1e3 * wait)));
        }
        nb::list out;
        for (const LiveCommand& c : given)
            if (const char* name = name_of(c.kind)) out.append(nb::make_tuple(name, c.index, c.value));
        return out;
    }

    /// The body that is pulled and the wrench on it, about its centre of mass.
    std::optional<std::pair<std::int32_t, std::vector<double>>> pull(const model::State& state, double dt) const
    {
        const auto& pull = page_->pull();
        if (!pull || state.body_q.size() != model_->body_count()) return std::nullopt;
        const Spatial       w = viewer::pull_wrench(*model_, state, *pull, dt);
        std::vector<double> out;
        for (const Real part : {w.linear.x, w.linear.y, w.linear.z, w.angular.x, w.angular.y, w.angular.z})
            out.push_back(static_cast<double>(part));
        return std::pair{pull->body, std::move(out)};
    }

    /// Where the target of a dof stands: whether it is a rate, and the row; -1 where it has none.
    std::pair<bool, std::int32_t> target_place(std::int32_t dof) const
    {
        const auto d = static_cast<std::size_t>(dof);
        if (dof < 0 || d >= model_->joint_dof_count()) throw nb::index_error("there is no such dof");
        if (model_->joint_target_mode[d] == model::TargetMode::velocity) return {true, dof};
        const auto after = std::upper_bound(model_->joint_qd_start.begin(), model_->joint_qd_start.end(), dof);
        return {false, viewer::coordinate_of(
                           *model_, static_cast<std::int32_t>(after - model_->joint_qd_start.begin()) - 1, dof)};
    }

    [[nodiscard]] std::string url() const { return page_->url(); }
    [[nodiscard]] int         port() const { return page_->port(); }
    [[nodiscard]] std::size_t pages() const { return page_->pages(); }

  private:
    std::shared_ptr<model::Model>     model_;
    model::Control                    defaults_;
    std::unique_ptr<viewer::LivePage> page_;
};

}  // namespace

void bind_live_page(nb::module_& m)
{
    nb::class_<LoopPage>(m, "LivePage")
        .def(nb::init<std::shared_ptr<model::Model>, const std::string&, int, double>(), nb::arg("model"),
             nb::arg("title"), nb::arg("port"), nb::arg("dt"))
        .def("show", &LoopPage::show, nb::arg("state"), nb::arg("contacts").none(), nb::arg("control").none(),
             nb::arg("playing"), nb::arg("realtime"))
        .def("commands", &LoopPage::commands, nb::arg("wait"))
        .def("target_place", &LoopPage::target_place, nb::arg("dof"))
        .def("pull", &LoopPage::pull, nb::arg("state"), nb::arg("dt"))
        .def_prop_ro("url", &LoopPage::url)
        .def_prop_ro("port", &LoopPage::port)
        .def_prop_ro("pages", &LoopPage::pages);
}

}  // namespace mechane::python

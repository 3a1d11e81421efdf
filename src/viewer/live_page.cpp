// The page of a live simulation: opens it, sends frames and reads what its user does.
// Messages are JSON objects with a field "do". They come from a browser and are checked field by field: numbers finite
// and in range, indices within the model. What is wrong is ignored.
// What concerns only the page (contacts, focus, pulling) ends here; the rest becomes a LiveCommand.
// Points are metres in the world as drawn. Worlds that are drawn apart are moved back before a pull reaches the
// simulation.
// Called by LiveSession.

#include "mechane/viewer/live_page.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "mechane/viewer/html.h"
#include "viewer/spread.h"

namespace mechane::viewer {
namespace {

using nlohmann::json;
using Kind = LiveCommand::Kind;

constexpr std::int32_t kMostDofs  = 256;  ///< that a frame carries
constexpr double       kMostSpeed = 100;

/// A finite number of a message; nothing where it is none.
std::optional<double> number(const json& message, const char* name)
{
    const auto found = message.find(name);
    if (found == message.end() || !found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    return std::isfinite(value) && std::abs(value) < 1e9 ? std::optional(value) : std::nullopt;
}
std::optional<std::int32_t> index(const json& message, const char* name, std::size_t end)
{
    const auto value = number(message, name);
    if (!value || *value < 0 || *value >= static_cast<double>(end) || *value != std::floor(*value)) return std::nullopt;
    return static_cast<std::int32_t>(*value);
}
std::optional<Vec3d> point(const json& message, const char* name)
{
    const auto found = message.find(name);
    if (found == message.end() || !found->is_array() || found->size() != 3) return std::nullopt;
    Vec3d out;
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(*found)[k].is_number()) return std::nullopt;
        out[k] = (*found)[k].get<double>();
    }
    return is_finite(out) && length(out) < 1e9 ? std::optional(out) : std::nullopt;
}

record::Recording still(const model::Model& model, const model::State& state, const std::string& solver)
{
    record::Recording out;
    out.solver = solver;
    record::Frame frame;
    frame.t      = state.time;
    frame.body_q = state.body_q.size() == model.body_count() ? state.body_q : model.body_q;
    out.frames.push_back(std::move(frame));
    return out;
}

/// Bodies, parents and where the one is in the other, for pages that put together what frames leave out.
json fixed_json(const std::vector<FixedBody>& fixed)
{
    json out = json::array();
    for (const FixedBody& one : fixed)
        out.push_back({one.body, one.parent, one.X_PB.p.x, one.X_PB.p.y, one.X_PB.p.z, one.X_PB.q.x, one.X_PB.q.y,
                       one.X_PB.q.z, one.X_PB.q.w});
    return out;
}

/// Whether two shapes may press on each other over a patch.
bool any_pressure(const model::Model& model)
{
    return std::any_of(model.shape_flags.begin(), model.shape_flags.end(),
                       [](std::int32_t flags) { return (flags & model::shape_flag::hydroelastic) != 0; });
}

std::string dump(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

struct LivePage::Impl {
    const model::Model&         model;
    LivePageOptions             options;
    std::unique_ptr<PageServer> server{};
    std::set<std::uint64_t>     shows_contacts{}, shows_patches{};  ///< pages that do
    std::int32_t                first = 0, count = 0;               ///< dofs that frames carry
    std::optional<Pull>         pull{};
    std::uint64_t               puller      = 0;  ///< the page whose mouse pulls
    std::size_t                 controllers = 0;
    std::vector<Vec3d>          places{};  ///< of the worlds
    std::vector<FixedBody>      fixed{};

    void focus(std::int32_t tree)
    {
        const auto t     = static_cast<std::size_t>(tree);
        const auto begin = static_cast<std::size_t>(model.articulation_start[t]),
                   end   = static_cast<std::size_t>(model.articulation_end[t]);
        first            = model.joint_qd_start[begin];
        count            = std::min(kMostDofs, model.joint_qd_start[end] - first);
    }

    /// Where the world of a body is drawn.
    [[nodiscard]] Vec3d place(std::int32_t body) const
    { return place_of(places, model.body_world[static_cast<std::size_t>(body)]); }

    void grab(const json& message, std::uint64_t page)
    {
        const auto body   = index(message, "body", model.body_count());
        const auto where  = point(message, "point");
        const auto target = point(message, "target");
        if (body && where && target) {
            pull   = Pull{*body, *where, *target - place(*body)};
            puller = page;
        }
    }

    /// What a message says of the page itself; the rest is for the caller.
    std::optional<LiveCommand> read(const std::string& text, std::uint64_t page)
    {
        const json message = json::parse(text, nullptr, false);
        if (!message.is_object() || !message.contains("do") || !message["do"].is_string()) return std::nullopt;
        const auto& what  = message["do"].get_ref<const std::string&>();
        const auto  value = number(message, "value");
        if (what == "play") return LiveCommand{.kind = Kind::play, .page = page};
        if (what == "pause") return LiveCommand{.kind = Kind::pause, .page = page};
        if (what == "step") return LiveCommand{.kind = Kind::step, .index = 1, .page = page};
        if (what == "reset" && options.can_reset) return LiveCommand{.kind = Kind::reset, .page = page};
        if (what == "speed" && value && *value > 0 && *value <= kMostSpeed)
            return LiveCommand{.kind = Kind::speed, .value = *value, .page = page};
        if (what == "record" && options.can_record && value)
            return LiveCommand{.kind = Kind::record, .value = *value, .page = page};
        if (what == "target" || (what == "joint" && options.can_reset)) {
            const auto dof = index(message, "dof", model.joint_dof_count());
            if (!dof || !value) return std::nullopt;
            return LiveCommand{what == "target" ? Kind::target : Kind::joint, *dof, *value, page};
        }
        if (what == "drive") {
            const auto controller = index(message, "controller", controllers);
            const auto turn       = number(message, "turn");
            if (!controller || !value || !turn) return std::nullopt;
            return LiveCommand{Kind::drive, *controller, *value, page, *turn};
        }
        if (what == "pick") {
            const auto shape = index(message, "shape", model.shape_count());
            return shape ? std::optional(LiveCommand{.kind = Kind::pick, .index = *shape, .page = page}) : std::nullopt;
        }
        if (what == "contacts" && value && *value != 0) shows_contacts.insert(page);
        if (what == "contacts" && value && *value == 0) shows_contacts.erase(page);
        if (what == "patches" && value && *value != 0) shows_patches.insert(page);
        if (what == "patches" && value && *value == 0) shows_patches.erase(page);
        if (what == "focus")
            if (const auto tree = index(message, "articulation", model.articulation_count())) focus(*tree);
        if (what == "grab") grab(message, page);
        if (what == "drag" && pull && puller == page)
            if (const auto target = point(message, "target")) pull->target = *target - place(pull->body);
        // Only the page that pulls may let go; it also lets go when it is closed.
        if (what == "release" && puller == page) pull.reset();
        return std::nullopt;
    }
};

namespace {

/// The articulation whose joints a page shows first: a loose body may be the first of all, and has none that a slider
/// moves. 0 where no articulation has one.
std::int32_t first_that_moves(const model::Model& model)
{
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        if (const auto dof = model.joint_qd_start[j]; model.joint_articulation[j] >= 0 && dof < model.joint_qd_start[j + 1])
            if (coordinate_of(model, static_cast<std::int32_t>(j), dof) >= 0) return model.joint_articulation[j];
    return 0;
}

}  // namespace

LivePage::LivePage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LivePage::~LivePage() = default;

Result<std::unique_ptr<LivePage>> LivePage::open(const model::Model& model, const model::State& state,
                                                 LivePageOptions options)
{
    auto impl = std::make_unique<Impl>(model, std::move(options));
    const std::int32_t tree = first_that_moves(model);
    if (model.articulation_count() > 0)
        impl->focus(tree);
    else
        impl->count = std::min(kMostDofs, static_cast<std::int32_t>(model.joint_dof_count()));
    impl->fixed                = fixed_bodies(model);
    const std::string nonce    = random_word();
    json              findings = json::parse(impl->options.findings, nullptr, false);
    json              drivable = json::parse(impl->options.controllers, nullptr, false);
    if (!drivable.is_array()) drivable = json::array();
    impl->controllers = drivable.size();
    const json        live{{"dt", impl->options.dt},
                           {"focus", tree},
                           {"reset", impl->options.can_reset},
                           {"record", impl->options.can_record},
                           {"controllers", drivable},
                           {"patches", any_pressure(model)},
                           {"fixed", fixed_json(impl->fixed)},
                           {"findings", findings.is_array() ? findings : json::array()}};
    record::Recording first = still(model, state, impl->options.solver);
    if (!impl->options.overlaid) impl->places = places_of_worlds(model, first.frames[0].body_q);
    // The model is copied only where worlds must be moved: the simulation itself never sees the moved one.
    std::optional<model::Model> apart;
    if (!impl->places.empty())
        move_apart(impl->places, apart.emplace(model)), move_apart(impl->places, model, first.frames[0]);
    std::string page   = to_html(apart ? *apart : model, first,
                                 {.title    = impl->options.title,
                                  .contacts = false,
                                  .nonce    = nonce,
                                  .live     = dump(live),
                                  .looks    = impl->options.looks});
    auto        server = PageServer::start(std::move(page), nonce, impl->options.server);
    if (!server) return server.error();
    impl->server = *std::move(server);
    return std::unique_ptr<LivePage>(new LivePage(std::move(impl)));
}

std::string                LivePage::url() const { return impl_->server->url(); }
int                        LivePage::port() const { return impl_->server->port(); }
std::size_t                LivePage::pages() const { return impl_->server->pages(); }
const std::optional<Pull>& LivePage::pull() const { return impl_->pull; }

bool LivePage::shows_patches() const { return !impl_->shows_patches.empty(); }

void LivePage::show(const record::Frame& frame, const model::Control& control, const LiveStatus& status,
                    std::span<const collision::ContactFace> patches)
{
    if (pages() == 0) return;
    record::Frame                       apart;
    std::vector<collision::ContactFace> faces;
    if (!impl_->places.empty()) {
        move_apart(impl_->places, impl_->model, apart = frame);
        faces.assign(patches.begin(), patches.end());
        move_apart(impl_->places, impl_->model, faces);
        patches = faces;
    }
    impl_->server->publish(live_frame(impl_->model, impl_->places.empty() ? frame : apart, control, status,
                                      !impl_->shows_contacts.empty(), impl_->first, impl_->count, patches,
                                      impl_->fixed));
}

std::vector<LiveCommand> LivePage::commands(std::chrono::milliseconds wait)
{
    std::vector<LiveCommand> out;
    for (const PageMessage& message : impl_->server->take(wait)) {
        if (message.kind == PageMessage::Kind::came)
            out.push_back({.kind = Kind::came, .page = message.page});
        else if (message.kind == PageMessage::Kind::went) {
            if (impl_->puller == message.page) impl_->pull.reset();
            impl_->shows_contacts.erase(message.page);
            impl_->shows_patches.erase(message.page);
            out.push_back({.kind = Kind::left, .page = message.page});
        } else if (message.kind == PageMessage::Kind::said)
            if (const auto command = impl_->read(message.text, message.page)) out.push_back(*command);
    }
    return out;
}

void LivePage::send(const std::string& json, std::uint64_t page) { impl_->server->send(json, page); }
void LivePage::say(const std::string& text) { send(dump({{"say", text}})); }

}  // namespace mechane::viewer

// `mechane tree`: the kinematic tree of the model, or the prims of the stage; as text, JSON or for Graphviz.
// Joints of articulations hold their bodies first; other joints take what is left, and the rest are listed as loops.
// Limits are shown in degrees or millimetres.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace mechane::cli {
namespace {

using model::JointType;
using model::Model;

struct TreeArgs {
    std::string              file;
    std::vector<std::string> mask;
    bool                     prims = false;
    bool                     dot   = false;
    int                      depth = 1 << 20;
};

/// Last element of a label.
std::string leaf(const std::string& label)
{
    const std::size_t slash = label.rfind('/');
    return slash == std::string::npos || slash + 1 == label.size() ? label : label.substr(slash + 1);
}

std::string range_text(const Model& model, std::size_t dof, bool angular)
{
    const double lower = static_cast<double>(model.joint_limit_lower[dof]),
                 upper = static_cast<double>(model.joint_limit_upper[dof]);
    const double unit  = angular ? 1 / kDegrees : 1e3;
    const char*  sign  = angular ? "°" : " mm";
    const bool   low = lower > -model::kMaxValue, high = upper < model::kMaxValue;
    if (!low && !high) return {};
    // Equal limits on both sides are shown as one number.
    // Within the rounding of a float, relative to the limit.
    if (low && high && std::abs(lower + upper) < 1e-6 * std::abs(upper))
        return fmt::format(" ±{:.1f}{}", upper * unit, sign);
    return fmt::format(" {}..{}{}", low ? fmt::format("{:.1f}", lower * unit) : "-∞",
                       high ? fmt::format("{:.1f}", upper * unit) : "∞", sign);
}

/// "↻ knee -150.0..-10.0°": how a joint moves, its name and its range.
std::string joint_text(const Model& model, std::size_t joint)
{
    const char* symbol = "?";
    switch (model.joint_type[joint]) {
        case JointType::revolute:
            symbol = "↻";
            break;
        case JointType::prismatic:
            symbol = "↔";
            break;
        case JointType::ball:
            symbol = "◎";
            break;
        case JointType::fixed:
            symbol = "⊥";
            break;
        case JointType::free:
            symbol = "free";
            break;
        case JointType::distance:
            symbol = "⋯";
            break;
        case JointType::d6:
            symbol = "D6";
            break;
        case JointType::rod:
            symbol = "rod";
            break;
    }
    std::string text = symbol;
    if (model.joint_type[joint] != JointType::free) text += " " + leaf(model.joint_label[joint]);
    const auto dof = static_cast<std::size_t>(model.joint_qd_start[joint]);
    // Other joints have several axes, whose ranges would not fit on the line.
    if (model.joint_type[joint] == JointType::revolute || model.joint_type[joint] == JointType::prismatic)
        text += range_text(model, dof, model.joint_type[joint] == JointType::revolute);
    return text;
}

/// Kinematic tree: bodies below the joint that holds them.
struct Kinematics {
    const Model&                          model;
    std::vector<std::vector<std::size_t>> below;  ///< inbound tree joints by parent body; the last entry is the world
    std::vector<std::size_t>              loops;  ///< joints that close a loop

    explicit Kinematics(const Model& m) : model(m), below(m.body_count() + 1)
    {
        std::vector<bool> held(m.body_count());
        const auto        take = [&](std::size_t joint) {
            const auto child = m.joint_child[joint];
            // A body hangs on one joint in a tree. What holds it a second time, or holds the world, closes a loop.
            if (child < 0 || held[static_cast<std::size_t>(child)]) {
                loops.push_back(joint);
                return;
            }
            held[static_cast<std::size_t>(child)] = true;
            below[m.joint_parent[joint] < 0 ? m.body_count() : static_cast<std::size_t>(m.joint_parent[joint])]
                .push_back(joint);
        };
        // Articulations first: their joints hold in the solvers too.
        for (std::size_t j = 0; j < m.joint_count(); ++j)
            if (m.joint_articulation[j] >= 0) take(j);
        for (std::size_t j = 0; j < m.joint_count(); ++j)
            if (m.joint_articulation[j] < 0) take(j);
    }
};

std::string body_line(const Model& model, std::size_t joint, const std::string& prefix, const std::string& branch)
{
    const auto body = static_cast<std::size_t>(model.joint_child[joint]);
    return fmt::format("{}{}{}  {}   {:.4g} kg\n", prefix, branch, leaf(model.body_label[body]),
                       joint_text(model, joint), static_cast<double>(model.body_mass[body]));
}

/// Depth-first without recursion: a chain may be as long as the stage is deep.
std::string kinematic_text(const Model& model, int max_depth)
{
    const Kinematics tree(model);
    struct Entry {
        std::size_t joint;
        std::string prefix;
        bool        last;
        int         depth;
    };
    std::string        out = "world\n";
    std::vector<Entry> stack;
    const auto         push = [&](std::size_t node, const std::string& prefix, int depth) {
        const auto& joints = tree.below[node];
        // In reverse, as the stack gives back the last first.
        for (std::size_t i = joints.size(); i-- > 0;)
            stack.push_back({joints[i], prefix, i + 1 == joints.size(), depth});
    };
    push(model.body_count(), "", 1);
    while (!stack.empty()) {
        const Entry entry = std::move(stack.back());
        stack.pop_back();
        // Below the depth nothing is shown, nor anything that hangs there.
        if (entry.depth > max_depth) continue;
        out += body_line(model, entry.joint, entry.prefix, entry.last ? "└─ " : "├─ ");
        push(static_cast<std::size_t>(model.joint_child[entry.joint]), entry.prefix + (entry.last ? "   " : "│  "),
             entry.depth + 1);
    }
    // Loops are listed behind the tree, once each.
    for (const std::size_t joint : tree.loops)
        out += fmt::format(
            "loop {}  {} – {}\n", joint_text(model, joint),
            model.joint_parent[joint] < 0 ? "world"
                                          : leaf(model.body_label[static_cast<std::size_t>(model.joint_parent[joint])]),
            model.joint_child[joint] < 0 ? "world"
                                         : leaf(model.body_label[static_cast<std::size_t>(model.joint_child[joint])]));
    return out;
}

// Dashed edges are of joints in no articulation.
std::string kinematic_dot(const Model& model)
{
    std::string out  = "digraph robot {\n  node [shape=box];\n  world [shape=plaintext];\n";
    const auto  name = [&](std::int32_t body) {
        return body < 0 ? std::string("world")
                        : fmt::format("\"{}\"", model.body_label[static_cast<std::size_t>(body)]);
    };
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        out += fmt::format("  {} -> {} [label=\"{}\"{}];\n", name(model.joint_parent[j]), name(model.joint_child[j]),
                           joint_text(model, j), model.joint_articulation[j] < 0 ? ", style=dashed" : "");
    return out + "}\n";
}

nlohmann::json kinematic_json(const Model& model)
{
    auto joints = nlohmann::json::array();
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        joints.push_back(
            {{"joint", model.joint_label[j]},
             {"type", model::to_string(model.joint_type[j])},
             {"parent", model.joint_parent[j] < 0
                            ? nlohmann::json()
                            : nlohmann::json(model.body_label[static_cast<std::size_t>(model.joint_parent[j])])},
             {"child", model.joint_child[j] < 0
                           ? nlohmann::json()
                           : nlohmann::json(model.body_label[static_cast<std::size_t>(model.joint_child[j])])},
             {"in_tree", model.joint_articulation[j] >= 0}});
    return {{"schema", "mechane.tree/1"}, {"joints", joints}};
}

// Prims that are inactive or not loaded are shown too, with a word behind them.
std::string prim_text(const usd::Stage& stage, int max_depth, nlohmann::json* list)
{
    std::string out;
    for (const usd::Prim& prim : stage.traverse({.all = true, .instance_proxies = false})) {
        int depth = 0;
        for (usd::Prim p = prim.parent(); p && !p.path().is_root(); p = p.parent()) ++depth;
        if (depth + 1 > max_depth) continue;
        const char* word = prim.specifier() == usd::Specifier::def    ? "def"
                           : prim.specifier() == usd::Specifier::over ? "over"
                                                                      : "class";
        std::string notes;
        if (!prim.active()) notes += " inactive";
        if (prim.active() && !prim.loaded()) notes += " unloaded";
        if (prim.is_instance()) notes += " instance";
        std::vector<std::string> apis;
        for (const usd::Token& api : prim.applied_apis()) apis.push_back(api.text());
        if (list != nullptr)
            list->push_back(
                {{"prim", prim.path().text()}, {"specifier", word}, {"type", prim.type_name().text()}, {"apis", apis}});
        out += fmt::format("{:{}}{} [{}{}{}]{}{}\n", "", 2 * depth, prim.name().text(), word,
                           prim.type_name().empty() ? "" : " ", prim.type_name().text(),
                           apis.empty() ? "" : fmt::format(" {}", fmt::join(apis, " ")), notes);
    }
    return out;
}

int run_tree(const TreeArgs& args, Context& context)
{
    auto       options = scene_options(context);
    const auto mask    = prim_paths(args.mask, "--mask", context.io);
    if (!options || !mask) return kExitUsage;
    options->open.mask = *mask;
    // A tree helps to find what is missing, so missing parts do not end it.
    options->incomplete = true;
    // A mask with a prim that is not there would show an empty tree without a word.
    if (!are_prims(args.file, *mask, "--mask", options->open, context)) return kExitUsage;
    Diagnostics found;
    if (args.prims) {
        const auto stage = open_stage(args.file, options->open, context);
        if (!stage) return context.io.fail(stage.error());
        auto              list = nlohmann::json::array();
        const std::string text = prim_text(**stage, args.depth, context.global.json ? &list : nullptr);
        context.io.out(context.global.json
                           ? nlohmann::json{{"schema", "mechane.tree.prims/1"}, {"prims", list}}.dump(1) + "\n"
                           : text);
        return exit_after((*stage)->diagnostics(), context);
    }
    const auto scene = run::load_scene(args.file, *options, found);
    context.io.report(found);
    if (!scene) return context.io.fail(scene.error());
    if (context.global.json)
        context.io.out(kinematic_json(scene->model).dump(1) + "\n");
    else
        context.io.out(args.dot ? kinematic_dot(scene->model) : kinematic_text(scene->model, args.depth));
    return exit_after(found, context);
}

}  // namespace

void add_tree(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<TreeArgs>();
    CLI::App* verb = app.add_subcommand("tree", "Print the kinematic tree, or the prims");
    verb->add_option("file", args->file, "Stage")->required();
    verb->add_flag("--prims", args->prims, "Print prims with their types and schemas instead of bodies and joints");
    verb->add_option("--depth", args->depth, "Maximum depth to print")->check(CLI::PositiveNumber);
    verb->add_option("--mask", args->mask, "Only these prims, with all above and below them; separated by commas")
        ->delimiter(',');
    verb->add_flag("--dot", args->dot, "Graphviz");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_tree(*args, context); });
}

}  // namespace mechane::cli

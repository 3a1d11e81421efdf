#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "mechane/solvers/mujoco.h"
#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"
#include "mechane/solvers/support.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"
#include "mechane/usd/threads.h"

namespace mechane::cli {
namespace {

struct Check {
    std::string name, value;
    bool        good;
    std::string remedy;
};

std::string simd()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
    return "SSE2";
#else
    return "baseline";
#endif
}

/// Opens a stage in memory: proves that OpenUSD's libraries and plug-in files are found where this program lies.
Check openusd()
{
    const auto stage = usd::Stage::open_text("#usda 1.0\n(\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"s\"\n{\n}\n");
    if (!stage)
        return {"OpenUSD", "cannot open a stage: " + stage.error().message, false,
                "Keep the folder 'openusd' beside the program, or build again."};
    if (!(*stage)->prim_at(usd::Path("/s")).is_a("PhysicsScene"))
        return {"OpenUSD", "schema definitions are missing", false, "Build again: the definitions are compiled in."};
    return {"OpenUSD", "26.8", true, {}};
}

std::vector<Check> checks()
{
    std::vector<Check> all;
    all.push_back(
        {"version", fmt::format("{} ({})", MECHANE_VERSION, sizeof(Real) == 4 ? "float" : "double"), true, {}});
    all.push_back({"processor", fmt::format("{}, {} threads", simd(), tasks::available_threads()), true, {}});
    all.push_back(openusd());
    const usd::ThreadLimit limit = usd::thread_limit();
    all.push_back({"OpenUSD threads",
                   fmt::format("{} ({})", limit.threads,
                               limit.from_environment ? "PXR_WORK_THREAD_LIMIT"
                               : limit.from_program   ? "--threads"
                                                      : "as many as the processor has"),
                   true,
                   {}});
    all.push_back({"solvers", fmt::format("{}", fmt::join(solvers::solver_names(), " ")), true, {}});
    const auto mujoco = solvers::mujoco_library();
    all.push_back({"solver mujoco",
                   mujoco.problem.empty() ? fmt::format("{} in {}", mujoco.version, mujoco.path)
                                          : fmt::format("not available: {}", mujoco.problem),
                   true,
                   {}});
    std::error_code ignored;
    const auto      temporary = std::filesystem::temp_directory_path(ignored);
    all.push_back({"temporary folder", temporary.string(), access(temporary.c_str(), W_OK) == 0,
                   "Set TMPDIR to a folder that can be written."});
    return all;
}

/// How each solver supports each feature that a model may have.
void print_solvers(const Context& context)
{
    auto list = nlohmann::json::array();
    for (const std::string_view solver : solvers::solver_names())
        for (const solvers::SupportRow& row : solvers::support_of(solver)) {
            if (context.global.json)
                list.push_back({{"solver", solver},
                                {"feature", row.feature->id},
                                {"what", row.feature->what},
                                {"support", solvers::to_string(row.support)},
                                {"consequence", row.consequence}});
            else
                context.io.out(fmt::format("{:13} {:26} {:13} {}\n", solver, row.feature->id,
                                           solvers::to_string(row.support),
                                           row.consequence.empty() ? row.feature->what : row.consequence));
        }
    auto parameters = nlohmann::json::array();
    for (const std::string_view solver : solvers::solver_names())
        for (const solvers::Parameter& p : solvers::parameters_of(solver)) {
            if (context.global.json)
                parameters.push_back({{"solver", solver},
                                      {"parameter", p.name},
                                      {"type", solvers::to_string(p.kind)},
                                      {"unit", p.unit},
                                      {"default", p.value},
                                      {"least", p.least},
                                      {"most", p.most},
                                      {"meaning", p.meaning}});
            else
                context.io.out(fmt::format("{:13} {:37} {:9g} {:16} {}{}\n", solver, p.name, p.value, p.unit, p.meaning,
                                           p.words.empty() ? "" : fmt::format(": {}", p.words)));
        }
    if (context.global.json)
        context.io.out(
            nlohmann::json{{"schema", "mechane.solvers/1"}, {"features", list}, {"parameters", parameters}}.dump(1) +
            "\n");
}

}  // namespace

void add_doctor(CLI::App& app, Context& context)
{
    const auto solver_table = std::make_shared<bool>(false);
    CLI::App*  verb         = app.add_subcommand("doctor", "Show what this build can do on this machine");
    verb->add_flag("--solvers", *solver_table, "Show which features each solver supports");
    add_global_options(*verb, context);
    verb->callback([&context, solver_table] {
        if (*solver_table) {
            print_solvers(context);
            return;
        }
        if (context.global.threads > 0) usd::limit_threads(context.global.threads);
        const auto all  = checks();
        auto       list = nlohmann::json::array();
        for (const Check& check : all) {
            if (!check.good) context.exit = kExitFindings;
            list.push_back(
                {{"name", check.name}, {"value", check.value}, {"ok", check.good}, {"remedy", check.remedy}});
            if (context.global.json) continue;
            context.io.out(fmt::format("{:18} {}\n", check.name, check.value));
            if (!check.good) context.io.out(fmt::format("{:18} help: {}\n", "", check.remedy));
        }
        if (context.global.json)
            context.io.out(nlohmann::json{{"schema", "mechane.doctor/1"}, {"checks", list}}.dump(1) + "\n");
    });
}

}  // namespace mechane::cli

// `mechane doctor`: what this build can do on this machine, and what is missing.
// Each check has a remedy. What the program works without (ffmpeg, Python packages) is told but is no finding.
// Exit status: findings where something is missing that the program needs.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/child.h"
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
    bool        needed = true;  ///< the program works without it: its absence is no finding
};

// What the processor can do, not what the build uses.
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
    // The definitions of the schemas are compiled in; without them a PhysicsScene would be a prim of unknown type.
    if (!(*stage)->prim_at(usd::Path("/s")).is_a("PhysicsScene"))
        return {"OpenUSD", "schema definitions are missing", false, "Build again: the definitions are compiled in."};
    return {"OpenUSD", "26.8", true, {}};
}

/// The plug-in that resolves package:// in other programs: beside us in a build tree or a wheel, below lib in a prefix.
Check openusd_plugin()
{
    namespace fs = std::filesystem;
    std::error_code failed;
    // Where this program lies, whatever the current folder is.
    const fs::path        folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    std::vector<fs::path> places{folder / "openusd-plugin", folder / "../openusd-plugin",
                                 folder / "../lib/mechane/openusd-plugin"};
    for (fs::directory_iterator at(folder / "../lib", failed), end; !failed && at != end; at.increment(failed))
        places.push_back(at->path() / "mechane/openusd-plugin");  // lib/x86_64-linux-gnu of Debian
    for (const fs::path& place : places)
        if (fs::exists(place / "plugInfo.json", failed))
            return {
                "plug-in for package://", "PXR_PLUGINPATH_NAME=" + place.lexically_normal().string(), true, {}, false};
    return {"plug-in for package://", "not there: package:// in usdview and other programs with OpenUSD", false,
            "Install mechane whole, or build the target mechane_package_plugin.", false};
}

/// A program that some outputs and commands use where it is there.
/// Any of the names will do.
Check optional_program(const char* what, std::span<const char* const> names, const char* use, const char* remedy)
{
    for (const char* name : names)
        if (const auto file = on_path(name)) return {what, *file, true, {}, false};
    return {what, fmt::format("not there: {}", use), false, remedy, false};
}

/// Packages of Python that work together with ours, by one start of the interpreter.
/// One start for all packages, as an interpreter takes longer to start than all its answers.
void add_packages(std::vector<Check>& all)
{
    struct Package {
        const char *module, *distribution, *use;
    };
    constexpr Package kPackages[] = {
        {"mechane", "mechane", "the same library in Python"},
        {"numpy", "numpy", "arrays of the Python module"},
        {"gymnasium", "gymnasium", "mechane.gym: environments for learning"},
        {"torch", "torch", "policies, and arrays as its tensors"},
        {"jax", "jax", "arrays as JAX's"},
        {"mujoco", "mujoco", "comparisons with MuJoCo"},
        {"ray", "ray", "mechane.distributed: many processes and machines"},
        {"mcap", "mcap", "reading our .mcap in Python"},
        {"rerun", "rerun-sdk", "outputs .rrd"},
        {"cyclonedds", "cyclonedds", "topics of ROS 2 over DDS: ros bridge --dds"},
    };
    const auto python = python_program();
    if (!python) {
        all.push_back({"Python", "not there: the module and its packages", false, "Install python3.", false});
        return;
    }
    std::string code =
        "import sys, importlib.util as u, importlib.metadata as m\n"
        "def v(d):\n"
        "    try: return m.version(d)\n"
        "    except Exception: return 'there, by a path of modules'\n"
        "print('.'.join(map(str, sys.version_info[:3])))\n";
    for (const Package& package : kPackages)
        // A line for each package, empty where it is not installed. Nothing is imported, since torch and jax take
        // seconds for that.
        code += fmt::format("print(v('{1}') if u.find_spec('{0}') else '')\n", package.module, package.distribution);
    auto child = Child::start({*python, "-c", code});
    // An interpreter that does not answer within 20 s counts as one that does not run.
    if (!child || child->wait(std::chrono::seconds(20)) != 0) {
        all.push_back(
            {"Python", *python + " does not run", false, "Set MECHANE_PYTHON to an interpreter that does.", false});
        return;
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < child->output().size();) {
        const std::size_t end = std::min(child->output().find('\n', at), child->output().size());
        lines.push_back(child->output().substr(at, end - at));
        at = end + 1;
    }
    // Lines that did not come count as not installed.
    lines.resize(1 + std::size(kPackages));
    all.push_back({"Python", fmt::format("{} ({})", lines[0], *python), true, {}, false});
    for (std::size_t i = 0; i < std::size(kPackages); ++i) {
        const Package& package = kPackages[i];
        const bool     there   = !lines[i + 1].empty();
        all.push_back({fmt::format("Python: {}", package.module),
                       there ? lines[i + 1] : fmt::format("not there: {}", package.use), there,
                       fmt::format("{} -m pip install {}", *python, package.distribution), false});
    }
}

void add_optional(std::vector<Check>& all)
{
    constexpr const char* kFfmpeg[]  = {"ffmpeg"};
    constexpr const char* kBrowser[] = {"xdg-open", "sensible-browser", "chromium", "google-chrome", "firefox"};
    all.push_back(optional_program("ffmpeg", kFfmpeg, "outputs .gif and .mp4", "Install ffmpeg; .apng needs none."));
    all.push_back(optional_program("browser", kBrowser, "opening pages by itself (--open, view)",
                                   "Install a browser, or open the address that is printed in one elsewhere."));
    add_packages(all);
}

std::vector<Check> checks()
{
    std::vector<Check> all;
    all.push_back(
        {"version", fmt::format("{} ({})", MECHANE_VERSION, sizeof(Real) == 4 ? "float" : "double"), true, {}});
    all.push_back({"processor", fmt::format("{}, {} threads", simd(), tasks::available_threads()), true, {}});
    all.push_back(openusd());
    all.push_back(openusd_plugin());
    const usd::ThreadLimit limit = usd::thread_limit();
    all.push_back({"OpenUSD threads",
                   fmt::format("{} ({})", limit.threads,
                               limit.from_environment ? "PXR_WORK_THREAD_LIMIT"
                               : limit.from_program   ? "--threads"
                                                      : "as many as the processor has"),
                   true,
                   {}});
    // All that are registered, also those of programs that link the library.
    all.push_back({"solvers", fmt::format("{}", fmt::join(solvers::solver_names(), " ")), true, {}});
    const auto mujoco = solvers::mujoco_library();
    all.push_back({"solver mujoco",
                   mujoco.problem.empty() ? fmt::format("{} in {}", mujoco.version, mujoco.path)
                                          : fmt::format("not available: {}", mujoco.problem),
                   mujoco.problem.empty(),
                   "Install it (python3 -m pip install mujoco), or name its library in MECHANE_MUJOCO.",
                   false});
    std::error_code ignored;
    const auto      temporary = std::filesystem::temp_directory_path(ignored);
    all.push_back({"temporary folder", temporary.string(), access(temporary.c_str(), W_OK) == 0,
                   "Set TMPDIR to a folder that can be written."});
    add_optional(all);
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
    CLI::App*  verb = app.add_subcommand("doctor", "Show what this build can do on this machine, and what is missing");
    verb->add_flag("--solvers", *solver_table, "Show which features each solver supports");
    add_global_options(*verb, context);
    verb->callback([&context, solver_table] {
        if (*solver_table) {
            print_solvers(context);
            return;
        }
        // Before OpenUSD starts its threads, for the number that is shown.
        if (context.global.threads > 0) usd::limit_threads(context.global.threads);
        const auto all  = checks();
        auto       list = nlohmann::json::array();
        for (const Check& check : all) {
            if (!check.good && check.needed) context.exit = kExitFindings;
            list.push_back({{"name", check.name},
                            {"value", check.value},
                            {"ok", check.good},
                            {"needed", check.needed},
                            {"remedy", check.good ? "" : check.remedy}});
            if (context.global.json) continue;
            context.io.out(fmt::format("{:19} {}\n", check.name, check.value));
            if (!check.good) context.io.out(fmt::format("{:19} help: {}\n", "", check.remedy));
        }
        if (context.global.json)
            context.io.out(nlohmann::json{{"schema", "mechane.doctor/1"}, {"checks", list}}.dump(1) + "\n");
    });
}

}  // namespace mechane::cli

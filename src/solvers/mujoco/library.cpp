// Finds and loads MuJoCo's shared library at run time. Nothing is linked: a build knows versions by their headers
// (adapter_*.cpp), and the library's mj_version() chooses the adapter.

#include "solvers/mujoco/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/own_folder.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/mujoco.h"

namespace mechane::solvers::mujoco {

namespace v3_17 {
std::unique_ptr<Backend> make(void* handle, std::string& problem);
}
namespace v4_0 {
std::unique_ptr<Backend> make(void* handle, std::string& problem);
}

namespace {

namespace fs = std::filesystem;

struct Adapter {
    int              version = 0;  ///< what mj_version() says
    std::string_view text;
    MakeBackend      make = nullptr;
};
const std::vector<Adapter>& adapters()
{
    static const std::vector<Adapter> all{
#ifdef MECHANE_MUJOCO_3_17
        {3017000, "3.17.0", &v3_17::make},
#endif
#ifdef MECHANE_MUJOCO_4_0
        {4000000, "4.0.0", &v4_0::make},
#endif
    };
    return all;
}

bool is_library(const fs::path& file)
{
    const std::string name = file.filename().string();
    return name.starts_with("libmujoco.so");
}

/// A library that a path means: itself, or the one in a folder, or in its folder "mujoco".
std::string in_place(const fs::path& place)
{
    std::error_code error;
    if (fs::is_regular_file(place, error)) return place.string();
    for (const fs::path& folder : {place, place / "mujoco", place / "lib"}) {
        std::string found;
        for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
            if (is_library(at->path()) && at->path().string() > found) found = at->path().string();
        if (!found.empty()) return found;
    }
    return {};
}

/// One library per process, loaded once and never closed, since solvers hold its functions.
struct Library {
    std::mutex               mutex;
    std::string              chosen;  ///< by set_mujoco_library
    bool                     tried = false;
    MujocoLibrary            found;
    std::unique_ptr<Backend> backend;
};
Library& the()
{
    static Library* const library = new Library;  // lives as long as the threads that step
    return *library;
}

constexpr int kFoldersAbove = 6;

std::string find(const std::string& chosen, std::string& problem)
{
    const char* const environment = std::getenv("MECHANE_MUJOCO");
    for (const auto& [place, from] : {std::pair<std::string, const char*>{chosen, "the option"},
                                      {environment == nullptr ? "" : environment, "MECHANE_MUJOCO"}}) {
        if (place.empty()) continue;
        std::string library = in_place(place);
        if (library.empty()) problem = fmt::format("{} names '{}', where there is no libmujoco.so", from, place);
        return library;
    }
    fs::path folder = own_folder();
    if (std::string library = in_place(folder / "mujoco"); !library.empty()) return library;
    for (int k = 0; k < kFoldersAbove && folder.has_relative_path(); ++k, folder = folder.parent_path())
        if (std::string library = in_place(folder / ".deps" / "mujoco"); !library.empty()) return library;
    problem = "MuJoCo's library was not found";
    return {};
}

/// A failed try is remembered; set_mujoco_library allows another one.
void load(Library& l)
{
    if (std::exchange(l.tried, true)) return;
    l.found = {};
    for (const Adapter& a : adapters()) l.found.built_for.emplace_back(a.text);
    if (adapters().empty()) {
        l.found.problem = "this build has no headers of MuJoCo";
        return;
    }
    l.found.path = find(l.chosen, l.found.problem);
    if (l.found.path.empty()) return;
    void* const handle = dlopen(l.found.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const why = dlerror();
        l.found.problem       = fmt::format("'{}' cannot be loaded: {}", l.found.path, why == nullptr ? "" : why);
        return;
    }
    const auto version = reinterpret_cast<int (*)()>(dlsym(handle, "mj_version"));
    if (version == nullptr) {
        l.found.problem = fmt::format("'{}' is not a library of MuJoCo", l.found.path);
        return;
    }
    const int is = version();
    // From 3.9 on there are three digits for each part.
    l.found.version = is < 10000 ? fmt::format("{}.{}.{}", is / 100, is / 10 % 10, is % 10)
                                 : fmt::format("{}.{}.{}", is / 1000000, is / 1000 % 1000, is % 1000);
    for (const Adapter& a : adapters())
        if (a.version == is) {
            std::string problem;
            l.backend = a.make(handle, problem);
            if (l.backend == nullptr) l.found.problem = fmt::format("'{}': {}", l.found.path, problem);
            return;
        }
    l.found.problem = fmt::format("'{}' is of version {}, this build is for {}", l.found.path, l.found.version,
                                  fmt::join(l.found.built_for, " and "));
}

}  // namespace

Result<const Backend*> library()
{
    Library&              l = the();
    const std::lock_guard lock(l.mutex);
    load(l);
    if (l.backend != nullptr) return static_cast<const Backend*>(l.backend.get());
    return make_diagnostic(kSolverUnavailable, {}, "mujoco: " + l.found.problem,
                           l.found.built_for.empty()
                               ? "Run `make setup` and build again, or take another solver."
                               : "Run `make setup-mujoco`, or name the library in MECHANE_MUJOCO.");
}

}  // namespace mechane::solvers::mujoco

namespace mechane::solvers {

MujocoLibrary mujoco_library()
{
    mujoco::Library&      l = mujoco::the();
    const std::lock_guard lock(l.mutex);
    mujoco::load(l);
    return l.found;
}

void set_mujoco_library(std::string path)
{
    mujoco::Library&      l = mujoco::the();
    const std::lock_guard lock(l.mutex);
    if (l.backend != nullptr) return;
    l.chosen = std::move(path);
    l.tried  = false;
}

}  // namespace mechane::solvers

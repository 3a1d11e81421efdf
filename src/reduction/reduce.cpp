// Makes a stage smaller while a command still finds the fault in it: delta debugging.
// Inputs: a file, and a question that answers true if the fault shows in the file it is given. Output: the smallest
// pile found, how many times was asked, and the names that could not be hidden.
// The search is ddmin by complements (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// IEEE TSE 28(2), 2002): try to remove everything, then halves, quarters and so on of what is left. It takes coarse
// units first (layers, prims from the top down) and goes round until a round removes nothing.
// Invariants: `best` always shows the fault. The original is never given to the command, only copies are.
// Called by `mechane reduce`.

#include "mechane/reduction/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <thread>
#include <unordered_map>

#include "mechane/core/hash.h"
#include "mechane/files/read.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/trace.h"
#include "mechane/reduction/codes.h"
#include "mechane/usd/foreign.h"
#include "reduction/pile.h"

namespace mechane::reduction {
namespace {

namespace fs = std::filesystem;

/// Asks whether the fault shows. What is told does not depend on how many questions are asked at once: the first
/// candidate of a row that shows it wins, and only what stands before it is counted.
class Judge {
  public:
    Judge(const ReduceOptions& options, fs::path folder)
        : limit(runs_for_size(options)), options_(options), folder_(std::move(folder))
    {
    }

    std::size_t runs    = 0, limit;
    bool        stopped = false, exhausted = false;

    [[nodiscard]] bool over() const { return stopped || exhausted; }

    bool shows(const Pile& pile)
    {
        return first({1, [&](std::size_t) { return pile.copy(); }}) == 0;
    }

    struct Row {
        std::size_t                      size;
        std::function<Pile(std::size_t)> make;
    };
    /// The first candidate of a row that shows the fault; -1: none does, or the limit is reached.
    std::ptrdiff_t first(const Row& row)
    {
        const auto jobs = static_cast<std::size_t>(std::max(1, options_.jobs));
        for (std::size_t begin = 0; begin < row.size && !over();) {
            const std::size_t          n = std::min(jobs, row.size - begin);
            std::vector<Pile>          piles;
            std::vector<std::uint64_t> hashes;
            std::vector<int>           answers(n, -1);
            for (std::size_t i = 0; i < n; ++i) {
                piles.push_back(row.make(begin + i));
                // Different sets of units may leave the same text. A known answer is not asked for again and not
                // counted.
                hashes.push_back(hash_text(piles.back().text()));
                if (const auto known = known_.find(hashes.back()); known != known_.end())
                    answers[i] = known->second ? 1 : 0;
            }
            if (options_.stop && options_.stop()) {
                stopped = true;
                return -1;
            }
            std::vector<bool>        asked(n, false);
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < n; ++i) {
                if (answers[i] >= 0) continue;
                asked[i]       = true;
                const auto ask = [&, i] { answers[i] = answer(piles[i], i) ? 1 : 0; };
                if (n == 1)
                    ask();
                else
                    threads.emplace_back(ask);
            }
            for (std::thread& t : threads) t.join();
            for (std::size_t i = 0; i < n; ++i) {
                if (asked[i] && !known_.contains(hashes[i])) {
                    // Only answers before the first success count, in the order of the row. So the number of runs and
                    // the result are the same for any number of jobs, although some answers are thrown away.
                    if (runs >= limit) {
                        exhausted = true;
                        return -1;
                    }
                    ++runs;
                    known_[hashes[i]] = answers[i] == 1;
                }
                if (answers[i] == 1) return static_cast<std::ptrdiff_t>(begin + i);
            }
            begin += n;
        }
        return -1;
    }

  private:
    const ReduceOptions&                    options_;
    fs::path                                folder_;
    std::unordered_map<std::uint64_t, bool> known_;

    bool answer(const Pile& pile, std::size_t slot)
    {
        // Each job has a folder of its own: commands may leave files beside their input.
        const fs::path  folder = folder_ / fmt::format("{}", slot);
        std::error_code failed;
        fs::create_directories(folder, failed);
        for (const ReducedLayer& one : pile.layers)
            if (auto saved = one.layer.save((folder / one.name).string()); !saved) return false;
        return options_.shows((folder / pile.layers.front().name).string(), static_cast<int>(slot));
    }
};

class Reducer {
  public:
    Reducer(Judge& judge, Pile start, const ReduceOptions& options)
        : best(std::move(start)), judge_(judge), options_(options)
    {
    }

    Pile best;

    void run()
    {
        // A bound for units that grow text instead of removing it. Rounds usually end after two or three.
        for (std::size_t round = 0; round < 20 && !judge_.over(); ++round) {
            const std::size_t before = best.text().size();
            if (best.layers.size() > 1) minimize(layer_units);
            // From the root downwards: a removed prim takes all below it, which saves asking for those.
            for (int depth = 1; depth <= deepest(best) && !judge_.over(); ++depth)
                minimize([depth](const Pile& pile) { return prim_units(pile, depth); });
            minimize(property_units);
            minimize(mesh_units);
            minimize(field_units);
            minimize(api_units);
            minimize(target_units);
            minimize(sample_units);
            if (best.text().size() == before) break;
        }
        drop_empty_layers();
        if (!options_.anonymise) return;
        if (judge_.stopped) {
            untried_names = names_of(best);
            return;
        }
        // A result that could still become smaller is handed on all the same, and must not tell whose it was.
        const bool larger = std::exchange(judge_.exhausted, false);
        judge_.limit      = options_.runs;
        anonymise();
        judge_.exhausted = judge_.exhausted || larger;
    }

    std::vector<std::string> kept_names, untried_names;

  private:
    Judge&               judge_;
    const ReduceOptions& options_;

    static Pile without(const Pile& pile, const Units& units, const std::vector<std::size_t>& taken)
    {
        Pile out = pile.copy();
        for (const std::size_t i : taken) units[i].take(out.layers[units[i].layer].layer);
        return out;
    }

    /// Takes as many of the units as can go: all at once, then in parts that become smaller (ddmin by complements).
    void minimize(const std::function<Units(const Pile&)>& of)
    {
        const Pile  start = best.copy();
        const Units units = of(start);
        if (units.empty() || judge_.over()) return;
        // `taken` are units that are gone for good; a candidate is the start without them and without one part of the
        // rest.
        // Units are built from `start` once, because their paths hold for that pile.
        std::vector<std::size_t> left(units.size()), taken;
        std::iota(left.begin(), left.end(), std::size_t{0});
        const auto with = [&](std::size_t begin, std::size_t end) {
            std::vector<std::size_t> all = taken;
            all.insert(all.end(), left.begin() + static_cast<std::ptrdiff_t>(begin),
                       left.begin() + static_cast<std::ptrdiff_t>(end));
            std::sort(all.begin(), all.end());
            return all;
        };
        for (std::size_t parts = 1; !left.empty() && !judge_.over();) {
            const std::size_t size = (left.size() + parts - 1) / parts, count = (left.size() + size - 1) / size;
            const auto        bounds = [&](std::size_t i) {
                return std::pair{i * size, std::min(left.size(), (i + 1) * size)};
            };
            const auto won = judge_.first(
                {count, [&](std::size_t i) { return without(start, units, with(bounds(i).first, bounds(i).second)); }});
            if (won >= 0) {
                const auto [begin, end] = bounds(static_cast<std::size_t>(won));
                taken                   = with(begin, end);
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(begin),
                           left.begin() + static_cast<std::ptrdiff_t>(end));
                best = without(start, units, taken);
                // After a success the next part is about as large as before. Starting over with one part would ask
                // again what was just answered.
                parts = std::max<std::size_t>(1, parts - 1);
                if (options_.progress) options_.progress(judge_.runs, best.specs());
                continue;
            }
            if (parts >= left.size()) break;
            parts = std::min(left.size(), 2 * parts);
        }
    }

    /// Layers that nothing names any more are no part of the result.
    void drop_empty_layers()
    {
        for (std::size_t l = best.layers.size(); l-- > 1;) {
            Pile less = best.copy();
            less.layers.erase(less.layers.begin() + static_cast<std::ptrdiff_t>(l));
            bool named = false;
            for (const ReducedLayer& one : less.layers)
                named = named || one.layer.to_text().find(best.layers[l].name) != std::string::npos;
            if (!named) best = std::move(less);
        }
    }

    void anonymise()
    {
        minimize(text_units);
        const std::vector<std::string> names = names_of(best);
        const Pile                     start = best.copy();
        // Bisection: as most names have no influence on the fault, one question usually settles all of them.
        // The names that can change: all, else in parts, each kept where it succeeds.
        std::vector<std::string>                         done;
        std::vector<std::pair<std::size_t, std::size_t>> todo{{0, names.size()}};
        while (!todo.empty() && !judge_.over()) {
            const auto [begin, end] = todo.back();
            todo.pop_back();
            if (begin == end) continue;
            std::vector<std::string> all = done;
            all.insert(all.end(), names.begin() + static_cast<std::ptrdiff_t>(begin),
                       names.begin() + static_cast<std::ptrdiff_t>(end));
            Pile renamed = with_hashed_names(start, all);
            if (judge_.shows(renamed)) {
                done = std::move(all);
                best = std::move(renamed);
            } else if (judge_.over()) {
                // No answer is not a "no".
                todo.emplace_back(begin, end);
            } else if (end - begin > 1) {
                const std::size_t middle = begin + (end - begin) / 2;
                todo.emplace_back(middle, end);
                todo.emplace_back(begin, middle);
            } else {
                kept_names.push_back(names[begin]);
            }
        }
        for (const auto& [begin, end] : todo)
            for (std::size_t i = begin; i < end; ++i) untried_names.push_back(names[i]);
    }
};

/// A copy of a file with what reading it has read or found, each where it is from the others: a command may write to
/// it. Empty where it cannot be made.
std::string copied(const std::string& file, files::Trace& trace, const fs::path& folder)
{
    const fs::path        source = fs::absolute(file).lexically_normal();
    std::vector<fs::path> read{source}, found;
    for (const files::Dependency& one : trace.finish().value_or(std::vector<files::Dependency>{})) {
        if (one.what == files::Dependency::What::answer) continue;
        const fs::path place = fs::path(one.name).lexically_normal();
        if (one.what == files::Dependency::What::content) read.push_back(place);
        if (one.what == files::Dependency::What::kind && one.kind == files::Kind::file) found.push_back(place);
    }
    // The nearest folder above all files that were read. Copies keep their places relative to it, so that relative
    // references still lead to them.
    fs::path top = source.parent_path();
    for (const fs::path& one : read)
        while (top.has_relative_path() && !one.string().starts_with(top.string() + "/")) top = top.parent_path();
    read.insert(read.end(), found.begin(), found.end());
    std::error_code failed;
    for (const fs::path& one : read) {
        const fs::path within = one.lexically_relative(top), to = folder / within;
        // What lies outside of the top folder was only looked for, and not read.
        if (within.empty() || *within.begin() == "..") continue;
        if (fs::exists(to, failed)) continue;
        fs::create_directories(to.parent_path(), failed);
        if (!files::copy(one.string(), to.string()) && one == source) return {};
        fs::permissions(to, fs::perms::owner_write, fs::perm_options::add, failed);
    }
    return (folder / source.lexically_relative(top)).string();
}

}  // namespace

Result<Reduced> reduce(const std::string& file, const std::string& stem, const ReduceOptions& options)
{
    const files::ScratchFolder scratch = files::ScratchFolder::temporary(fs::absolute(file).parent_path());
    if (scratch.path().empty())
        return make_diagnostic(kScratch, {.layer = file}, "there is no folder for the smaller stages");
    files::Trace trace;
    const auto   stage = [&] {
        const files::TraceScope scope(&trace, true);
        return usd::Stage::open(file, options.open);
    }();
    if (!stage && usd::is_foreign(file)) return stage.error();
    Judge   judge(options, scratch.path());
    Reduced out;
    // The command may write to the file that it is given, so it is only ever given copies.
    if (usd::is_foreign(file)) {
        const std::string copy = copied(file, trace, scratch.path() / "source");
        if (copy.empty()) return make_diagnostic(kScratch, {.layer = file}, "the file cannot be copied");
        if (!options.shows(copy, 0))
            return make_diagnostic(kNoFault, {.layer = file},
                                   "the command does not end with status 0 for a copy of the file as it is");
    }
    std::optional<Pile> start;
    if (stage) {
        // The flattened stage is tried first; layers are kept only if the fault needs the composition.
        Pile flat = flat_pile(**stage, stem);
        if (judge.shows(flat)) start = std::move(flat), out.flattened = true;
    }
    if (usd::is_foreign(file)) {
        if (!start)
            return make_diagnostic(kNotInUsd, {.layer = file},
                                   "the command does not end with status 0 for the stage that this file becomes");
        out.specs_before = start->specs(), out.prims_before = start->prims();
    } else {
        auto layers = layered_pile(file, stem, options.open);
        if (!layers) return layers.error();
        out.specs_before = layers->specs(), out.prims_before = layers->prims();
        if (!start) {
            if (!judge.shows(*layers)) {
                if (judge.over()) return make_diagnostic(kNoFault, {.layer = file}, "it ended before the first answer");
                return make_diagnostic(
                    kNoFault, {.layer = file},
                    "the command does not end with status 0 for a copy of the file as it is: neither for its layers in "
                    "another folder, nor for all of them as one");
            }
            start = std::move(*layers);
        }
    }
    Reducer reducer(judge, std::move(*start), options);
    reducer.run();
    out.specs = reducer.best.specs(), out.prims = reducer.best.prims();
    out.layers        = std::move(reducer.best.layers);
    out.kept_names    = std::move(reducer.kept_names);
    out.untried_names = std::move(reducer.untried_names);
    out.runs          = judge.runs;
    out.interrupted   = judge.stopped;
    out.exhausted     = judge.exhausted;
    return out;
}

}  // namespace mechane::reduction

#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

/// The smallest stage that still shows a fault, by delta debugging (Zeller and Hildebrandt 2002; in levels as Misherghi
/// and Su 2006).
namespace mechane::reduction {

struct ReduceOptions {
    /// Whether the fault shows with a stage. Called from `jobs` threads at once, each with a file of its own; `slot` is
    /// below `jobs`.
    std::function<bool(const std::string& file, int slot)> shows{};
    usd::OpenOptions                                       open{};
    int                                                    jobs = 1;
    std::size_t                                            runs = 2000;  ///< most calls of `shows`
    bool                  anonymise = true;  ///< names become hashes, texts go; a quarter of `runs` is kept for it
    std::function<bool()> stop{};            ///< asked before each call: true ends with the best so far
    std::function<void(std::size_t runs, std::size_t specs)> progress{};
};

/// How many runs make the stage smaller: the others, a quarter, are for its names, which would tell whose it was.
[[nodiscard]] inline std::size_t runs_for_size(const ReduceOptions& options)
{ return options.anonymise ? options.runs - options.runs / 4 : options.runs; }

struct ReducedLayer {
    std::string name;  ///< of the file, relative to the folder of the result; the entry is the first
    usd::Layer  layer;
};
struct Reduced {
    std::vector<ReducedLayer> layers;
    std::size_t prims_before = 0, prims = 0, specs_before = 0, specs = 0;  ///< specs: prims, variants and properties
    std::size_t runs        = 0;      ///< calls that decided something; the same for any number of jobs
    bool        flattened   = false;  ///< the fault does not need composition
    bool        interrupted = false, exhausted = false;  ///< `stop` said so; `runs` was reached
    std::vector<std::string> kept_names;                 ///< names that the fault needs
    std::vector<std::string> untried_names;  ///< names that stayed because the search was cut short before them
};

/// Takes out of a stage whatever the fault does not need: layers, prims level by level, arcs and metadata, schemas,
/// properties, targets, time samples; makes boxes of meshes and hashes of names. The file and what it refers to are
/// only read. The same file, answers and limits give the same result for any number of jobs.
/// @param stem  of the names of the result's files
/// @error REDUCE_NO_FAULT, REDUCE_NOT_IN_USD, REDUCE_SCRATCH, and those of usd::Stage::open
Result<Reduced> reduce(const std::string& file, const std::string& stem, const ReduceOptions& options);

}  // namespace mechane::reduction

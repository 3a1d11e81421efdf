#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::record {

/// A simulation between two steps: with the same model, solver and step it continues with the same bits.
/// Larger than a state by what solver and collision remember; a run without that goes on with other last bits.
struct Checkpoint {
    /// Of the model as it was made (`model_hash`); a checkpoint of a model that was edited does not hold the edit.
    std::uint64_t model_hash = 0;
    /// Solver, step and substeps have to be those of the run that goes on, or its bits would be others.
    std::string   solver;
    double        dt       = 0;  ///< [s]
    std::int32_t  substeps = 0;
    std::int64_t  step     = 0;  ///< steps that were done
    std::uint64_t hash     = 0;  ///< chained over their states
    /// Custom attributes of a program are not in the file; those of the run that goes on stay as they are.
    model::State   state;
    model::Control control;
    /// What `Solver::save` gave.
    std::vector<std::byte> solver_memory;
    std::vector<std::byte> pair_memory;  ///< contacts of pairs that hardly move (`collision::PairCache`)
    /// Parts of one mechanism that overlap as they were drawn: shapes and depth [m].
    struct Overlap {
        std::int32_t shape0 = 0, shape1 = 0;
        Real         depth = 0;  ///< [m]
    };
    /// Ascending by shapes; found at the start of the first run and kept by every one that goes on.
    std::vector<Overlap> overlaps;
};

/// Hash of everything that a run depends on: bodies, joints, shapes, materials, filters, gravity, initial states and
/// commands; labels too. What is only seen (colours, textures) is not in it.
/// Equal for models that are stepped alike. A replay refuses a model of another hash.
std::uint64_t model_hash(const model::Model& model);

/// The file's content.
/// Numbers as they lie in memory, little-endian, with a version in front and a checksum; only a build of the same
/// precision reads them.
std::vector<std::byte> to_bytes(const Checkpoint& checkpoint);
/// @param name  where the bytes come from, for the diagnostic
/// @error RECORD_CHECKPOINT  not a checkpoint, of a newer version, of another precision, or damaged
/// What is not looked at here are sizes and indices: those the engine compares with its model.
Result<Checkpoint> read_checkpoint(std::span<const std::byte> bytes, const std::string& name);

/// Writes the file in one piece.
/// @error RECORD_WRITE_FAILED
Result<void> write_checkpoint(const Checkpoint& checkpoint, const std::string& file);
/// @error RECORD_CHECKPOINT
/// From a file that `write_checkpoint` or `mechane sim --checkpoint` wrote.
Result<Checkpoint> read_checkpoint(const std::string& file);

}  // namespace mechane::record

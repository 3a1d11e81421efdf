#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/collision/pipeline.h"

namespace mechane::collision {

/// Says which row of the last call a row continues. Rows of a pair are compared with the rows of the same pair: the
/// nearest in the world, near enough and with a similar normal. Each old row goes on in one new row at most, the
/// nearest one; ties go to the lower row.
class ContactMatcher {
  public:
    ContactMatcher(const model::Model& model, const PipelineOptions& options) : model_(&model), options_(&options) {}

    /// Fills the matching part of the buffer, replays sticky rows, and remembers the rows for the next call.
    void match(const model::State& state, model::Contacts& contacts);
    void reset(std::span<const std::uint8_t> worlds);

  private:
    struct Old {
        std::uint64_t pair;
        Vec3d         middle, normal;
        bool          forgotten;
    };
    /// What a sticky row hands on.
    struct Witness {
        Vec3 point0, point1, offset0, offset1, normal;
    };
    struct Claim {
        double       distance;
        std::int32_t row;
    };
    void replay(const model::State& state, model::Contacts& contacts, std::size_t row, const Vec3d& normal,
                const Witness& old) const;
    [[nodiscard]] Posed pose_of(const model::State& state, std::int32_t shape) const;

    const model::Model*    model_;
    const PipelineOptions* options_;
    std::vector<Old>       old_, now_;
    std::vector<Witness>   old_witness_, now_witness_;  ///< in sticky mode
    std::vector<Claim>     claims_;
    const model::Contacts* buffer_     = nullptr;
    std::int32_t           generation_ = -1;
};

}  // namespace mechane::collision

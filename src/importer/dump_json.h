#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mechane/math/spatial.h"

namespace mechane::importer {

using Json = nlohmann::json;

/// One number; not finite ones as text.
Json json_number(double value);

/// Arrays in the dumps' encoding: nested lists, or beyond `limit` scalars a hash over single-precision bytes with the
/// first eight values.
class ArrayWriter {
  public:
    /// @param limit  0: whole arrays, however long
    explicit ArrayWriter(std::size_t limit) : limit_(limit) {}

    /// One that hashes more than `most` scalars, where this one hashes any.
    [[nodiscard]] ArrayWriter with_at_most(std::size_t most) const { return ArrayWriter(std::min(limit_, most)); }

    /// @param shape   extents, their product is the number of values
    /// @param values  rounded to single precision first, as the model stores them
    [[nodiscard]] Json floats(std::vector<std::size_t> shape, const std::vector<double>& values) const;
    [[nodiscard]] Json integers(std::vector<std::size_t> shape, const std::vector<std::int64_t>& values) const;
    [[nodiscard]] Json flags(const std::vector<std::uint8_t>& values) const;
    [[nodiscard]] Json texts(const std::vector<std::string>& values) const;

    [[nodiscard]] Json reals(const std::vector<Real>& values) const;
    [[nodiscard]] Json vectors(const std::vector<Vec3>& values) const;
    [[nodiscard]] Json poses(const std::vector<Pose>& values) const;
    [[nodiscard]] Json spatials(const std::vector<Spatial>& values) const;
    [[nodiscard]] Json matrices(const std::vector<Mat33>& values) const;
    [[nodiscard]] Json pairs(const std::vector<std::array<Real, 2>>& values) const;
    template <class Int>
    [[nodiscard]] Json ints(const std::vector<Int>& values) const
    {
        std::vector<std::int64_t> wide;
        wide.reserve(values.size());
        for (const Int v : values) wide.push_back(static_cast<std::int64_t>(v));
        return integers({values.size()}, wide);
    }

  private:
    [[nodiscard]] bool long_array(std::size_t scalars) const { return limit_ != 0 && scalars > limit_; }
    std::size_t        limit_;
};

}  // namespace mechane::importer

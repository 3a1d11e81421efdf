#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace mechane::physics {

struct Joint;
struct PhysicsModel;

/// Which collision groups meet: a symmetric table over rows, all true until something disables a pair.
class GroupTable {
  public:
    explicit GroupTable(std::size_t rows = 0) : rows_(rows), meets_(rows * rows, 1) {}

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
    [[nodiscard]] bool        meets(std::size_t a, std::size_t b) const { return meets_[a * rows_ + b] != 0; }
    void                      disable(std::size_t a, std::size_t b)
    {
        meets_[a * rows_ + b] = 0;
        meets_[b * rows_ + a] = 0;
    }

  private:
    std::size_t               rows_;
    std::vector<std::uint8_t> meets_;
};

/// Why two colliders do not make contacts, in the order in which it is decided.
enum class PairVerdict : std::uint8_t {
    collide,
    same_body,
    both_fixed,
    disabled,
    other_scene,
    filtered_pair,
    joint,
    group
};
std::string_view to_string(PairVerdict verdict);

/// Pairs of colliders that a joint keeps apart, smaller index first; none if it is disabled or lets them collide.
std::vector<std::pair<std::int32_t, std::int32_t>> pairs_of_joint(const PhysicsModel& model, const Joint& joint);

/// Answers for pairs of colliders of one model; built once, then read by many.
class PairFilter {
  public:
    explicit PairFilter(const PhysicsModel& model);
    /// @param a, b  indices of colliders
    [[nodiscard]] PairVerdict verdict(std::int32_t a, std::int32_t b) const;
    /// True when some group of one does not meet some group of the other. A collider in no group meets everything.
    [[nodiscard]] bool groups_filter(std::int32_t a, std::int32_t b) const;
    /// Pairs of colliders that filteredPairs names, smaller index first, sorted, unique, never of one body.
    [[nodiscard]] const std::vector<std::pair<std::int32_t, std::int32_t>>& filtered_pairs() const { return pairs_; }
    /// Pairs of colliders that joints without collision name; same order.
    [[nodiscard]] const std::vector<std::pair<std::int32_t, std::int32_t>>& joint_pairs() const { return joint_pairs_; }

  private:
    const PhysicsModel*                                model_;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs_, joint_pairs_;
};

}  // namespace mechane::physics

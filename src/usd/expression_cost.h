#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mechane::usd {

/// Expression variables of layers that are composed with each other. A variable may name others, so a few lines can
/// stand for more text than a memory holds. Layers may be added by several threads.
class ExpressionVariables {
  public:
    /// Two layers may give one variable two texts; which one wins is not known here, and both count.
    void add(const std::vector<std::pair<std::string, std::string>>& variables);
    /// The most text that evaluating one of them goes through [bytes]; no more than `enough` is counted.
    [[nodiscard]] std::uint64_t cost(std::uint64_t enough) const;
    void                        clear();

  private:
    mutable std::mutex                 mutex_;
    std::map<std::string, std::string> texts_;
};

/// The names and texts of the dictionaries "expressionVariables" in usda text; of what is no dictionary nothing.
std::vector<std::pair<std::string, std::string>> expression_variables_of(std::string_view text);

}  // namespace mechane::usd

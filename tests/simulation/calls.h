#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "simulation/scenes.h"
#include "support/public_functions.h"

namespace face_tests {

/// Draws arguments, good and bad ones.
class Draw {
  public:
    explicit Draw(Random& random) : r_(random) {}

    int  pick(int count) { return static_cast<int>(r_.uniform() * count) % count; }
    bool once_in(int count) { return pick(count) == 0; }

    template <class Id>
    Id id(int count)
    {
        const int values[] = {-1,
                              -2,
                              0,
                              count - 1,
                              count,
                              count + 7,
                              std::numeric_limits<int>::max(),
                              std::numeric_limits<int>::min(),
                              pick(std::max(count, 1))};
        return Id(values[pick(9)]);
    }
    double number()
    {
        const double values[] = {0,         1,          -1,          0.3, 1e-300, 1e300, -1e300, std::nan(""),
                                 kInfinity, -kInfinity, r_.uniform()};
        return values[pick(11)];
    }
    int integer()
    {
        const int values[] = {0, 1, 2, 3, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
        return values[pick(7)];
    }
    Real                real() { return static_cast<Real>(number()); }
    Vec3d               vector() { return pick(2) ? Vec3d{0, 0, 1} : Vec3d{number(), number(), number()}; }
    Vec3                small() { return static_cast<Vec3>(vector()); }
    Quatd               rotation() { return pick(2) ? Quatd{} : Quatd{number(), number(), number(), number()}; }
    std::vector<double> numbers(std::size_t size)
    {
        const std::size_t   sizes[] = {0, 1, size, size, size + 1};
        std::vector<double> out(sizes[pick(5)]);
        for (double& x : out) x = pick(4) ? 0.5 : number();
        return out;
    }
    std::string text()
    {
        const char* const texts[] = {"", "box", "upper", "nothing at all", "/", "\xff\xfe", "a:b"};
        return texts[pick(7)];
    }

  private:
    Random& r_;
};

/// Calls by the name of the function: a name stands as often as it has overloads.
class Calls {
  public:
    void add(const std::string& function, std::function<void()> call)
    { calls_.emplace_back(function, std::move(call)); }

    /// Those of the headers that the list lacks.
    [[nodiscard]] std::vector<std::string> missing(const std::vector<std::filesystem::path>& headers) const
    {
        std::vector<std::string> out;
        for (const auto& header : headers)
            for (const auto& [name, overloads] : test::public_functions(header))
                if (std::count_if(calls_.begin(), calls_.end(), [&](const auto& c) { return c.first == name; }) <
                    overloads)
                    out.push_back(header.filename().string() + ": " + name);
        return out;
    }
    [[nodiscard]] std::size_t size() const { return calls_.size(); }
    /// One call. @return whether the failure handler was told; any other exception passes
    bool one(std::size_t index)
    {
        INFO(calls_[index].first);
        try {
            calls_[index].second();
        } catch (const Failed& failed) {
            CHECK((failed.diagnostic.id == "API_ARGUMENT" || failed.diagnostic.id == "API_FOREIGN" ||
                   failed.diagnostic.id == "API_RESULT" || failed.diagnostic.id == "DRAWN"));
            CHECK(!failed.diagnostic.message.empty());
            return true;
        }
        return false;
    }

  private:
    std::vector<std::pair<std::string, std::function<void()>>> calls_;
};

}  // namespace face_tests

#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/math/random.h"

namespace mechane::test {

/// Equal within an absolute and a relative tolerance; prints both sides when it fails: CHECK(x == close_to(1.0, 1e-6)).
struct CloseTo {
    double value, tolerance;
};
inline CloseTo close_to(double value, double tolerance) { return {value, tolerance}; }
inline bool    operator==(double a, CloseTo b)
{ return a == b.value || std::abs(a - b.value) <= b.tolerance * std::max(1.0, std::abs(b.value)); }
std::ostream& operator<<(std::ostream& out, const CloseTo& c);

/// Length of the difference.
template <class T>
double distance(const Vec3T<T>& a, const Vec3T<T>& b)
{ return length(static_cast<Vec3d>(a) - static_cast<Vec3d>(b)); }
/// Angle between two rotations [rad]; q and -q are the same.
template <class T>
double angle_between(const QuatT<T>& a, const QuatT<T>& b)
{ return length(to_rotation_vector(conjugate(static_cast<Quatd>(a)) * static_cast<Quatd>(b))); }

/// Runs the body with seeds 1..n and names the failing one.
void for_seeds(int n, const std::function<void(Random&)>& body);

/// The corpus of real assets: environment variable MECHANE_CORPUS, else ../shared/corpus beside the checkout; nothing
/// if absent.
std::optional<std::filesystem::path> corpus();
/// The oracles' answers, beside the corpus.
std::optional<std::filesystem::path> golden();

/// NaN equals itself, and zero is not -0.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{ return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0; }

/// A folder that is removed with the object.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&)                                      = delete;
    TemporaryFolder&                           operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Writes a file into it and returns the full path.
    std::string write(const std::string& name, const std::string& text) const;

  private:
    std::filesystem::path path_;
};

}  // namespace mechane::test

/// Leaves the test case with a line "skipped: no corpus" when there is none.
#define MCH_NEEDS_CORPUS()             \
    if (!::mechane::test::corpus()) {  \
        MESSAGE("skipped: no corpus"); \
        return;                        \
    }                                  \
    static_cast<void>(0)

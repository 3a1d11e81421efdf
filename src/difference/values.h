#pragma once
#include <string>
#include <vector>

#include "mechane/math/quat.h"
#include "mechane/math/vec.h"

/// Numbers as the comparisons count and print them.
namespace mechane::difference {

/// An index of a tree or a model as one of a container; both know -1 as "none", which is no place.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Seven digits tell any two numbers of single precision apart; `unit` may be empty.
std::string text(double value, const char* unit);
std::string text(const Vec3d& v, const char* unit);

/// The numbers of a text, and what stands between them.
struct Parts {
    std::vector<double> numbers;
    std::string         words;
};
Parts parts_of(const std::string& text);

/// The angle that q turns by, 0 .. pi [rad].
double angle_of(const Quatd& q);

}  // namespace mechane::difference

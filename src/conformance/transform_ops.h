#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// One entry of xformOpOrder, taken apart.
struct TransformOp {
    std::string text;    ///< as authored
    std::string kind;    ///< "translate", "rotateXYZ", ...
    std::string suffix;  ///< after a further colon
    bool        inverse = false;

    [[nodiscard]] std::string attribute() const { return "xformOp:" + kind + (suffix.empty() ? "" : ":" + suffix); }
    [[nodiscard]] bool        rotates() const { return kind == "orient" || kind.starts_with("rotate"); }
};

/// The operations that place a prim, as its xformOpOrder lists them.
struct TransformStack {
    std::vector<TransformOp> ops;
    bool                     resets = false;  ///< parents do not move it
};
TransformStack stack_of(const usd::Prim& prim);

/// The local matrix at the default time and at each time at which some operation of the stack has a sample.
std::vector<usd::Matrix4d> local_matrices(const usd::Prim& prim, const TransformStack& stack);

/// An operation of the stack whose samples place the prim at two places at least, "xformOp:translate"; empty for a prim
/// that rests.
std::string moving_op(const usd::Prim& prim, const TransformStack& stack);

/// The scale that a prim shows at the default time or at some sample; nothing for one that keeps sizes. Mirrors alone
/// are no scale.
/// @param each_op  also scales that others of the stack undo count
std::optional<Vec3d> scale_of(const usd::Prim& prim, const TransformStack& stack, bool each_op);

/// The local transform is left-handed at the default time or at some sample.
bool is_mirrored(const usd::Prim& prim, const TransformStack& stack);

/// The authored values of an attribute, at the default time and at its samples.
template <class T>
std::vector<T> values_of(const usd::Attribute& attribute)
{
    std::vector<T> values;
    if (!attribute) return values;
    if (const auto value = attribute.authored_as<T>()) values.push_back(*value);
    for (const double time : attribute.time_samples())
        if (const auto value = attribute.authored_as<T>(time)) values.push_back(*value);
    return values;
}

}  // namespace mechane::conformance

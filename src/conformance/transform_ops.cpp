// Transform stacks as they are authored: operations with kinds, suffixes and inversions; scale, mirrors and motion of a
// prim.
// A scale is looked for in the matrices, not only in the operations, because a matrix or a pivot may hold one.
// Called by the rules and repairs of 1.1.

#include "conformance/transform_ops.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mechane/usd/key_times.h"

namespace mechane::conformance {
namespace {

constexpr double kScaleTolerance = 1e-6;

/// Times of the samples of one operation; a spline gives its knots.
std::vector<double> times_of(const usd::Prim& prim, const TransformOp& op)
{
    const usd::Attribute attribute = prim.attribute(op.attribute());
    return usd::key_times(attribute);
}

bool differ(const usd::Matrix4d& a, const usd::Matrix4d& b)
{
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            if (std::abs(a(r, c) - b(r, c)) > 1e-9 * std::max(1.0, std::abs(a(r, c)))) return true;
    return false;
}

Vec3d row_lengths(const usd::Matrix4d& m)
{
    const auto row = [&](int r) { return std::sqrt(m(r, 0) * m(r, 0) + m(r, 1) * m(r, 1) + m(r, 2) * m(r, 2)); };
    return {row(0), row(1), row(2)};
}

/// Lengths of the rows and of the columns of the upper 3x3 part are one: a scale that acts before a rotation changes
/// the one, one that acts after it the other.
bool is_unscaled(const usd::Matrix4d& m)
{
    const auto off = [](double length) { return std::abs(length - 1) > kScaleTolerance; };
    for (int i = 0; i < 3; ++i)
        if (off(std::sqrt(m(i, 0) * m(i, 0) + m(i, 1) * m(i, 1) + m(i, 2) * m(i, 2))) ||
            off(std::sqrt(m(0, i) * m(0, i) + m(1, i) * m(1, i) + m(2, i) * m(2, i))))
            return false;
    return true;
}

/// The local matrices at which sizes may differ: without scales and matrices one stands for all.
std::vector<usd::Matrix4d> sized_matrices(const usd::Prim& prim, const TransformStack& stack)
{
    const bool varies = std::any_of(stack.ops.begin(), stack.ops.end(),
                                    [](const TransformOp& op) { return op.kind == "scale" || op.kind == "transform"; });
    return varies ? local_matrices(prim, stack) : std::vector{prim.stage().local_matrix(prim)};
}

}  // namespace

TransformStack stack_of(const usd::Prim& prim)
{
    static const usd::Token kOrder("xformOpOrder");
    TransformStack          stack;
    const auto              order = prim.attribute(kOrder).authored_as<std::vector<usd::Token>>();
    if (!order) return stack;
    for (const usd::Token& token : *order) {
        std::string_view text = token.text();
        if (text == "!resetXformStack!") {
            stack.resets = true;
            stack.ops.clear();
            continue;
        }
        TransformOp op{.text = std::string(text)};
        if (text.starts_with("!invert!")) {
            op.inverse = true;
            text.remove_prefix(8);
        }
        if (text.starts_with("xformOp:")) text.remove_prefix(8);
        const std::size_t colon = text.find(':');
        op.kind                 = text.substr(0, colon);
        if (colon != std::string_view::npos) op.suffix = text.substr(colon + 1);
        stack.ops.push_back(std::move(op));
    }
    return stack;
}

std::vector<usd::Matrix4d> local_matrices(const usd::Prim& prim, const TransformStack& stack)
{
    std::vector<usd::Matrix4d> matrices{prim.stage().local_matrix(prim)};
    std::set<double>           times;
    for (const TransformOp& op : stack.ops)
        for (const double time : times_of(prim, op)) times.insert(time);
    for (const double time : times) matrices.push_back(prim.stage().local_matrix(prim, time));
    return matrices;
}

std::string moving_op(const usd::Prim& prim, const TransformStack& stack)
{
    for (const TransformOp& op : stack.ops) {
        const usd::Attribute attribute = prim.attribute(op.attribute());
        if (!attribute || !attribute.varying()) continue;
        const std::vector<double> times = attribute.time_samples();
        if (times.size() < 2) return op.attribute();  // a spline
        const usd::Matrix4d first = prim.stage().local_matrix(prim, times.front());
        if (std::any_of(times.begin() + 1, times.end(),
                        [&](double time) { return differ(first, prim.stage().local_matrix(prim, time)); }))
            return op.attribute();
    }
    return {};
}

std::optional<Vec3d> scale_of(const usd::Prim& prim, const TransformStack& stack, bool each_op)
{
    if (stack.ops.empty()) return std::nullopt;
    for (const usd::Matrix4d& local : sized_matrices(prim, stack))
        if (!is_unscaled(local)) return row_lengths(local);
    const auto off = [](double s) { return std::abs(std::abs(s) - 1) > kScaleTolerance; };
    // Two negative factors are a half turn that is written as a scale. One, or three, are a mirror (REP-1.1-f).
    const auto turns = [](const Vec3d& s) { return s.x * s.y * s.z > 0 && (s.x < 0 || s.y < 0 || s.z < 0); };
    for (const TransformOp& op : stack.ops)
        if (op.kind == "scale")
            for (const Vec3d& s : values_of<Vec3d>(prim.attribute(op.attribute())))
                if ((each_op && (off(s.x) || off(s.y) || off(s.z))) || turns(s)) return s;
    return std::nullopt;
}

bool is_mirrored(const usd::Prim& prim, const TransformStack& stack)
{
    const std::vector<usd::Matrix4d> all = sized_matrices(prim, stack);
    return std::any_of(all.begin(), all.end(), [](const usd::Matrix4d& local) { return usd::determinant3(local) < 0; });
}

}  // namespace mechane::conformance

#include "mechane/math/four.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "mechane/math/pose.h"
#include "support/support.h"

using namespace mechane;

namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

TEST_CASE("four numbers are chosen as std::min and std::max choose one, also where they have no order")
{
    constexpr double            kNone = std::numeric_limits<double>::quiet_NaN();
    const std::array<double, 5> numbers{-1, -0.0, 0.0, 2, kNone};
    for (const double a : numbers)
        for (const double b : numbers) {
            const Four least = least_of(Four(a), Four(b)), most = most_of(Four(a), Four(b));
            CHECK(same_bits(least_of(a, b), std::min(a, b)));
            CHECK(same_bits(most_of(a, b), std::max(a, b)));
            for (int k = 0; k < kLanes; ++k) {
                CHECK(same_bits(least.v[k], std::min(a, b)));
                CHECK(same_bits(most.v[k], std::max(a, b)));
            }
        }
}

TEST_CASE("each of four poses has the bits in lanes that it has alone")
{
    std::array<Posed, 4> a, b, out;
    for (int k = 0; k < 4; ++k) {
        const double x                 = 1 + 0.3 * k;
        a[static_cast<std::size_t>(k)] = {{x, 2 * x, -x}, normalized(Quatd{x, 1, -0.5, 2 * x})};
        b[static_cast<std::size_t>(k)] = {{-x, 0.1, 3}, normalized(Quatd{0.2, -x, 1, x})};
    }
    PoseT<Four> in_a, in_b;
    gather(Places<const Posed>{&a[0], &a[1], &a[2], &a[3]}, in_a);
    gather(Places<const Posed>{&b[0], &b[1], &b[2], &b[3]}, in_b);
    PoseT<Four> product = in_a * in_b;
    const Four  size    = root(dot(product.q, product.q));
    product.q           = {product.q.x / size, product.q.y / size, product.q.z / size, product.q.w / size};
    scatter(product, Places<Posed>{&out[0], &out[1], &out[2], &out[3]});
    for (std::size_t k = 0; k < 4; ++k) {
        Posed alone = a[k] * b[k];
        alone.q     = normalized(alone.q);
        CHECK(out[k] == alone);
    }
}

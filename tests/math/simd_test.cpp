#include "mechane/math/simd.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "support/support.h"

using namespace mechane;

namespace {

using Four  = simd::Pack<double, 4>;
using Eight = simd::Pack<float, 8>;

template <class P>
P counting(simd::Element<P> from)
{
    P out{};
    for (int i = 0; i < simd::kSize<P>; ++i) out[i] = from + static_cast<simd::Element<P>>(i);
    return out;
}

/// One text for a number and for a pack: what a branch is for one is a choice for the other.
template <class N>
N clipped_root(N x)
{
    const auto negative = x < 0;
    return simd::select(negative, N{}, simd::sqrt(simd::select(negative, N{}, x)));
}

}  // namespace

TEST_CASE("a pack is read and written anywhere in memory, among numbers that are seen one by one")
{
    std::array<double, 9> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    const Four x = simd::load<4>(numbers.data() + 1);
    simd::store(numbers.data() + 4, Four(x + 10));
    lanes(numbers.data()) *= lanes(numbers.data() + 5);
    // The first four times what lay behind the fourth after 11, 12, 13, 14 had been put there.
    CHECK(numbers == std::array<double, 9>{0 * 12, 1 * 13, 2 * 14, 3 * 8, 11, 12, 13, 14, 8});
}

TEST_CASE("rows and columns change places, and twice is once too often")
{
    simd::Packs<Four, 4>  a;
    simd::Packs<Eight, 8> b;
    for (std::size_t i = 0; i < 4; ++i) a[i] = counting<Four>(10.0 * static_cast<double>(i));
    for (std::size_t i = 0; i < 8; ++i) b[i] = counting<Eight>(10.0f * static_cast<float>(i));
    simd::transpose(a);
    simd::transpose(b);
    for (std::size_t r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) CHECK(a[r][c] == 10.0 * c + static_cast<double>(r));
    for (std::size_t r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) CHECK(b[r][c] == 10.0f * static_cast<float>(c) + static_cast<float>(r));
    std::array<float, 64> rows{};
    for (std::size_t i = 0; i < 64; ++i) rows[i] = static_cast<float>(i);
    const auto gathered = simd::gather<8>([&](std::size_t i) { return rows.data() + 8 * (7 - i); });
    for (int i = 0; i < 8; ++i) CHECK(gathered[3][i] == static_cast<float>(8 * (7 - i) + 3));
}

TEST_CASE("sums over lanes have one order, one at a time and two at once")
{
    // In another order the small numbers would be lost: 1e16 + 1 is 1e16.
    const Four a{1e16, -1e16, 1, 1}, b{1, 1e16, 1, -1e16};
    CHECK(sum(a) == 2);
    CHECK(sum(b) == (1.0 + 1e16) + (1.0 - 1e16));
    double sum_a = 0, sum_b = 0;
    sum_two(a, b, sum_a, sum_b);
    CHECK(sum_a == sum(a));
    CHECK(sum_b == sum(b));
    CHECK(simd::largest_of(Four{-3, 2, 7, 1}) == 7);
    CHECK(simd::largest_of(Four{-3, -2, -7, -1}) == 0);
}

TEST_CASE("masks choose lane by lane")
{
    const Four x{-4, 0, 9, 16};
    CHECK(simd::any(x < 0));
    CHECK_FALSE(simd::any(x < -5));
    CHECK(simd::any(simd::both(x > 0, x < 10)));
    CHECK_FALSE(simd::any(simd::both(x > 9, x < 16)));
    CHECK_FALSE(simd::any(simd::inverted(simd::either(x <= 0, x > 0))));
    const Four root = clipped_root(x);
    for (int i = 0; i < 4; ++i) CHECK(root[i] == clipped_root(x[i]));
    const Four kept = keep_lanes(x, 0b1010);
    for (int i = 0; i < 4; ++i) CHECK(kept[i] == (i % 2 == 1 ? x[i] : 0));
    CHECK(simd::max(x, Four{})[0] == 0);
    CHECK(simd::min(x, Four{})[2] == 0);
    CHECK(simd::abs(x)[0] == 4);
}

TEST_CASE("numbers narrow as one by one")
{
    const Four x{0.1, 1e-30, 3, -1.0 / 3};
    const auto narrow = simd::convert<float>(x);
    const Four back   = simd::rounded<float>(x);
    for (int i = 0; i < 4; ++i) {
        CHECK(narrow[i] == static_cast<float>(x[i]));
        CHECK(back[i] == static_cast<double>(static_cast<float>(x[i])));
    }
}

TEST_CASE("a symmetric matrix of packs times a vector, and products of vectors")
{
    using Vector = simd::Packs<Four, 3>;
    const auto   all = [](double x) { return simd::broadcast<Four>(x); };
    const Vector a{all(1), all(2), all(3)}, b{all(-2), all(1), all(4)};
    CHECK(dot(a, b)[3] == 12);
    const Vector c = cross(a, b);
    CHECK(c[0][0] == 2 * 4 - 3 * 1);
    CHECK(c[1][1] == 3 * -2 - 1 * 4);
    CHECK(c[2][2] == 1 * 1 - 2 * -2);
    const simd::Packs<Four, 6> m{all(1), all(2), all(3), all(4), all(5), all(6)};  // (1 2 3; 2 4 5; 3 5 6)
    const Vector               ma = m * a;
    CHECK(ma[0][0] == 14);
    CHECK(ma[1][0] == 25);
    CHECK(ma[2][0] == 31);
}

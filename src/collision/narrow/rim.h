#pragma once
#include <algorithm>
#include <cmath>

#include "scratch.h"

/// Figures of the plane across an axis of a box: where an edge of it and a round shape overlap least.
namespace mechane::collision {

/// A vector of the plane across an axis of the box.
struct Flat {
    double u = 0, v = 0;
};
inline Flat   operator+(const Flat& a, const Flat& b) { return {a.u + b.u, a.v + b.v}; }
inline Flat   operator-(const Flat& a, const Flat& b) { return {a.u - b.u, a.v - b.v}; }
inline Flat   operator-(const Flat& a) { return {-a.u, -a.v}; }
inline Flat   operator*(double k, const Flat& a) { return {k * a.u, k * a.v}; }
inline double dot(const Flat& a, const Flat& b) { return a.u * b.u + a.v * b.v; }
inline double cross(const Flat& a, const Flat& b) { return a.u * b.v - a.v * b.u; }
inline Flat   unit(const Flat& a) { return (1 / std::sqrt(dot(a, a))) * a; }

/// A point of the boundary of a flat figure and the unit normal there.
struct Tangent {
    Flat n, w;

    [[nodiscard]] double  height() const { return dot(n, w); }   ///< of the tangent line over the origin
    [[nodiscard]] double  slope() const { return cross(n, w); }  ///< of the height as n turns left
    Tangent               operator-() const { return {-n, -w}; }
    [[nodiscard]] Tangent moved(const Flat& by) const { return {n, w + by}; }
};

/// Whether the height could be less than `known` somewhere between two tangents: the boundary lies outside of its
/// chord.
[[gnu::always_inline]] inline bool may_be_less(const Tangent& a, const Tangent& b, double known)
{
    const Flat   chord = b.w - a.w;
    const double off   = cross(a.w, b.w);
    return dot(a.w, chord) < 0 && dot(b.w, chord) > 0 && !(off > 0 && off * off >= known * known * dot(chord, chord));
}

/// A rim seen along an axis of the box: an ellipse about the origin with half axes r across z and r sqrt(1 - flat^2)
/// along it.
struct Rim {
    Flat   z;        ///< the axis of the round shape as it is seen, unit
    double flat, r;  ///< the length at which it is seen

    /// The ellipse of the height sqrt(uu u^2 + 2 uv u v + vv v^2) along (u, v).
    static Rim of_height(double uu, double uv, double vv)
    {
        const double half = 0.5 * (uu - vv), most = 0.5 * (uu + vv) + std::sqrt(half * half + uv * uv),
                     least = most > 0 ? std::max(0.0, (uu * vv - uv * uv) / most) : 0;
        const Flat   z     = half >= 0 ? Flat{uv, least - uu} : Flat{vv - least, -uv};
        return {dot(z, z) > 0 ? unit(z) : Flat{1, 0}, most > 0 ? std::sqrt(1 - least / most) : 0, std::sqrt(most)};
    }

    /// @param sine  between n and the axis
    [[nodiscard]] Tangent at(const Flat& n, double sine) const
    {
        const double k = sine > 1e-12 ? r / sine : 0;  // else n is the axis, seen at its full length: the rim is a line
        return {n, k * n - (k * flat * flat * dot(n, z)) * z};
    }
    [[nodiscard]] double sine(const Flat& n) const
    {
        const double y = flat * dot(n, z);
        return std::sqrt(std::max(0.0, 1 - y * y));
    }
    [[nodiscard]] Tangent at(const Flat& n) const { return at(n, sine(n)); }
};

/// Newton steps on the slope of the rim about `centre`, which is negative at `a` and positive at `b`.
inline Flat settle(const Rim& rim, const Flat& centre, Flat a, Flat b)
{
    Flat n = unit(a + b);
    for (int i = 0; i < 30; ++i) {
        const double  sine  = rim.sine(n);
        const Tangent t     = rim.at(n, sine).moved(centre);
        const double  slope = t.slope(), height = t.height();
        if (std::abs(slope) <= 1e-8 * std::abs(height)) break;
        (slope < 0 ? a : b) = n;
        const double bend   = sine > 1e-12 ? rim.r * (1 - rim.flat * rim.flat) / (sine * sine * sine) : 0;
        const double curve = bend - height, turn = -slope / curve;
        const Flat   next    = unit({n.u - turn * n.v, n.v + turn * n.u});
        const bool   between = curve > 0 && cross(a, next) > 0 && cross(next, b) > 0;
        n                    = between ? next : unit(a + b);
    }
    return n;
}

/// A direction in which the height of the rim about `centre` is least between two that are less than a quarter apart
/// and on one half along z.
/// @param known  at most the height at the ends
/// @return false where no height is less than that
inline bool least_between(const Rim& rim, const Flat& centre, Tangent a, Tangent b, double known, Flat& out)
{
    struct Piece {
        Tangent a, b;
    };
    constexpr int             kCuts = 40;
    Scratch<Piece, kCuts + 1> open;
    std::size_t               count = 0;
    // An ellipse has one least height on the half where the origin lies: without a change of the slope there is none
    // between. On the other half a maximum may come first; pieces of it are looked at one by one.
    const int most  = dot(centre, rim.z) * dot(a.n + b.n, rim.z) <= 0 ? 0 : kCuts;
    bool      found = false;
    for (int cuts = 0;; ++cuts) {
        if (may_be_less(a, b, known)) {
            if (a.slope() < 0 && b.slope() > 0) {
                out = settle(rim, centre, a.n, b.n);
                return true;
            }
            if (cuts < most) {
                const Tangent m = rim.at(unit(a.n + b.n)).moved(centre);
                if (m.height() < known) known = m.height(), out = m.n, found = true;
                open[count++] = {a, m};
                open[count++] = {m, b};
            }
        }
        if (count == 0) return found;
        --count;
        a = open[count].a, b = open[count].b;
    }
}

}  // namespace mechane::collision

// Where a moving prim has to be keyed so that one translate, one orient and one scale follow its operations (REP-0158
// wants these three). A piece between two keys is kept where the interpolated transform is near the true one at three
// places; otherwise it is halved.

#include "conformance/fixes/motion_keys.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mechane::conformance {
namespace {

constexpr double      kAngle  = 1e-3;  // [rad] that a key-framed orientation may be off on the way
constexpr double      kPath   = 1e-4;  // of the largest translation or scale
constexpr int         kHalves = 12;    // of the time between two samples: 4,096 keys
constexpr std::size_t kMost   = 100000;

// Shoemake 1985. Both signs of a quaternion are one rotation; the shorter way is taken.
Quatd slerp(Quatd a, Quatd b, double at)
{
    double cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (cosine < 0) b = {-b.x, -b.y, -b.z, -b.w}, cosine = -cosine;
    const double angle = std::acos(std::min(cosine, 1.0));
    if (angle < 1e-9) return a;
    const double u = std::sin((1 - at) * angle) / std::sin(angle), v = std::sin(at * angle) / std::sin(angle);
    return {u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z, u * a.w + v * b.w};
}

/// The smallest angle of a turn that leads from one orientation to the other [rad].
double angle_between(const Quatd& a, const Quatd& b)
{ return 2 * std::acos(std::min(1.0, std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w))); }

// All samples are keys, whatever lies between them.
class Keys {
  public:
    Keys(const usd::Stage& stage, const usd::Prim& prim) : stage_(stage), prim_(prim) {}

    bool run(const std::vector<double>& samples)
    {
        for (std::size_t i = 0; i < samples.size(); ++i) {
            times.push_back(samples[i]);
            if (i + 1 < samples.size() && !between(samples[i], samples[i + 1], 0)) return false;
        }
        return true;
    }

    std::vector<double> times;

  private:
    [[nodiscard]] usd::Decomposition at(double time) const
    { return usd::decompose(stage_.local_matrix(prim_, usd::TimeCode(time))); }

    /// Keys between two others, by halves. @return false where no number of keys does
    // NOLINTNEXTLINE(misc-no-recursion): kHalves deep
    bool between(double begin, double end, int depth)
    {
        if (follows(begin, end)) return true;
        // A key that double precision cannot tell from its neighbours ends the search too.
        const double half = begin + 0.5 * (end - begin);
        if (depth == kHalves || times.size() >= kMost || !(half > begin && half < end)) return false;
        if (!between(begin, half, depth + 1)) return false;
        times.push_back(half);
        return between(half, end, depth + 1);
    }

    [[nodiscard]] bool follows(double begin, double end) const
    {
        const usd::Decomposition a = at(begin), b = at(end);
        // Near half a turn the last digits decide which way is the shorter one.
        if (angle_between(a.rotation, b.rotation) > 3) return false;
        // A whole number of turns looks like none half way; a third and a fifth of it do not both.
        return std::ranges::all_of(std::initializer_list<double>{0.5, 1.0 / 3, 0.2}, [&](double part) {
            const usd::Decomposition m = at(begin + part * (end - begin));
            if (a.singular || b.singular || m.singular) return true;  // refused where it is written
            const auto near = [&](const Vec3d& x, const Vec3d& y, const Vec3d& z) {
                return length(x + part * (y - x) - z) <= kPath * std::max({length(x), length(y), length(z), 1e-6});
            };
            return angle_between(slerp(a.rotation, b.rotation, part), m.rotation) <= kAngle &&
                   near(a.translation, b.translation, m.translation) && near(a.scale, b.scale, m.scale);
        });
    }

    const usd::Stage& stage_;
    const usd::Prim&  prim_;
};

}  // namespace

MotionKeys motion_keys(const usd::Stage& stage, const usd::Prim& prim, const std::vector<usd::Token>& ops)
{
    std::set<double> samples;
    for (const usd::Token& op : ops) {
        for (const double t : prim.attribute(op).time_samples()) samples.insert(t);
    }
    Keys keys(stage, prim);
    if (!keys.run({samples.begin(), samples.end()}))
        return {.times = {}, .fault = "no number of keys follows its motion"};
    return {.times = std::move(keys.times), .fault = {}};
}

}  // namespace mechane::conformance

#include "difference.h"

namespace mechane::collision {

MinkowskiPoint Difference::operator()(const Vec3d& d) const
{
    MinkowskiPoint m{.a = core_support(a_, d), .b = p_ + R_ * core_support(b_, -transpose_times(R_, d))};
    m.w = m.a - m.b;
    return m;
}

}  // namespace mechane::collision

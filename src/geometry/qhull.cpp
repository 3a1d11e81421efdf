// Qhull's C interface behind one function: triangles of a hull as indices. Messages go to memory, errors become
// nothing.

#include "qhull.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace mechane::geometry {

namespace {

/// Qhull insists on a stream for messages; this one stays in memory.
class Messages {
  public:
    Messages() : stream_(open_memstream(&text_, &size_)) {}
    ~Messages()
    {
        if (stream_ != nullptr) std::fclose(stream_);
        std::free(text_);
    }
    Messages(const Messages&)                           = delete;
    Messages&                operator=(const Messages&) = delete;
    [[nodiscard]] std::FILE* stream() const { return stream_; }

  private:
    char*       text_ = nullptr;
    std::size_t size_ = 0;
    std::FILE*  stream_;
};

std::vector<std::array<std::int32_t, 3>> triangles_of(qhT& qhull, std::span<const Vec3d> points)
{
    std::vector<std::array<std::int32_t, 3>> triangles;
    for (facetT* facet = qhull.facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
        std::array<std::int32_t, 3> t{};
        std::size_t                 corners = 0;
        void** const                first   = &facet->vertices->e[0].p;
        for (void** v = first; *v != nullptr; ++v, ++corners)
            if (corners < 3)
                t[corners] = static_cast<std::int32_t>((static_cast<vertexT*>(*v)->point - qhull.first_point) / 3);
        if (corners != 3) return {};
        // Qhull orients facets towards or away from the viewer; the swap winds all outwards.
        if (facet->toporient != 0) std::swap(t[1], t[2]);
        for (const std::int32_t i : t)
            if (i < 0 || i >= std::ssize(points)) return {};
        triangles.push_back(t);
    }
    return triangles;
}

}  // namespace

std::optional<std::vector<std::array<std::int32_t, 3>>> qhull_triangles(std::span<const Vec3d> points, double tolerance,
                                                                        bool joggle)
{
    const Messages messages;
    // Qhull's identifiers have 24 bits.
    if (messages.stream() == nullptr || points.size() > 0x7fffff) return std::nullopt;
    std::vector<coordT> coordinates;
    coordinates.reserve(3 * points.size());
    for (const Vec3d& p : points)
        for (const double x : {p.x, p.y, p.z}) coordinates.push_back(x);

    // Qt: triangulated output; Pp: no precision warnings; W: how far outside a point must be to count; QJ: joggled
    // input.
    std::string command = joggle ? std::string("qhull QJ Pp") : fmt::format("qhull Qt Pp W{:.17g}", tolerance);
    const auto  state   = std::make_unique<qhT>();
    qh_zero(state.get(), messages.stream());
    const int  code   = qh_new_qhull(state.get(), 3, static_cast<int>(points.size()), coordinates.data(), qh_False,
                                     command.data(), nullptr, messages.stream());
    const auto result = code == qh_ERRnone ? triangles_of(*state, points) : std::vector<std::array<std::int32_t, 3>>{};
    qh_freeqhull(state.get(), !qh_ALL);
    int long_count = 0, long_bytes = 0;
    qh_memfreeshort(state.get(), &long_count, &long_bytes);
    if (result.empty()) return std::nullopt;
    return result;
}

}  // namespace mechane::geometry

// Contacts of a model as rows for people: surface points in the world instead of points with radii in body frames.
// A contact of the arrays has points on the bodies' frames, radii r, and a distance that already has the margins taken
// off.
// Here points are moved to the surfaces along the normal (from shape 0 to shape 1), and the margins are told apart.
// Called by collide.cpp and collide_cases.cpp.

#include "cli/contact_rows.h"

namespace mechane::cli {

std::vector<ContactRow> contact_rows(const model::Model& m, const model::State& state, const model::Contacts& c)
{
    const auto world = [&](std::int32_t shape, const Vec3& p) {
        const std::int32_t body = m.shape_body[static_cast<std::size_t>(shape)];
        return body < 0 ? static_cast<Vec3d>(p)
                        : static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]) * static_cast<Vec3d>(p);
    };
    std::vector<ContactRow> rows;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
        const std::int32_t s0 = c.rigid_contact_shape0[i], s1 = c.rigid_contact_shape1[i];
        const double       r0 = static_cast<double>(c.rigid_contact_margin0[i]),
                           r1 = static_cast<double>(c.rigid_contact_margin1[i]);
        // Rows of pressure contact have no radii and margins: the distance contains them already.
        const bool plain = r0 != 0 || r1 != 0 || c.rigid_contact_stiffness.empty() || c.rigid_contact_stiffness[i] == 0;
        const double m0  = plain ? static_cast<double>(m.shape_margin[static_cast<std::size_t>(s0)]) : 0;
        const double m1  = plain ? static_cast<double>(m.shape_margin[static_cast<std::size_t>(s1)]) : 0;
        ContactRow   row{s0, s1, {}, {}, static_cast<Vec3d>(c.rigid_contact_normal[i]), 0};
        row.point0   = world(s0, c.rigid_contact_point0[i]) + (r0 - m0) * row.normal;
        row.point1   = world(s1, c.rigid_contact_point1[i]) - (r1 - m1) * row.normal;
        row.distance = static_cast<double>(c.rigid_contact_distance[i]) + m0 + m1;
        row.margin   = m0 + m1;
        if (!c.rigid_contact_stiffness.empty()) row.stiffness = static_cast<double>(c.rigid_contact_stiffness[i]);
        rows.push_back(row);
    }
    return rows;
}

ContactRow reversed(const ContactRow& r)
{ return {r.shape1, r.shape0, r.point1, r.point0, -r.normal, r.distance, r.margin, r.stiffness}; }

nlohmann::json to_json(const ContactRow& row)
{
    const auto     list = [](const Vec3d& v) { return nlohmann::json{v.x, v.y, v.z}; };
    nlohmann::json out{{"point_a", list(row.point0)},
                       {"point_b", list(row.point1)},
                       {"normal", list(row.normal)},
                       {"distance", row.distance},
                       {"contact_distance", row.distance - row.margin}};
    if (row.stiffness > 0) out["stiffness"] = row.stiffness;
    return out;
}

}  // namespace mechane::cli

// finalize: bodies. Masses and inertias are repaired (geometry/inertia_repair.h) and inverted; kg, m, kg m^2 about the
// centre of mass in body axes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "finalize.h"
#include "mechane/model/codes.h"
#include "number_repair.h"

namespace mechane::model {

namespace {

/// Dynamic bodies that nothing but a FREE joint holds.
std::vector<bool> loose_bodies(const ModelBuilder& b)
{
    std::vector<bool> loose(b.bodies.size());
    for (std::size_t i = 0; i < b.bodies.size(); ++i) loose[i] = b.bodies[i].flags == body_flag::dynamic;
    for (const BuilderJoint& j : b.joints)
        if (j.type != JointType::free) loose[static_cast<std::size_t>(j.child)] = false;
    return loose;
}

/// Numbers whose products would leave the range of Real count as not finite.
double in_range(double x) { return std::abs(x) <= kLargestNumber ? x : std::numeric_limits<double>::quiet_NaN(); }
Vec3d  in_range(const Vec3d& v) { return {in_range(v.x), in_range(v.y), in_range(v.z)}; }
Mat33d in_range(const Mat33d& m) { return {in_range(m.r0), in_range(m.r1), in_range(m.r2)}; }

}  // namespace

void fill_bodies(const ModelBuilder& b, const FinalizeOptions& options, Model& m, Diagnostics& out)
{
    const std::vector<bool> loose = loose_bodies(b);
    for (std::size_t i = 0; i < b.bodies.size(); ++i) {
        const BuilderBody& body = b.bodies[i];
        NumberRepair       repair(out, body.label);
        m.body_label.push_back(body.label);
        m.body_q.push_back(repair.pose(body.q, "body_q"));
        m.body_qd.push_back(repair.spatial(body.qd, "body_qd"));
        m.body_flags.push_back(body.flags);
        m.body_world.push_back(body.world);
        m.body_scene.push_back(body.scene);
        m.body_starts_asleep.push_back(body.starts_asleep ? 1 : 0);

        const geometry::RepairedInertia fixed =
            geometry::repair_inertia(in_range(body.mass), in_range(body.com), in_range(body.inertia), options.inertia);
        // One finding a body unless each is asked for.
        const std::vector<std::string> told = options.inertia.one_by_one || fixed.faults.empty()
                                                  ? fixed.faults
                                                  : std::vector{fmt::format("{}", fmt::join(fixed.faults, ", "))};
        for (const std::string& fault : told)
            out.add(kInertiaFixed, repair.site("body_inertia"),
                    fmt::format("{}; mass {} and inertia diagonal ({}, {}, {}) became {} and ({}, {}, {})", fault,
                                body.mass, body.inertia.r0.x, body.inertia.r1.y, body.inertia.r2.z, fixed.mass,
                                fixed.inertia.r0.x, fixed.inertia.r1.y, fixed.inertia.r2.z));
        if (fixed.faults.empty() && fixed.mass == 0 && loose[i])
            out.add(kBodyImmovable, repair.site("body_mass"),
                    "the body has no mass, and nothing but a FREE joint holds it; it will not move");
        m.body_mass.push_back(static_cast<Real>(fixed.mass));
        m.body_com.push_back(static_cast<Vec3>(fixed.com));
        m.body_inertia.push_back(static_cast<Mat33>(fixed.inertia));
        // Masses below the smallest float would give an infinite inverse.
        // Immovable bodies have inverse mass and inertia zero.
        const bool   movable  = fixed.mass > 1.0 / kLargestNumber;
        const Mat33d inverted = movable ? inverse(fixed.inertia) : Mat33d{};
        m.body_inv_mass.push_back(movable ? static_cast<Real>(1 / fixed.mass) : Real(0));
        // Symmetric to the last bit, whatever rounding the inversion has.
        m.body_inv_inertia.push_back(static_cast<Mat33>(0.5 * (inverted + transpose(inverted))));
    }
    m.body_shapes.resize(b.bodies.size());
}

}  // namespace mechane::model

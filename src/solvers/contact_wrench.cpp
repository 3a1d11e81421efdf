// The wrench of each contact on its two bodies: force [N] and torque [N m] about the centre of mass, in world axes.
// Called by programs, `sim --sense` and Python after a step; softstep and the other solvers leave rigid_contact_force,
// the force on body 1.

#include "mechane/solvers/contact_wrench.h"

#include "mechane/core/failure.h"
#include "mechane/model/belongs.h"

namespace mechane::solvers {

void contact_wrenches(const model::Model& model, const model::State& state, const model::Contacts& contacts,
                      std::span<Spatial> on_body0, std::span<Spatial> on_body1)
{
    const auto count = static_cast<std::size_t>(contacts.rigid_contact_count);
    MCH_REQUIRE(state.body_q.size() == model.body_count(), "contact_wrenches", "state", "a state of the model");
    MCH_REQUIRE(model::fits(model, contacts), "contact_wrenches", "contacts", "contacts of the model's shapes");
    MCH_REQUIRE(on_body0.empty() || on_body0.size() >= count, "contact_wrenches", "on_body0", "room for each contact");
    MCH_REQUIRE(on_body1.empty() || on_body1.size() >= count, "contact_wrenches", "on_body1", "room for each contact");
    for (std::size_t i = 0; i < count; ++i) {
        Vec3d surface[2], com[2];
        for (std::size_t s = 0; s < 2; ++s) {
            const std::int32_t shape = s == 0 ? contacts.rigid_contact_shape0[i] : contacts.rigid_contact_shape1[i];
            const std::int32_t body  = model.shape_body[static_cast<std::size_t>(shape)];
            const Vec3d        on_B =
                static_cast<Vec3d>(s == 0 ? contacts.rigid_contact_point0[i] : contacts.rigid_contact_point1[i]) +
                static_cast<Vec3d>(s == 0 ? contacts.rigid_contact_offset0[i] : contacts.rigid_contact_offset1[i]);
            if (body < 0) {
                surface[s] = on_B;
                continue;
            }
            const Posed X_WB = static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]);
            surface[s]       = X_WB * on_B;
            com[s]           = X_WB * static_cast<Vec3d>(model.body_com[static_cast<std::size_t>(body)]);
        }
        // Both surfaces are pushed at one point, midway between their points, so the pair of wrenches has no net
        // moment.
        const Vec3d at = 0.5 * (surface[0] + surface[1]), force = static_cast<Vec3d>(contacts.rigid_contact_force[i]);
        // A caller's own arrays may be shorter.
        const Vec3d couple =
            i < contacts.rigid_contact_torque.size() ? static_cast<Vec3d>(contacts.rigid_contact_torque[i]) : Vec3d{};
        const auto wrench = [&](const Vec3d& f, const Vec3d& torque, const Vec3d& about) {
            return Spatial{static_cast<Vec3>(f), static_cast<Vec3>(torque + cross(at - about, f))};
        };
        if (!on_body0.empty()) on_body0[i] = wrench(-force, -couple, com[0]);
        if (!on_body1.empty()) on_body1[i] = wrench(force, couple, com[1]);
    }
}

}  // namespace mechane::solvers

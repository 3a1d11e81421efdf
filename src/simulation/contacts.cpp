// The view of contacts in the public interface: rows of model::Contacts as Contact, in the world frame, normals from
// body 0 to body 1, forces [N] on body 1. `touching` leaves out rows without a force.

#include "mechane/contacts.h"

#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "simulation/require.h"

namespace mechane {

Contacts::Contacts(const Model& model, const State& state, const model::Contacts& rows, bool touching)
    : view_{&model, &state, &rows, touching}
{
    // Ids of another model would index wrongly.
    if (state.model().get() != &model)
        fail(make_diagnostic(kApiForeign, {.property = "Contacts(state)"}, "state: belongs to another model"));
    MCH_REQUIRE(model::fits(model.arrays(), state.arrays()), "Contacts", "state", "arrays of the model's sizes");
    MCH_REQUIRE(model::fits(model.arrays(), rows), "Contacts", "rows", "contacts of the model's shapes");
}

std::size_t Contacts::View::next(std::size_t index) const
{
    const std::size_t count = end();
    while (touching && index < count && rows->rigid_contact_force[index] == Vec3{}) ++index;
    return index;
}

std::size_t Contacts::size() const
{
    std::size_t count = 0;
    for (std::size_t i = view_.next(0); i < view_.end(); i = view_.next(i + 1)) ++count;
    return count;
}

Contact Contacts::View::at(std::size_t i) const
{
    MCH_REQUIRE(i < end(), "Contacts::iterator", "this", "an iterator that is not at the end");
    Contact c;
    c.shape0 = ShapeId(rows->rigid_contact_shape0[i]);
    c.shape1 = ShapeId(rows->rigid_contact_shape1[i]);
    c.body0  = model->body_of(c.shape0);
    c.body1  = model->body_of(c.shape1);
    // What a program may write to since the view was made is looked at by checked ways.
    const auto world = [&](BodyId body, const Vec3& p) { return body.valid() ? state->pose(body) * p : p; };
    // Contact points are stored in body frames; offsets carry them from the centre line to the surface.
    const Vec3 a = world(c.body0, rows->rigid_contact_point0[i] + rows->rigid_contact_offset0[i]);
    const Vec3 b = world(c.body1, rows->rigid_contact_point1[i] + rows->rigid_contact_offset1[i]);
    c.normal     = rows->rigid_contact_normal[i];
    c.point      = Real(0.5) * (a + b);
    c.distance   = dot(c.normal, b - a);
    c.force      = rows->rigid_contact_force[i];
    return c;
}

}  // namespace mechane

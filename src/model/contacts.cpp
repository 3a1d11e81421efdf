#include "mechane/model/contacts.h"

namespace mechane::model {

void Contacts::resize(std::size_t capacity)
{
    rigid_contact_shape0.resize(capacity);
    rigid_contact_shape1.resize(capacity);
    rigid_contact_point0.resize(capacity);
    rigid_contact_point1.resize(capacity);
    rigid_contact_offset0.resize(capacity);
    rigid_contact_offset1.resize(capacity);
    rigid_contact_normal.resize(capacity);
    rigid_contact_margin0.resize(capacity);
    rigid_contact_margin1.resize(capacity);
    rigid_contact_distance.resize(capacity);
    rigid_contact_feature.resize(capacity);
    rigid_contact_force.resize(capacity);
}

}  // namespace mechane::model

// Contacts as arrays: sizes and clearing. Capacity and count differ: the buffer stays, entries beyond the count are
// left over from before.

#include "mechane/model/contacts.h"

namespace mechane::model {

void SoftContacts::resize_soft(std::size_t capacity)
{
    soft_contact_particle.resize(capacity);
    soft_contact_indices.resize(capacity);
    soft_contact_barycentric.resize(capacity);
    soft_contact_shape.resize(capacity);
    soft_contact_body_pos.resize(capacity);
    soft_contact_body_vel.resize(capacity);
    soft_contact_normal.resize(capacity);
}

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
    rigid_contact_torque.resize(capacity);
    if (!rigid_contact_stiffness.empty()) with_stiffness();
}

/// Stiffness of a row's own is there only with pressure contacts; empty arrays mean that materials decide.
void Contacts::with_stiffness()
{
    rigid_contact_stiffness.resize(capacity());
    rigid_contact_damping.resize(capacity());
    rigid_contact_friction.resize(capacity());
}

void Contacts::clear()
{
    rigid_contact_count = rigid_contact_needed = 0;
    soft_contact_count = soft_contact_needed = 0;
    soft_contact_full_surface                = false;
    // A new number tells readers that indices of before are void.
    contact_generation                       = next_generation();
    rigid_contact_match_generation           = -1;
    rigid_contact_new_indices.clear();
    rigid_contact_broken_indices.clear();
}

void Contacts::reset_custom(const CustomArrays& declared)
{
    std::size_t n = 0;
    for (const CustomArray& array : declared.arrays) {
        if (array.assignment != CustomAssignment::contact) continue;
        if (n == custom_arrays.arrays.size()) custom_arrays.arrays.push_back(array.filled(capacity()));
        CustomArray& mine = custom_arrays.arrays[n++];
        if (mine.key != array.key || mine.size() != capacity())
            mine = array.filled(capacity());
        else
            // Each step begins with the defaults.
            for (std::size_t i = 0; i < mine.size(); ++i) mine.set(i, array.otherwise);
    }
    custom_arrays.arrays.resize(n);
    custom_arrays.declared = declared.declared;
}

}  // namespace mechane::model

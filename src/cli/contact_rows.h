#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::cli {

/// One contact as a reader wants it: in the world, between surfaces without margins.
struct ContactRow {
    std::int32_t shape0 = -1, shape1 = -1;
    Vec3d        point0, point1;  ///< on the surfaces [m]
    Vec3d        normal;          ///< unit, from shape 0 to shape 1
    double       distance  = 0;   ///< between the surfaces, margins not subtracted [m]
    double       margin    = 0;   ///< of both surfaces [m]; contacts hold them that far apart
    double       stiffness = 0;   ///< of pressure contact [N/m], 0: that of the materials
};

/// The rows of a call, at the state that it was made for.
std::vector<ContactRow> contact_rows(const model::Model& model, const model::State& state,
                                     const model::Contacts& contacts);
/// The same contact seen from the other shape.
ContactRow     reversed(const ContactRow& row);
nlohmann::json to_json(const ContactRow& row);

}  // namespace mechane::cli

#pragma once

namespace mechane::model {
struct Model;
}

namespace mechane::simulation {

/// Arrays of an edited model that have not the length that they had when the model was made become what they were then,
/// and so does whatever of its topology was written to (which body a shape is of, which joint is what): everything
/// beneath indexes them unchecked. The list of filtered pairs may have any length.
/// @return the name of the first such array, null if there is none
const char* restore_sizes(model::Model& edited, const model::Model& original);

}  // namespace mechane::simulation

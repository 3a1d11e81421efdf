#pragma once
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Looks for what opening a stage does not look for, since reading does not depend on it and every property has to be
/// visited: opinions that disagree on a property's kind, type or variability (COMP_TYPE_CONFLICT), targets and
/// connections that lie outside what their arc can reach (COMP_TARGET_INVALID), selections by expressions with
/// undefined variables (COMP_EXPRESSION), and lists that OpenUSD's parser drops because they name an item twice
/// (LAYER_LISTOP_DUPLICATE; text layers only).
void inspect(const Stage& stage, Diagnostics& found);
/// The last of these alone: schemas, references or targets that are lost to whatever reads the stage.
void inspect_lists(const Stage& stage, Diagnostics& found);

}  // namespace mechane::usd

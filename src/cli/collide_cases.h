#pragma once
#include <string>

#include "mechane/core/result.h"

namespace mechane::cli {

/// Contacts of the pairs of a document "mechane.cases/1" as a document "mechane.contacts/1" (docs/schemas). A case
/// that makes no sense has an "error" in its row; the others are answered.
/// @param where      how messages call the document
/// @param algorithm  "auto": by the kinds of the shapes, as in a simulation; "mpr", "gjk": by support maps alone
///                   (collision/support_map.h), which convex shapes have
/// @error CLI_CASES  the document itself is not one
Result<std::string> collide_cases(const std::string& text, const std::string& where,
                                  const std::string& algorithm = "auto");

}  // namespace mechane::cli

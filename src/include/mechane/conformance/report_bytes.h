#pragma once
#include <optional>
#include <string>

#include "mechane/conformance/report.h"
#include "mechane/core/bytes.h"

/// Reports as bytes, for this build of the program: whoever keeps them keeps `catalogue_digest` and the build's name
/// (core/build_identity.h) with them.
namespace mechane::conformance {

/// Reports with rules of a caller's own cannot be put.
void put(ByteWriter& out, const Report& report);
/// @return nothing for bytes that are no report
std::optional<Report> get_report(ByteReader& in);

void       put(ByteWriter& out, const Diagnostic& diagnostic);
Diagnostic get_diagnostic(ByteReader& in);

/// SHA-256 of all that the catalogue says of all rules.
std::string catalogue_digest();

}  // namespace mechane::conformance

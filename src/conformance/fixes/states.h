#pragma once
#include "conformance/fixes/repair.h"

/// Repairs of placements see one state of the asset, that of the selected variants. What they write where several
/// states share an opinion holds in all of them.
namespace mechane::conformance {

/// True when variants place the prim: what is written at `at` for the state at hand would be wrong, or without effect,
/// in another. Opinions inside the variant that `at` lies in are that state's own.
bool placed_by_variants(const Repair& repair, const usd::Prim& prim, const EditPlace& at);

/// True when what the prim hands down to its children (a rotation; to all below it: a scale) would not reach what
/// variants that are not selected bring, or would meet placements that depend on variants.
bool hands_into_variants(Repair& repair, const usd::Prim& prim, bool to_all);

}  // namespace mechane::conformance

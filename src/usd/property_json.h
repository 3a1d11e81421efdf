#pragma once
#include <nlohmann/json.hpp>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// Composed metadata of a prim (empty `property`) or property, without the fields that have places of their own in the
/// dump.
nlohmann::json metadata_json(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& property,
                             std::size_t limit);
nlohmann::json attribute_json(const Stage::Impl& stage, const PrimRecord& record, const Attribute& attribute,
                              std::size_t limit);
nlohmann::json relationship_json(const Stage::Impl& stage, const PrimRecord& record, const Relationship& relationship,
                                 std::size_t limit);
/// What the schemas bring: type and fallback of each property.
nlohmann::json fallbacks_json(const Definition& definition, std::size_t limit);

}  // namespace mechane::usd

#pragma once
#include <optional>
#include <string>

#include "mechane/core/diagnostic.h"
#include "mechane/physics/conventions.h"
#include "mechane/usd/stage.h"

namespace mechane::physics {

/// Why an authored value cannot be the value of its attribute. It then counts as not authored, for every reader.
struct ValueFault {
    const Code* code = nullptr;  ///< PHY_VALUE_TYPE, PHY_VALUE_NAN or PHY_VALUE_TOKEN
    std::string text;            ///< "is of type string, expected float"
};

/// Compares what is authored (the default, else the first sample) with what the bundled schemas say of the attribute:
/// its type, that numbers are finite, its tokens. Attributes that no schema knows are judged by their numbers alone.
///
/// Any precision fits a number, and 0 or 1 fits a switch, as Value::get converts them. An infinite single number
/// is left to the attribute's reader: it means "no limit" or "the engine's choice" in many of them.
std::optional<ValueFault> value_fault(const usd::Prim& prim, const usd::Token& name);

/// Whether the conventions leave a value out because of its type (`other_types_unread`).
bool is_unread_type(const Conventions& conventions, const usd::Attribute& attribute);

}  // namespace mechane::physics

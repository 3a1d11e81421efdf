#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The kind of a prim as authored ("component", "group", ...); empty when there is none.
Token kind_of(const Prim& prim);
/// True when `kind` is `base` or derives from it: assembly < group < model, component < model; subcomponent has no
/// base. Plug-ins may add kinds.
bool kind_is_a(const Token& kind, const Token& base);

/// True when the prim's kind is a model kind and every prim above it is a group: the model hierarchy has no gaps.
bool is_model(const Prim& prim);
/// True for a model that is a group.
bool is_group(const Prim& prim);

/// KIND_HIERARCHY for every component that lies below a component, in traversal order.
void check_kinds(const Stage& stage, Diagnostics& found);

}  // namespace mechane::usd

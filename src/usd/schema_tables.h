#pragma once
#include <cstddef>

namespace mechane::usd {

/// One schema as src/usd/schemagen found it.
struct SchemaRow {
    const char* module;      ///< "usdPhysics"
    const char* identifier;  ///< "PhysicsScene"
    const char* type;        ///< "UsdPhysicsScene"
    const char* kind;   ///< concreteTyped, abstractTyped, abstractBase, singleApplyAPI, multipleApplyAPI, nonAppliedAPI
    const char* bases;  ///< type names, separated by spaces
    const char* auto_apply;  ///< type names or identifiers that get this API by themselves
    const char* can_only_apply_to;
    const char* usda;  ///< a layer with the class alone; empty when the schema has no class prim
};

extern const SchemaRow   kSchemaRows[];
extern const std::size_t kSchemaRowCount;

}  // namespace mechane::usd

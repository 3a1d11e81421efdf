#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::usd {

// clang-format off
inline constexpr Code kOpenFailed{"STAGE_OPEN_FAILED", Severity::error, "A file could not be opened as USD.", "Check the path, and that the file is a complete usda, usdc, usd or usdz file."};
inline constexpr Code kReaderDied{"STAGE_READER_DIED", Severity::error, "The process that reads the file for the first time did not survive it.", "The file is damaged or malicious; write it again with the program that made it. If it is trusted and large, --isolate never opens it all the same."};
inline constexpr Code kFormatUnknown{"STAGE_FORMAT_UNKNOWN", Severity::error, "The file's suffix is none of USD's.", "Use .usda, .usdc, .usd or .usdz."};
inline constexpr Code kLimit{"STAGE_LIMIT", Severity::error, "The stage exceeds a limit of size or depth.", "Open a smaller part with a population mask, or raise the limit."};
inline constexpr Code kWriteFailed{"STAGE_WRITE_FAILED", Severity::error, "A layer could not be written.", "Check that the folder exists and can be written."};
inline constexpr Code kEditRefused{"STAGE_EDIT_REFUSED", Severity::error, "A layer cannot be edited in this way.", "See the message; the layer is unchanged."};
inline constexpr Code kDefaultPrimMissing{"STAGE_DEFAULT_PRIM_MISSING", Severity::warning, "defaultPrim names a prim that does not exist.", "Author defaultPrim as the name of a root prim."};
inline constexpr Code kMuteRoot{"STAGE_MUTE_ROOT", Severity::warning, "The root layer cannot be muted.", "Mute one of its sublayers."};
inline constexpr Code kTwoCopies{"STAGE_TWO_OPENUSD", Severity::error, "Two copies of one OpenUSD library are loaded in this process.", "Load OpenUSD from one place only."};
inline constexpr Code kOtherRelease{"STAGE_OPENUSD_FOLDER", Severity::error, "OpenUSD's folder beside the program belongs to another release of it.", "Put the program and the folder openusd/ of one release side by side."};
inline constexpr Code kLibraryMessage{"STAGE_LIBRARY", Severity::warning, "OpenUSD reported a problem while reading.", "See the message."};
inline constexpr Code kMetaUpAxis{"META_UPAXIS_X", Severity::warning, "upAxis is neither Y nor Z.", "Author upAxis as \"Y\" or \"Z\"."};
inline constexpr Code kMetaUnit{"META_UNIT_INVALID", Severity::warning, "A unit of the stage is not a positive finite number.", "Author a positive number."};
inline constexpr Code kCycle{"COMP_CYCLE", Severity::error, "References, inherits or sublayers form a cycle.", "Remove one arc of the cycle."};
inline constexpr Code kPermission{"COMP_PERMISSION", Severity::error, "An opinion about a private prim or property was refused.", "Remove the opinion, or make the site public."};
inline constexpr Code kRelocateSource{"COMP_RELOCATE_SOURCE", Severity::warning, "There are opinions at the old place of a relocated prim.", "Move them to the new place."};
inline constexpr Code kCapacity{"COMP_CAPACITY", Severity::error, "A prim has more arcs than can be composed.", "Reduce the number of nested arcs."};
inline constexpr Code kTypeConflict{"COMP_TYPE_CONFLICT", Severity::warning, "Opinions about a property disagree on its kind or type.", "Use one type in every layer."};
inline constexpr Code kTypeOther{"STAGE_TYPE_OTHER", Severity::warning, "A value is of another type than the schema has for its attribute.", "Author it with the type of the schema; OpenUSD's own readers leave it out."};
inline constexpr Code kAssetMissing{"COMP_ASSET_MISSING", Severity::error, "A referenced layer could not be opened.", "Put the file where the path says, or correct the path; package:// paths need --package NAME=FOLDER."};
inline constexpr Code kAssetMuted{"COMP_ASSET_MUTED", Severity::info, "A layer was left out because it is muted.", "Nothing to do."};
inline constexpr Code kTargetPrimMissing{"COMP_TARGET_PRIM_MISSING", Severity::error, "An arc names a prim that does not exist in the target layer.", "Name an existing prim, or set defaultPrim in the target."};
inline constexpr Code kTargetInvalid{"COMP_TARGET_INVALID", Severity::warning, "A relationship or connection target lies outside what its arc can reach.", "Point to a prim inside the referenced prim, or author the target in the referencing layer."};
inline constexpr Code kOffsetInvalid{"COMP_OFFSET_INVALID", Severity::warning, "A layer offset is invalid; the identity is used.", "Author a finite offset and a positive scale."};
inline constexpr Code kOwnership{"COMP_OWNERSHIP", Severity::warning, "A sublayer has another owner than the session.", "Correct the owner."};
inline constexpr Code kVariantInvalid{"COMP_VARIANT_INVALID", Severity::warning, "A variant selection is invalid.", "Select an existing variant."};
inline constexpr Code kVariantAbsent{"COMP_VARIANT_UNKNOWN", Severity::warning, "A layer selects a variant, or a set, that the prim does not have; nothing is selected.", "Select an existing variant, or remove the selection."};
inline constexpr Code kVariantUnknown{"STAGE_VARIANT_UNKNOWN", Severity::error, "A variant was asked for that the stage does not have.", "Name a variant set and a variant that it has."};
inline constexpr Code kRelocateInvalid{"COMP_RELOCATE_INVALID", Severity::error, "A relocation is invalid.", "Correct or remove it."};
inline constexpr Code kExpression{"COMP_EXPRESSION", Severity::error, "A variable expression could not be evaluated.", "Define the variable in expressionVariables, or correct the expression."};
inline constexpr Code kListDuplicate{"LAYER_LISTOP_DUPLICATE", Severity::warning, "A list names an item twice; OpenUSD drops the whole list.", "Remove the second mention."};
inline constexpr Code kSchemaLate{"STAGE_SCHEMA_LATE", Severity::error, "Schemas were to be registered after a stage was opened; nothing was changed.", "Register schemas before any stage is opened."};
inline constexpr Code kSchemaPluginInvalid{"SCHEMA_PLUGIN_INVALID", Severity::warning, "A schema plug-in cannot be read; it is left out.", "Correct its plugInfo.json and generatedSchema.usda, for example by running usdGenSchema again."};
inline constexpr Code kSchemaInvalid{"SCHEMA_DEFINITION_INVALID", Severity::warning, "A schema of a plug-in contradicts itself or others; it is left out.", "Correct the schema and run usdGenSchema again."};
inline constexpr Code kSchemaDuplicate{"SCHEMA_DUPLICATE", Severity::warning, "A plug-in defines schemas that are defined already; the first definition counts.", "Remove one of the plug-ins, or rename its schemas."};
inline constexpr Code kTypeUnknown{"SCHEMA_TYPE_UNKNOWN", Severity::warning, "A prim has a type that no schema defines.", "Correct the type name, or register the schema that defines it."};
inline constexpr Code kApiUnknown{"SCHEMA_API_UNKNOWN", Severity::warning, "An applied API schema is not known.", "Correct its name, or register the schema that defines it."};
inline constexpr Code kApiInstanceMissing{"SCHEMA_API_INSTANCE_MISSING", Severity::warning, "A multiple-apply schema is applied without an instance name.", "Write Name:instance."};
inline constexpr Code kApiInstanceUnexpected{"SCHEMA_API_INSTANCE_UNEXPECTED", Severity::warning, "A single-apply schema is applied with an instance name.", "Remove the instance name."};
inline constexpr Code kApiVersionClash{"SCHEMA_API_VERSION_CLASH", Severity::warning, "Two versions of one API schema are applied; the first one counts.", "Apply one version only."};
inline constexpr Code kApiNotApplicable{"SCHEMA_API_NOT_APPLICABLE", Severity::warning, "An API schema is applied to a prim of a type that it is not made for; it counts all the same.", "Apply it to a prim of one of the types that the message names."};
inline constexpr Code kXformMissing{"XFORM_OP_MISSING", Severity::warning, "xformOpOrder names an operation that is not authored; it is skipped.", "Author the operation or remove it from xformOpOrder."};
inline constexpr Code kXformUnknown{"XFORM_OP_UNKNOWN", Severity::warning, "xformOpOrder names an operation of unknown kind; it is skipped.", "Use translate, scale, rotate…, orient or transform."};
inline constexpr Code kXformType{"XFORM_OP_TYPE", Severity::warning, "A transform operation has a value of the wrong type; it is skipped.", "Author the type that the operation needs."};
inline constexpr Code kXformSingular{"XFORM_OP_SINGULAR", Severity::warning, "A transform operation that is to be inverted is singular; it is skipped.", "Author a non-zero scale."};
inline constexpr Code kXformNotFinite{"XFORM_OP_NOT_FINITE", Severity::error, "A transform operation has a value that is not finite; it is skipped.", "Author finite numbers."};
inline constexpr Code kOrientUnnormalized{"XFORM_ORIENT_UNNORMALIZED", Severity::warning, "An orientation is not a unit quaternion.", "Normalise it."};
inline constexpr Code kBindingNotMaterial{"BINDING_NOT_MATERIAL", Severity::warning, "A material binding points to a prim that is no Material.", "Bind a Material."};
inline constexpr Code kCollectionCycle{"COLLECTION_CYCLE", Severity::warning, "A collection includes itself through others.", "Remove one of the includes."};
inline constexpr Code kBindingApiMissing{"BINDING_API_UNAPPLIED", Severity::warning, "A prim binds a material without applying MaterialBindingAPI; the binding counts.", "Apply MaterialBindingAPI."};
inline constexpr Code kCollectionExpression{"COLLECTION_EXPRESSION_ERROR", Severity::warning, "A membership expression cannot be evaluated; the faulty part has no members.", "Use the predicates of OpenUSD, and refer to collections that have an expression."};
inline constexpr Code kPrimvarIndex{"PRIMVAR_INDEX_RANGE", Severity::warning, "An index of a primvar lies outside its values.", "Author indices from 0 to the number of elements minus one."};
inline constexpr Code kShadeCycle{"SHADE_CYCLE", Severity::warning, "Connections of shading inputs form a cycle; the local value counts.", "Remove one of the connections."};
inline constexpr Code kShadeBroken{"SHADE_CONNECTION_BROKEN", Severity::warning, "A shading input is connected to something that does not exist; the local value counts.", "Connect to an existing input or output."};
inline constexpr Code kKindHierarchy{"KIND_HIERARCHY", Severity::warning, "A component lies below a component.", "Make the outer one a group or assembly, or the inner one a subcomponent."};
inline constexpr Code kUnitsMismatch{"UNITS_REFERENCE_MISMATCH", Severity::warning, "A referenced layer states other units than the stage; its values are not converted.", "Author a compensating scale for lengths, and override masses, densities, inertias and gains."};
inline constexpr Code kPackageUnknown{"ASSET_PACKAGE_UNKNOWN", Severity::error, "A package:// path names a package that is not known.", "Give its folder with --package NAME=FOLDER."};
inline constexpr Code kClipsInvalid{"CLIPS_INVALID", Severity::warning, "A set of value clips cannot be used, or a file of it cannot.", "Author primPath, active, and assetPaths or a template whose files exist."};
// clang-format on

}  // namespace mechane::usd

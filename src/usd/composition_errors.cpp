// Errors of composition as findings of this project: a code for each kind, a place in a file, and words without
// addresses of memory.
// The library reports them in the order in which its threads met them; here they are sorted.

#include <fmt/format.h>
#include <pxr/pcp/errors.h>
#include <pxr/pcp/expressionVariables.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/proxyTypes.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>

#include <algorithm>
#include <tuple>

#include "mechane/usd/codes.h"
#include "usd/expressions.h"
#include "usd/package_resolver.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const Code& code_of(PcpErrorType type)
{
    switch (type) {
        case PcpErrorType_ArcCycle:
        case PcpErrorType_SublayerCycle:
            return kCycle;
        case PcpErrorType_ArcPermissionDenied:
        case PcpErrorType_PrimPermissionDenied:
        case PcpErrorType_PropertyPermissionDenied:
        case PcpErrorType_TargetPermissionDenied:
            return kPermission;
        case PcpErrorType_ArcToProhibitedChild:
        case PcpErrorType_OpinionAtRelocationSource:
            return kRelocateSource;
        case PcpErrorType_IndexCapacityExceeded:
        case PcpErrorType_ArcCapacityExceeded:
        case PcpErrorType_ArcNamespaceDepthCapacityExceeded:
            return kCapacity;
        case PcpErrorType_InconsistentPropertyType:
        case PcpErrorType_InconsistentAttributeType:
        case PcpErrorType_InconsistentAttributeVariability:
            return kTypeConflict;
        case PcpErrorType_InternalAssetPath:
        case PcpErrorType_InvalidAssetPath:
        case PcpErrorType_InvalidSublayerPath:
            return kAssetMissing;
        case PcpErrorType_MutedAssetPath:
            return kAssetMuted;
        case PcpErrorType_InvalidPrimPath:
        case PcpErrorType_UnresolvedPrimPath:
            return kTargetPrimMissing;
        case PcpErrorType_InvalidInstanceTargetPath:
        case PcpErrorType_InvalidExternalTargetPath:
        case PcpErrorType_InvalidTargetPath:
            return kTargetInvalid;
        case PcpErrorType_InvalidReferenceOffset:
        case PcpErrorType_InvalidSublayerOffset:
            return kOffsetInvalid;
        case PcpErrorType_InvalidSublayerOwnership:
            return kOwnership;
        case PcpErrorType_InvalidVariantSelection:
            return kVariantInvalid;
        case PcpErrorType_InvalidAuthoredRelocation:
        case PcpErrorType_InvalidConflictingRelocation:
        case PcpErrorType_InvalidSameTargetRelocations:
            return kRelocateInvalid;
        case PcpErrorType_VariableExpressionError:
            return kExpression;
        default:
            return kLibraryMessage;
    }
}

/// The library's own words without its addresses and line breaks.
std::string readable(std::string text)
{
    for (char& c : text)
        if (c == '\n' || c == '\t') c = ' ';
    for (std::size_t at = text.find("  "); at != std::string::npos; at = text.find("  ", at)) text.erase(at, 1);
    return text.substr(0, 600);
}

/// An address that cannot be opened, and the expressions that may have made it.
struct MissingAsset {
    std::string              address;  ///< as authored and evaluated; of a sublayer also anchored
    std::vector<std::string> authored;
    VtDictionary             variables;
    SdfLayerHandle           layer;             ///< that authors it
    bool                     is_there = false;  ///< and its reader says what is wrong with it
};

VtDictionary variables_of(const PcpLayerStackPtr& stack)
{ return stack ? stack->GetExpressionVariables().GetVariables() : VtDictionary(); }

template <class ListOp>
void add_addresses(const SdfLayerHandle& layer, const SdfPath& path, const TfToken& field, MissingAsset& out)
{
    ListOp list;
    if (layer && layer->HasField(path, field, &list))
        for (const auto& arc : list.GetAppliedItems()) out.authored.push_back(arc.GetAssetPath());
}

MissingAsset missing_asset(const Stage::Impl& stage, const PcpErrorBase& error)
{
    MissingAsset out;
    if (const auto* arc = dynamic_cast<const PcpErrorInvalidAssetPathBase*>(&error)) {
        out.address   = arc->assetPath;
        out.is_there  = !arc->messages.empty();
        out.variables = variables_of(stage.cache->FindLayerStack(arc->site.layerStackIdentifier));
        add_addresses<SdfReferenceListOp>(arc->sourceLayer, arc->site.path, SdfFieldKeys->References, out);
        add_addresses<SdfPayloadListOp>(arc->sourceLayer, arc->site.path, SdfFieldKeys->Payload, out);
    } else if (const auto* sublayer = dynamic_cast<const PcpErrorInvalidSublayerPath*>(&error)) {
        out.address   = sublayer->sublayerPath;
        out.is_there  = !sublayer->messages.empty();
        out.variables = variables_of(stage.cache->GetLayerStack());
        out.layer     = sublayer->layer;
        if (sublayer->layer)
            for (const std::string path : sublayer->layer->GetSubLayerPaths()) out.authored.push_back(path);
    }
    return out;
}

/// What an error is about. Of addresses that cannot be opened two kinds have a cause of their own: an expression whose
/// variable is undefined, and an unknown package.
struct Cause {
    const Code* code;
    std::string message;
    std::string hint{};  ///< empty: that of the code
};
Cause cause_of(const Stage::Impl& stage, const PcpErrorBase& error)
{
    const MissingAsset missing = missing_asset(stage, error);
    for (const std::string& expression : missing.authored)
        if (const auto undefined = find_undefined_variable(expression, missing.variables);
            // The address that failed is what the expression gives with the undefined variable left as it stands.
            undefined && (undefined->evaluated == missing.address ||
                          (missing.layer &&
                           SdfComputeAssetPathRelativeToLayer(missing.layer, undefined->evaluated) == missing.address)))
            return {&kExpression, fmt::format("the variable {} of {} is not defined; the arc or sublayer is left out",
                                              undefined->name, expression)};
    if (const std::string package = unknown_package(missing.address); !package.empty())
        return {&kPackageUnknown, fmt::format("the package of '{}' is not known", missing.address)};
    std::string text = readable(error.ToString());
    // Where no prim is named, the library names a prim "defaultPrim" that nobody wrote.
    if (const std::size_t end = text.find("@<defaultPrim>"); end != std::string::npos && end > 0) {
        const std::size_t begin = text.rfind('@', end - 1) + 1;
        text = fmt::format("@{}@ has no defaultPrim, and the {} names no prim of it", text.substr(begin, end - begin),
                           text.find("payload prim path") != std::string::npos ? "payload" : "reference");
    }
    return {
        &code_of(error.errorType), std::move(text),
        missing.is_there ? "The file is there: mend what the message names, or bring a copy that can be read." : ""};
}

/// Where an error is: the prim being composed, or, for an expression, where it is authored.
Site site_of_error(const Stage::Impl& stage, const PcpErrorBase& error)
{
    Site          site{.layer = stage.source};
    const SdfPath prim = error.rootSite.path.GetPrimPath();
    if (const auto* expression = dynamic_cast<const PcpErrorVariableExpressionError*>(&error);
        expression && prim.IsEmpty()) {
        site.layer = shown(stage, expression->sourceLayer);
        if (expression->sourcePath.IsPrimOrPrimVariantSelectionPath())
            site.prim = expression->sourcePath.StripAllVariantSelections().GetString();
        if (expression->sourceLayer) {
            const TextIndex& lines = lines_of(stage, TfCreateRefPtrFromProtectedWeakPtr(expression->sourceLayer));
            const auto       place = lines.find(expression->sourcePath.GetString());
            site.line              = place.line;
            site.column            = place.column;
        }
        return site;
    }
    if (prim != SdfPath::AbsoluteRootPath()) site.prim = prim.GetString();
    const PcpPrimIndex* index = prim.IsPrimPath() ? find_index(stage, prim) : nullptr;
    if (index != nullptr)
        if (Site where = site_of(stage, PrimRecord{.path = wrap(prim), .sites = index}, {}); !where.layer.empty())
            return where;
    return site;
}

}  // namespace

void report_composition_errors(const Stage::Impl& stage, const PcpErrorVector& errors, Diagnostics& found)
{
    // Errors come in the order in which threads found them.
    struct Entry {
        Site  site;
        Cause cause;
    };
    std::vector<Entry> entries;
    for (const PcpErrorBasePtr& error : errors)
        entries.push_back({site_of_error(stage, *error), cause_of(stage, *error)});
    // By prim and then by words, so that reports are the same in every run.
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.site.prim, a.cause.message) < std::tie(b.site.prim, b.cause.message);
    });
    for (Entry& entry : entries)
        found.add(*entry.cause.code, std::move(entry.site), std::move(entry.cause.message),
                  std::move(entry.cause.hint));
}

void add_composition_errors(Stage::Impl& stage, const PcpErrorVector& errors)
{ report_composition_errors(stage, errors, stage.diagnostics); }

}  // namespace mechane::usd

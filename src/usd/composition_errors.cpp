#include <pxr/pcp/errors.h>
#include <pxr/sdf/primSpec.h>

#include <algorithm>
#include <tuple>

#include "mechane/usd/codes.h"
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

}  // namespace

void add_composition_errors(Stage::Impl& stage, const PcpErrorVector& errors)
{
    // Errors come in the order in which threads found them.
    struct Entry {
        SdfPath     prim;
        std::string message;
        const Code* code;
    };
    std::vector<Entry> entries;
    for (const PcpErrorBasePtr& error : errors)
        entries.push_back(
            {error->rootSite.path.GetPrimPath(), readable(error->ToString()), &code_of(error->errorType)});
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.prim, a.message) < std::tie(b.prim, b.message); });
    for (Entry& entry : entries) {
        Site site{.layer = stage.source};
        if (entry.prim != SdfPath::AbsoluteRootPath()) site.prim = entry.prim.GetString();
        const PcpPrimIndex* index = entry.prim.IsPrimPath() ? stage.cache->FindPrimIndex(entry.prim) : nullptr;
        if (index != nullptr)
            if (const Site where = site_of(stage, PrimRecord{.path = wrap(entry.prim), .index = index}, {});
                !where.layer.empty())
                site = where;
        stage.diagnostics.add(*entry.code, std::move(site), std::move(entry.message));
    }
}

}  // namespace mechane::usd

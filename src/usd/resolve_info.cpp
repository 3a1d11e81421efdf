// Where a value comes from (samples, default, clips, fallback) and in which layer, for `explain` and the editor.

#include "mechane/usd/resolve_info.h"

#include "usd/stage_impl.h"

namespace mechane::usd {

ResolveInfo resolve_info(const Attribute& attribute, TimeCode time)
{
    if (!attribute) return {};
    const Stage::Impl& stage = attribute.prim().stage().impl();
    const Resolved     resolved =
        resolve_value(stage, stage.record(attribute.prim()), unwrap(attribute.name()), time, true);
    ResolveInfo out{.source = resolved.source, .blocked = resolved.blocked};
    if (resolved.layer != nullptr) out.layer = shown(stage, pxr::TfCreateNonConstWeakPtr(resolved.layer));
    return out;
}

}  // namespace mechane::usd

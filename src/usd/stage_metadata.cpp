// Metadata of the stage's root: axis, units, times. OpenUSD reads the session and the root layer and no sublayer.
// A unit that is no positive number is told and replaced by its fallback.

#include <fmt/format.h>

#include <cmath>

#include "mechane/usd/codes.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// The opinion of the session layer, else of the root layer; never of a sublayer.
VtValue root_field(const Stage::Impl& stage, const char* key)
{
    const TfToken token(key);
    for (const SdfLayerRefPtr& layer : {stage.session, stage.root})
        if (VtValue value; layer && layer->HasField(SdfPath::AbsoluteRootPath(), token, &value)) return value;
    return {};
}

void read_unit(Stage::Impl& stage, const char* key, double& out, bool& authored)
{
    const auto value = wrap(root_field(stage, key)).get<double>();
    if (!value) return;
    if (std::isfinite(*value) && *value > 0) {
        out      = *value;
        authored = true;
    } else {
        stage.diagnostics.add(kMetaUnit, {.layer = stage.source, .property = key},
                              fmt::format("{} is {}; {} is used", key, *value, out));
    }
}

void read_number(const Stage::Impl& stage, const char* key, double& out, bool* authored = nullptr)
{
    const auto value = wrap(root_field(stage, key)).get<double>();
    if (!value || !std::isfinite(*value)) return;
    out = *value;
    if (authored != nullptr) *authored = true;
}

}  // namespace

void read_metadata(Stage::Impl& stage)
{
    StageMetadata& m = stage.metadata;
    if (const auto axis = wrap(root_field(stage, "upAxis")).get<std::string>();
        axis && axis->size() == 1 && (*axis)[0] >= 'X' && (*axis)[0] <= 'Z') {
        m.up_axis          = (*axis)[0];
        m.authored_up_axis = true;
        if (m.up_axis == 'X')
            stage.diagnostics.add(kMetaUpAxis, {.layer = stage.source, .property = "upAxis"}, "upAxis is X");
    } else if (axis) {
        stage.diagnostics.add(kMetaUpAxis, {.layer = stage.source, .property = "upAxis"},
                              fmt::format("upAxis is '{}'; Y is used", *axis));
    }
    read_unit(stage, "metersPerUnit", m.meters_per_unit, m.authored_meters_per_unit);
    read_unit(stage, "kilogramsPerUnit", m.kilograms_per_unit, m.authored_kilograms_per_unit);
    bool codes = false, frames = false, start = false, end = false;
    read_number(stage, "timeCodesPerSecond", m.time_codes_per_second, &codes);
    read_number(stage, "framesPerSecond", m.frames_per_second, &frames);
    if (!codes && frames) m.time_codes_per_second = m.frames_per_second;
    // The names of before 2016 count where the new ones are absent.
    read_number(stage, "startFrame", m.start_time_code, &start);
    read_number(stage, "endFrame", m.end_time_code, &end);
    read_number(stage, "startTimeCode", m.start_time_code, &start);
    read_number(stage, "endTimeCode", m.end_time_code, &end);
    m.authored_time_range = start && end;
    m.default_prim        = wrap(root_field(stage, "defaultPrim")).get<std::string>().value_or("");
}

}  // namespace mechane::usd

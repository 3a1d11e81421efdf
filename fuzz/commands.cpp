#include <cstddef>
#include <cstdint>
#include <string>

#include "mechane/model/builder.h"
#include "mechane/model/state.h"
#include "mechane/run/settings.h"

/// Tables of commands (CSV) for a model of one hinge, applied where they are read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace mechane;
    static const model::Model hinged = [] {
        model::ModelBuilder builder;
        const auto          link = builder.add_link({}, "/r/link", 1, {}, Mat33d::identity());
        builder.add_articulation({builder.add_joint_revolute(model::kWorldBody, link, {}, {}, {}, "/r/joint")}, "/r");
        Diagnostics found;
        return *builder.finalize({}, found);
    }();
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto table = run::parse_control_table(hinged, text, "fuzz")) {
        model::State   state   = model::make_state(hinged);
        model::Control control = model::make_control(hinged);
        for (const double t : {-1.0, 0.0, 0.5, 1e9}) run::apply_controls(*table, t, state, control);
    }
    return 0;
}

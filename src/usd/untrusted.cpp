#include "mechane/usd/untrusted.h"

#include "mechane/usd/dump.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {
void read_everything(const std::string& source, const OpenOptions& options)
{
    const auto stage = Stage::open(source, options);
    if (!stage) return;
    (void)dump_stage(**stage);
    for (const Prim& prim : (*stage)->traverse({.all = true})) {
        (void)prim.metadata("kind");
        for (const Token& name : prim.authored_property_names()) {
            const Attribute attribute = prim.attribute(name);
            for (const double time : attribute.time_samples()) (void)attribute.value(time);
            (void)attribute.connections();
            (void)prim.relationship(name).targets();
        }
    }
}

}  // namespace mechane::usd

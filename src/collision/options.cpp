#include <cmath>
#include <string>

#include "mechane/collision/codes.h"
#include "mechane/collision/pipeline.h"

namespace mechane::collision {

Result<void> validate(const PipelineOptions& o)
{
    const auto bad = [](const char* name, const std::string& value, const char* allowed) {
        return make_diagnostic(kOptionInvalid, {}, std::string(name) + " is " + value + "; allowed is " + allowed);
    };
    if (o.shape_pairs_max && *o.shape_pairs_max <= 0)
        return bad("shape_pairs_max", std::to_string(*o.shape_pairs_max), "a positive number");
    if (!(o.speculative_max >= 0) || !std::isfinite(o.speculative_max))
        return bad("speculative_max", std::to_string(o.speculative_max), "a finite number of at least 0");
    if (!(o.contact_matching_pos_threshold >= 0))
        return bad("contact_matching_pos_threshold", std::to_string(o.contact_matching_pos_threshold), "at least 0");
    if (!(std::abs(o.contact_matching_normal_dot_threshold) <= 1))
        return bad("contact_matching_normal_dot_threshold", std::to_string(o.contact_matching_normal_dot_threshold),
                   "-1 to 1");
    if (o.contact_report && o.contact_matching == ContactMatching::disabled)
        return bad("contact_report", "on while contact_matching is disabled", "contact_matching latest or sticky");
    return {};
}

}  // namespace mechane::collision

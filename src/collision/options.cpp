// Checks of PipelineOptions, and the report of what did not fit. Errors are COL_OPTION_INVALID, of collision/codes.h;
// lengths are metres.

#include <cmath>
#include <string>

#include "mechane/collision/codes.h"
#include "mechane/collision/pipeline.h"

namespace mechane::collision {

Result<void> validate(const PipelineOptions& o)
{
    // Not-a-number fails every comparison, hence !(x >= 0) in place of x < 0.
    const auto bad = [](const char* name, const std::string& value, const char* allowed) {
        return make_diagnostic(kOptionInvalid, {}, std::string(name) + " is " + value + "; allowed is " + allowed);
    };
    if (o.shape_pairs_max && *o.shape_pairs_max <= 0)
        return bad("shape_pairs_max", std::to_string(*o.shape_pairs_max), "a positive number");
    if (o.user_broad_phase && !o.user_narrow_phase)
        return bad("user_broad_phase", "given alone", "both phases or none");
    if (o.user_narrow_phase && !o.user_broad_phase)
        return bad("user_narrow_phase", "given alone", "both phases or none");
    if (!(o.speculative_max >= 0) || !std::isfinite(o.speculative_max))
        return bad("speculative_max", std::to_string(o.speculative_max), "a finite number of at least 0");
    if (!(o.contact_matching_pos_threshold >= 0))
        return bad("contact_matching_pos_threshold", std::to_string(o.contact_matching_pos_threshold), "at least 0");
    if (!(std::abs(o.contact_matching_normal_dot_threshold) <= 1))
        return bad("contact_matching_normal_dot_threshold", std::to_string(o.contact_matching_normal_dot_threshold),
                   "-1 to 1");
    if (!(o.soft_contact_gap >= 0) || !std::isfinite(o.soft_contact_gap))
        return bad("soft_contact_gap", std::to_string(o.soft_contact_gap), "a finite number of at least 0");
    const HydroelasticOptions& h = o.hydroelastic;
    if (!(h.buffer_fraction > 0 && h.buffer_fraction <= 1))
        return bad("buffer_fraction", std::to_string(h.buffer_fraction), "above 0 and at most 1");
    if (!(h.buffer_mult_contact >= 1e-3) || !(h.buffer_mult_contact <= 1e6))
        return bad("buffer_mult_contact", std::to_string(h.buffer_mult_contact), "0.001 to 1e6");
    if (!(h.mc_edge_clamp_min >= 0 && h.mc_edge_clamp_min <= 0.5))
        return bad("mc_edge_clamp_min", std::to_string(h.mc_edge_clamp_min), "0 to 0.5");
    if (!(h.margin_contact_area >= 0) || !std::isfinite(h.margin_contact_area))
        return bad("margin_contact_area", std::to_string(h.margin_contact_area), "a finite number of at least 0");
    if (o.contact_report && o.contact_matching == ContactMatching::disabled)
        return bad("contact_report", "on while contact_matching is disabled", "contact_matching latest or sticky");
    return {};
}

void report_overflow(const CollideStatus& status, Diagnostics& out)
{
    const auto stage = [&](const char* name, const StageStatus& s, const char* raise) {
        if (s.dropped == 0) return;
        out.add(kOverflow, {},
                std::string(name) + ": " + std::to_string(s.needed) + " needed, room for " +
                    std::to_string(s.capacity) + ", " + std::to_string(s.dropped) + " dropped; raise " + raise);
    };
    stage("candidate pairs", status.pairs, "shape_pairs_max");
    stage("faces of a hydroelastic pair", status.faces, "buffer_fraction or buffer_mult_contact");
    stage("contacts", status.rows, "rigid_contact_max");
    stage("contacts of particles and their surfaces", status.soft, "soft_contact_max");
}

}  // namespace mechane::collision

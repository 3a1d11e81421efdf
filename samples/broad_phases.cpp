// Four ways to find which shapes may touch. They give the same pairs and differ in what they cost.
//
//     sample_broad_phases
#include <string>

#include "mechane/collision/pipeline.h"
#include "mechane/run/builtin_scenes.h"
#include "sample.h"

using namespace mechane;

int main()
{
    const auto         model = sample::finalize(sample::get(run::builtin_scene("spheres:600")));
    const model::State state = model::make_state(model);
    std::int32_t       pairs = -1, contacts_of_first = -1;
    sample::Claims     claims;
    for (const char* name : {"explicit", "nxn", "sap", "tree"}) {
        collision::CollisionPipeline pipeline(model, {.broad_phase = sample::get(collision::broad_phase_mode(name))});
        model::Contacts              contacts = pipeline.make_contacts();
        pipeline.collide(state, 0, contacts);  // the first call allocates
        const auto status = pipeline.collide(state, 0, contacts);
        std::printf("%-8s %d pairs, %d contacts, %.3f ms\n", name, status.candidate_pairs, status.contacts,
                    1e3 * status.broad_phase_s);
        if (pairs < 0) pairs = status.candidate_pairs, contacts_of_first = status.contacts;
        claims.that(status.candidate_pairs == pairs && status.contacts == contacts_of_first,
                    "every broad phase finds the same pairs");
    }
    claims.that(pairs > 0, "there are pairs");
    return claims.exit_code();
}

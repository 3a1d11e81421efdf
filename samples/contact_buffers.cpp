// Three ways to hold contacts: the pipeline's buffer, one buffer for several pipelines, one that grows from nothing.
//
//     sample_contact_buffers
#include <algorithm>

#include "mechane/collision/pipeline.h"
#include "mechane/run/builtin_scenes.h"
#include "sample.h"

using namespace mechane;

namespace {

bool same(const model::Contacts& a, const model::Contacts& b)
{
    const auto n = a.rigid_contact_count;
    return n == b.rigid_contact_count &&
           std::equal(a.rigid_contact_distance.begin(), a.rigid_contact_distance.begin() + n,
                      b.rigid_contact_distance.begin()) &&
           std::equal(a.rigid_contact_feature.begin(), a.rigid_contact_feature.begin() + n,
                      b.rigid_contact_feature.begin());
}

}  // namespace

int main()
{
    const auto                       model = sample::finalize(sample::get(run::builtin_scene("pyramid:4")));
    const model::State               state = model::make_state(model);
    const collision::PipelineOptions options{.rigid_contact_max = 50000,
                                             .broad_phase       = collision::BroadPhaseMode::sweep};

    collision::CollisionPipeline pipeline(model, options);
    model::Contacts              a = pipeline.make_contacts();
    pipeline.collide(state, 0, a);

    // Any buffer will do, and it may go from pipeline to pipeline: each call clears it.
    model::Contacts              b = pipeline.make_contacts();
    collision::CollisionPipeline other(model);
    other.collide(state, 0, b);
    pipeline.collide(state, 0, b);

    // Without a fixed capacity an empty buffer grows to what is needed.
    collision::CollisionPipeline growing(model, {.broad_phase = collision::BroadPhaseMode::sweep});
    model::Contacts              c;
    growing.collide(state, 0, c);

    std::printf("A: capacity %zu, %d contacts\nB: capacity %zu, %d contacts\nC: %d contacts, room for all\n",
                a.capacity(), a.rigid_contact_count, b.capacity(), b.rigid_contact_count, c.rigid_contact_count);
    sample::Claims claims;
    claims.that(a.rigid_contact_count > 0 && same(a, b) && same(a, c), "all three hold the same contacts");
    claims.that(a.capacity() == 50000, "the capacity is the one that was asked for");
    claims.that(c.capacity() >= static_cast<std::size_t>(c.rigid_contact_count), "the empty buffer has grown");
    return claims.exit_code();
}

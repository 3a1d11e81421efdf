#include <cmath>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "support/support.h"

using namespace mechane;
using model::ModelBuilder;
using test::distance;
namespace particle_flag = model::particle_flag;

namespace {

model::Model frozen(const ModelBuilder& b)
{
    Diagnostics out;
    auto        m = b.finalize({}, out);
    REQUIRE(m);
    CHECK(out.empty());
    return *std::move(m);
}

}  // namespace

TEST_CASE("particles arrive in the model and in its states as they were added")
{
    ModelBuilder b;
    b.default_particle_radius = 0.25;
    CHECK(b.add_particle({1, 2, 3}, {0, 0, -1}, 2) == 0);
    const model::BuilderParticle more[] = {{.q = {4, 0, 0}, .qd = {}, .mass = 0, .radius = 0.5},
                                           {.q = {5, 0, 0}, .qd = {}, .mass = 4, .flags = 0, .world = 7}};
    CHECK(b.add_particles(more) == 1);

    const model::Model m = frozen(b);
    REQUIRE(m.particle_count() == 3);
    CHECK(m.particle_q[0] == Vec3{1, 2, 3});
    CHECK(m.particle_qd[0] == Vec3{0, 0, -1});
    CHECK(m.particle_mass == std::vector<Real>{2, 0, 4});
    CHECK(m.particle_inv_mass == std::vector<Real>{Real(0.5), 0, Real(0.25)});  // no force moves what has no mass
    CHECK(m.particle_radius == std::vector<Real>{Real(0.25), Real(0.5), Real(0.1)});
    CHECK(m.particle_flags == std::vector<std::int32_t>{particle_flag::active, particle_flag::active, 0});
    CHECK(m.particle_world == std::vector<std::int32_t>{-1, -1, -1});  // the open world, here none

    model::State state = model::make_state(m);
    CHECK(state.particle_q == m.particle_q);
    CHECK(state.particle_qd == m.particle_qd);
    REQUIRE(state.particle_f.size() == 3);
    state.particle_f[1] = {0, 0, 9};
    model::clear_forces(state);
    CHECK(state.particle_f[1] == Vec3{});
    CHECK(model::same_layout(state, model::make_state(m)));
    CHECK_FALSE(model::same_layout(state, model::make_state(frozen(ModelBuilder{}))));
}

TEST_CASE("copies of a builder bring their particles, each into its own world")
{
    ModelBuilder part;
    part.add_particle({1, 0, 0}, {1, 0, 0}, 1);
    part.add_particle({2, 0, 0}, {}, 1);
    ModelBuilder b;
    b.add_particle({0, 0, 9}, {}, 1);
    REQUIRE(b.replicate(part, 3));
    REQUIRE(b.add_builder(
        part, {.xform = Posed{{0, 0, 5}, from_axis_angle(Vec3d{0, 0, 1}, 90 * kDegrees)}, .label_prefix = {}}));

    const model::Model m = frozen(b);
    CHECK(m.particle_world == std::vector<std::int32_t>{-1, 0, 0, 1, 1, 2, 2, -1, -1});
    CHECK(m.particle_world_start == std::vector<std::int32_t>{1, 3, 5, 7, 9});
    CHECK(m.particle_q[3] == Vec3{1, 0, 0});
    // A quarter turn about z takes x to y, in place and in velocity.
    CHECK(distance(m.particle_q[7], Vec3{0, 1, 5}) < 1e-6);
    CHECK(distance(m.particle_qd[7], Vec3{0, 1, 0}) < 1e-6);

    model::State       state    = model::make_state(m);
    const std::uint8_t second[] = {0, 1, 0};
    for (Vec3& q : state.particle_q) q = {};
    model::reset_worlds(state, m, second);
    CHECK(state.particle_q[2] == Vec3{});
    CHECK(state.particle_q[4] == Vec3{2, 0, 0});
}

TEST_CASE("surfaces of particles have each edge once, with what lies at its sides, and go with their particles")
{
    // Two triangles that share the edge 1 - 2: seen from 1 to 2 the first lies to the left, as it runs that way.
    ModelBuilder part;
    for (int i = 0; i < 4; ++i) part.add_particle({1.0 * i, 0, 0}, {}, 1);
    const std::array<std::int32_t, 3> triangles[] = {{0, 1, 2}, {3, 2, 1}};
    part.add_particle_surface(triangles);
    using Edge = std::array<std::int32_t, 4>;
    CHECK(part.edge_indices ==
          std::vector<Edge>{{2, -1, 0, 1}, {-1, 1, 0, 2}, {0, 3, 1, 2}, {2, -1, 1, 3}, {-1, 1, 2, 3}});
    ModelBuilder b;
    b.add_particle({}, {}, 1);
    REQUIRE(b.replicate(part, 2));
    const model::Model m = frozen(b);
    REQUIRE(m.tri_count() == 4);
    CHECK(m.tri_indices[2] == std::array<std::int32_t, 3>{5, 6, 7});
    REQUIRE(m.edge_count() == 10);
    CHECK(m.edge_indices[5] == Edge{7, -1, 5, 6});  // none stays none

    Diagnostics  out;
    ModelBuilder wrong = b;
    wrong.add_triangle(0, 0, 9);
    CHECK(wrong.finalize({}, out).error().id == "MODEL_STRUCTURE");
    wrong.tri_indices.back() = {0, 1, 2};  // global, and of the first world
    CHECK(wrong.finalize({}, out).error().message.find("different worlds") != std::string::npos);
    wrong.tri_indices.pop_back();
    wrong.add_edge(-1, -1, -1, 0);
    CHECK(wrong.finalize({}, out).error().site.property == "edge_indices");
}

TEST_CASE("attributes of the user's own may have a value for each particle, also of copies")
{
    ModelBuilder part;
    REQUIRE(part.add_custom_attribute({.name = "heat", .space = {}, .frequency = model::CustomFrequency::particle}));
    part.add_particle({}, {}, 1);
    part.add_particle({}, {}, 1);
    part.custom_attribute("heat")->values[1] = {7};
    ModelBuilder b;
    REQUIRE(b.replicate(part, 2));
    const model::Model m    = frozen(b);
    const auto         heat = m.custom<Real>("heat");
    REQUIRE(heat);
    CHECK(std::vector<Real>(heat->begin(), heat->end()) == std::vector<Real>{0, 7, 0, 7});
    CHECK(b.add_custom_attribute({.name = "particle_q", .space = {}}).error().id == "MODEL_CUSTOM_RESERVED");
}

TEST_CASE("numbers of particles that no solver could use are replaced and reported, worlds out of order refused")
{
    ModelBuilder b;
    b.add_particle({NAN, 0, 0}, {0, INFINITY, 0}, -1, -0.1);
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m);
    CHECK(out.count("MODEL_NUMBER_FIXED") == 4);
    CHECK(out.begin()->site.prim == "particle_0");
    CHECK(m->particle_q[0] == Vec3{});
    CHECK(m->particle_mass[0] == 0);
    CHECK(m->particle_radius[0] == 0);
    b.particles[0].world = 0;
    CHECK(b.finalize({}, out).error().id == "MODEL_STRUCTURE");
}

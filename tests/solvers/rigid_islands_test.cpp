// Whether contacts give way under a load: the parameter `rigid_islands` of softstep.

#include <cmath>
#include <string>

#include "hand_contacts.h"
#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

/// Two boxes of 1 kg with a heavy one on top stand at one end of a plate of 20 kg, light boxes at the other.
struct Stand {
    Parity w;

    Stand(const std::string& solver, double load, int far) : w(boxes(load, far), solver, nullptr, 8)
    { w.run(2, 1.0 / 60); }
    /// How far the heavy box is below where rigid boxes would have it [m].
    [[nodiscard]] double sink() const { return 0.6 - w.position(2).z; }

  private:
    static model::ModelBuilder boxes(double load, int far)
    {
        const Vec3d half{0.1, 0.1, 0.1};
        auto        b = ground(0.5);
        double      z = 0.2;
        for (const double m : {1.0, 1.0, load}) {
            add_box(b, {{0, 0, z}, {}}, half, m);
            z += 0.2;
        }
        add_box(b, {{2, 0, 0.05}, {}}, {2.5, 0.5, 0.05}, 20);
        for (int k = 0; k < far; ++k) add_box(b, {{1.0 + 0.3 * k, 0, 0.2}, {}}, half, 1);
        return b;
    }
};

}  // namespace

TEST_CASE("contacts give way by their load in no island, or in none, as rigid_islands says (GAP-101)")
{
    // Soft rows give way by load / (m w^2), w = 2 pi 0.25 / h: the more, the more a box carries. Rigid ones do not.
    for (const double load : {45.0, 100.0, 1000.0}) {
        CAPTURE(load);
        const Stand soft("softstep:rigid_islands=never", load, 0), rigid("softstep:rigid_islands=always", load, 0);
        CHECK(soft.sink() > 2e-5 * load);
        CHECK(std::abs(rigid.sink()) < 1e-5);
        CHECK(soft.w.solver->name() == "softstep:rigid_islands=1");
        // Far from where the law of `auto` changes over it is one of the two.
        const Stand chosen("softstep", load, 0);
        CHECK(chosen.sink() == close_to(load < 50 ? soft.sink() : rigid.sink(), 1e-5));
        CHECK(chosen.w.solver->name() == "softstep");
    }
}

TEST_CASE("a heavy box that lands on an edge is carried: soft rows take over where rigid ones do not settle (DYN-102)")
{
    const Stand at("softstep", 1000, 0);
    CHECK(std::abs(at.sink()) < 5e-3);  // T-44
    CHECK(length(at.w.velocity(2)) < 1e-3);
}

TEST_CASE(
    "a body that is added far away changes what rests by less than 3 mm, and by nothing if it touches nothing "
    "(GAP-101, T-43)")
{
    for (const double load : {45.0, 100.0, 1000.0}) {
        CAPTURE(load);
        const Stand alone("softstep", load, 0);
        for (const int far : {1, 4}) {
            CAPTURE(far);
            const Stand more("softstep", load, far);
            CHECK(std::abs(more.sink() - alone.sink()) < 1e-4);
        }
    }
    // Where nothing connects them a scene has the same bits.
    const auto scene = [](bool other) {
        auto b = ground(0.5);
        for (const double m : {1.0, 60.0}) add_box(b, {{0, 0, m > 1 ? 0.3 : 0.1}, {}}, {0.1, 0.1, 0.1}, m);
        if (other) add_box(b, {{50, 0, 0.1}, {}}, {0.1, 0.1, 0.1}, 1000);
        return b;
    };
    Parity alone(scene(false), "softstep"), beside(scene(true), "softstep");
    for (Parity* w : {&alone, &beside}) w->run(1, 1.0 / 60);
    for (const std::size_t b : {0U, 1U}) CHECK(alone.state.body_q[b] == beside.state.body_q[b]);
}

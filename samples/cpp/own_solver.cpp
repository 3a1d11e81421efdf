// A solver of one's own: bodies fall by symplectic Euler and nothing meets. Shows the contract of solvers
// (mechane/solver.h) and register_solver; the Simulation is the same as with the library's solver.
#include <mechane/simulation.h>

#include <cmath>
#include <cstdio>

using namespace mechane;

namespace {

class FreeFall final : public Solver {
  public:
    explicit FreeFall(const ModelArrays& model) : model_(model) {}

    StepReport step(const StateArrays& in, StateArrays& out, const ControlArrays&, ContactArrays* contacts,
                    double dt) override
    {
        if (&out != &in) out = in;  // sizes and forces are those of `in`
        out.time = in.time + dt;
        const Real h = static_cast<Real>(dt);
        for (std::size_t b = 0; b < out.body_q.size(); ++b) {
            if (model_.body_inv_mass[b] == 0) continue;
            out.body_qd[b].linear += h * model_.gravity_of(model_.body_world[b]);
            out.body_q[b].p += h * out.body_qd[b].linear;
        }
        // The coordinates of free joints say the same as the bodies.
        for (std::size_t j = 0; j < model_.joint_count(); ++j) {
            if (model_.joint_type[j] != JointType::free) continue;
            const auto  b = static_cast<std::size_t>(model_.joint_child[j]);
            const auto  q = static_cast<std::size_t>(model_.joint_q_start[j]);
            const auto  v = static_cast<std::size_t>(model_.joint_qd_start[j]);
            const Pose& X = out.body_q[b];
            const Real  coordinates[] = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
            for (std::size_t k = 0; k < 7; ++k) out.joint_q[q + k] = coordinates[k];
            for (std::size_t k = 0; k < 3; ++k) out.joint_qd[v + k] = out.body_qd[b].linear[k];
        }
        if (contacts)  // no row carries a force
            for (auto& force : contacts->rigid_contact_force) force = {};
        return {};
    }
    void                           reset() override {}
    void                           reset_worlds(std::span<const std::uint8_t>) override {}
    void                           notify(std::uint32_t) override {}
    [[nodiscard]] std::string_view name() const override { return "free-fall"; }

  private:
    const ModelArrays& model_;
};

}  // namespace

int main()
{
    const auto made = register_solver("free-fall", [](const ModelArrays& model, const SolverOptions&, Diagnostics&) {
        return Result<std::unique_ptr<Solver>>(std::make_unique<FreeFall>(model));
    });
    made.expect();

    ModelBuilder builder;
    const BodyId ball = builder.add_body({.position = {0, 0, 10}, .label = "ball"});
    builder.add_sphere(ball, {.radius = 0.1});
    Simulation sim(builder.finalize().expect(), {.dt = 1e-3, .solver = "free-fall"});
    sim.run_for(1).expect();

    // n steps of h from rest: z = 10 - g h^2 n (n + 1) / 2 = 10 - 9.81 * 0.5005.
    const double expected = 10 - 9.81 * 0.5005, z = static_cast<double>(sim.position(ball).z);
    std::printf("after %.0f s the ball is at %.4f m, expected %.4f m\n", sim.time(), z, expected);
    return std::abs(z - expected) < 1e-3 ? 0 : 1;
}

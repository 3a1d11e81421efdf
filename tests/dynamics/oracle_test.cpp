#include <cmath>

#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;

namespace {

// One floating robot of every kind of joint: hinge with armature, ball, slide, and a slide with three hinges (a D6).
// The expected numbers are those of MuJoCo 3.17 on the MJCF of the same tree, taken to our velocities with
// v_mj = T v: for the root (v of the origin in the world, w in the body) instead of (v of the centre of mass, w in the
// world), for the ball w in the child's axes instead of the parent anchor's; tests/dynamics/oracle_robot.py prints
// them.
constexpr double kLowerM[]    = {6.5,
                                 0,
                                 6.5,
                                 0,
                                 0,
                                 6.5,
                                 0,
                                 0.2622608646472,
                                 0.4687455251138,
                                 0.470665041227,
                                 -0.2622608646472,
                                 0,
                                 0.5498097811311,
                                 0.02781676480583,
                                 0.604336492437,
                                 -0.4687455251138,
                                 -0.5498097811311,
                                 0,
                                 -0.197642028168,
                                 0.02609646948417,
                                 0.4829197919093,
                                 -0.186570772397,
                                 -0.1197844803604,
                                 0.05842874235536,
                                 -0.02263955067949,
                                 0.0713087604648,
                                 0.1042206711237,
                                 0.08829786376203,
                                 -0.01137259309355,
                                 0.009904512558052,
                                 0.02357849289236,
                                 -0.004938324530791,
                                 0.008302538195727,
                                 -0.005806060948504,
                                 -0.005411755424741,
                                 0.01333349890431,
                                 -0.006379843297205,
                                 0.03523040445475,
                                 0.04473988681768,
                                 0.009357900080769,
                                 0.006441439022957,
                                 -0.004284115488226,
                                 0.003300216869334,
                                 0.004236289262235,
                                 0.01333963476991,
                                 0.04774534257508,
                                 0.03647393829071,
                                 -0.01609696391231,
                                 0.002033185148655,
                                 -0.006405972969171,
                                 -0.009909833670648,
                                 0.000499980715851,
                                 -0.00155330898466,
                                 0.0003135719503287,
                                 0.01624686632579,
                                 1.220164139658,
                                 0.4406982890527,
                                 -0.7529837251356,
                                 -0.1944465008466,
                                 0.2786841247316,
                                 -0.1519834050052,
                                 0,
                                 0,
                                 0,
                                 0,
                                 1.5,
                                 0.4291962570444,
                                 0.7704744109807,
                                 -0.179331410977,
                                 -0.1945564055877,
                                 0.1031213941176,
                                 -0.02258659343553,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.6655135135135,
                                 0.9,
                                 -0.02932815216028,
                                 0.04305912609391,
                                 0.0555215680847,
                                 0.01252084319397,
                                 -0.01302122206851,
                                 0.01770368853238,
                                 0,
                                 0,
                                 0,
                                 0,
                                 -0.03907727567499,
                                 0.01181295615228,
                                 0.01767954833806,
                                 -0.01708969909495,
                                 0.009549765653192,
                                 -0.0408723704926,
                                 -0.007223259294712,
                                 0.01141270708283,
                                 0.007080126380502,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.009421704786438,
                                 0.008169683390547,
                                 -0.000211048781149,
                                 0.01402865276826,
                                 0.01879112865098,
                                 -0.006937104641741,
                                 0.06173143496803,
                                 0.02412752786632,
                                 -0.003814044393778,
                                 -0.006169335046744,
                                 0,
                                 0,
                                 0,
                                 0,
                                 -0.01774111645544,
                                 -0.009277960960631,
                                 0.009172074662324,
                                 -0.002693129101289,
                                 0.01368};
constexpr double kTau[]       = {1.989380222401,  4.657289235822,   62.26180643782,  5.476619466687,   6.183809403995,
                                 -1.56147436577,  0.3187352901482,  0.3023465937535, 0.5261022182857,  -0.1608864510331,
                                 -5.101364217355, -0.9053332887206, 0.4327659912875, -0.3448873507724, 0.5506730814123};
constexpr double kPoseB[]     = {0.1822847605144, 0.006150526268642, 0.8503734088939, 0.5185115213774,
                                 0.487518637489,  0.6814722628015,   0.1704902792887};
constexpr double kPoseD[]     = {0.5198836510735, -0.06298787562079, 1.307195151752, 0.7976649992987,
                                 0.1300088153863, 0.5453799424548,   0.2222363048279};
constexpr double kJacobianD[] = {1,
                                 0,
                                 0,
                                 0,
                                 0.2003023695005,
                                 -0.2243252044336,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.8134427597719,
                                 0.4768847300493,
                                 -0.03258683573364,
                                 -0.01898855454995,
                                 0.02087903183442,
                                 0,
                                 1,
                                 0,
                                 -0.2003023695005,
                                 0,
                                 0.09564619358906,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.2937988593685,
                                 0.8560826788675,
                                 0.04784347343768,
                                 0.01061085072577,
                                 -0.007707894046379,
                                 0,
                                 0,
                                 1,
                                 0.2243252044336,
                                 -0.09564619358906,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 -0.5019891500904,
                                 -0.1992571233078,
                                 0.06169063120522,
                                 -0.04541374499178,
                                 0.06859048329781,
                                 0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.7460045941059,
                                 0.2582302938144,
                                 0.9278463402845,
                                 0,
                                 0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 -0.2743267679977,
                                 0.9590799418235,
                                 -0.2127318433615,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0.6068129612433,
                                 0.1161153760206,
                                 -0.3063434863688};
constexpr double kEnergy[]    = {67.20434948924, 1.894839525257};
constexpr double kCom[]       = {0.4029962974084, -0.1557973917407, 1.053937888955};
constexpr double kComVelocity[]     = {0.3007217041308, -0.2192102094276, 0.5325270005625};
constexpr double kAngularMomentum[] = {0.4677251660495, -0.3402228754393, 0.01414000422522};

/// Model arrays are kept in Real; computing is in double.
const double kRound = sizeof(Real) == 4 ? 1e-4 : 1e-9;

Mat33d full(double xx, double yy, double zz, double xy, double xz, double yz)
{ return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}; }

Posed pose(const Vec3d& p, double w, double x, double y, double z) { return {p, normalized(Quatd{x, y, z, w})}; }

struct Robot {
    model::Model        model;
    model::State        state;
    std::vector<double> qdd{0.1, 0.4, -0.3, 2.0, 1.0, -1.5, -0.8, 1.4, 0.3, -0.9, 0.6, 1.1, -0.2, 0.5, -1.3};

    Robot() : model(build()), state(model::make_state(model))
    {
        const Posed  root = pose({0.4, -0.3, 1.1}, 0.7, -0.1, 0.5, 0.4);
        const Quatd  ball = normalized(Quatd{0.3, -0.5, 0.2, 0.6});
        const double q[]  = {root.p.x, root.p.y, root.p.z, root.q.x, root.q.y, root.q.z, root.q.w, 0.7, ball.x,
                             ball.y,   ball.z,   ball.w,   0.15,     -0.1,     0.4,      -0.6,     0.9};
        const double v[]  = {0.3, -0.2, 0.5, 1.1, -0.7, 0.4, 0.9, -0.5, 0.8, 1.2, 0.25, -0.4, 1.3, -0.6, 0.7};
        for (std::size_t i = 0; i < std::size(q); ++i) state.joint_q[i] = static_cast<Real>(q[i]);
        for (std::size_t i = 0; i < std::size(v); ++i) state.joint_qd[i] = static_cast<Real>(v[i]);
        REQUIRE(dynamics::eval_fk(model, state.joint_q, state.joint_qd, state));
    }

    static model::Model build()
    {
        model::ModelBuilder b;
        const auto root = b.add_link({}, "root", 3, {0.05, -0.02, 0.1}, full(0.12, 0.15, 0.1, 0.01, -0.02, 0.005));
        const auto a    = b.add_link({}, "a", 1.2, {0.1, 0.02, -0.05}, full(0.02, 0.03, 0.025, 0.002, 0.001, -0.003));
        const auto bb   = b.add_link({}, "b", 0.8, {-0.03, 0.07, 0.02}, full(0.011, 0.009, 0.013, 0.001, 0, 0.002));
        const auto c    = b.add_link({}, "c", 0.6, {0.01, 0.02, 0.03}, full(0.006, 0.007, 0.008, 0, 0.001, 0));
        const auto d = b.add_link({}, "d", 0.9, {0.04, -0.06, 0.05}, full(0.012, 0.01, 0.009, -0.001, 0.0015, 0.0005));
        auto       hinge = dof({0, 0.6, 0.8});
        hinge.armature   = 0.02;
        std::vector<std::int32_t> j;
        j.push_back(b.add_joint_free(root, "free"));
        j.push_back(b.add_joint_revolute(root, a, pose({0.3, 0.1, -0.2}, 0.9, 0.1, -0.3, 0.3), {}, hinge));
        j.push_back(b.add_joint_ball(a, bb, pose({0.2, 0, 0.1}, 0.8, -0.2, 0.4, 0.1), {}));
        j.push_back(
            b.add_joint_prismatic(root, c, pose({-0.2, 0.15, 0.1}, 0.7, 0.5, 0.1, -0.2), {}, dof({0.48, 0.6, 0.64})));
        j.push_back(b.add_joint_d6(c, d, pose({0, 0.25, 0}, 0.6, 0.3, 0.2, 0.5), {}, {dof({1, 0, 0})},
                                   {dof({0, 1, 0}), dof({1, 0, 0}), dof({0, 0, 1})}));
        b.add_articulation(j, "robot");
        return finalized(b);
    }
};

void check_pose(const Posed& X, const double* expected)
{
    for (std::size_t i = 0; i < 3; ++i) CHECK(X.p[i] == close_to(expected[i], kRound));
    const Quatd q{expected[3], expected[4], expected[5], expected[6]};
    CHECK(angle_between(X.q, q) < 10 * kRound);  // an angle is twice the arc cosine of a number near one
}

}  // namespace

TEST_CASE("mass matrix, inverse and forward dynamics of every joint type are MuJoCo's (DYN-036, DYN-037, DYN-041)")
{
    Robot                robot;
    dynamics::JointSpace space(robot.model);
    space.set_state(robot.state);
    REQUIRE(space.forest().trees.size() == 1);
    const std::size_t n = 15;
    const auto        M = space.mass_matrix(0);
    for (std::size_t i = 0, at = 0; i < n; ++i)
        for (std::size_t k = 0; k <= i; ++k, ++at) {
            CAPTURE(i);
            CAPTURE(k);
            CHECK(M[i * n + k] == close_to(kLowerM[at], kRound));
        }
    const auto tau = space.inverse_dynamics(0, robot.qdd);
    for (std::size_t k = 0; k < n; ++k) CHECK(tau[k] == close_to(kTau[k], 10 * kRound));  // forces of some 50 N
    const std::vector<double> expected(std::begin(kTau), std::end(kTau));
    // Accelerations reach 10 m/s^2 per newton here, which is what rounded masses cost.
    const auto dense = space.forward_dynamics(0, expected), links = space.articulated_dynamics(0, expected);
    for (std::size_t k = 0; k < n; ++k) {
        CHECK(dense[k] == close_to(robot.qdd[k], 100 * kRound));
        CHECK(links[k] == close_to(dense[k], 1e-9));
    }
}

TEST_CASE("poses, Jacobian, energies and centroidal momentum of every joint type are MuJoCo's (DYN-025, DYN-036)")
{
    Robot                robot;
    dynamics::JointSpace space(robot.model);
    space.set_state(robot.state);
    check_pose(space.motion().X_WB[2], kPoseB);
    check_pose(space.motion().X_WB[4], kPoseD);
    const auto J = space.jacobian(4);
    for (std::size_t i = 0; i < J.size(); ++i) CHECK(J[i] == close_to(kJacobianD[i], kRound));
    const auto energy = dynamics::energy(robot.model, robot.state);
    CHECK(energy.potential == close_to(kEnergy[0], 100 * kRound));  // 67 J
    CHECK(energy.kinetic + energy.armature == close_to(kEnergy[1], kRound));
    const auto  c = space.centroidal(0);
    const Vec3d p = dynamics::linear_momentum(robot.model, robot.state);
    const Vec3d L = dynamics::angular_momentum(robot.model, robot.state, c.com);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(c.com[i] == close_to(kCom[i], kRound));
        CHECK(c.com_velocity[i] == close_to(kComVelocity[i], kRound));
        CHECK(c.angular[i] == close_to(kAngularMomentum[i], kRound));
        CHECK(p[i] == close_to(c.linear[i], kRound));
        CHECK(L[i] == close_to(c.angular[i], kRound));
    }
    CHECK(c.mass == close_to(6.5, kRound));
}

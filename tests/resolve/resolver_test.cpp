#include "mechane/resolve/resolvers.h"

#include <doctest/doctest.h>

#include "../physics/stages.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/shape_values.h"

namespace mechane::resolve {
using test::close_to;
using test::stage_from;

namespace {

ResolverList named(const std::vector<std::string>& names, const Rules& rules = {})
{
    auto list = resolvers_named(names, rules);
    REQUIRE(list.has_value());
    return *list;
}

// A revolute joint with these lines; the stage lives as long as the object.
struct OnPrim {
    std::shared_ptr<const usd::Stage> stage;
    usd::Prim                         prim;
    explicit OnPrim(const std::string& lines, const std::string& type = "PhysicsRevoluteJoint",
                    const std::string& apis = "")
        : stage(stage_from("def " + type + " \"P\" " + (apis.empty() ? "" : "(prepend apiSchemas = [" + apis + "])") +
                           " {\n" + lines + "\n}\n")),
          prim(stage->prim_at(usd::Path("/P")))
    {
    }
};

Context angular() { return {.scale = {}, .motion = Motion::angular, .rules = {}}; }

const std::string kArmatures =
    "custom float newton:armature = 0.01\ncustom float physxJoint:armature = 0.02\ncustom float mjc:armature = 0.03";

}  // namespace

TEST_CASE("every key has a name and a kind of prim")
{
    for (int i = 0; i < static_cast<int>(Key::count_); ++i) {
        const auto key = static_cast<Key>(i);
        CHECK(key_from(to_string(key)) == key);
        CHECK(to_string(key).starts_with(to_string(prim_kind(key))));
    }
    CHECK_FALSE(key_from("joint_wings").has_value());
}

TEST_CASE("the first resolver in the list wins (IMP-069), by attribute name alone (IMP-072)")
{
    const OnPrim joint(kArmatures);
    struct {
        std::vector<std::string> order;
        double                   armature;
        const char*              attribute;
    } table[] = {
        {{"newton", "physx", "mjc"}, 0.01, "newton:armature"},
        {{"physx", "mjc", "newton"}, 0.02, "physxJoint:armature"},
        {{"mjc", "newton", "physx"}, 0.03, "mjc:armature"},
    };
    for (const auto& row : table) {
        const Resolved answer = named(row.order).get(joint.prim, Key::joint_armature, angular(), 0.5);
        CHECK(answer.number_or(-1) == close_to(row.armature, 1e-8));
        CHECK(answer.layer == Layer::authored);
        CHECK(answer.resolver == row.order.front());
        CHECK(answer.attribute == row.attribute);
        CHECK(answer.site.prim == "/P");
    }
    CHECK(named({"newton", "physx", "mjc"}).authored(joint.prim, Key::joint_armature, angular()).size() == 3);
    CHECK(named({}).get(joint.prim, Key::joint_armature, angular(), 0.5).layer == Layer::importer);  // IMP-070
    CHECK(resolvers_named(std::vector<std::string>{"bullet"}).error().id == "RESOLVER_UNKNOWN");
}

TEST_CASE(
    "the importer's default beats every schema default, which answers only without one (IMP-071, "
    "GAP-010)")
{
    const OnPrim joint("");
    for (const auto& order : {std::vector<std::string>{"newton", "physx"}, {"physx", "mjc"}, {"mjc", "newton"}}) {
        for (const Key key : {Key::joint_armature,
                              Key::joint_friction,
                              Key::joint_damping,
                              Key::joint_effort_limit,
                              Key::joint_velocity_limit,
                              Key::joint_limit_ke,
                              Key::joint_limit_kd,
                              Key::joint_limit_angular_ke,
                              Key::joint_limit_angular_kd,
                              Key::shape_margin,
                              Key::shape_gap,
                              Key::shape_ke,
                              Key::shape_kd,
                              Key::shape_kf,
                              Key::shape_ka,
                              Key::shape_max_hull_vertices,
                              Key::material_mu_torsional,
                              Key::material_mu_rolling,
                              Key::material_ke,
                              Key::material_kd,
                              Key::material_kf,
                              Key::material_ka}) {
            CAPTURE(static_cast<int>(key));
            const Resolved answer = named(order).get(joint.prim, key, angular(), 0.25);
            CHECK(answer.layer == Layer::importer);
            CHECK(answer.number_or(-1) == 0.25);
        }
        CHECK_FALSE(
            named(order).get(joint.prim, Key::articulation_self_collision_enabled, {}, Value(false)).flag_or(true));
        CHECK(named(order).get(joint.prim, Key::joint_armature, angular()).layer == Layer::schema);
    }
    const OnPrim scene("", "PhysicsScene");
    struct {
        const char* resolver;
        double      iterations, rate;
    } table[] = {{"newton", -1, 1000}, {"physx", 255, 60}, {"mjc", 100, 500}};
    for (const auto& row : table) {
        const ResolverList list = named({row.resolver});
        CHECK(list.get(scene.prim, Key::scene_max_solver_iterations, {}).number_or(0) == row.iterations);
        CHECK(list.get(scene.prim, Key::scene_time_steps_per_second, {}).number_or(0) == row.rate);
        CHECK(list.get(scene.prim, Key::scene_gravity_enabled, {}).flag_or(false));
    }
    CHECK(named({"newton"}).get(joint.prim, Key::joint_stiffness, {}).layer == Layer::none);
}

TEST_CASE("values are converted once, per degree and by the stage's units (IMP-096, IMP-097)")
{
    const OnPrim joint(
        "custom float newton:damping = 0.3\ncustom float newton:velocityLimit = 180\ncustom float mjc:damping = "
        "0.3\ncustom float newton:armature = 2");
    const ResolverList newton = named({"newton"}), mjc = named({"mjc"});
    Diagnostics        found;
    CHECK(joint_damping(newton, joint.prim, angular(), {}, found).number_or(0) == close_to(17.188734, 1e-6));
    CHECK(joint_damping(mjc, joint.prim, angular(), {}, found).number_or(0) == close_to(0.3, 1e-7));
    CHECK(joint_damping(named({"mjc", "newton"}), joint.prim, angular(), {}, found).resolver == "mjc");
    CHECK(newton.get(joint.prim, Key::joint_velocity_limit, angular()).number_or(0) == close_to(3.141593, 1e-6));
    CHECK(newton.get(joint.prim, Key::joint_velocity_limit, {}).number_or(0) == 180);
    CHECK(newton.get(joint.prim, Key::joint_armature, angular()).number_or(0) == 2);
    // centimetres and grams: damping g cm^2/(s deg), speed cm/s, armature g cm^2
    Context cgs = angular();
    cgs.scale   = {0.01, 0.001};
    CHECK(newton.get(joint.prim, Key::joint_damping, cgs).number_or(0) == close_to(17.188734e-7, 1e-12));
    CHECK(newton.get(joint.prim, Key::joint_armature, cgs).number_or(0) == close_to(2e-7, 1e-14));
    cgs.motion = Motion::linear;
    CHECK(newton.get(joint.prim, Key::joint_velocity_limit, cgs).number_or(0) == close_to(1.8, 1e-12));
}

TEST_CASE("limit gains: sentinels of Newton's attributes, then per-axis keys, then the importer's (IMP-098..101)")
{
    struct {
        const char*              what;
        std::vector<std::string> order;
        std::string              lines;
        const char*              dof;
        double                   ke, kd;
    } table[] = {
        {"both authored",
         {"newton"},
         "custom float newton:limitStiffness = 5\ncustom float newton:limitDamping = 2",
         "angular",
         286.478898,
         114.591559},
        {"hard",
         {"newton"},
         "custom float newton:limitStiffness = inf\ncustom float newton:limitDamping = 2",
         "angular",
         5.729578e9,
         0},
        {"engine default beats another resolver",
         {"newton", "physx"},
         "custom float newton:limitStiffness = -inf\ncustom float physxLimit:angular:stiffness = 7",
         "angular",
         1e4,
         10},
        {"physx",
         {"physx"},
         "custom float physxLimit:angular:stiffness = 1000\ncustom float physxLimit:angular:damping = 10",
         "angular",
         57295.7795,
         572.957795},
        {"nothing", {"newton", "physx"}, "", "angular", 1e4, 10},
        {"rotX of a generic joint", {"physx"}, "custom float physxLimit:rotX:stiffness = 1", "rotX", 57.2957795, 10},
        {"mjc:solref says nothing here", {"mjc"}, "custom double[] mjc:solref = [0.02, 0.5]", "angular", 1e4, 10},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const OnPrim     joint(row.lines);
        Diagnostics      found;
        const LimitGains gains = limit_gains(named(row.order), joint.prim, row.dof, angular(), 1e4, 10, found);
        CHECK(gains.ke / row.ke == close_to(1, 1e-6));
        CHECK(gains.kd == close_to(row.kd, 1e-6));
    }
    // A slider takes the hard limit as it is.
    const OnPrim slider("custom float newton:limitStiffness = inf", "PhysicsPrismaticJoint");
    Diagnostics  found;
    CHECK(limit_gains(named({"newton"}), slider.prim, "linear", {}, 1e4, 10, found).ke == 1e8);
    // The older document's rule.
    Rules older;
    older.mjc_solref_limits = true;
    const OnPrim     solref("custom double[] mjc:solref = [0.02, 0.5]");
    const LimitGains gains = limit_gains(named({"mjc"}, older), solref.prim, "angular", angular(), 1e4, 10, found);
    CHECK(gains.ke == close_to(2500, 1e-9));
    CHECK(gains.kd == close_to(50, 1e-9));
}

TEST_CASE("initial states are per degree, and attributes outside every schema say so (IMP-102, IMP-103)")
{
    const OnPrim joint(
        "custom float state:angular:physics:position = 90\ncustom float state:angular:physics:velocity = 45");
    Diagnostics found;
    CHECK(*initial_position(named({"physx"}), joint.prim, "angular", angular(), found) == close_to(1.570796, 1e-6));
    CHECK(*initial_velocity(named({"physx"}), joint.prim, "angular", angular(), found) == close_to(0.785398, 1e-6));
    CHECK_FALSE(initial_position(named({"newton"}), joint.prim, "angular", angular(), found).has_value());
    CHECK_FALSE(initial_position(named({"physx"}), joint.prim, "transX", angular(), found).has_value());
    CHECK(found.empty());
    const OnPrim newton("custom float newton:angular:position = 90");
    CHECK(*initial_position(named({"newton"}), newton.prim, "angular", angular(), found) == close_to(1.570796, 1e-6));
    CHECK(found.count("RESOLVE_NONSCHEMA_ATTR") == 1);
}

TEST_CASE("springs and references of MuJoCo's attributes (IMP-121, IMP-122)")
{
    const auto   stage = stage_from(R"(
def PhysicsScene "Degrees" {}
def PhysicsScene "Radians" { custom token mjc:compiler:angle = "radian" }
def PhysicsRevoluteJoint "J" { custom double mjc:springref = 30  custom double mjc:ref = 10  custom double mjc:stiffness = 4 }
)");
    const auto   at    = [&](const char* path) { return stage->prim_at(usd::Path(path)); };
    const Spring s     = joint_spring(named({"mjc"}), at("/J"), at("/Degrees"), angular());
    CHECK(*s.rest_q == close_to(0.349066, 1e-6));
    CHECK(s.ref == close_to(0.174533, 1e-6));
    CHECK(*s.stiffness == 4);
    CHECK(*joint_spring(named({"mjc"}), at("/J"), at("/Radians"), angular()).rest_q == close_to(20, 1e-9));
    CHECK_FALSE(joint_spring(named({"newton"}), at("/J"), at("/Degrees"), angular()).rest_q.has_value());
}

TEST_CASE("effort of MuJoCo's force range is the larger side where it is limited (IMP-095)")
{
    struct {
        const char*           lines;
        std::optional<double> effort;
    } table[] = {
        {"custom double mjc:actuatorfrcrange:min = -5\ncustom double mjc:actuatorfrcrange:max = 7", 7},
        {"custom double mjc:actuatorfrcrange:max = 7", 7},
        {"custom double mjc:actuatorfrcrange:min = -5\ncustom token mjc:actuatorfrclimited = \"false\"", std::nullopt},
        {"custom double mjc:actuatorfrcrange:min = 5\ncustom double mjc:actuatorfrcrange:max = 5\ncustom token "
         "mjc:actuatorfrclimited = \"true\"",
         5},
        {"", std::nullopt},
    };
    for (const auto& row : table) {
        CAPTURE(row.lines);
        const OnPrim joint(row.lines);
        CHECK(named({"mjc"}).get(joint.prim, Key::joint_effort_limit, angular()).number() == row.effort);
    }
}

TEST_CASE("margin and gap of each vendor (IMP-076, IMP-077, IMP-080, IMP-081, IMP-082, GAP-012)")
{
    Rules compat, compat_legacy, offset;
    compat.conventions = compat_legacy.conventions = physics::kNewton18;
    compat_legacy.legacy_margin_gap                = true;
    offset.physx_contact_offset_margin             = true;
    struct {
        const char*              what;
        std::vector<std::string> order;
        Rules                    rules;
        const char*              lines;
        double                   margin, gap;
    } table[] = {
        {"physx both",
         {"physx"},
         {},
         "custom float physxCollision:contactOffset = 0.05\ncustom float physxCollision:restOffset = 0.01",
         0.01,
         0.04},
        {"physx contact only", {"physx"}, {}, "custom float physxCollision:contactOffset = 0.05", 0, 0.1},
        {"physx engine default",
         {"physx"},
         {},
         "custom float physxCollision:contactOffset = 0.05\ncustom float physxCollision:restOffset = -inf",
         0,
         0.1},
        {"older: contact offset is the margin",
         {"physx"},
         offset,
         "custom float physxCollision:contactOffset = 0.02",
         0.02,
         0.1},
        {"mjc margin less gap",
         {"mjc"},
         {},
         "custom double mjc:margin = 0.02\ncustom double mjc:gap = 0.005",
         0.015,
         0.005},
        {"mjc gap alone", {"mjc"}, {}, "custom double mjc:gap = 0.005", 0, 0.005},
        {"mjc under 1.8",
         {"mjc"},
         compat,
         "custom double mjc:margin = 0.02\ncustom double mjc:gap = 0.005",
         0.02,
         0.005},
        {"mjc under 1.8, option",
         {"mjc"},
         compat_legacy,
         "custom double mjc:margin = 0.02\ncustom double mjc:gap = 0.005",
         0.015,
         0.005},
        {"mjc negative", {"mjc"}, {}, "custom double mjc:margin = 0.002\ncustom double mjc:gap = 0.005", -0.003, 0.005},
        {"nothing, mjc first", {"mjc", "newton"}, {}, "", 0, 0.1},
        {"nothing, mjc first under 1.8", {"mjc", "newton"}, compat, "", 0, 0},
        {"nothing, newton first under 1.8", {"newton", "mjc"}, compat, "", 0, 0.1},
        {"newton",
         {"newton"},
         {},
         "custom float newton:contactMargin = 0.3\ncustom float newton:contactGap = 0.2",
         0.3,
         0.2},
        {"newton, older spelling", {"newton"}, {}, "custom float newton:margin = 0.3", 0.3, 0.1},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const OnPrim        collider(row.lines, "Cube");
        Diagnostics         found;
        const ContactValues v = contact_values(named(row.order, row.rules), collider.prim, {},
                                               {.scale = {}, .rules = row.rules}, {}, found);
        CHECK(v.margin == close_to(row.margin, 1e-7));  // authored as floats
        CHECK(v.gap == close_to(row.gap, 1e-7));
        CHECK(found.count("RESOLVE_NEG_MARGIN") == (row.margin < 0 ? 1u : 0u));
    }
}

TEST_CASE(
    "contact response: solref where MuJoCo ranks first, the material, the shape's older spelling (IMP-078, IMP-079, "
    "IMP-084, IMP-150)")
{
    struct {
        const char*              what;
        std::vector<std::string> order;
        const char *             shape, *material;
        double                   ke, kd;
    } table[] = {
        {"solref (0.02, 0.5)", {"mjc"}, "custom double[] mjc:solref = [0.02, 0.5]", "", 10000, 100},
        {"solref direct", {"mjc"}, "custom double[] mjc:solref = [-100, -7]", "", 100, 7},
        {"solref mixed", {"mjc"}, "custom double[] mjc:solref = [-100, 7]", "", 2500, 100},
        {"mjc first",
         {"mjc", "newton"},
         "custom double[] mjc:solref = [0.02, 1]",
         "custom float newton:contactStiffness = 5000\ncustom float newton:contactDamping = 50",
         2500,
         100},
        {"newton first",
         {"newton", "mjc"},
         "custom double[] mjc:solref = [0.02, 1]",
         "custom float newton:contactStiffness = 5000\ncustom float newton:contactDamping = 50",
         5000,
         50},
        {"older spelling", {"newton"}, "custom float newton:contact_ke = 7", "", 7, 100},
        {"material unset", {"newton"}, "", "custom float newton:contactStiffness = -inf", 2500, 100},
        {"physx material", {"physx"}, "", "custom float physxMaterial:compliantContactStiffness = 9", 9, 100},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const auto  stage = stage_from(std::string("def Cube \"C\" {\n") + row.shape + "\n}\ndef Material \"M\" {\n" +
                                       row.material + "\n}\n");
        Diagnostics found;
        const ContactValues v = contact_values(named(row.order), stage->prim_at(usd::Path("/C")),
                                               stage->prim_at(usd::Path("/M")), {}, {}, found);
        CHECK(v.ke == close_to(row.ke, 1e-9));
        CHECK(v.kd == close_to(row.kd, 1e-9));
        CHECK(found.count("RESOLVE_DEPRECATED_ATTR") == (std::string_view(row.what) == "older spelling" ? 1u : 0u));
    }
}

TEST_CASE("hull vertices: authored, else the importer's; the decomposition's limit where it decomposes (IMP-142)")
{
    Diagnostics found;
    CHECK(max_hull_vertices(named({"newton"}), OnPrim("", "Mesh").prim, {}, 64, found) == 64);
    CHECK(max_hull_vertices(named({"newton"}), OnPrim("custom int newton:maxHullVertices = -1", "Mesh").prim, {}, 64,
                            found) == -1);
    const std::string both =
        "custom int physxConvexHullCollision:hullVertexLimit = 32\ncustom int "
        "physxConvexDecompositionCollision:hullVertexLimit = 16\n";
    CHECK(max_hull_vertices(named({"physx"}), OnPrim(both, "Mesh").prim, {}, 64, found) == 32);
    CHECK(max_hull_vertices(named({"physx"}),
                            OnPrim(both + "uniform token physics:approximation = \"convexDecomposition\"", "Mesh",
                                   "\"PhysicsMeshCollisionAPI\", \"PhysxConvexDecompositionCollisionAPI\"")
                                .prim,
                            {}, 64, found) == 16);
    Rules older;
    older.hull_vertex_limit_name = true;
    CHECK(max_hull_vertices(named({"newton"}, older), OnPrim("custom int newton:hullVertexLimit = 12", "Mesh").prim, {},
                            64, found) == 12);
    CHECK(max_hull_vertices(named({"newton"}), OnPrim("custom int newton:hullVertexLimit = 12", "Mesh").prim, {}, 64,
                            found) == 64);
}

TEST_CASE("SDF settings: defaults, refusals and what wins (IMP-156..160, GAP-041)")
{
    struct {
        const char*           what;
        const char*           lines;
        std::optional<int>    resolution;
        std::optional<double> voxel;
        const char*           code;
    } table[] = {
        {"nothing", "", 64, std::nullopt, ""},
        {"resolution", "custom int newton:sdfMaxResolution = 128", 128, std::nullopt, ""},
        {"not a multiple of 8", "custom int newton:sdfMaxResolution = 100", 64, std::nullopt, "RESOLVE_SDF_RES8"},
        {"not positive", "custom int newton:sdfMaxResolution = 0", 64, std::nullopt, "RESOLVE_SDF_RES"},
        {"voxel", "custom float newton:sdfTargetVoxelSize = 0.5", std::nullopt, 0.5, ""},
        {"both", "custom float newton:sdfTargetVoxelSize = 0.5\ncustom int newton:sdfMaxResolution = 128", 128, 0.5,
         "RESOLVE_SDF_BOTH"},  // kept in the settings, and of no effect
        {"voxel not positive", "custom float newton:sdfTargetVoxelSize = -1", 64, std::nullopt, "RESOLVE_SDF_VOXEL"},
        {"band", "custom float newton:sdfNarrowBandInner = 0.1", 64, std::nullopt, "RESOLVE_SDF_BAND"},
        {"format", "custom token newton:sdfTextureFormat = \"uint7\"", 64, std::nullopt, "RESOLVE_SDF_FORMAT"},
        {"padding", "custom float newton:sdfPadding = -1", 64, std::nullopt, "RESOLVE_SDF_PADDING"},
        {"stiffness alone enables nothing", "custom float newton:hydroelasticStiffness = -2", 64, std::nullopt,
         "RESOLVE_HYDRO_KH"},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const test::Parsed p(
            std::string(
                "def Cube \"C\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"NewtonSDFCollisionAPI\"]) {\n") +
            row.lines + "\n}\n");
        Diagnostics       found;
        const SdfSettings s = sdf_settings(named({"newton"}), p.collider("/C"), {}, false, found);
        CHECK(s.has_sdf);
        CHECK(s.max_resolution == row.resolution);
        CHECK(s.target_voxel_size == row.voxel);
        CHECK(s.texture_format == "uint16");
        CHECK_FALSE(s.padding.has_value());
        CHECK_FALSE(s.hydroelastic);
        CHECK(s.kh == 1e10);
        CHECK(s.band_inner < 0);
        if (*row.code) CHECK(found.count(row.code) == 1);
        CHECK(found.size() == (*row.code ? 1u : 0u));
    }
    const test::Parsed plain(
        "def Cube \"C\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { custom bool newton:hydroelasticEnabled = "
        "true }\n");
    Diagnostics found;
    CHECK_FALSE(sdf_settings(named({"newton"}), plain.collider("/C"), {}, false, found).hydroelastic);
    CHECK(found.count("RESOLVE_HYDRO_NO_SDF") == 1);
}

TEST_CASE(
    "attributes are collected by namespace or because a row names them, each for its resolver alone (IMP-073..075)")
{
    const OnPrim prim(
        "custom float physxJoint:armature = 1\ncustom float physxFoo = 2\ncustom float physx:foo = 3\ncustom double "
        "mjc:model:joint:test = 4\n"
        "custom float newton:armature = 5\ncustom rel physx:target = </P>\ncustom float other:thing = 6");
    const auto collected = named({"physx", "mjc", "newton"}).collect(prim.prim);
    const auto names     = [](const Collected& of) {
        std::vector<std::string> out;
        for (const auto& [name, value] : of) out.push_back(name);
        return out;
    };
    REQUIRE(collected.size() == 3);
    CHECK(names(collected[0]) == std::vector<std::string>{"physx:foo", "physxJoint:armature"});
    CHECK(names(collected[1]) == std::vector<std::string>{"mjc:model:joint:test"});
    CHECK(names(collected[2]) == std::vector<std::string>{"newton:armature"});
    CHECK(collected[1].at("mjc:model:joint:test").get<double>() == 4);
}

TEST_CASE("a table of one's own takes part like the others, and may decline")
{
    Resolver           own{.name       = "ours",
                           .namespaces = {"oursJoint"},
                           .rows       = {
                               {.key        = Key::joint_armature,
                                .attributes = {"ours:inertia", "ours:ratio"},
                                .unit       = Unit::si,
                                .convert    = [](const Inputs& in) -> std::optional<Value> {
                          const auto* inertia = in.authored[0] ? std::get_if<double>(&*in.authored[0]) : nullptr;
                          const auto* ratio   = in.authored[1] ? std::get_if<double>(&*in.authored[1]) : nullptr;
                          if (!inertia || !ratio) return std::nullopt;
                          return *inertia * *ratio * *ratio;
                                }},
                           }};
    const ResolverList list({own, SchemaResolverNewton()});
    const OnPrim       both(
        "custom double ours:inertia = 0.5\ncustom double ours:ratio = 10\ncustom float newton:armature = 1");
    CHECK(list.get(both.prim, Key::joint_armature, {}).number_or(0) == 50);
    const OnPrim half("custom double ours:inertia = 0.5\ncustom float newton:armature = 1");
    CHECK(list.get(half.prim, Key::joint_armature, {}).resolver == "newton");
}

TEST_CASE("a value that is blocked or no number counts as not authored")
{
    CHECK(
        named({"newton"}).get(OnPrim("custom float newton:armature = None").prim, Key::joint_armature, {}, 0.5).layer ==
        Layer::importer);
    CHECK(
        named({"newton"}).get(OnPrim("custom float newton:armature = nan").prim, Key::joint_armature, {}, 0.5).layer ==
        Layer::importer);
    CHECK(named({"newton"})
              .get(OnPrim("custom string newton:armature = \"heavy\"").prim, Key::joint_armature, {}, 0.5)
              .layer == Layer::importer);
}

}  // namespace mechane::resolve

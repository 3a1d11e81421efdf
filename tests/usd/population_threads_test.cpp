#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mechane/usd/stage.h"

namespace mechane::usd {
namespace {

/// Classes, inherits, references inside the layer, variants, inactive and abstract prims, unknown types: more of them
/// than one batch of population or one chunk of a thread holds.
std::string many_kinds_of_prims()
{
    std::string text = R"(#usda 1.0
class Xform "_robot" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Cube "hull" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double size = 0.5
    }
    def Sphere "off" (
        active = false
    )
    {
    }
}
)";
    for (int i = 0; i < 1500; ++i)
        text += fmt::format(R"(def {} "prim_{}" (
    inherits = </_robot>
    append apiSchemas = ["{}"]
)
{{
}}
)",
                            i % 5 == 0   ? "Scope"
                            : i % 7 == 0 ? "Unheard"
                                         : "Xform",
                            i, i % 3 == 0 ? "PhysicsMassAPI" : "UnheardAPI");
    return text;
}

/// Everything that population finds out, in order.
std::string told(const Stage& stage)
{
    std::string out;
    for (const Prim& prim : stage.traverse({.all = true})) {
        out += fmt::format("{} {} {} {}{}{}{}", prim.path().text(), prim.type_name().text(),
                           static_cast<int>(prim.specifier()), prim.active(), prim.defined(), prim.abstract(),
                           prim.loaded());
        for (const Token& api : prim.applied_apis()) out += ' ' + api.text();
        out += '\n';
    }
    for (const Diagnostic& finding : stage.diagnostics())
        out += fmt::format("{} {} {}\n", finding.id, finding.site.prim, finding.message);
    return out;
}

TEST_CASE("population with any number of threads gives the prims and findings of one thread (STG-059)")
{
    const std::string text = many_kinds_of_prims();
    OpenOptions       options;
    options.threads = 1;
    const auto one  = Stage::open_text(text, {}, options);
    REQUIRE(one);
    const std::string expected = told(**one);
    // The class, its hull and its inactive child; 1,500 prims with the same two children.
    CHECK((*one)->traverse({.all = true}).size() == 3 * 1501);
    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        options.threads = threads;
        const auto many = Stage::open_text(text, {}, options);
        REQUIRE(many);
        CHECK(told(**many) == expected);
    }
}

}  // namespace
}  // namespace mechane::usd

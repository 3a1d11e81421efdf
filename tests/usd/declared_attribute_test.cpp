#include "mechane/usd/declared_attribute.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "mechane/usd/schemas.h"
#include "usd/stages.h"

using namespace mechane;

TEST_CASE("what is declared of an attribute is what a prim of the first schema has that brings it")
{
    std::string text;
    int         count = 0;
    for (const usd::SchemaInfo& schema : usd::bundled_schemas()) {
        if (schema.kind == usd::SchemaKind::not_applied || schema.kind == usd::SchemaKind::abstract_typed) continue;
        if (schema.kind == usd::SchemaKind::typed)
            text += fmt::format("def {} \"p{}\"\n{{\n}}\n", schema.identifier, count++);
        else
            text += fmt::format("def \"p{}\" (\n    prepend apiSchemas = [\"{}{}\"]\n)\n{{\n}}\n", count++,
                                schema.identifier, schema.kind == usd::SchemaKind::multiple_apply ? ":i" : "");
    }
    const auto                                                stage = test::usda_stage(text);
    std::set<std::string>                                     names;
    std::map<std::string, std::pair<std::string, usd::Value>> first;
    for (int i = 0; i < count; ++i) {
        const usd::Prim prim = stage->prim_at(usd::Path(fmt::format("/p{}", i)));
        REQUIRE(prim);
        for (const usd::Token& name : prim.property_names()) {
            names.insert(name.text());
            const std::string type = prim.attribute(name).type_name();
            if (!type.empty()) first.try_emplace(name.text(), type, prim.attribute(name).value());
        }
    }
    CHECK(first.size() > 1000);
    const auto                  told = usd::properties_like("a:i:b");  // instances are called i on these prims
    const std::set<std::string> all(told.begin(), told.end());
    std::string                 missing, more;
    for (const std::string& name : names) missing += all.contains(name) ? "" : name + " ";
    for (const std::string& name : all) more += names.contains(name) ? "" : name + " ";
    CHECK(missing == "");
    CHECK(more == "");
    for (const auto& [name, expected] : first) {
        CAPTURE(name);
        const usd::DeclaredAttribute* declared = usd::declared_attribute(name);
        REQUIRE(declared != nullptr);
        CHECK(declared->type == expected.first);
        CHECK(declared->fallback.to_text() == expected.second.to_text());
    }
}

TEST_CASE("an instance stands for any other, and what no schema brings has no declaration")
{
    const auto* drive = usd::declared_attribute("drive:angular:physics:damping");
    REQUIRE(drive != nullptr);
    CHECK(drive->type == "float");
    CHECK(usd::declared_attribute("drive:angular:physics:dampng") == nullptr);
    CHECK(usd::declared_attribute("physics:body0") == nullptr);  // a relationship
    CHECK(usd::is_brought("physics:body0"));
    CHECK(usd::is_brought("drive:angular:physics:damping"));
    CHECK_FALSE(usd::is_brought("drive:angular:physics:dampng"));
    CHECK(usd::declared_attribute("nothing") == nullptr);
    const auto* approximation = usd::declared_attribute("physics:approximation");
    REQUIRE(approximation != nullptr);
    CHECK(approximation->tokens.size() == 6);  // none, two of convex hulls, two of bounds, meshSimplification
}

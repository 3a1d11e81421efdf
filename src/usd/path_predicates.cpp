// Predicates of path expressions (`{isa:Mesh}`, `{kind:component}`): the library that collections evaluate with.
// Names and arguments are those of OpenUSD's own predicate library for stages.

#include "usd/path_predicates.h"

#include <pxr/sdf/predicateExpression.h>

#include <algorithm>

#include "mechane/usd/kind.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

using Library  = SdfPredicateLibrary<PathObject>;
using Verdict  = SdfPredicateFunctionResult;
using Function = Library::PredicateFunction;
using Args     = std::vector<SdfPredicateExpression::FnArg>;

std::string text_of(const VtValue& value) { return wrap(value).get<std::string>().value_or(""); }

/// The unnamed arguments, and named ones by their name.
struct Words {
    explicit Words(const Args& args)
    {
        for (const auto& arg : args)
            if (arg.argName.empty())
                plain.push_back(text_of(arg.value));
            else
                named.emplace_back(arg.argName, arg.value);
    }
    [[nodiscard]] const VtValue* find(const char* name) const
    {
        for (const auto& [key, value] : named)
            if (key == name) return &value;
        return nullptr;
    }
    std::vector<std::string>                     plain;
    std::vector<std::pair<std::string, VtValue>> named;
};

/// A predicate without arguments but an optional truth value: `abstract`, `abstract:false`. The truth is taken as a
/// number, because OpenUSD's binder moves parameters that it has not set yet, and an unset bool is not a value that may
/// be moved.
template <class Test>
auto truth(Test test)
{
    return [test](const PathObject& object, int wanted) {
        return Verdict(object.prim && test(object.prim) == (wanted != 0));
    };
}

Function bind_kind(const Args& args)
{
    const Words    words(args);
    const VtValue* strict = words.find("strict");
    const bool     exact  = strict != nullptr && strict->GetWithDefault(false);
    if (words.plain.empty()) return {};
    return [kinds = words.plain, exact](const PathObject& object) {
        const Token kind = kind_of(object.prim);
        return Verdict(!object.property && !kind.empty() &&
                      std::any_of(kinds.begin(), kinds.end(), [&](const std::string& wanted) {
                          return exact ? kind.text() == wanted : kind_is_a(kind, Token(wanted));
                      }));
    };
}

Function bind_specifier(const Args& args)
{
    const Words words(args);
    if (words.plain.empty()) return {};
    return [names = words.plain](const PathObject& object) {
        const Specifier   own  = object.prim.specifier();
        const std::string name = own == Specifier::def ? "def" : own == Specifier::class_ ? "class" : "over";
        return Verdict(object.prim && !object.property && std::find(names.begin(), names.end(), name) != names.end());
    };
}

Function bind_isa(const Args& args)
{
    const Words    words(args);
    const VtValue* strict = words.find("strict");
    const bool     exact  = strict != nullptr && strict->GetWithDefault(false);
    if (words.plain.empty()) return {};
    return [types = words.plain, exact](const PathObject& object) {
        return Verdict(object.prim && !object.property &&
                      std::any_of(types.begin(), types.end(), [&](const std::string& type) {
                          return exact ? object.prim.type_name().text() == type : object.prim.is_a(Token(type));
                      }));
    };
}

Function bind_has_api(const Args& args)
{
    const Words    words(args);
    const VtValue* instance = words.find("instanceName");
    const auto     name     = instance == nullptr ? std::string() : ":" + text_of(*instance);
    if (words.plain.empty()) return {};
    return [apis = words.plain, name](const PathObject& object) {
        return Verdict(object.prim && !object.property &&
                      std::any_of(apis.begin(), apis.end(),
                                  [&](const std::string& api) { return object.prim.has_api(Token(api + name)); }));
    };
}

/// `variant:(set = name, ...)`: all these sets stand at these names, on this prim itself.
Function bind_variant(const Args& args)
{
    const Words words(args);
    if (words.named.empty()) return {};
    std::vector<std::pair<std::string, std::string>> wanted;
    for (const auto& [set, name] : words.named) wanted.emplace_back(set, text_of(name));
    return [wanted](const PathObject& object) {
        if (!object.prim || object.property) return Verdict(false);
        const Stage::Impl&  stage = object.prim.stage().impl();
        const PcpPrimIndex* index = index_of(stage, stage.record(object.prim));
        return Verdict(index != nullptr && std::all_of(wanted.begin(), wanted.end(), [&](const auto& row) {
                          return index->GetSelectionAppliedForVariantSet(row.first) == row.second;
                      }));
    };
}

Library make_library()
{
    const SdfPredicateParamNamesAndDefaults optional_truth{{"wanted", true}};
    return std::move(Library()
                         .Define("abstract", truth([](const Prim& p) { return p.abstract(); }), optional_truth)
                         .Define("defined", truth([](const Prim& p) { return p.defined(); }), optional_truth)
                         .Define("active", truth([](const Prim& p) { return p.active(); }), optional_truth)
                         .Define("model", truth([](const Prim& p) { return is_model(p); }), optional_truth)
                         .Define("group", truth([](const Prim& p) { return is_group(p); }), optional_truth)
                         .DefineBinder("kind", bind_kind)
                         .DefineBinder("specifier", bind_specifier)
                         .DefineBinder("isa", bind_isa)
                         .DefineBinder("hasAPI", bind_has_api)
                         .DefineBinder("variant", bind_variant));
}

}  // namespace

const Library& path_predicates()
{
    static const Library library = make_library();
    return library;
}

}  // namespace mechane::usd

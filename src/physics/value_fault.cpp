// Whether an authored value can be the value of its attribute. One place for all readers and vendors: what is said here
// not to count is skipped by the parser and the resolvers, reported once, and ignored in the ledger.

#include "mechane/physics/value_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "mechane/physics/codes.h"
#include "mechane/usd/declared_attribute.h"
#include "mechane/usd/start_value.h"

namespace mechane::physics {

namespace {

/// What has a rule and findings of its own for values that cannot be used.
constexpr std::string_view kOwnFiniteness[] = {"physics:centerOfMass", "physics:diagonalInertia",
                                               "physics:gravityDirection"};
constexpr std::string_view kOwnTokens[] = {"physics:approximation", "physics:axis", "newton:sdfTextureFormat",
                                           "physxMaterial:frictionCombineMode", "physxMaterial:restitutionCombineMode"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names)
{ return std::find(names.begin(), names.end(), name) != names.end(); }

/// Whether a reader gets a value of the declared type out of it. Types that no reader asks for fit.
bool fits(std::string_view type, const usd::Value& value, bool vendor)
{
    if (value.type_name() == type) return true;
    const auto any = [&]<class... T>() { return (value.get<T>().has_value() || ...); };
    if (type.ends_with("[]")) {
        const std::string_view element = type.substr(0, type.size() - 2);
        if (element == "token" || element == "string") return any.operator()<std::vector<std::string>>();
        if (element == "asset") return any.operator()<std::vector<usd::AssetPath>>();
        if (element == "bool" || element == "int" || element == "uint" || element == "int64" || element == "float" ||
            element == "double" || element == "half") {
            // An index of a point is a whole number: who reads indices takes no other.
            if (!vendor && element == "int") return any.operator()<std::vector<int>>();
            return any.operator()<std::vector<double>, std::vector<int>>() ||
                   (vendor && any.operator()<Vec2d, Vec3d, std::array<double, 4>>());
        }
        if (element.starts_with("matrix")) return value.type_name().ends_with("[]");
        if (element.starts_with("quat")) return any.operator()<std::vector<Quatd>>();
        if (element.ends_with("2f") || element.ends_with("2d") || element.ends_with("2h") || element == "float2" ||
            element == "double2" || element == "half2")
            return any.operator()<std::vector<Vec2d>>();
        if (element.ends_with("3f") || element.ends_with("3d") || element.ends_with("3h") || element == "float3" ||
            element == "double3" || element == "half3")
            return any.operator()<std::vector<Vec3d>>();
        return value.type_name().ends_with("[]");
    }
    // The resolvers take a number as a switch, a switch as a number, and a tuple as a list.
    if (type == "bool") return any.operator()<bool>() || (vendor && any.operator()<double>());
    if (type == "int" || type == "uint" || type == "int64" || type == "uint64" || type == "uchar" || type == "float" ||
        type == "double" || type == "half" || type == "timecode")
        return any.operator()<double>() || (vendor && any.operator()<bool>());
    if (type == "token" || type == "string") return any.operator()<std::string>();
    if (type == "asset") return any.operator()<usd::AssetPath>();
    if (type.starts_with("quat")) return any.operator()<Quatd>();
    if (type.starts_with("matrix4")) return any.operator()<usd::Matrix4d>();
    if (type.starts_with("matrix") || type.starts_with("int")) return false;
    if (type.find('2') != std::string_view::npos)
        return any.operator()<Vec2d>() || (vendor && any.operator()<std::vector<double>>());
    if (type.find('3') != std::string_view::npos)
        return any.operator()<Vec3d>() || (vendor && any.operator()<std::vector<double>>());
    if (type.find('4') != std::string_view::npos)
        return any.operator()<std::array<double, 4>>() || (vendor && any.operator()<std::vector<double>>());
    return true;
}

/// The numbers of a value, and whether it is a single one.
std::vector<double> numbers(const usd::Value& value, bool& single)
{
    single = false;
    if (const auto x = value.get<double>()) {
        single = true;
        return {*x};
    }
    if (const auto v = value.get<Vec3d>()) return {v->x, v->y, v->z};
    if (const auto q = value.get<Quatd>()) return {q->x, q->y, q->z, q->w};
    if (const auto v = value.get<Vec2d>()) return {v->x, v->y};
    if (const auto v = value.get<std::array<double, 4>>()) return {v->begin(), v->end()};
    if (auto list = value.get<std::vector<double>>()) return *std::move(list);
    return {};
}

}  // namespace

std::optional<ValueFault> value_fault(const usd::Prim& prim, const usd::Token& name)
{
    const usd::Attribute attribute = prim.attribute(name);
    const usd::Value     value     = attribute.authored_value(usd::start_of(attribute));
    if (value.empty()) return std::nullopt;
    const std::string& property = name.text();
    // The attributes of vendors have a colon too.
    const bool  vendor   = property.find(':') != std::string::npos && !property.starts_with("physics:");
    const auto* declared = usd::declared_attribute(property);
    if (declared != nullptr && !fits(declared->type, value, vendor))
        return ValueFault{&kValueType, fmt::format("is of type {}, expected {}", value.type_name(), declared->type)};
    // Minus infinity everywhere is how the schema says that there is none.
    if (property == "physics:centerOfMass")
        if (const auto com = value.get<Vec3d>(); com && !is_finite(*com) && !(*com == Vec3d{-1, -1, -1} * kInfinity))
            return ValueFault{&kValueNan, "is not finite"};
    bool single = false;
    for (const double x : numbers(value, single)) {
        if (std::isnan(x)) return ValueFault{&kValueNan, "is not a number"};
        if (!single && std::isinf(x) && !is_one_of(property, kOwnFiniteness))
            return ValueFault{&kValueNan, "is not finite"};
    }
    if (declared == nullptr || declared->tokens.empty() || is_one_of(property, kOwnTokens)) return std::nullopt;
    const auto token = value.get<std::string>();
    if (!token || token->empty() ||
        std::find(declared->tokens.begin(), declared->tokens.end(), *token) != declared->tokens.end())
        return std::nullopt;
    return ValueFault{&kValueToken,
                      fmt::format("is \"{}\", expected one of {}", *token, fmt::join(declared->tokens, ", "))};
}

bool is_unread_type(const Conventions& conventions, const usd::Attribute& attribute)
{
    if (!conventions.other_types_unread || attribute.other_type().empty()) return false;
    if (!conventions.mass_types_any) return true;
    // What Newton's importer asks in Python, which takes any type; for axes only where there are moments to turn.
    constexpr std::string_view kAnyType[] = {"physics:mass", "physics:diagonalInertia", "physics:centerOfMass",
                                             "physics:collisionEnabled", "physics:approximation"};
    static const usd::Token    kDiagonal("physics:diagonalInertia");
    const std::string&         name = attribute.name().text();
    return !(is_one_of(name, kAnyType) ||
             (name == "physics:principalAxes" && attribute.prim().attribute(kDiagonal).authored()));
}

}  // namespace mechane::physics

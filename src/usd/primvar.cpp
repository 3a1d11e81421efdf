// Primvars: inheritance, interpolation and indexed values (UsdGeomPrimvar).
// Only constant primvars are inherited; one that is authored without a value hides those above.

#include "mechane/usd/primvar.h"

#include <fmt/format.h>

#include <numeric>

#include "mechane/usd/codes.h"

namespace mechane::usd {
namespace {
const Token kInterpolation("interpolation"), kElementSize("elementSize");
}

std::string primvar_interpolation(const Attribute& primvar)
{ return primvar.metadata(kInterpolation).get<std::string>().value_or("constant"); }

Attribute find_primvar(const Prim& prim, const std::string& name)
{
    const Token full("primvars:" + name);
    for (Prim at = prim; at && !at.path().is_root(); at = at.parent()) {
        const Attribute primvar = at.attribute(full);
        if (!primvar) continue;
        if (!primvar.authored()) {
            if (at == prim && primvar.blocked()) return {};
            continue;
        }
        return at == prim || primvar_interpolation(primvar) == "constant" ? primvar : Attribute();
    }
    return {};
}

/// How many elements each interpolation asks for on a mesh.
std::size_t primvar_element_count(const Prim& mesh, const std::string& interpolation)
{
    const auto counts = [&] { return mesh.attribute("faceVertexCounts").get_or<std::vector<int>>({}); };
    if (interpolation == "constant") return 1;
    if (interpolation == "uniform") return counts().size();
    if (interpolation == "vertex" || interpolation == "varying")
        return mesh.attribute("points").get_or<std::vector<Vec3d>>({}).size();
    if (interpolation == "faceVarying") {
        const auto all = counts();
        return std::accumulate(all.begin(), all.end(), std::size_t{0},
                               [](std::size_t sum, int n) { return sum + static_cast<std::size_t>(std::max(n, 0)); });
    }
    return 0;
}

template <class T>
std::vector<T> flattened_primvar(const Attribute& primvar, Diagnostics& found, TimeCode time)
{
    auto values = primvar.get<std::vector<T>>(time).value_or(std::vector<T>{});
    // A constant may be authored as a single value.
    if (values.empty())
        if (auto one = primvar.get<T>(time)) values.push_back(std::move(*one));
    const auto indices =
        primvar.prim().attribute(Token(primvar.name().text() + ":indices")).get<std::vector<int>>(time);
    if (!indices) return values;
    const auto authored = static_cast<std::size_t>(
        std::max<std::int64_t>(1, primvar.metadata(kElementSize).get<std::int64_t>().value_or(1)));
    const std::size_t elements = values.size() / authored;
    std::vector<T>    out(indices->size() * authored);
    std::size_t       bad = 0, first_bad = 0;
    for (std::size_t i = 0; i < indices->size(); ++i) {
        const int index = (*indices)[i];
        if (index < 0 || static_cast<std::size_t>(index) >= elements) {
            if (bad++ == 0) first_bad = i;
            continue;
        }
        for (std::size_t k = 0; k < authored; ++k)
            out[i * authored + k] = values[static_cast<std::size_t>(index) * authored + k];
    }
    if (bad > 0)
        found.add(kPrimvarIndex, primvar.site(),
                  fmt::format("{} indices of {} are out of range; the first is index {} = {} of {} elements", bad,
                              primvar.name().text(), first_bad, (*indices)[first_bad], elements));
    return out;
}

template std::vector<double>      flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<int>         flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<std::string> flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<Token>       flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<Vec2d>       flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<Vec3d>       flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<Quatd>       flattened_primvar(const Attribute&, Diagnostics&, TimeCode);
template std::vector<Matrix4d>    flattened_primvar(const Attribute&, Diagnostics&, TimeCode);

}  // namespace mechane::usd

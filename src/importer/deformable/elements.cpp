// Values by element of deformables (masses, thicknesses): reading with their elementType, checking of counts, and
// distribution of masses over points by volume.
//
// direct     values of points of an earlier revision, taken as the masses of the points themselves
// authored   how many elements the prim has; some may be left out, `sources` says which remain

#include "elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechane/usd/key_times.h"

namespace mechane::importer {

std::optional<ElementValues> element_values(const DeformableReader& read, const usd::Prim& prim, std::string_view name,
                                            const ElementCounts& counts, bool untyped_points)
{
    const std::string    type_name = fmt::format("{}:elementType", name);
    const usd::Attribute attribute = read.find(prim, name);
    ElementValues        out;
    out.element_type  = read.text(prim, type_name);
    const auto refuse = [&](std::string why) -> std::optional<ElementValues> {
        read.fault(prim, attribute ? name : std::string_view(type_name), std::move(why));
        return std::nullopt;
    };
    if (!attribute) {
        if (out.element_type.empty()) return std::nullopt;
        return refuse(fmt::format("{} is authored, {} is not; both are ignored", type_name, name));
    }
    read.run().took(prim, attribute.name().text());
    const auto values = usd::start_authored_as<std::vector<double>>(attribute);
    if (!values) return refuse(fmt::format("{} is not an array of numbers; it is ignored", name));
    if (values->empty()) {
        if (out.element_type.empty()) return std::nullopt;
        return refuse(fmt::format("{} is empty; it is ignored", name));
    }
    // Thickness always had a type.
    if (out.element_type.empty()) {
        // An earlier revision had masses of points only.
        if (!untyped_points) return refuse(fmt::format("{} needs {}; it is ignored", name, type_name));
        out.element_type = "point";
        out.direct       = true;
        read.run().found.add(codes::kDeformableDeprecated, attribute.site(),
                             fmt::format("<{}>: {} without {} is taken as the masses of the points; author the type",
                                         prim.path().text(), name, type_name));
    }
    const auto expected =
        std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == out.element_type; });
    if (expected == counts.end()) {
        std::string words;
        for (const auto& [word, n] : counts) words += (words.empty() ? "" : ", ") + std::string(word);
        return refuse(
            fmt::format("{} = {}, expected one of {}; {} is ignored", type_name, out.element_type, words, name));
    }
    if (values->size() != expected->second)
        return refuse(fmt::format("{} has {} values, expected {} for the element type {}; it is ignored", name,
                                  values->size(), expected->second, out.element_type));
    // Beyond the range of float a value cannot be meant.
    const auto bad = std::find_if(values->begin(), values->end(), [&](double x) {
        // Zero is allowed for masses of points only.
        return !(std::isfinite(x) && std::abs(x) <= 3.4028234663852886e38) || x < 0 || (x == 0 && !out.direct);
    });
    if (bad != values->end())
        return refuse(fmt::format("{}[{}] = {:g}, expected a positive finite number; the array is ignored", name,
                                  bad - values->begin(), *bad));
    const double times = read.factor(name);
    for (const double x : *values) out.values.push_back(times * x);
    if (times != 1)
        read.run().took(prim, attribute.name().text(), physics::Use::converted,
                        fmt::format("times {:.9g}: to SI units", times));
    return out;
}

/// An element's mass goes in equal parts to its points.
std::vector<double> lumped(std::span<const double> masses, const Elements& elements)
{
    std::vector<double> out(elements.point_count, 0);
    for (std::size_t e = 0; e < masses.size(); ++e)
        for (const std::int32_t p : elements.points[e])
            out[static_cast<std::size_t>(p)] += masses[e] / static_cast<double>(elements.points[e].size());
    return out;
}

/// Each element takes of its points' masses in proportion to its share of the volume beside each point; the sum is
/// kept.
std::optional<std::vector<double>> spread(std::span<const double> point_masses, const Elements& elements)
{
    const std::vector<double> beside = lumped(elements.volumes, elements);
    std::vector<double>       out;
    for (std::size_t e = 0; e < elements.points.size(); ++e) {
        double per_volume = 0;
        // The part of the point's mass that a unit of volume beside it takes.
        for (const std::int32_t p : elements.points[e]) {
            const double v = beside[static_cast<std::size_t>(p)];
            if (!(v > 0 && std::isfinite(v))) return std::nullopt;
            per_volume += point_masses[static_cast<std::size_t>(p)] / v;
        }
        out.push_back(elements.volumes[e] / static_cast<double>(elements.points[e].size()) * per_volume);
    }
    return out;
}

std::optional<std::vector<double>> authored_masses(const DeformableReader& read, const usd::Prim& prim,
                                                   std::string_view element, const Elements& elements,
                                                   std::optional<ElementValues>& values)
{
    values = element_values(read, prim, "masses",
                            {{"constant", 1}, {element, elements.authored}, {"point", elements.point_count}}, true);
    if (!values) return std::nullopt;
    if (values->direct) return values->values;
    const auto refuse = [&](std::string why) -> std::optional<std::vector<double>> {
        read.fault(prim, "masses", std::move(why));
        values.reset();
        return std::nullopt;
    };
    std::vector<double> masses;
    if (values->element_type == "point") {
        // Points of left-out elements have mass in the file and none in the model.
        std::vector<bool> used(elements.point_count, false);
        for (const auto& points : elements.points)
            for (const std::int32_t p : points) used[static_cast<std::size_t>(p)] = true;
        if (const auto unused = std::count(used.begin(), used.end(), false); unused > 0)
            read.warn(
                codes::kDeformableValue, prim,
                fmt::format("{} values of physics:masses belong to points of no element; they are ignored", unused));
        auto found = spread(values->values, elements);
        if (!found) return refuse("a point of physics:masses has no element with a volume beside it; it is ignored");
        masses = *std::move(found);
        return lumped(masses, elements);
    }
    // A face that became two triangles shares its mass by area.
    // The mass of an authored element, or of all of them, goes by volume to what became of it.
    const bool whole  = values->element_type == "constant";
    const auto source = [&](std::size_t e) { return whole ? 0 : elements.sources.empty() ? e : elements.sources[e]; };
    std::vector<double> volume(values->values.size(), 0);
    for (std::size_t e = 0; e < elements.points.size(); ++e) volume[source(e)] += elements.volumes[e];
    if (whole && !(volume[0] > 0 && std::isfinite(volume[0])))
        return refuse("the geometry has no volume; physics:masses is ignored");
    for (std::size_t e = 0; e < elements.points.size(); ++e) {
        const double all = volume[source(e)];
        masses.push_back(all > 0 ? values->values[source(e)] * elements.volumes[e] / all : 0);
    }
    return lumped(masses, elements);
}

}  // namespace mechane::importer

// Words, numbers and poses of elements of SDFormat.
//
// A missing element has the default that the specification gives (sdformat.org/spec); each reader says it where it
// asks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {

double SdformatReader::version_of(const XmlElement& e)
{
    const std::string text  = e.get("version", "1.9");
    const std::size_t dot   = text.find('.');
    const auto        major = parse_number(text.substr(0, dot)),
                      minor = dot == std::string::npos ? std::optional(0.0) : parse_number(text.substr(dot + 1));
    if (!major || !minor) return 2;  // what is no version is read as the newest one
    return *major + *minor / 100;    // 1.11 lies above 1.9
}

std::string SdformatReader::words(const XmlElement& e) const { return std::string(trimmed(e.text)); }

std::optional<std::string> SdformatReader::text(const XmlElement& e, const char* name)
{
    const XmlElement* c = e.child(name);
    if (c == nullptr) return std::nullopt;
    ++s_.losses.kept;
    return words(*c);
}

std::optional<std::vector<double>> SdformatReader::numbers_of(const XmlElement& e, std::size_t least, std::size_t most,
                                                              bool endless)
{
    auto v = parse_numbers(e.text);
    if (v && v->size() >= least && v->size() <= most &&
        std::all_of(v->begin(), v->end(), [&](double x) { return endless ? !std::isnan(x) : std::isfinite(x); })) {
        ++s_.losses.kept;
        return v;
    }
    // `endless`: infinity is a value here (ODE's mu).
    s_.error(kNumber, e.place,
             fmt::format("<{}> is '{}', expected {} numbers", e.name, words(e).substr(0, 120),
                         least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
    return std::nullopt;
}

std::optional<double> SdformatReader::number(const XmlElement& e, const char* name, bool endless)
{
    const XmlElement* c = e.child(name);
    if (c == nullptr) return std::nullopt;
    const auto v = numbers_of(*c, 1, 1, endless);
    return v ? std::optional(v->front()) : std::nullopt;
}

std::optional<Vec3d> SdformatReader::vec3(const XmlElement& e, const char* name)
{
    const XmlElement* c = e.child(name);
    const auto        v = c != nullptr ? numbers_of(*c, 3, 3) : std::nullopt;
    return v ? std::optional(Vec3d{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
}

bool SdformatReader::flag(const XmlElement& e, const char* name, bool otherwise)
{
    const XmlElement* c = e.child(name);
    if (c == nullptr) return otherwise;
    const std::string v = words(*c);
    ++s_.losses.kept;
    if (v == "true" || v == "1") return true;
    if (v == "false" || v == "0") return false;
    s_.error(kWord, c->place, fmt::format("<{}> is '{}', expected true or false", name, v));
    return otherwise;
}

SdformatReader::Pose SdformatReader::pose(const XmlElement& e)
{
    Pose out;
    out.element = e.child("pose");
    if (out.element == nullptr) out.element = e.child("origin");  // 1.2 and before
    if (out.element == nullptr) return out;
    const XmlElement& p = *out.element;
    // relative_to since 1.7; frame is the word of 1.5 and 1.6.
    // A frame without a name is the one that the element stands in.
    out.relative       = p.get("relative_to", p.get("frame"));
    const bool degrees = p.get("degrees") == "true" || p.get("degrees") == "1";
    const bool quat    = p.get("rotation_format") == "quat_xyzw";
    if (trimmed(p.text).empty()) return out;
    const auto v = numbers_of(p, quat ? 7 : 6, quat ? 7 : 6);
    if (!v) return out;
    const auto& n  = *v;
    out.X.p        = {n[0], n[1], n[2]};
    const double k = degrees ? kDegree : 1;
    out.X.q        = quat ? normalized(Quatd{n[3], n[4], n[5], n[6]}) : from_rpy(k * n[3], k * n[4], k * n[5]);
    return out;
}

std::string SdformatReader::named(const XmlElement& e, std::map<std::string, int>& taken)
{
    std::string name = e.get("name");
    if (name.empty()) {
        s_.error(kMissing, e.place, fmt::format("a <{}> has no name", e.name));
        name = e.name;
    }
    // Names of two underscores at both ends are kept for the format: __model__, __root__.
    // A name with two underscores is told and used as it is.
    if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
        s_.error(kWord, e.place, fmt::format("the name '{}' is reserved", name));
    // Names are unique in their scope. The second one is renamed and told.
    if (!taken.contains(name)) return name;
    std::string other;
    for (int i = 1; other.empty() || taken.contains(other); ++i) other = fmt::format("{}_{}", name, i);
    s_.error(kDuplicate, e.place,
             fmt::format("there is another '{}' in the model; this {} is called '{}'", name, e.name, other));
    return other;
}

std::array<double, 4> SdformatReader::color(const XmlElement& e, const char* name, std::array<double, 4> otherwise)
{
    const XmlElement* c = e.child(name);
    if (c == nullptr) return otherwise;
    if (const auto v = numbers_of(*c, 3, 4))
        for (std::size_t i = 0; i < v->size(); ++i) otherwise[i] = std::clamp((*v)[i], 0.0, 1.0);
    return otherwise;
}

}  // namespace mechane::sourceformats

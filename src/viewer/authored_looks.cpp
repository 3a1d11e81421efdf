// Lights and cameras that a stage authors, for pages.
// Inputs: a stage and the model made of it. Output: places in metres in the frames of bodies, strengths as irradiance
// or intensity.
// What UsdLux says in radiance is reduced to lights without a size: a page draws no soft shadows.
// Called by the commands that write or serve pages.

#include "mechane/viewer/authored_looks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"

namespace mechane::viewer {
namespace {

using nlohmann::json;
using LightKind = AuthoredLight::Kind;

constexpr std::size_t kMostLights = 16, kMostCameras = 64;

/// Where a prim stands: in the world of the model, and below which body.
struct Placed {
    std::int32_t body = -1;
    Posed        X_WB;
    Vec3d        origin, x, y, z;  ///< world; axes unit
    Vec3d        scale;            ///< lengths of the prim's axes [m]
};

class Reader {
  public:
    Reader(const usd::Stage& stage, const model::Model& model, const Posed& X_WS, double metres)
        : stage_(stage), model_(model), X_WS_(X_WS), metres_(metres)
    {
        for (std::size_t i = 0; i < model.body_count(); ++i)
            bodies_.try_emplace(model.body_label[i], static_cast<std::int32_t>(i));
    }

    AuthoredLooks read() const
    {
        AuthoredLooks out;
        for (const usd::Prim& prim : stage_.traverse()) {
            const bool camera = prim.is_a("Camera");
            if (!camera && !prim.is_a("BoundableLightBase") && !prim.is_a("NonboundableLightBase")) continue;
            if (!stage_.visible(prim, usd::start_of(prim.attribute("visibility")))) continue;
            const auto at = placed(prim);
            if (!at) continue;
            if (camera && out.cameras.size() < kMostCameras) add_camera(out, prim, *at);
            if (!camera && out.lights.size() < kMostLights) add_light(out, prim, *at);
        }
        return out;
    }

  private:
    std::optional<Placed> placed(const usd::Prim& prim) const
    {
        Placed out;
        for (usd::Prim above = prim; above && !above.path().is_root(); above = above.parent())
            if (const auto known = bodies_.find(above.path().text()); known != bodies_.end()) {
                out.body = known->second;
                out.X_WB = static_cast<Posed>(model_.body_q[static_cast<std::size_t>(out.body)]);
                break;
            }
        const usd::Matrix4d m = stage_.world_matrix(prim, usd::start_of_transform(prim));
        const auto vector     = [&](const Vec3d& v) { return rotate(X_WS_.q, metres_ * usd::transform_vector(m, v)); };
        out.origin            = X_WS_ * (metres_ * usd::transform_point(m, {}));
        out.x = vector({1, 0, 0}), out.y = vector({0, 1, 0}), out.z = vector({0, 0, 1});
        out.scale = {length(out.x), length(out.y), length(out.z)};
        if (!is_finite(out.origin) || !(out.scale.x > 0) || !(out.scale.y > 0) || !(out.scale.z > 0) ||
            !is_finite(out.scale))
            return std::nullopt;
        out.x = normalized(out.x), out.y = normalized(out.y), out.z = normalized(out.z);
        return out;
    }

    /// A number of the prim; what is none is the other one.
    static double number(const usd::Prim& prim, const char* name, double otherwise)
    {
        const double value = usd::start_or<double>(prim.attribute(name), otherwise);
        return std::isfinite(value) ? value : otherwise;
    }
    static bool flag(const usd::Prim& prim, const char* name)
    { return usd::start_or<bool>(prim.attribute(name), false); }

    void add_camera(AuthoredLooks& out, const usd::Prim& prim, const Placed& at) const
    {
        // A pose has no shear: y is made square to z.
        const Vec3d  x = normalized(cross(at.y, at.z), at.x), y = cross(at.z, x);
        const Posed  X_WC{at.origin, from_matrix(Mat33d::from_columns(x, y, at.z))};
        const double aperture = number(prim, "verticalAperture", 15.2908), focal = number(prim, "focalLength", 50);
        if (!(aperture > 0) || !(focal > 0)) return;
        out.cameras.push_back({.label = prim.path().text(),
                               .body  = at.body,
                               .X_BC  = at.body < 0 ? X_WC : inverse(at.X_WB) * X_WC,
                               .fov   = std::clamp(2 * std::atan(0.5 * aperture / focal), 0.01, 3.0)});
    }

    void add_light(AuthoredLooks& out, const usd::Prim& prim, const Placed& at) const
    {
        AuthoredLight     light{.label = prim.path().text(), .body = at.body};
        const std::string type  = prim.type_name().text();
        Vec3d             color = usd::start_or<Vec3d>(prim.attribute("inputs:color"), {1, 1, 1});
        if (flag(prim, "inputs:enableColorTemperature"))
            color = scale(color, black_body(number(prim, "inputs:colorTemperature", 6500)));
        color                  = max(color, Vec3d{});
        const double most      = std::max({color.x, color.y, color.z});
        double       strength  = number(prim, "inputs:intensity", type == "DistantLight" ? 50000 : 1) *
                                 std::exp2(std::clamp(number(prim, "inputs:exposure", 0), -60.0, 60.0)) *
                                 number(prim, "inputs:diffuse", 1) * most;
        const bool   normalize = flag(prim, "inputs:normalize");
        // Radii and widths are scaled as the prim is.
        const auto size = [&](const char* name, double otherwise, double axis) {
            return std::max(0.0, number(prim, name, otherwise)) * axis;
        };
        if (type == "DistantLight") {
            light.kind        = LightKind::distant;
            const double half = std::clamp(number(prim, "inputs:angle", 0.53), 0.0, 180.0) * kPi / 360;
            // Irradiance of a disk of constant radiance: L pi sin^2; one without a size says it at once.
            if (!normalize && half > 0) strength *= kPi * std::sin(half) * std::sin(half);
        } else if (type == "DomeLight" || type == "DomeLight_1") {
            light.kind = LightKind::dome;
            strength *= kPi;  // of a whole hemisphere
        } else if (type == "SphereLight") {
            light.kind     = LightKind::point;
            const double r = size("inputs:radius", 0.5, at.scale.x);
            strength *= normalize || flag(prim, "treatAsPoint") || r == 0 ? 0.25 * square_metre() : kPi * r * r;
        } else if (type == "CylinderLight") {
            light.kind     = LightKind::point;
            const double r = size("inputs:radius", 0.5, at.scale.y), l = size("inputs:length", 1, at.scale.x);
            strength *= normalize ? square_metre() / kPi : 2 * r * l;
        } else if (type == "RectLight" || type == "DiskLight") {
            light.kind        = LightKind::spot;
            light.cone        = 0.47 * kPi;
            light.softness    = 1;
            const double area = type == "RectLight"
                                    ? size("inputs:width", 1, at.scale.x) * size("inputs:height", 1, at.scale.y)
                                    : kPi * square(size("inputs:radius", 0.5, at.scale.x));
            strength *= normalize ? square_metre() : area;
        } else {
            out.left_out.push_back(prim.path().text());
            return;
        }
        const double cone = number(prim, "inputs:shaping:cone:angle", 90);
        if ((light.kind == LightKind::point || light.kind == LightKind::spot) && cone > 0 && cone < 90) {
            light.kind     = LightKind::spot;
            light.cone     = cone * kPi / 180;
            light.softness = std::clamp(number(prim, "inputs:shaping:cone:softness", 0), 0.0, 1.0);
        }
        if (!(strength > 0) || !std::isfinite(strength)) return;
        light.color     = color / most;
        light.strength  = strength;
        light.position  = at.body < 0 ? at.origin : inverse_times(at.X_WB, at.origin);
        light.direction = at.body < 0 ? -at.z : rotate_inverse(at.X_WB.q, -at.z);
        out.lights.push_back(std::move(light));
    }

    /// A square unit of the stage: a strength of its own has been divided by an area.
    [[nodiscard]] double square_metre() const { return metres_ * metres_; }

    const usd::Stage&                   stage_;
    const model::Model&                 model_;
    Posed                               X_WS_;
    double                              metres_;
    std::map<std::string, std::int32_t> bodies_;
};

json triple(const Vec3d& v)
{
    const auto number = [](double x) { return std::round(x * 1e6) / 1e6; };
    return json::array({number(v.x), number(v.y), number(v.z)});
}

const char* name_of(LightKind kind)
{
    switch (kind) {
        case LightKind::distant:
            return "distant";
        case LightKind::dome:
            return "dome";
        case LightKind::point:
            return "point";
        case LightKind::spot:
            break;
    }
    return "spot";
}

}  // namespace

/// The locus of black bodies as cubic splines (Kim et al. 2002, US patent 7024034), then CIE XYZ to linear Rec.709
/// (IEC 61966-2-1).
Vec3d black_body(double kelvin)
{
    const double t = std::clamp(kelvin, 1667.0, 25000.0), u = 1e3 / t;
    const double x = t <= 4000 ? -0.2661239 * u * u * u - 0.2343589 * u * u + 0.8776956 * u + 0.179910
                               : -3.0258469 * u * u * u + 2.1070379 * u * u + 0.2226347 * u + 0.240390;
    const double y = t <= 2222   ? -1.1063814 * x * x * x - 1.34811020 * x * x + 2.18555832 * x - 0.20219683
                     : t <= 4000 ? -0.9549476 * x * x * x - 1.37418593 * x * x + 2.09137015 * x - 0.16748867
                                 : 3.0817580 * x * x * x - 5.87338670 * x * x + 3.75112997 * x - 0.37001483;
    const Vec3d  xyz{x / y, 1, (1 - x - y) / y};
    Vec3d        rgb{3.2404542 * xyz.x - 1.5371385 * xyz.y - 0.4985314 * xyz.z,
                     -0.9692660 * xyz.x + 1.8760108 * xyz.y + 0.0415560 * xyz.z,
                     0.0556434 * xyz.x - 0.2040259 * xyz.y + 1.0572252 * xyz.z};
    rgb = max(rgb, Vec3d{});
    return rgb / std::max({rgb.x, rgb.y, rgb.z});
}

AuthoredLooks authored_looks(const usd::Stage& stage, const model::Model& model, const Posed& X_WS, double metres)
{ return Reader(stage, model, X_WS, metres).read(); }

std::string to_json(const AuthoredLooks& looks)
{
    if (looks.lights.empty() && looks.cameras.empty()) return {};
    json out{{"lights", json::array()}, {"cameras", json::array()}};
    for (const AuthoredLight& l : looks.lights)
        out["lights"].push_back({{"label", l.label},
                                 {"kind", name_of(l.kind)},
                                 {"body", l.body},
                                 {"position", triple(l.position)},
                                 {"direction", triple(l.direction)},
                                 {"color", triple(l.color)},
                                 {"strength", l.strength},
                                 {"cone", l.cone},
                                 {"softness", l.softness}});
    for (const AuthoredCamera& c : looks.cameras) {
        json pose = triple(c.X_BC.p);
        for (const double part : {c.X_BC.q.x, c.X_BC.q.y, c.X_BC.q.z, c.X_BC.q.w}) pose.push_back(part);
        out["cameras"].push_back({{"label", c.label}, {"body", c.body}, {"pose", pose}, {"fov", c.fov}});
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace mechane::viewer

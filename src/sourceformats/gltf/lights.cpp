// Lights and cameras: they look along -z, and stand in frames of their own where the scene is turned.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf/scene.h"

namespace mechane::sourceformats {

std::string GltfScene::holder(const std::string& above, const std::string& said, const char* otherwise,
                              const char* type)
{
    const std::string path = above + "/" + below_[above].take(said, otherwise);
    sheet_.define(Role::base, path, type, place_);
    sheet_.pose(path, {{}, bake_ ? R_ : Quatd{}});
    return path;
}

void GltfScene::camera(int n, int index, const std::string& above)
{
    const Json* c = d_.entry("cameras", index);
    if (c == nullptr)
        return error(kUnknownName, fmt::format("{} has a camera that does not exist", called("nodes", n)));
    const bool        flat = gltf_text(*c, "type") == "orthographic";
    const Json&       lens = gltf_child(*c, flat ? "orthographic" : "perspective");
    const std::string path = holder(above, gltf_text(*c, "name"), "camera", "Camera");
    ++written_;
    const auto   set  = [&](const char* name, double v) { sheet_.set(Role::base, path, name, "float", v, place_); };
    const double near = gltf_number(lens, "znear", 0.01), far = gltf_number(lens, "zfar", 1e6);
    // Apertures are in tenths of a unit and are whole widths; xmag and ymag are half widths: hence 20.
    if (flat) {
        sheet_.set(Role::base, path, "projection", "token", std::string("orthographic"), place_);
        set("horizontalAperture", 20 * gltf_number(lens, "xmag", 1)),
            set("verticalAperture", 20 * gltf_number(lens, "ymag", 1));  // tenths of a unit
    } else {
        // 24 mm of film in tenths of a metre. The angle of view is what counts; any aperture with its focal length
        // would do.
        const double fovy = gltf_number(lens, "yfov", 0.8), aspect = gltf_number(lens, "aspectRatio", 16.0 / 9),
                     vertical = 0.24;
        if (!(fovy > 0 && fovy < std::numbers::pi))
            error(kNumber, fmt::format("yfov of {} is {}, expected between 0 and pi", called("cameras", index), fovy));
        set("verticalAperture", vertical), set("horizontalAperture", vertical * (aspect > 0 ? aspect : 16.0 / 9));
        set("focalLength", vertical / (2 * std::tan(0.5 * (fovy > 0 && fovy < std::numbers::pi ? fovy : 0.8))));
    }
    if (near < far) sheet_.set(Role::base, path, "clippingRange", "float2", Vec2d{near, far}, place_);
}

void GltfScene::light(int n, int index, const std::string& above)
{
    const Json& list = gltf_child(gltf_child(gltf_child(d_.json(), "extensions"), "KHR_lights_punctual"), "lights");
    // The list of lights stands in the extension at the root of the file; nodes name its entries.
    if (!list.is_array() || index < 0 || at(index) >= list.size())
        return error(kUnknownName, fmt::format("{} has a light that does not exist", called("nodes", n)));
    const Json&       l    = list[at(index)];
    const std::string type = gltf_text(l, "type");
    const std::string path =
        holder(above, gltf_text(l, "name"), "light", type == "directional" ? "DistantLight" : "SphereLight");
    ++written_;
    const auto color = gltf_numbers(l, "color");
    if (color.size() == 3)
        sheet_.set(Role::base, path, "inputs:color", "color3f", Vec3d{color[0], color[1], color[2]}, place_);
    sheet_.set(Role::base, path, "inputs:intensity", "float", gltf_number(l, "intensity", 1), place_);
    if (type == "directional") return;
    if (const double range = gltf_number(l, "range", 0); range > 0)
        lose("light-range", Severity::warning, LossAction::dropped, "visual", called("lights", index),
             fmt::format("range {:g} m", range), {}, "lights of OpenUSD have no range");
    // A point has no area: treatAsPoint leaves the radius to what draws the light itself.
    sheet_.set(Role::base, path, "treatAsPoint", "bool", true, place_);
    sheet_.set(Role::base, path, "inputs:radius", "float", 0.02, place_);
    if (type != "spot") return;
    const Json&  spot  = gltf_child(l, "spot");
    const double outer = gltf_number(spot, "outerConeAngle", std::numbers::pi / 4),
                 inner = gltf_number(spot, "innerConeAngle", 0);
    sheet_.apply(Role::base, path, "ShapingAPI");
    sheet_.set(Role::base, path, "inputs:shaping:cone:angle", "float", outer * kDegrees, place_);
    if (outer > 0)
        // Softness is the part of the cone over which the light fades: none when both angles are equal.
        sheet_.set(Role::base, path, "inputs:shaping:cone:softness", "float", std::clamp(1 - inner / outer, 0.0, 1.0),
                   place_);
}

}  // namespace mechane::sourceformats

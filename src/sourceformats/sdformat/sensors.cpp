// <sensor> and <light>.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {

void SdformatReader::read_sensor(const PendingThing& p)
{
    const XmlElement& e    = *p.e;
    const int         link = link_of(p.node, e);
    if (link < -1) return;
    const std::string name = e.get("name", "sensor"), type = e.get("type");
    const XmlElement* camera = e.child("camera");
    if (camera == nullptr) {
        Frame made;
        made.name      = s_.unique(frame_names_, scopes_[at(p.scope)].prefix + name, e, "sensor", false);
        made.link      = link;
        made.X_LS      = below(link, p.node);
        made.published = false;
        made.place     = e.place;
        s_.losses.add({"sensor", Severity::warning, LossAction::approximated, "ros", site_of(e.place),
                       fmt::format("sensor '{}'", made.name), type, "its frame",
                       "USD cannot express what the sensor measures"});
        tree_.sites.push_back(std::move(made));
        e.why = "USD cannot express what the sensor measures";
        return;
    }
    Posed      X   = below(link, p.node);
    const Pose own = pose(*camera);
    X              = X * own.X;
    // SDFormat looks along x with z up, USD along -z with y up.
    X.q = X.q * from_matrix(Mat33d::from_columns({0, -1, 0}, {0, 0, 1}, {-1, 0, 0}));
    Camera made;
    made.name    = name;
    made.link    = link;
    made.X_LC    = X;
    made.place   = e.place;
    double width = 320, height = 240;
    if (const XmlElement* image = camera->child("image")) {
        width  = number(*image, "width").value_or(width);
        height = number(*image, "height").value_or(height);
        if (width >= 1 && height >= 1) made.pixels = {width, height};
    }
    const double across = number(*camera, "horizontal_fov").value_or(1.047);
    if (across > 0 && across < std::numbers::pi && width > 0 && height > 0) {
        // The file tells the angle across the picture, ours is the one from bottom to top: tan(v/2) = tan(h/2) height /
        // width.
        made.fovy = 2 * std::atan(std::tan(0.5 * across) * height / width);
    } else {
        s_.error(kNumber, camera->place, fmt::format("the camera '{}' has no field of view between 0 and pi", name));
    }
    if (width > 0 && height > 0) made.aspect = width / height;
    if (const XmlElement* clip = camera->child("clip")) {
        // The defaults of the specification.
        const double near = number(*clip, "near").value_or(0.1), far = number(*clip, "far").value_or(100);
        if (near > 0 && far > near) made.clip = {near, far};
    }
    tree_.cameras.push_back(std::move(made));
    s_.losses.add({"sensor", Severity::info, LossAction::approximated, "ros", site_of(e.place),
                   fmt::format("sensor '{}'", name), type, "a camera", "its rate, noise and topic are left out"});
}

void SdformatReader::read_light(const PendingThing& p)
{
    const XmlElement& e = *p.e;
    e.used              = true;
    const int link      = p.node >= 0 ? link_of(p.node, e) : -1;
    if (link < -1) return;
    const std::string type = e.get("type", "point");
    Light             made;
    made.name  = e.get("name", "light");
    made.link  = link;
    made.place = e.place;
    made.kind  = type == "directional" ? Light::Kind::distant : type == "spot" ? Light::Kind::spot : Light::Kind::point;
    made.X_LL  = p.node >= 0 ? below(link, p.node) : Posed{};
    // Lights shine along -z of their own frame in USD; SDFormat gives the direction apart from the pose.
    if (const auto d = vec3(e, "direction"); d && length(*d) > 1e-9)
        made.X_LL.q = made.X_LL.q * rotation_between(Vec3d{0, 0, -1}, normalized(*d));
    const auto c = color(e, "diffuse", {1, 1, 1, 1});
    made.color   = {c[0], c[1], c[2]};
    if (const auto v = number(e, "intensity"); v && *v >= 0) made.intensity = *v;
    if (const XmlElement* spot = e.child("spot"))
        if (const auto outer = number(*spot, "outer_angle"); outer && *outer > 0)
            // The outer angle is that of the whole cone, USD's is from the axis.
            made.cone = std::min(0.5 * *outer, 0.5 * std::numbers::pi);
    if (made.kind == Light::Kind::spot && made.cone == 0) made.cone = 0.5;
    tree_.lights.push_back(std::move(made));
}

}  // namespace mechane::sourceformats

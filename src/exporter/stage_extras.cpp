// Vendors' prims (actuators, tendons, keyframes, sensors) are carried over with their values and what they name,
// without being understood here; the writer of MJCF writes them back, others lose them.
// Everything of a stage that is no body, joint or shape: sites, cameras, lights, actuators, tendons, keyframes and
// interfaces of ROS.
// Poses are relative to the link above, in metres with z up.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exporter/stage_reader.h"
#include "mechane/ros/interfaces.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter {
namespace {

namespace hints = sourceformats::hints;

class ExtraReader {
  public:
    explicit ExtraReader(StageReader& reader) : r_(reader) {}

    void read()
    {
        std::vector<usd::Prim> vendor;
        for (const usd::Prim& prim : r_.stage.traverse()) {
            // A site may be of any type: its schema tells.
            const std::string type = prim.type_name().text();
            if (prim.has_api("MjcSiteAPI") || prim.has_api("NewtonSiteAPI"))
                site(prim);
            else if (type == "Camera")
                camera(prim);
            else if (type.ends_with("Light"))
                light(prim, type);
            else if (type == "MjcActuator" || type == "MjcTendon" || type == "MjcKeyframe" ||
                     (type == "Scope" && prim.attribute(hints::kElement).authored()))
                vendor.push_back(prim);
        }
        name_apart(r_.tree.sites, sites_, "site");
        name_apart(r_.tree.cameras, camera_paths_, "camera");
        // All of them get their number first, because they may refer to each other.
        // Numbers first: relationships name prims that may stand later in the stage.
        for (std::size_t i = 0; i < vendor.size(); ++i) prims_[vendor[i].path()] = static_cast<int>(i);
        for (const usd::Prim& prim : vendor) vendor_prim(prim);
        interfaces();
    }

  private:
    StageReader&                       r_;
    std::unordered_map<usd::Path, int> prims_, cameras_;

    std::vector<usd::Path> sites_, camera_paths_;

    /// Prims of two links may have one name, and frames of a robot may not.
    template <class T>
    void name_apart(std::vector<T>& list, const std::vector<usd::Path>& paths, const char* what) const
    {
        std::vector<std::string> wanted;
        for (const T& one : list) wanted.push_back(one.name);
        const auto names = unique_names(wanted, paths);
        // Names of the source, kept as hints, come back; two that are equal are told apart by number.
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == list[i].name) continue;
            r_.losses.names[paths[i].text()] = names[i];
            r_.lose("name", Severity::info, sf::LossAction::renamed, "metadata", {.prim = paths[i].text()},
                    fmt::format("{} '{}'", what, list[i].name), list[i].name, names[i],
                    fmt::format("another {} has the name", what));
            list[i].name = names[i];
        }
    }

    static std::string name_of(const usd::Prim& prim)
    { return hints::read<std::string>(prim, hints::kName).value_or(prim.name().text()); }

    [[nodiscard]] Posed below(const usd::Prim& prim, int& link) const
    {
        // Pose in the link that the prim moves with: X_LP = X_WL^-1 X_WP.
        link = r_.link_above(prim);
        return (link >= 0 ? inverse(r_.tree.links[at(link)].X_WL) : Posed{}) * r_.pose_of(prim);
    }

    void site(const usd::Prim& prim)
    {
        sf::Frame out;
        out.name      = name_of(prim);
        out.X_LS      = below(prim, out.link);
        out.published = prim.has_api("RosFrameAPI");
        out.place     = r_.place(prim.site());
        r_.vendor_values(prim, out.extras);
        r_.sites[prim.path()] = static_cast<int>(r_.tree.sites.size());
        sites_.push_back(prim.path());
        r_.tree.sites.push_back(std::move(out));
    }

    void camera(const usd::Prim& prim)
    {
        sf::Camera out;
        out.name  = name_of(prim);
        out.X_LC  = below(prim, out.link);
        out.place = r_.place(prim.site());
        // Fallbacks of UsdGeomCamera, in tenths of a unit.
        const double aperture = prim.attribute("verticalAperture").get_or<double>(15.2908),
                     focal    = prim.attribute("focalLength").get_or<double>(50);
        out.orthographic      = prim.attribute("projection").get_or<std::string>("perspective") == "orthographic";
        out.height            = aperture / 10 * r_.unit;  // apertures are tenths of a unit
        if (focal > 0 && aperture > 0) out.fovy = 2 * std::atan(aperture / (2 * focal));
        const double across = prim.attribute("horizontalAperture").get_or<double>(20.955);
        if (across > 0 && aperture > 0) out.aspect = across / aperture;
        if (const auto clip = prim.attribute("clippingRange").authored_as<Vec2d>();
            clip && clip->x > 0 && clip->y > clip->x)
            out.clip = {clip->x * r_.unit, clip->y * r_.unit};
        const auto pixels = hints::read<std::vector<double>>(prim, hints::kPixels);
        // A picture of another form than the camera's now is not the one that was meant.
        if (pixels && pixels->size() == 2 && (*pixels)[0] >= 1 && (*pixels)[1] >= 1 &&
            std::abs((*pixels)[0] - (*pixels)[1] * out.aspect) <= 0.5)
            out.pixels = {(*pixels)[0], (*pixels)[1]};
        cameras_[prim.path()] = static_cast<int>(r_.tree.cameras.size());
        camera_paths_.push_back(prim.path());
        r_.tree.cameras.push_back(std::move(out));
    }

    void light(const usd::Prim& prim, const std::string& type)
    {
        sf::Light out;
        out.name  = name_of(prim);
        out.X_LL  = below(prim, out.link);
        out.place = r_.place(prim.site());
        if (type == "DistantLight")
            out.kind = sf::Light::Kind::distant;
        else if (type != "SphereLight")
            return r_.lose("light", Severity::info, sf::LossAction::dropped, "light", prim.site(), prim.path().text(),
                           type, {}, "formats of robots have distant lights, points and spots");
        // A cone of 90 degrees and more is a point that shines everywhere.
        if (const auto cone = prim.attribute("inputs:shaping:cone:angle").authored_as<double>(); cone && *cone < 90) {
            out.kind = sf::Light::Kind::spot;
            out.cone = *cone * kRadians;
        }
        out.intensity = prim.attribute("inputs:intensity").authored_as<double>().value_or(1);
        if (const auto c = prim.attribute("inputs:color").get<Vec3d>()) out.color = {c->x, c->y, c->z};
        r_.tree.lights.push_back(std::move(out));
    }

    void vendor_prim(const usd::Prim& prim)
    {
        sf::VendorPrim out;
        out.name  = name_of(prim);
        out.type  = prim.type_name().text();
        out.place = r_.place(prim.site());
        r_.vendor_values(prim, out.extras);
        for (const usd::Token& name : prim.authored_property_names()) {
            const usd::Relationship relationship = prim.relationship(name);
            if (!relationship || !relationship.authored() ||
                (!name.text().starts_with("mjc:") && !name.text().starts_with(hints::kElement)))
                continue;
            sf::Relation relation{name.text(), {}};
            for (const usd::Path& target : relationship.targets()) relation.targets.push_back(ref(target));
            out.relations.push_back(std::move(relation));
        }
        r_.tree.prims.push_back(std::move(out));
    }

    [[nodiscard]] sf::Ref ref(const usd::Path& target) const
    {
        const auto in = [&](const auto& map, sf::Ref::Kind kind) -> std::optional<sf::Ref> {
            const auto found = map.find(target);
            return found == map.end() ? std::nullopt : std::optional(sf::Ref{kind, found->second});
        };
        // A path may be several things at once; the order says which meaning counts.
        if (auto r = in(r_.joints, sf::Ref::Kind::joint)) {
            if (const auto axis = r_.axes.find(target); axis != r_.axes.end()) r->axis = axis->second;
            return *r;
        }
        if (const auto r = in(r_.sites, sf::Ref::Kind::site)) return *r;
        if (const auto r = in(r_.links, sf::Ref::Kind::link)) return *r;
        if (const auto r = in(r_.shapes, sf::Ref::Kind::shape)) return *r;
        if (const auto r = in(r_.idle_shapes, sf::Ref::Kind::shape)) return *r;
        if (const auto r = in(prims_, sf::Ref::Kind::prim)) return *r;
        if (const auto r = in(cameras_, sf::Ref::Kind::camera)) return *r;
        // -1: what it names is not in the robot.
        return {sf::Ref::Kind::prim, -1};
    }

    void interfaces()
    {
        for (const ros::Interface& from : ros::interfaces(r_.stage)) {
            sf::RosInterface out;
            out.kind = from.kind == ros::Api::topic ? "topic" : from.kind == ros::Api::service ? "service" : "action";
            // The resolved name, with namespaces: SDFormat has no contexts.
            out.role = from.role, out.name = from.resolved, out.type = from.type, out.rate = from.publish_rate;
            out.frame       = from.override_frame.value_or("");
            out.reliability = from.qos.reliability, out.durability = from.qos.durability,
            out.history = from.qos.history;
            out.depth   = static_cast<int>(from.qos.depth);
            out.link    = r_.link_above(from.prim);
            out.place   = r_.place(from.prim.site());
            r_.tree.interfaces.push_back(std::move(out));
        }
    }
};

}  // namespace

void read_extras(StageReader& reader) { ExtraReader(reader).read(); }

}  // namespace mechane::exporter

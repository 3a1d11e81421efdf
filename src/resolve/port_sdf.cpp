// Rewrites PhysX's settings of distance fields as Newton's: `mechane fix` and the editor call it.
// PhysX measures bands and margins in parts of the diagonal of the shape's bounds, Newton as lengths.
// Words go into the layer that the caller gives; a collider inside an instance cannot be edited and is told.

#include "mechane/resolve/port_sdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "mechane/resolve/codes.h"
#include "world_bounds.h"

namespace mechane::resolve {
namespace {

constexpr const char* kSource = "PhysxSDFMeshCollisionAPI";

/// Writes the words of one collider; the first refusal ends it.
class Port {
  public:
    Port(const usd::Prim& prim, usd::Layer& into, const PortOptions& options)
        : prim_(prim), into_(into), options_(options)
    {
    }

    [[nodiscard]] std::optional<double> authored(const char* name) const
    { return prim_.attribute(name).authored_as<double>(); }
    /// The authored value, or what stands for it.
    [[nodiscard]] std::optional<double> value(const char* name, double physx) const
    {
        if (const auto v = authored(name)) return v;
        return options_.defaults == PortOptions::Defaults::physx ? std::optional(physx) : std::nullopt;
    }
    [[nodiscard]] std::string token(const char* name, const char* physx) const
    {
        if (auto v = prim_.attribute(name).authored_as<std::string>()) return *v;
        return options_.defaults == PortOptions::Defaults::physx ? physx : "";
    }

    template <class T>
    void write(const char* name, std::string_view type, const T& value)
    {
        if (ok_) ok_ = into_.set(prim_.path().property(usd::Token(name)), type, value);
    }
    void apply(const char* api)
    {
        if (ok_) ok_ = into_.apply_api(prim_.path(), usd::Token(api));
    }
    /// The source says no more than what was written.
    void wrote(const char* source) { written_.insert(source); }
    /// Takes out what was written elsewhere, and the schema once nothing of it is left; says what stays.
    void remove_source(Diagnostics& found)
    {
        bool all = true;
        for (const usd::Token& name : prim_.authored_property_names()) {
            const bool schema = name.text().starts_with("physxSDFMeshCollision:");
            if (!schema && name.text() != "physxCollision:restOffset" && name.text() != "physxCollision:contactOffset")
                continue;
            const usd::Path path = prim_.path().property(name);
            if (written_.count(name.text()) == 0) {
                all &= !schema;
                found.add(kPortLeft, prim_.attribute(name).site(), fmt::format("{} stays", path.text()));
            } else if (ok_ && into_.kind(path) != usd::SpecKind::none) {
                ok_ = into_.remove(path);
            } else {
                all &= !schema;
                found.add(kPortLeft, prim_.attribute(name).site(),
                          fmt::format("{} stays: another layer says it", path.text()));
            }
        }
        if (ok_ && all) ok_ = into_.remove_api(prim_.path(), usd::Token(kSource));
    }
    [[nodiscard]] const Result<void>& result() const { return ok_; }

  private:
    const usd::Prim&   prim_;
    usd::Layer&        into_;
    const PortOptions& options_;
    Result<void>          ok_;
    std::set<std::string> written_;
};

/// Length of the diagonal of the prim's bounds; nothing when it has no size.
std::optional<double> diagonal(const usd::Stage& stage, const usd::Prim& prim)
{
    const auto bounds = world_bounds(stage, prim);
    if (!bounds) return std::nullopt;
    const double d = length(bounds->upper - bounds->lower);
    return d > 0 && std::isfinite(d) ? std::optional(d) : std::nullopt;
}

Result<void> port(const usd::Stage& stage, const usd::Prim& prim, usd::Layer& into, const PortOptions& options,
                  Diagnostics& found)
{
    Port out(prim, into, options);
    // Offsets are never filled in: PhysX's own fallback of -inf lets the engine choose.
    const auto rest = out.authored("physxCollision:restOffset"), contact = out.authored("physxCollision:contactOffset");
    // A gap is counted from the margin: without one the contact offset cannot be said.
    if (rest && std::isfinite(*rest)) {
        out.write("newton:contactMargin", "float", *rest);
        out.wrote("physxCollision:restOffset");
        if (contact && std::isfinite(*contact)) {
            out.write("newton:contactGap", "float", *contact - *rest);
            out.wrote("physxCollision:contactOffset");
        }
    }
    if (const auto n = out.value("physxSDFMeshCollision:sdfResolution", 256); n && std::abs(*n) < 1e9) {
        out.write("newton:sdfMaxResolution", "int", static_cast<int>(*n));
        out.wrote("physxSDFMeshCollision:sdfResolution");
        // Newton needs a multiple of 8. The number is copied all the same, so that the fault is seen where it is read.
        if (static_cast<int>(*n) % 8 != 0)
            found.add(kSdfRes8, prim.attribute("physxSDFMeshCollision:sdfResolution").site(),
                      fmt::format("the resolution of <{}> is {}; it is copied all the same", prim.path().text(), *n));
    }
    const auto band   = out.value("physxSDFMeshCollision:sdfNarrowBandThickness", 0.01);
    const auto margin = out.value("physxSDFMeshCollision:sdfMargin", 0.01);
    if (band || margin) {
        if (const auto d = diagonal(stage, prim)) {
            if (band) {
                out.write("newton:sdfNarrowBandInner", "float", -*band * *d);
                out.write("newton:sdfNarrowBandOuter", "float", *band * *d);
                out.wrote("physxSDFMeshCollision:sdfNarrowBandThickness");
            }
            if (margin) {
                out.write("newton:sdfPadding", "float", *margin * *d);
                out.wrote("physxSDFMeshCollision:sdfMargin");
            }
        } else {
            found.add(kPortNoBound, prim.site(),
                      fmt::format("<{}> has no bounds of the default purpose", prim.path().text()));
        }
    }
    const std::string bits = out.token("physxSDFMeshCollision:sdfBitsPerSubgridPixel", "BitsPerPixel16");
    for (const auto& [theirs, ours] : {std::pair("BitsPerPixel8", "uint8"), std::pair("BitsPerPixel16", "uint16"),
                                       std::pair("BitsPerPixel32", "float32")})
        if (bits == theirs) {
            out.write("newton:sdfTextureFormat", "token", std::string(ours));
            out.wrote("physxSDFMeshCollision:sdfBitsPerSubgridPixel");
        }
    out.apply("NewtonSDFCollisionAPI");
    if (options.remove_source) out.remove_source(found);
    return out.result();
}

}  // namespace

Result<std::size_t> port_physx_sdf_to_newton(const usd::Stage& stage, usd::Layer& into, const PortOptions& options,
                                             Diagnostics& found)
{
    std::size_t ported = 0;
    for (const usd::Prim& prim : stage.traverse()) {
        const auto apis = prim.authored_apis();
        if (std::find(apis.begin(), apis.end(), usd::Token(kSource)) == apis.end()) continue;
        if (prim.is_instance_proxy()) {
            found.add(kPortInstance, prim.site(),
                      fmt::format("<{}> lies inside an instance and is left as it is", prim.path().text()));
            continue;
        }
        if (const auto ok = port(stage, prim, into, options, found); !ok) return ok.error();
        ++ported;
    }
    return ported;
}

}  // namespace mechane::resolve

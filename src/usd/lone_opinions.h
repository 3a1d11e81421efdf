#pragma once
#include <pxr/sdf/types.h>
#include <pxr/tf/token.h>
#include <pxr/vt/value.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

// Of most prims one layer alone speaks. What it says of their properties is read once, for a layer finds each field by
// the hash of a path that is made for the asking, and the same properties are asked for many times. Binary layers
// decode their values at each asking, and keeping them would cost more than it saves.

namespace mechane::usd {

struct PrimRecord;

/// What the only layer that speaks about a prim says of one of its properties.
struct LoneProperty {
    /// Which fields there are. `kept`: `value` is the default, or of a relationship its targets (SdfPathVector).
    enum Says : std::uint8_t {
        nothing       = 0,
        default_value = 1,
        kept          = 2,
        samples       = 4,
        spline        = 8,
        targets       = 16,
        connections   = 32,
        custom        = 64  ///< and true
    };

    pxr::TfToken     name;
    pxr::SdfSpecType type = pxr::SdfSpecTypeUnknown;  ///< unknown: the name is listed and nothing is there
    std::uint8_t     says = nothing;
    pxr::VtValue     value;

    [[nodiscard]] bool any(int of) const { return (says & of) != 0; }
};

struct LoneOpinions {
    std::vector<LoneProperty> properties;

    /// Null when the layer does not list the property.
    [[nodiscard]] const LoneProperty* find(const pxr::TfToken& name) const;
};

/// Made by whoever asks first; others may ask at the same time. Does not go along when its owner is copied or moved.
template <class T>
class MadeOnce {
  public:
    MadeOnce() = default;
    MadeOnce(const MadeOnce&) noexcept {}
    MadeOnce& operator=(const MadeOnce&) noexcept { return *this; }
    ~MadeOnce() { delete made_.load(std::memory_order_relaxed); }

    template <class Make>
    const T* get(const Make& make) const
    {
        const T* made = made_.load(std::memory_order_acquire);
        if (made != nullptr) return made;
        auto fresh = std::make_unique<const T>(make());
        if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
        return made;  // somebody was faster
    }

  private:
    mutable std::atomic<const T*> made_{nullptr};
};

/// Null when several layers speak about the prim, or one that decodes its values at each asking.
const LoneOpinions* lone_opinions(const PrimRecord& prim);

}  // namespace mechane::usd

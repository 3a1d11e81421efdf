#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"

namespace mechane::importer {

/// What an import did with one authored property.
enum class Verdict : std::uint8_t {
    used,        ///< it is in the model as authored
    converted,   ///< it is in the model in another unit or form
    overridden,  ///< another property said the same thing and went first
    ignored,     ///< it has no effect; the note says why
};
/// "used", "converted", "overridden" or "ignored".
std::string_view to_string(Verdict verdict);

/// One authored attribute or relationship in a physics namespace, on one composed prim.
struct LedgerEntry {
    std::string prim, property;
    std::string value;  ///< as usda would write it, shortened
    Verdict     verdict = Verdict::used;
    std::string note;  ///< the conversion, the winner, or the reason
    Site        site;  ///< strongest opinion, with its line in text layers
};

/// For one line under a ledger: nothing authored is passed over in silence where `all` equals the number of properties.
struct LedgerTotals {
    std::size_t               used = 0, converted = 0, overridden = 0, ignored = 0;
    [[nodiscard]] std::size_t all() const { return used + converted + overridden + ignored; }
};
LedgerTotals totals(std::span<const LedgerEntry> ledger);

/// Whether the ledger keeps account of a property: physics:, newton:, mjc:, drive:, limit:, state:, omniphysics:,
/// deformablePose:, mujoco: and everything that begins with physx.
bool is_physics_property(std::string_view name);

}  // namespace mechane::importer

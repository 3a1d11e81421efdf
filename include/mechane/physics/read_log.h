#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::physics {

/// What became of an authored property, as far as its readers know. Of several statements about one property the
/// highest counts: a value that one object ignores may be used by another.
enum class Use : std::uint8_t {
    read,        ///< taken as it stands, and nobody said more: it counts as used
    ignored,     ///< looked at and left; the note says why
    overridden,  ///< another property won; the note names it
    used,        ///< the note says for what
    converted,   ///< used after a conversion; the note says which
};

/// One row of the ledger before its site is looked up.
struct UseNote {
    Use         use = Use::read;
    std::string note;
};

/// Where readers write down which authored properties they took. Readers get a pointer that is null when nobody asked,
/// so that reading costs a comparison then. May be written to from many threads; what it holds does not depend on
/// their order, except for `correct` and `dismiss`, which only one reader of a prim calls.
class ReadLog {
  public:
    /// Keeps the note where it says more than what is known of the property (the order of `Use`).
    void note(const usd::Prim& prim, const usd::Token& property, Use use, std::string note = {});
    /// Replaces what was noted before, by the same reader, which has now seen more.
    void correct(const usd::Prim& prim, const usd::Token& property, Use use, std::string note);
    /// Properties of the prim under this prefix that were read and of which nobody said more are ignored after all.
    void dismiss(const usd::Prim& prim, std::string_view prefix, const std::string& reason);

    /// Null for properties that nobody took.
    [[nodiscard]] const UseNote* find(const usd::Prim& prim, const usd::Token& property) const;

  private:
    using Notes = std::vector<std::pair<usd::Token, UseNote>>;
    std::unordered_map<std::uint32_t, Notes> by_prim_;  ///< by Prim::index; never iterated
    std::mutex                               mutex_;
};

}  // namespace mechane::physics

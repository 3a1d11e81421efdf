#pragma once
// What every sample does alike: take a value or leave with the reason, and hold what it says of itself.
#include <cstdio>
#include <cstdlib>

#include "mechane/model/builder.h"
#include "mechane/model/model.h"

namespace sample {

[[noreturn]] inline void leave(const mechane::Diagnostic& why)
{
    std::fprintf(stderr, "%s\n", mechane::to_text(why).c_str());
    std::exit(1);
}

/// The value, or the end of the program.
template <class T>
T get(mechane::Result<T> result)
{
    if (!result) leave(result.error());
    return *std::move(result);
}

inline mechane::model::Model finalize(const mechane::model::ModelBuilder& builder)
{
    mechane::Diagnostics found;
    return get(builder.finalize({}, found));
}

/// Claims that do not hold are told, and the program then returns 1.
class Claims {
  public:
    void that(bool holds, const char* claim)
    {
        if (holds) return;
        std::fprintf(stderr, "does not hold: %s\n", claim);
        broken_ = true;
    }
    [[nodiscard]] int exit_code() const { return broken_ ? 1 : 0; }

  private:
    bool broken_ = false;
};

}  // namespace sample

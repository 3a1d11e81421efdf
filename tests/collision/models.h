#pragma once
#include <utility>

#include "mechane/model/builder.h"
#include "support/support.h"

namespace mechane::test {

/// The finished model; a test of what cannot be finished ends.
inline model::Model frozen(const model::ModelBuilder& builder)
{
    Diagnostics out;
    auto        model = builder.finalize({}, out);
    REQUIRE(model.has_value());
    return std::move(*model);
}

}  // namespace mechane::test

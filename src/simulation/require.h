#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "mechane/core/codes.h"
#include "mechane/core/failure.h"
#include "mechane/core/ids.h"

/// What the public functions ask of their arguments, in every build.
namespace mechane::simulation {

/// The index of an id that something has `count` of.
template <class Tag>
std::size_t index_of(Id<Tag> id, std::size_t count, const char* function, const char* argument)
{
    MCH_REQUIRE(id.valid() && id.index() < count, function, argument, "an id that the model has");
    return id.index();
}

/// Two objects are of one model: the same object, not an equal one.
template <class A, class B>
void require_same_model(const std::shared_ptr<A>& a, const std::shared_ptr<B>& b, const char* function,
                        const char* argument)
{
    if (a.get() == b.get()) return;
    fail(make_diagnostic(kApiForeign, {.property = std::string(function) + "(" + argument + ")"},
                         std::string(argument) + ": belongs to another model"));
}

}  // namespace mechane::simulation

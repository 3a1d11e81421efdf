#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "mechane/core/codes.h"
#include "mechane/core/failure.h"
#include "mechane/core/ids.h"

/// What the public functions ask of their arguments, in every build.
namespace mechane::simulation {

/// Tells of an id, or of another number, that the model does not have: with the number and with those that there are.
[[noreturn]] void refuse_index(std::int32_t value, std::size_t count, const char* function, const char* argument);
/// Tells of arrays that have not the sizes of the model any more.
[[noreturn]] void refuse_sizes(const char* function, const char* argument);

/// The index of an id that something has `count` of.
template <class Tag>
std::size_t index_of(Id<Tag> id, std::size_t count, const char* function, const char* argument)
{
    if (!id.valid() || id.index() >= count) refuse_index(id.value, count, function, argument);
    return id.index();
}

/// A world of the model, or what all share.
template <class Tag>
std::int32_t world_of(Id<Tag> world, int count, const char* function)
{
    if (world.value < -1 || world.value >= count)
        refuse_index(world.value, static_cast<std::size_t>(count), function, "world");
    return world.value;
}

/// What an object works on; one that was moved away has nothing.
template <class Impl>
Impl& own(const std::unique_ptr<Impl>& impl, const char* function)
{
    MCH_REQUIRE(impl != nullptr, function, "this", "an object that was not moved away");
    return *impl;
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

#pragma once
#include <optional>
#include <utility>
#include <variant>

#include "mechane/core/assert.h"
#include "mechane/core/diagnostic.h"

namespace mechane {

/// A value, or the one diagnostic that says why there is none. For functions whose caller stops at the first failure.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}           // NOLINT: implicit on purpose
    Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit           operator bool() const noexcept { return has_value(); }

    T& value() &
    {
        MCH_CHECK(has_value());
        return std::get<0>(state_);
    }
    const T& value() const&
    {
        MCH_CHECK(has_value());
        return std::get<0>(state_);
    }
    T&& value() &&
    {
        MCH_CHECK(has_value());
        return std::get<0>(std::move(state_));
    }
    T&       operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&&      operator*() && { return std::move(*this).value(); }
    T*       operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Diagnostic& error() const
    {
        MCH_CHECK(!has_value());
        return std::get<1>(state_);
    }

  private:
    std::variant<T, Diagnostic> state_;
};

/// Success, or the one diagnostic that says why not.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Diagnostic error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

    [[nodiscard]] bool              has_value() const noexcept { return !error_.has_value(); }
    explicit                        operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const Diagnostic& error() const
    {
        MCH_CHECK(error_.has_value());
        return *error_;
    }

  private:
    std::optional<Diagnostic> error_;
};

}  // namespace mechane

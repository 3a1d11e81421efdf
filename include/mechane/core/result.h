#pragma once
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "mechane/core/diagnostic.h"
#include "mechane/core/failure.h"

namespace mechane {

template <class T>
class Result;

namespace detail {
/// API_RESULT: the error of a result that has a value was asked for.
[[noreturn]] void no_error();
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;
}  // namespace detail

/// What a function returns that can fail for a reason outside of the program: a file, a label, a model that diverges.
/// Asked for a value that it does not have, it tells the failure handler, in every build; `std::optional` would be
/// undefined there. A result that was moved from still says which of the two it had.
///
/// A value, or the one diagnostic that says why there is none. For functions whose caller stops at the first failure.
template <class T>
class [[nodiscard]] Result {
  public:
    /// Of what `expect` returns; `and_then` and `transform` deduce theirs from the function that they are given.
    using value_type = T;

    /// Success, and failure: `return model;` and `return make_diagnostic(...);` in a function that returns a Result.
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}           // NOLINT: implicit on purpose
    Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

    /// Whether there is a value. `if (result)` asks the same; nothing converts to bool by accident.
    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit           operator bool() const noexcept { return has_value(); }

    /// The value; without one the failure handler is told the diagnostic.
    /// Refers into this result, and holds as long as it does: take `expect` of a temporary one.
    T& value() &
    {
        if (!has_value()) fail(*std::get_if<1>(&state_));
        return *std::get_if<0>(&state_);
    }
    const T& value() const&
    {
        if (!has_value()) fail(*std::get_if<1>(&state_));
        return *std::get_if<0>(&state_);
    }
    /// Moved out, so that `for (const Finding& f : asset.check().value())` holds what it walks through.
    T value() &&
    {
        if (!has_value()) fail(*std::get_if<1>(&state_));
        return std::move(*std::get_if<0>(&state_));
    }
    /// As `value`, checked in every build too.
    T&       operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T        operator*() && { return std::move(*this).value(); }
    T*       operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The value itself, for programs: without one the failure handler is told, which by default prints the diagnostic
    /// and ends the process with its exit code. Library code hands the diagnostic on instead.
    T        expect() && { return std::move(*this).value(); }
    T&       expect() & { return value(); }
    const T& expect() const& { return value(); }

    /// The value, or `other` where there is none.
    /// `other` is made in any case; where that costs something, ask `has_value` first.
    template <class U>
    [[nodiscard]] T value_or(U&& other) const&
    { return has_value() ? *std::get_if<0>(&state_) : static_cast<T>(std::forward<U>(other)); }
    template <class U>
    [[nodiscard]] T value_or(U&& other) &&
    { return has_value() ? std::move(*std::get_if<0>(&state_)) : static_cast<T>(std::forward<U>(other)); }

    /// next(value), which returns a Result; the diagnostic passes by.
    /// Chains functions that can fail: `Asset::open(file).and_then([](const Asset& a) { return a.check(); })`. The
    /// function is not called where there is no value.
    template <class F>
    auto and_then(F&& next) &&
    {
        using Next = std::remove_cvref_t<std::invoke_result_t<F, T&&>>;
        static_assert(detail::is_result<Next>, "and_then takes a function that returns a Result");
        return has_value() ? std::forward<F>(next)(std::move(*std::get_if<0>(&state_)))
                           : Next(std::move(*std::get_if<1>(&state_)));
    }
    template <class F>
    auto and_then(F&& next) const&
    {
        using Next = std::remove_cvref_t<std::invoke_result_t<F, const T&>>;
        static_assert(detail::is_result<Next>, "and_then takes a function that returns a Result");
        return has_value() ? std::forward<F>(next)(*std::get_if<0>(&state_)) : Next(*std::get_if<1>(&state_));
    }
    /// The result of map(value); the diagnostic passes by.
    /// For functions that cannot fail. One that returns nothing gives a Result<void>.
    template <class F>
    auto transform(F&& map) && -> Result<std::remove_cvref_t<std::invoke_result_t<F, T&&>>>
    {
        if (!has_value()) return std::move(*std::get_if<1>(&state_));
        if constexpr (std::is_void_v<std::invoke_result_t<F, T&&>>) {
            std::forward<F>(map)(std::move(*std::get_if<0>(&state_)));
            return {};
        } else {
            return std::forward<F>(map)(std::move(*std::get_if<0>(&state_)));
        }
    }
    template <class F>
    auto transform(F&& map) const& -> Result<std::remove_cvref_t<std::invoke_result_t<F, const T&>>>
    {
        if (!has_value()) return *std::get_if<1>(&state_);
        if constexpr (std::is_void_v<std::invoke_result_t<F, const T&>>) {
            std::forward<F>(map)(*std::get_if<0>(&state_));
            return {};
        } else {
            return std::forward<F>(map)(*std::get_if<0>(&state_));
        }
    }

    /// Why there is no value. @error API_RESULT  there is one
    [[nodiscard]] const Diagnostic& error() const
    {
        if (has_value()) detail::no_error();
        return *std::get_if<1>(&state_);
    }

  private:
    std::variant<T, Diagnostic> state_;
};

/// Success, or the one diagnostic that says why not.
template <>
class [[nodiscard]] Result<void> {
  public:
    /// Nothing: such a result says only that something was done.
    using value_type = void;

    /// `return {};` is success.
    Result() = default;
    Result(Diagnostic error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

    /// Whether it was done; `if (result)` asks the same.
    [[nodiscard]] bool has_value() const noexcept { return !error_.has_value(); }
    explicit           operator bool() const noexcept { return has_value(); }
    /// For programs: a failure is told the failure handler, as Result<T>::expect does.
    void expect() const
    {
        if (error_) fail(*error_);
    }
    /// next(), which returns a Result; the diagnostic passes by.
    template <class F>
    auto and_then(F&& next) const
    {
        using Next = std::remove_cvref_t<std::invoke_result_t<F>>;
        static_assert(detail::is_result<Next>, "and_then takes a function that returns a Result");
        return error_ ? Next(*error_) : std::forward<F>(next)();
    }
    /// Why it was not done. @error API_RESULT  it was
    [[nodiscard]] const Diagnostic& error() const
    {
        if (!error_) detail::no_error();
        return *error_;
    }

  private:
    std::optional<Diagnostic> error_;
};

}  // namespace mechane

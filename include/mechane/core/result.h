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

/// A value, or the one diagnostic that says why there is none. For functions whose caller stops at the first failure.
template <class T>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}           // NOLINT: implicit on purpose
    Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit           operator bool() const noexcept { return has_value(); }

    /// The value; without one the failure handler is told the diagnostic.
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
    T&& value() &&
    {
        if (!has_value()) fail(*std::get_if<1>(&state_));
        return std::move(*std::get_if<0>(&state_));
    }
    T&       operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&&      operator*() && { return std::move(*this).value(); }
    T*       operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The value itself, for programs: without one the failure handler is told, which by default prints the diagnostic
    /// and ends the process with its exit code. Library code hands the diagnostic on instead.
    T        expect() && { return std::move(*this).value(); }
    T&       expect() & { return value(); }
    const T& expect() const& { return value(); }

    /// The value, or `other` where there is none.
    template <class U>
    [[nodiscard]] T value_or(U&& other) const&
    { return has_value() ? *std::get_if<0>(&state_) : static_cast<T>(std::forward<U>(other)); }
    template <class U>
    [[nodiscard]] T value_or(U&& other) &&
    { return has_value() ? std::move(*std::get_if<0>(&state_)) : static_cast<T>(std::forward<U>(other)); }

    /// next(value), which returns a Result; the diagnostic passes by.
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
    using value_type = void;

    Result() = default;
    Result(Diagnostic error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

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
    [[nodiscard]] const Diagnostic& error() const
    {
        if (!error_) detail::no_error();
        return *error_;
    }

  private:
    std::optional<Diagnostic> error_;
};

}  // namespace mechane

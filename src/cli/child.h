#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mechane::cli {

/// Where a program of this name lies on the path; nothing if it does not.
std::optional<std::string> on_path(const std::string& name);

/// The interpreter that runs this program's Python helpers: MECHANE_PYTHON, which the wheel's script sets, else python3
/// of the path.
std::optional<std::string> python_program();

/// Another program that this one starts, feeds, and waits for. It has no terminal; what it says is kept, up to 64 KiB
/// of each stream.
class Child {
  public:
    /// @param arguments  the program's file first
    static std::optional<Child> start(std::vector<std::string> arguments);
    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;
    ~Child();  ///< ends it if it still runs

    /// Gives it bytes on its standard input; false when it takes no more.
    bool write(std::span<const unsigned char> bytes);
    /// What it wrote since the last time, without waiting.
    std::string heard();
    /// Whether it still takes input and may say something.
    [[nodiscard]] bool speaks() const { return in_ >= 0 && from_out_ >= 0; }
    /// Closes its input and waits; it is ended when it takes longer.
    /// @return its exit status; nothing if a signal ended it
    std::optional<int> wait(std::chrono::milliseconds longest);
    /// What it wrote, once it has been waited for.
    [[nodiscard]] const std::string& output() const { return out_; }
    [[nodiscard]] const std::string& errors() const { return err_; }

  private:
    Child() = default;
    void        listen(int milliseconds);
    int         process_ = 0, in_ = -1, from_out_ = -1, from_err_ = -1;
    std::string out_, err_;
};

}  // namespace mechane::cli

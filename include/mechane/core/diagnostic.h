#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mechane {

/// How much a finding matters, in ascending order, so that `>= Severity::warning` means what it says. An info asks for
/// nothing. A warning says that something was taken otherwise than it was written. An error says that something could
/// not be used: what it concerns is left out, or the whole call fails with it.
enum class Severity { info, warning, error };

/// "info", "warning" or "error".
std::string_view to_string(Severity severity) noexcept;

/// One row of a module's table of diagnostics (`include/mechane/<module>/codes.h`). `docs/diagnostics.md` is made of
/// these rows.
struct Code {
    std::string_view id;        ///< stable text id that tests and scripts compare, e.g. "STAGE_OPEN_FAILED"
    Severity         severity;  ///< default severity
    std::string_view meaning;   ///< one sentence: what was found
    std::string_view remedy;    ///< one sentence: what the user can do; the default hint
    std::string_view alias{};   ///< the id that the code had before, which is understood for ever; empty for none
};

/// Where something was found. Every part may be empty.
struct Site {
    std::string layer;       ///< file or layer identifier, as the user would write it
    int         line   = 0;  ///< 1-based line in a text layer, 0 if unknown
    int         column = 0;  ///< 1-based column, 0 if unknown
    std::string prim;        ///< prim path, e.g. "/arm/elbow"
    std::string property;    ///< property name, e.g. "physics:body1"

    bool operator==(const Site&) const = default;
};

/// One finding about the user's input: what was found, where, and what can be done about it.
/// Programs compare `id`, which keeps its meaning from version to version; `message` and `hint` are for people, and
/// may become better at any time.
struct Diagnostic {
    /// Of a row of a table of codes: "IMPORT_JOINT_AXIS", or an id of a rule.
    std::string id;
    Severity    severity = Severity::error;
    /// What was found here, with the numbers and names that it is about.
    std::string message;
    Site        site;
    /// What can be done about it, in the words of whoever asked: fields of options in a program, options in a shell.
    std::string hint;
    int         count = 1;  ///< how many equal findings were merged into this one
    std::string alias{};    ///< the former id, for scripts that know it; empty for none

    /// Whether `name` is the id or the former id.
    [[nodiscard]] bool is(std::string_view name) const noexcept
    { return id == name || (!alias.empty() && alias == name); }
};

/// "arm.usda:12:3 </arm/elbow.physics:body1> error PHY_JOINT_TARGET: message\n    hint", without a trailing newline.
/// One finding as the command line prints it. Parts that are empty are left out, and several equal ones are counted.
std::string to_text(const Diagnostic& diagnostic);

/// Builds a diagnostic from its table row; an empty `hint` becomes the row's remedy.
/// For functions of one's own that return a Result, with a Code of one's own or one of ours.
Diagnostic make_diagnostic(const Code& code, Site site, std::string message, std::string hint = {});

/// Collects findings. Not thread-safe: give each task its own and `append` them in a fixed order.
/// The list keeps the order in which findings came first. Adding costs the logarithm of the length.
class Diagnostics {
  public:
    /// Adds a finding; an equal one (id, site and message) is merged and counted instead.
    void add(Diagnostic diagnostic);
    void add(const Code& code, Site site, std::string message, std::string hint = {});
    /// Adds all findings of `other`, in order.
    void append(const Diagnostics& other);

    /// What came first comes first; a finding that came several times stands once.
    [[nodiscard]] bool                           empty() const noexcept { return items_.empty(); }
    [[nodiscard]] std::size_t                    size() const noexcept { return items_.size(); }
    [[nodiscard]] const std::vector<Diagnostic>& items() const noexcept { return items_; }
    [[nodiscard]] auto                           begin() const noexcept { return items_.begin(); }
    [[nodiscard]] auto                           end() const noexcept { return items_.end(); }
    /// Whether something could not be used: a success with errors in its notes is a success of the rest.
    [[nodiscard]] bool has_errors() const noexcept { return count(Severity::error) > 0; }
    /// Number of distinct findings of this severity.
    [[nodiscard]] std::size_t count(Severity severity) const noexcept;
    /// Number of distinct findings with this id or former id.
    [[nodiscard]] std::size_t count(std::string_view id) const noexcept;
    /// The first finding with this id or former id, or null.
    [[nodiscard]] const Diagnostic* find(std::string_view id) const noexcept;
    /// Forgets all findings, for a list that is used again.
    void clear();

  private:
    std::vector<Diagnostic>                          items_;
    std::vector<std::pair<std::size_t, std::size_t>> index_;  ///< (hash, position), sorted by hash
};

}  // namespace mechane

#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"

namespace mechane::conformance {

/// The word of RFC 2119 that a rule restates.
enum class Keyword { must, must_not, should, should_not, may };
std::string_view to_string(Keyword keyword);  ///< "MUST", "SHOULD NOT", ...

/// One rule as data. Checks, documentation, SARIF rules and fixtures are made of these rows.
///
/// `bad` and `good` are usda fragments that stand in the default prim of a clean one-layer asset (`fixture_stage`), or
/// whole layers when they begin with "#usda". The bad one gives findings of this rule alone, the good one gives none.
struct Rule {
    std::string_view id;    ///< "REP-1.3-l"; permanent
    std::string_view slug;  ///< "mass-positive"; accepted wherever an id is
    Keyword          keyword  = Keyword::must;
    Severity         severity = Severity::error;
    std::string_view summary;  ///< one sentence: what an asset does
    std::string_view why;      ///< what goes wrong otherwise
    std::string_view fix;      ///< how the repair works, or why there is none
    bool             fixable = false;
    bool             manual  = false;  ///< only people can judge it: see `CheckOptions::manual`; it has no examples
    std::string_view bad, good;

    /// "1.3.1" of "REP-1.3.1-b".
    [[nodiscard]] std::string_view section() const;
};

/// All rules in catalogue order.
std::span<const Rule* const> rules();
/// By id, with or without "REP-", or slug, or null.
const Rule* find_rule(std::string_view id_or_slug);
/// True when `selector` is the rule's id, with or without "REP-", or slug, or a section that contains it: "1.2" contains 1.2 and 1.2.5, never
/// 1.20; "REP" contains everything.
bool selects(std::string_view selector, const Rule& rule);

/// A fragment with its short forms written out. A word A is a prim below the default prim, or a path.
///
/// - `<<layer>>`, `<<identity>>`: the head of a clean root layer, and what its default prim /robot says of itself;
///   `<<sublayers FILE...>>`: such a head over sublayers; `<<entry references FILE...>>`, `<<entry payload FILE...>>`:
///   a whole layer whose default prim brings others in; `<<base>>`: one with a link /robot/a and no features;
///   `<<arm payload FILE>>`: one whose link /robot/arm is the /arm of another; `<<hall>>`: the head and default prim of
///   a scene
/// - `<<body NAME>>`: a clean rigid body; `<<link NAME>>`: its head alone, the brace open; `<<placed NAME API...>>`:
///   the head of a prim with other schemas that is placed like one
/// - `<<collider NAME>>`, `<<collider NAME A>>`: a box that collides, of the contact material A
/// - `<<joint NAME A B>>`: a clean revolute joint; `<<root NAME A B>>`: one with the articulation root;
///   `<<anchor A>>`: the fixed joint "base" from the world to A, with the articulation root
/// - `<<robot NAME SPACE TOPIC>>`: a robot of a scene; `<<topic NAME>>`: a prim with a complete topic
/// - `<<variants NAME SET CHOICE>>`: the head of a prim with a variant set; two braces stay open for its variants
/// - `<<repeat N WORD>>`: a list of N times the word; `<<count N>>`: the list 0, 1, ... N - 1
std::string written_out(std::string_view fragment);
/// usda text of a clean asset that holds `fragment`, written out, in its default prim /robot, or `fragment` itself when
/// it is a whole layer.
std::string fixture_stage(std::string_view fragment);

/// An example for people: its short forms written out, without the mark of several files.
std::string example_text(std::string_view fragment);

/// A file of a fixture.
struct FixtureFile {
    std::string name, text;
    bool        binary = false;  ///< to be stored as a crate
};
/// The files of an example, the entry layer first: one "robot.usda", or, of a fragment that begins with "#files", one
/// for each line "=== name", "=== name binary" or, of bytes in hexadecimal digits, "=== name hex".
std::vector<FixtureFile> fixture_files(std::string_view fragment);

}  // namespace mechane::conformance

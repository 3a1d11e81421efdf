// Names and parameters of the solvers: tables with units, defaults and ranges, and the text form "xpbd:iterations=8".
// The command line, recordings, checkpoints and Python use the same tables.
//
// A row is: name, unit, default, least, most, kind, what it does, and the words of a parameter that is a word. Values
// are doubles throughout: a flag is 0 or 1, a word is its place in the list of words. The flags soft_laws, accumulate
// and keep_momentum choose a law of Mechane's own by default; 0 is the way of Newton.

#include "mechane/solvers/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "mechane/solvers/codes.h"

namespace mechane::solvers {

namespace {

using enum Parameter::Kind;

constexpr double kMost = 1e12;  ///< beyond any sensible gain

constexpr Parameter kSoftstep[] = {
    {"rigid_islands", "1", 0, 0, 2, word,
     "islands whose contacts do not give way under a load: those of very different masses and of closed loops, none, "
     "all",
     "auto never always"},
    {"soft_solver", "1", 0, 0, 1, word, "what moves particles, in the substeps of the bodies", "vbd xpbd"}};

constexpr Parameter kSemiImplicit[] = {
    {"angular_damping", "1/s", 0.05, 0, kMost, number, "how fast the spin of bodies fades"},
    {"joint_attach_ke", "N/m, N m/rad", 1e4, 0, kMost, number, "stiffness of what a joint locks"},
    {"joint_attach_kd", "N s/m", 1e2, 0, kMost, number,
     "damping of what a joint locks; a hundredth of it, in N m s/rad, about locked axes"},
    {"joint_mimic_ke", "N/m, N m/rad", 1e2, 0, kMost, number, "stiffness that ties a follower to its leader"},
    {"joint_mimic_kd", "N s/m, N m s/rad", 1, 0, kMost, number, "damping that ties a follower to its leader"},
    {"enable_tri_contact", "1", 1, 0, 1, flag, "particles keep their radius from triangles"},
    {"soft_laws", "1", 1, 0, 1, flag, "what is soft resists as under vbd; 0: by the forces of Newton 1.8"}};

constexpr Parameter kFeatherstone[] = {
    {"angular_damping", "1/s", 0, 0, kMost, number, "how fast the spin of free roots fades"},
    {"update_mass_matrix_interval", "1", 1, 1, 1e6, whole, "steps that one mass matrix serves"},
    {"enable_tri_contact", "1", 1, 0, 1, flag, "particles keep their radius from triangles"},
    {"soft_laws", "1", 1, 0, 1, flag, "what is soft resists as under vbd; 0: by the forces of Newton 1.8"}};

constexpr Parameter kXpbd[] = {
    {"iterations", "1", 2, 1, 10000, whole, "passes over all constraints in a step"},
    {"joint_linear_relaxation", "1", 0.7, 0, 2, number,
     "part of a joint's linear correction that is applied: of distances, followers, and with accumulate=0 of all"},
    {"joint_angular_relaxation", "1", 0.4, 0, 2, number,
     "part of a joint's angular correction that is applied: of distances, followers, and with accumulate=0 of all"},
    {"joint_linear_compliance", "m/N", 0, 0, kMost, number, "softness of what a joint locks along axes"},
    {"joint_angular_compliance", "rad/(N m)", 0, 0, kMost, number, "softness of what a joint locks about axes"},
    {"rigid_contact_relaxation", "1", 0.8, 0, 2, number, "part of a contact's correction that is applied"},
    {"rigid_contact_restitution_iterations", "1", 2, 1, 10000, whole,
     "passes that couple the impacts of different pairs of bodies"},
    {"rigid_contact_con_weighting", "1", 1, 0, 1, flag, "a body's correction is divided by its number of contacts"},
    {"angular_damping", "1/s", 0, 0, kMost, number, "how fast the spin of bodies fades"},
    {"enable_restitution", "1", 0, 0, 1, flag, "bodies bounce as their materials say"},
    {"soft_contact_relaxation", "1", 0.9, 0, 2, number, "part of a particle's contact correction that is applied"},
    {"soft_body_relaxation", "1", 0.9, 0, 2, number, "part of a tetrahedron's correction that is applied"},
    {"accumulate", "1", 1, 0, 1, flag,
     "drives keep their stiffness whatever the number of passes; 0: as Newton 1.8, each pass drives anew"},
    {"soft_laws", "1", 1, 0, 1, flag, "what is soft resists as under vbd; 0: by the rows of Newton 1.8"},
    {"keep_momentum", "1", 1, 0, 1, flag,
     "a contact acts on both bodies alike; 0: as Newton 1.8, each divides it by its own number of contacts"}};

constexpr Parameter kVbd[] = {
    {"iterations", "1", 10, 1, 100000, whole, "passes over all particles in a step"},
    {"friction_epsilon", "m/s", 1e-2, 1e-12, kMost, number, "below this speed friction grows with speed"},
    {"acceleration", "1", 0, 0, 0.999, number,
     "how far each pass goes beyond where it leads (Chebyshev); 0: no further, as Newton 1.8"},
    {"particle_enable_self_contact", "1", 0, 0, 1, flag, "triangles keep away from each other"},
    {"particle_self_contact_margin", "m", 0.2, 0, kMost, number, "distance that triangles keep"},
    {"particle_self_contact_gap", "m", 0, 0, kMost, number, "beyond the margin, where contacts are looked for"}};

// Here -1 leaves the choice to the model; where the model says nothing, the default named in the text counts.
constexpr Parameter kMujoco[] = {
    {"integrator", "1", -1, -1, 4, word, "how MuJoCo steps; as the model says, else implicitfast",
     "euler rk4 implicit implicitfast discrete"},
    {"solver", "1", -1, -1, 2, word, "how MuJoCo solves constraints; as the model says, else newton", "pgs cg newton"},
    {"cone", "1", -1, -1, 1, word, "cone of friction; as the model says, else pyramidal", "pyramidal elliptic"},
    {"jacobian", "1", -1, -1, 2, word, "as the model says, else auto", "dense sparse auto"},
    {"iterations", "1", -1, -1, 1e6, whole, "most iterations of the solver; -1: as the model says, else 100"},
    {"ls_iterations", "1", -1, -1, 1e6, whole, "of its line search; -1: as the model says, else 50"},
    {"ccd_iterations", "1", -1, -1, 1e6, whole, "of convex collision; -1: as the model says, else 35"},
    {"sdf_iterations", "1", -1, -1, 1e6, whole, "of distance fields; -1: as the model says, else 10"},
    {"sdf_initpoints", "1", -1, -1, 1e6, whole, "starts in distance fields; -1: as the model says, else 40"},
    {"impratio", "1", -1, -1, kMost, number,
     "impedance of friction over that of the normal; -1: as the model says, else 1"},
    {"tolerance", "1", -1, -1, kMost, number, "where the solver ends; -1: as the model says, else 1e-8"},
    {"ls_tolerance", "1", -1, -1, kMost, number, "where its line search ends; -1: as the model says, else 0.01"},
    {"ccd_tolerance", "m", -1, -1, kMost, number, "where convex collision ends; -1: as the model says, else 1e-6"},
    {"density", "kg/m^3", -1, -1, kMost, number, "of the medium; -1: as the model says, else 0"},
    {"viscosity", "Pa s", -1, -1, kMost, number, "of the medium; -1: as the model says, else 0"},
    {"enable_multiccd", "1", -1, -1, 1, whole, "several contacts of a pair of meshes; -1: as MuJoCo has it"},
    {"use_mujoco_contacts", "1", 1, 0, 1, flag, "MuJoCo finds contacts; 0: they are given"},
    {"disable_contacts", "1", 0, 0, 1, flag, "nothing touches"},
    {"separate_worlds", "1", 1, 0, 1, flag, "each world is a model of its own; 0: all are one"},
    {"include_sites", "1", 1, 0, 1, flag, "sites become sites"},
    {"newton_compat", "1", 0, 0, 1, flag, "the model is converted as Newton 1.8 does it"}};

struct Table {
    std::string_view           solver;
    std::span<const Parameter> rows;
};
/// A solver without a row takes no parameters.
constexpr Table kTables[] = {{"softstep", kSoftstep},
                             {"semi-implicit", kSemiImplicit},
                             {"featherstone", kFeatherstone},
                             {"xpbd", kXpbd},
                             {"vbd", kVbd},
                             {"mujoco", kMujoco}};

// Other spellings: the names of Newton's classes and short forms.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"hybrid", "softstep"},
                                                                      {"SolverSoftStep", "softstep"},
                                                                      {"semi", "semi-implicit"},
                                                                      {"semi_implicit", "semi-implicit"},
                                                                      {"SolverSemiImplicit", "semi-implicit"},
                                                                      {"feather", "featherstone"},
                                                                      {"SolverFeatherstone", "featherstone"},
                                                                      {"SolverXPBD", "xpbd"},
                                                                      {"SolverVBD", "vbd"},
                                                                      {"avbd", "vbd"},
                                                                      {"SolverMuJoCo", "mujoco"}};

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// The place of a word in a list, or nothing.
/// Words are numbered by their place in a list separated by blanks.
std::optional<double> place_of(std::string_view text, std::string_view words)
{
    for (double place = 0; !words.empty(); ++place) {
        const auto end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == text) return place;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return std::nullopt;
}

/// A finite number, or a word for a flag, or one of the parameter's.
std::optional<double> number_of(std::string_view text, const Parameter& of)
{
    const Parameter::Kind kind = of.kind;
    if (kind == flag && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
    // The word of a parameter may be given as its number too, which is read below.
    if (const auto place = place_of(text, of.words)) return place;
    double     value = 0;
    const auto end   = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::string names_of(std::span<const Parameter> rows)
{
    std::string out;
    for (const Parameter& p : rows) out += (out.empty() ? "" : ", ") + std::string(p.name);
    return out;
}

}  // namespace

std::string_view to_string(Parameter::Kind kind)
{
    switch (kind) {
        case number:
            return "number";
        case whole:
            return "whole number";
        case flag:
            return "flag";
        case word:
            return "word";
    }
    return {};
}

std::string_view canonical_name(std::string_view name)
{
    for (const auto& [alias, canonical] : kAliases)
        if (alias == name) return canonical;
    return name;
}

std::span<const Parameter> parameters_of(std::string_view solver)
{
    for (const Table& table : kTables)
        if (table.solver == canonical_name(solver)) return table.rows;
    return {};
}

Result<Setting> read_setting(std::string_view solver, std::string_view text)
{
    const std::string_view name = trimmed(text.substr(0, text.find('=')));
    const auto             rows = parameters_of(solver);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Parameter& p) { return p.name == name; });
    if (row == rows.end())
        return make_diagnostic(
            kSolverParameter, {}, fmt::format("{} has no parameter '{}'", canonical_name(solver), name),
            rows.empty() ? std::string("It takes none.") : fmt::format("Its parameters: {}.", names_of(rows)));
    const auto equals = text.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : number_of(trimmed(text.substr(equals + 1)), *row);
    // A flag, a whole number and a word must be whole; `least` and `most` bound the rest.
    if (!value || *value < row->least || *value > row->most || (row->kind != number && *value != std::round(*value)))
        return make_diagnostic(
            kSolverParameter, {},
            row->kind == word
                ? fmt::format("{}: '{}' is no value of {}, expected one of {}", canonical_name(solver), text, name,
                              row->words)
                : fmt::format("{}: '{}' is no value of {}, expected a {} from {:g} to {:g}", canonical_name(solver),
                              text, name, to_string(row->kind), row->least, row->most));
    return Setting{std::string(name), *value};
}

Result<SolverChoice> choose_solver(std::string_view text)
{
    const auto       colon = text.find(':');
    SolverChoice     out{std::string(canonical_name(text.substr(0, colon))), {}};
    std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    while (!rest.empty()) {
        const auto comma   = rest.find(',');
        auto       setting = read_setting(out.name, rest.substr(0, comma));
        if (!setting) return setting.error();
        // The last setting of a name counts, as with most command lines.
        std::erase_if(out.settings, [&](const Setting& s) { return s.name == setting->name; });
        out.settings.push_back(*std::move(setting));
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    const auto rows  = parameters_of(out.name);
    const auto place = [&](const Setting& s) {
        return std::find_if(rows.begin(), rows.end(), [&](const Parameter& p) { return p.name == s.name; }) -
               rows.begin();
    };
    // Defaults are left out and the order is that of the table: equal choices have equal texts.
    // The rows exist: read_setting has refused names that are in no row.
    std::erase_if(out.settings,
                  [&](const Setting& s) { return rows[static_cast<std::size_t>(place(s))].value == s.value; });
    std::sort(out.settings.begin(), out.settings.end(),
              [&](const Setting& a, const Setting& b) { return place(a) < place(b); });
    return out;
}

std::string to_text(const SolverChoice& choice)
{
    std::string out = choice.name;
    for (std::size_t i = 0; i < choice.settings.size(); ++i)
        out += fmt::format("{}{}={}", i == 0 ? ":" : ",", choice.settings[i].name, choice.settings[i].value);
    return out;
}

}  // namespace mechane::solvers

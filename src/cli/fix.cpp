// `mechane fix`: repairs what check finds, where the repair follows from the asset.
// Inputs: an asset, rules and outputs. Outputs: the repaired asset, the differences, or a report of what was left.

#include "mechane/conformance/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

#include "cli/command.h"
#include "cli/counted.h"
#include "cli/line_diff.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/conformance/formats.h"
#include "mechane/conformance/publish.h"
#include "mechane/core/nearest.h"
#include "mechane/difference/repairs.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/suffix.h"
#include "mechane/physics/realign.h"
#include "mechane/resolve/port_sdf.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/layer_files.h"
#include "mechane/usd/schemas.h"
#include "mechane/usd/text_edit.h"

/// mechane fix: repairs what check finds, if the repair follows from the asset.
/// Repairs are made in a scratch folder on a copy and published at the end: as a folder, a package, files in place, one
/// file, or an overriding layer. Nothing is written before all is known to be good.
/// In place, a transaction is begun before the asset is read; it refuses to overwrite files that changed meanwhile.
/// Special repairs (--port-physx-sdf, --realign-joints, --apply-api) edit the entry alone.
namespace mechane::cli {
namespace fs = std::filesystem;
namespace {

struct FixArgs {
    std::string asset, output, layer, profile = "distributed", identifier, version, report, variants = "default";
    std::vector<std::string> select, ignore, phases;
    bool                     in_place = false, diff = false, unsafe = false, no_localize = false, change_shared = false;
    double                   assume_units = 0;
    std::string              assume_up_axis;
    bool                     port_sdf = false, remove_physx = false, realign = false;
    std::vector<std::string> apply_api, remove_api;  ///< PRIM=SCHEMA
    std::string              defaults       = "newton";
    bool                     defaults_given = false;
    std::vector<std::string> roots;
    files::Outside           outside = files::Outside::warn;

    /// Whether the entry gets one edit that was asked for by name, and no repairs.
    [[nodiscard]] bool rewrites() const { return port_sdf || realign || !apply_api.empty() || !remove_api.empty(); }
};

fs::path folder_of(const std::string& file) { return fs::absolute(file).lexically_normal().parent_path(); }

/// The bytes of a text layer; for a binary layer its usda text; empty for a layer that does not exist.
std::string decoded(const std::string& file)
{
    if (file.empty()) return {};
    std::ifstream     in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.view().starts_with("#usda")) return std::move(text).str();
    const auto layer = usd::Layer::open(file);
    return layer ? layer->to_text() : std::string();
}

std::string diff_of(const conformance::FixResult& result)
{
    std::string out;
    for (const conformance::FixedFile& file : result.files) {
        if (!file.changed) continue;
        if (!usd::is_layer_name(file.name)) {
            out += fmt::format("Binary file b/{} is new\n", file.name);
            continue;
        }
        const std::string after = decoded((fs::path(result.folder) / file.name).string());
        out += unified_diff(decoded(file.source), after, file.source.empty() ? "/dev/null" : "a/" + file.name,
                            "b/" + file.name);
    }
    for (const conformance::FixedFile& file : result.removed)
        out += unified_diff(decoded(file.source), "", "a/" + file.name, "/dev/null");
    return out;
}

/// What could not be composed before and cannot after the repair, as the source says it.
Diagnostics left_uncomposed(const std::string& asset, const conformance::FixResult& result,
                            const usd::OpenOptions& open)
{
    Diagnostics out;
    const auto  before = usd::Stage::open(asset, open);
    if (!before) return out;
    const auto  is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
    const auto& errors   = (*before)->diagnostics();
    if (std::none_of(errors.begin(), errors.end(), is_error)) return out;
    std::set<std::pair<std::string, std::string>> left;
    const auto after = usd::Stage::open((std::filesystem::path(result.folder) / result.entry).string(), open);
    if (after)
        for (const Diagnostic& one : (*after)->diagnostics())
            if (is_error(one)) left.emplace(one.id, one.site.prim);
    for (const Diagnostic& one : errors)
        if (is_error(one) && (!after || left.contains({std::string(one.id), one.site.prim}))) out.add(one);
    return out;
}

/// What is left for one reason, at several places.
struct LeftLine {
    const conformance::Unrepaired* first = nullptr;
    std::string                    message;        ///< without the variant that it was found with
    bool                           plain = false;  ///< it is left with the authored selections too
    std::set<std::string>          places;
};

/// Many prims that are left for one reason are one line, and so is one that is left with every variant.
std::vector<LeftLine> folded(const std::vector<conformance::Unrepaired>& left)
{
    std::vector<LeftLine>                                                  lines;
    std::map<std::tuple<std::string_view, bool, std::string>, std::size_t> known;
    for (const conformance::Unrepaired& u : left) {
        if (u.reason == "not-selected") continue;
        const std::size_t with    = u.message.ends_with("})") ? u.message.rfind(" (with ") : std::string::npos;
        const std::string message = u.message.substr(0, with);
        const auto [slot, is_new] = known.try_emplace({u.rule->id, u.remark, message}, lines.size());
        if (is_new) lines.push_back({&u, message, false, {}});
        LeftLine& line = lines[slot->second];
        line.plain     = line.plain || with == std::string::npos;
        line.places.insert(u.prim.empty() ? u.layer : u.prim);
    }
    return lines;
}

std::string summary(const conformance::FixResult& result, const FixArgs& args)
{
    std::string                        out;
    std::map<std::string, std::size_t> by_rule;
    for (const conformance::FixEdit& edit : result.edits) ++by_rule[std::string(edit.rule->id)];
    for (const auto& [rule, count] : by_rule)
        out += fmt::format("fixed    {:12} {:>10}   {}\n", rule, counted(count, "edit"),
                           conformance::find_rule(rule)->slug);
    constexpr std::size_t              kLines = 40;
    std::size_t                        unsafe = 0;
    std::map<std::string, std::size_t> unasked;  // counted by rule, to print one line each
    for (const conformance::Unrepaired& u : result.left) {
        unsafe += u.reason == "unsafe";
        if (u.reason == "not-selected") ++unasked[std::string(u.rule->id)];
    }
    const std::vector<LeftLine> lines = folded(result.left);
    for (std::size_t i = 0; i < std::min(lines.size(), kLines); ++i) {
        const LeftLine&                u  = lines[i];
        const conformance::Unrepaired& of = *u.first;
        out += fmt::format("{:8} {:12} {}{}  {}\n", of.remark ? "note" : "left", of.rule->id,
                           of.prim.empty() ? of.layer : of.prim,
                           u.places.size() > 1 ? fmt::format(" (and {} more)", u.places.size() - 1) : "",
                           u.plain ? u.message : of.message);
    }
    if (lines.size() > kLines)
        out += fmt::format("         ... and {} more (--report FILE lists all)\n", lines.size() - kLines);
    for (const auto& [rule, count] : unasked)
        out += fmt::format("left     {:12} {}: --select, --ignore or --phases leave the repair out\n", rule,
                           counted(count, "finding"));
    for (const conformance::FixedFile& file : result.files)
        if (file.rewritten)
            out += fmt::format("note     {} was written anew: its comments and layout could not be kept\n", file.name);
        else if (file.comments_lost)
            out += fmt::format("note     {} lost comments, which stood at what was moved or taken out\n", file.name);
    out += fmt::format("{}; {} and {} remain", counted(result.edits.size(), "edit"),
                       counted(result.after.count(Severity::error), "error"),
                       counted(result.after.count(Severity::warning), "warning"));
    if (unsafe > 0) out += fmt::format("; {} more with --unsafe", unsafe);
    out += "\n";
    if (args.diff && !result.edits.empty())
        out += "Write them with -o FOLDER, --in-place, or as an overriding layer with --layer fixes.usda\n";
    return out;
}

/// The overriding layer, with the asset as its sublayer by a path relative to the output.
int publish_layer(const conformance::FixResult& result, const FixArgs& args, const Io& io)
{
    auto layer = usd::Layer::open((fs::path(result.folder) / result.entry).string());
    if (!layer) return io.fail(layer.error());
    const fs::path to = fs::absolute(args.layer).lexically_normal();
    // Relative to the output, so that both can be moved together; "./" keeps it from being searched for by the
    // resolver.
    const fs::path    from = fs::absolute(args.asset).lexically_normal().lexically_relative(to.parent_path());
    const std::string path = from.string().starts_with("..") ? from.string() : "./" + from.string();
    if (auto set = layer->set_sublayers({path}); !set) return io.fail(set.error());
    if (auto saved = layer->save(to.string()); !saved) return io.fail(saved.error());
    return kExitClean;
}

/// Adapts relative asset paths of a layer that moves from one folder to another.
void move_assets(usd::Layer& layer, const fs::path& from, const fs::path& to)
{
    if (from == to) return;
    layer.rewrite_assets([&](const std::string& authored) {
        if (authored.find("://") != std::string::npos || authored.starts_with('/')) return authored;
        return (from / authored).lexically_normal().lexically_relative(to).string();
    });
}

/// Writes only the entry elsewhere; the files that it names stay where they were.
int publish_entry(const conformance::FixResult& result, const FixArgs& args, const Io& io)
{
    const std::string edited = (fs::path(result.folder) / result.entry).string();
    auto              layer  = usd::Layer::open(edited);
    const auto        text   = files::read(edited);
    if (!layer || !text) return io.fail(layer ? text.error() : layer.error());
    const fs::path to = fs::absolute(args.output).lexically_normal();
    move_assets(*layer, folder_of(args.asset), to.parent_path());
    const auto kept = text->starts_with("#usda") && !files::has_suffix(to, {".usdc"}) ? usd::edited_text(*text, *layer)
                                                                                      : std::nullopt;
    // The text is edited rather than written anew, so that comments and layout stay.
    const auto saved = kept ? files::replace(to.string(), *kept, {.make_folders = true}) : layer->save(to.string());
    return saved ? kExitClean : io.fail(saved.error());
}

/// Whether the report has the name of a file that is about to be made in the asset's folder.
bool report_is_result(const conformance::FixResult& result, const FixArgs& args)
{
    if (args.report.empty() || !args.in_place) return false;
    std::vector<std::string> made;
    for (const conformance::FixedFile& file : result.files)
        made.push_back((folder_of(args.asset) / file.name).string());
    return is_one_of(args.report, made);
}

/// Writes the repaired asset to the output of the options.
int publish(const conformance::FixResult& result, const FixArgs& args, std::optional<files::Transaction>& transaction,
            const Io& io)
{
    if (!args.layer.empty()) return publish_layer(result, args, io);
    if (!args.in_place && usd::is_layer_name(args.output)) {
        if (args.rewrites()) return publish_entry(result, args, io);
        if (result.files.size() > 1) return io.say_error("the asset has several files; give a folder\n"), kExitUsage;
    }
    const auto done = args.in_place && usd::is_package_name(args.asset)
                          ? conformance::publish_package(result, args.asset, true)
                      : args.in_place ? conformance::publish_in_place(result, args.asset, *transaction)
                      : usd::is_package_name(args.output) ? conformance::publish_package(result, args.output)
                      : usd::is_layer_name(args.output)   ? conformance::publish_file(result, args.output)
                                                          : conformance::publish_folder(result, args.output);
    return done ? kExitClean : io.fail(done.error());
}

/// Checks the output options; prints what is wrong with them.
int check_targets(const FixArgs& args, const Io& io)
{
    const int targets = !args.output.empty() + args.in_place + !args.layer.empty() + args.diff;
    if (targets == 0)
        return io.say_error(
                   "no output given\n  -o FOLDER, --in-place, --layer FILE, or --diff to "
                   "print the changes\n"),
               kExitUsage;
    if (args.output == "-")
        return io.say_error(
                   "fix writes files, and cannot write to standard output: name a folder, a .usdz or a file\n  --diff "
                   "prints the changes\n"),
               kExitUsage;
    for (const auto& [given, option] :
         {std::pair(args.defaults_given, "--defaults"), std::pair(args.remove_physx, "--remove-physx")})
        if (given && !args.port_sdf)
            return io.say_error(fmt::format("{} needs --port-physx-sdf\n", option)), kExitUsage;
    if (targets > 1) return io.say_error("-o, --in-place, --layer and --diff exclude each other\n"), kExitUsage;
    if (!args.layer.empty() && usd::is_package_name(args.asset))
        return io.say_error(
                   "the layers of a package are not the asset's own files; give a folder or a .usdz with -o\n"),
               kExitUsage;
    if (args.output.empty()) return kExitClean;
    const bool file = usd::is_layer_name(args.output) || usd::is_package_name(args.output);
    const auto possible =
        file ? files::try_target(args.output, {.make_folders = true}) : conformance::try_folder(args.output);
    return possible ? kExitClean : io.fail(possible.error());
}

std::optional<conformance::FixOptions> options_of(const FixArgs& args, const Context& context)
{
    const auto scene = scene_options(context);
    if (!scene) return std::nullopt;
    conformance::FixOptions options;
    options.open       = scene->open;
    options.profile    = args.profile;
    options.select     = args.select;
    options.ignore     = args.ignore;
    options.unsafe     = args.unsafe;
    options.identifier = args.identifier;
    options.version    = args.version;
    options.localize   = !args.no_localize;
    // A rewritten entry alone goes on naming the files of the original, and its differences show the rewrite only.
    const bool entry_alone = args.rewrites() && (args.output.empty() || usd::is_layer_name(args.output));
    options.stands_alone   = !args.in_place && !entry_alone;
    options.each_variant   = args.variants == "each";
    options.new_files      = args.diff || (!args.output.empty() && !usd::is_layer_name(args.output));
    options.spare_others   = args.in_place && !args.change_shared && !usd::is_package_name(args.asset);
    options.differs        = [opening = *scene](const std::string& before, const std::string& after) {
        return difference::first_change(before, after, opening);
    };
    if (args.assume_units > 0) options.assume_meters = args.assume_units;
    if (!args.assume_up_axis.empty()) options.assume_up_axis = args.assume_up_axis[0];
    if (!args.layer.empty()) options.overlay = fs::path(args.layer).filename().string();
    for (const std::string& phase : args.phases) {
        const std::string digits = phase.starts_with('P') ? phase.substr(1) : phase;
        if (digits.size() != 1 || digits[0] < '1' || digits[0] > '8') {
            context.io.say_error(fmt::format("there is no phase {}; phases are P1 to P8\n", phase));
            return std::nullopt;
        }
        options.phases.push_back(digits[0] - '0');
        // Phases 7 and 8 divide layers: in place they make new files.
        options.new_files |= args.in_place && digits[0] >= '7';
    }
    return options;
}

/// Applies one of the special repairs to a layer; returns a sentence about what it did.
using Rewrite = std::function<Result<std::string>(const usd::Stage& stage, usd::Layer& into, Diagnostics& found)>;

Result<std::string> port_sdf(const FixArgs& args, const usd::Stage& stage, usd::Layer& into, Diagnostics& found)
{
    resolve::PortOptions options;
    if (args.defaults == "physx") options.defaults = resolve::PortOptions::Defaults::physx;
    options.remove_source = args.remove_physx;
    const auto count      = resolve::port_physx_sdf_to_newton(stage, into, options, found);
    if (!count) return count.error();
    return fmt::format("{} colliders ported\n", *count);
}

Result<std::string> realign(const usd::Stage& stage, usd::Layer& into, Diagnostics& found)
{
    const auto count = physics::realign_gaps(stage, into, found);
    if (!count) return count.error();
    return fmt::format("{} joints realigned\n", *count);
}

/// Applies and removes the schemas that the options name. The schemas' properties stay as they are.
Result<std::string> edit_schemas(const FixArgs& args, const usd::Stage& stage, usd::Layer& into)
{
    std::size_t applied = 0, removed = 0;
    const auto  each = [&](const std::vector<std::string>& words, bool apply) -> Result<void> {
        for (const std::string& word : words) {
            const std::size_t equal = word.find('=');
            const usd::Prim   prim  = stage.prim_at(usd::Path(word.substr(0, equal)));
            const usd::Token  schema(word.substr(equal + 1));
            const auto        has = prim.authored_apis();
            if ((std::find(has.begin(), has.end(), schema) != has.end()) == apply) continue;
            const auto done = apply ? into.apply_api(prim.path(), schema) : into.remove_api(prim.path(), schema);
            if (!done) return done.error();
            ++(apply ? applied : removed);
        }
        return {};
    };
    if (auto done = each(args.remove_api, false); !done) return done.error();
    if (auto done = each(args.apply_api, true); !done) return done.error();
    return fmt::format("{} applied, {} removed\n", counted(applied, "schema"), counted(removed, "schema"));
}

/// Whether each PRIM=SCHEMA names a prim of the asset and a schema that can be applied; else what is nearest is
/// printed.
bool are_editable(const FixArgs& args, const usd::OpenOptions& open, const Context& context)
{
    if (args.apply_api.empty() && args.remove_api.empty()) return true;
    const auto stage = usd::Stage::open(args.asset, open);
    if (!stage) return true;  // said by who opens it to edit it
    std::vector<std::string>               prims, schemas;
    std::map<std::string, usd::SchemaKind> kinds;
    for (const usd::Prim& prim : (*stage)->traverse({.all = true})) prims.push_back(prim.path().text());
    for (const usd::SchemaInfo& schema : usd::bundled_schemas())
        if (kinds.emplace(schema.identifier, schema.kind);
            schema.kind == usd::SchemaKind::single_apply || schema.kind == usd::SchemaKind::multiple_apply)
            schemas.emplace_back(schema.identifier);
    const bool own     = !context.global.schema_paths.empty() || std::getenv("PXR_PLUGINPATH_NAME") != nullptr;
    const auto is_good = [&](const char* option, const std::string& word, bool apply) {
        const auto refuse = [&](const std::string& why, const std::string& near) {
            context.io.say_error(
                fmt::format("{} {}: {}\n{}", option, word, why, near.empty() ? "" : "  " + near + "\n"));
            return false;
        };
        const std::size_t equal = word.find('=');
        if (equal == std::string::npos || equal + 1 == word.size())
            return refuse("expected PRIM=SCHEMA, such as /robot/box=PhysicsRigidBodyAPI", {});
        const std::string path = word.substr(0, equal), schema = word.substr(equal + 1);
        const usd::Prim   prim = (*stage)->prim_at(usd::Path(path));
        if (!prim || prim.path().is_root())
            return refuse(fmt::format("there is no prim '{}'", path), did_you_mean(path, prims));
        if (prim.is_instance_proxy())
            return refuse(fmt::format("<{}> lies inside an instance and can have no opinion of its own", path), {});
        const std::string base = schema.substr(0, schema.find(':'));
        const auto        kind = kinds.find(base);
        if (!apply) {
            const auto has = prim.authored_apis();
            // What is applied can be removed, whoever knows it.
            if (std::find(has.begin(), has.end(), usd::Token(schema)) != has.end()) return true;
            if (kind != kinds.end() && kind->second != usd::SchemaKind::single_apply &&
                kind->second != usd::SchemaKind::multiple_apply)
                return refuse(fmt::format("{} is the type of a prim and not applied to one", base), {});
            if (kind != kinds.end() || own) return true;  // already gone
            return refuse(fmt::format("there is no schema '{}'", base), did_you_mean(base, schemas));
        }
        if (kind == kinds.end() && own) return true;  // perhaps one of the user's
        if (kind == kinds.end())
            return refuse(fmt::format("there is no schema '{}'", base), did_you_mean(base, schemas));
        if (kind->second == usd::SchemaKind::single_apply && base != schema)
            return refuse(fmt::format("{} has no instances", base), {});
        if (kind->second == usd::SchemaKind::multiple_apply && base == schema)
            return refuse(fmt::format("{0} needs the name of an instance, such as {0}:angular", base), {});
        if (kind->second != usd::SchemaKind::single_apply && kind->second != usd::SchemaKind::multiple_apply)
            return refuse(fmt::format("{} cannot be applied", base), {});
        return true;
    };
    for (const std::string& word : args.apply_api)
        if (!is_good("--apply-api", word, true)) return false;
    for (const std::string& word : args.remove_api)
        if (!is_good("--remove-api", word, false)) return false;
    return true;
}

/// A copy of the asset in which one of the special repairs edited the entry, or a layer over it.
Result<conformance::FixResult> rewritten(const FixArgs& args, const conformance::FixOptions& options,
                                         const std::string& work_folder, const Io& io)
{
    const auto stage = usd::Stage::open(args.asset, options.open);
    if (!stage) return stage.error();
    Diagnostics found;
    std::string said;
    auto        result = conformance::edit_entry(
        args.asset, work_folder, options.overlay, options.stands_alone, [&](usd::Layer& into) -> Result<void> {
            const Rewrite rewrite =
                args.port_sdf
                    ? Rewrite([&](const auto& from, auto& to, auto& told) { return port_sdf(args, from, to, told); })
                : args.realign
                    ? Rewrite(realign)
                    : Rewrite([&](const auto& from, auto& to, auto&) { return edit_schemas(args, from, to); });
            const auto done = rewrite(**stage, into, found);
            if (!done) return done.error();
            said = *done;
            return {};
        });
    io.report(found);
    if (result) io.say(said);
    return result;
}

int run_fix(const FixArgs& args, Context& context)
{
    if (usd::is_foreign(args.asset)) {
        context.io.say_error(
            fmt::format("repairs are made in OpenUSD, and {} is none\n  make it first: mechane convert {} -o FOLDER\n",
                        args.asset, args.asset));
        return kExitUsage;
    }
    const Io& io = context.io;
    if (const int exit = check_targets(args, io); exit != kExitClean) return exit;
    const auto options = options_of(args, context);
    if (!options || !are_selected({args.asset}, options->open, context) || !are_editable(args, options->open, context))
        return kExitUsage;
    std::optional<files::Transaction> transaction;  // begun before the asset is read
    if (args.in_place && !usd::is_package_name(args.asset) && fs::exists(args.asset)) {
        Diagnostics found;
        auto        begun = files::Transaction::begin(folder_of(args.asset).string(), found);
        io.report(found);
        if (!begun) return io.fail(begun.error());
        transaction.emplace(*std::move(begun));
    }
    const bool folder = !args.output.empty() && !usd::is_layer_name(args.output) && !usd::is_package_name(args.output);
    // The result folder is made beside its final place, so that one rename puts it there.
    const files::ScratchFolder scratch = folder ? files::ScratchFolder(files::nearest_folder(args.output))
                                                : files::ScratchFolder::temporary(folder_of(args.asset));
    if (scratch.path().empty())
        return io.say_error("no working folder could be created; set TMPDIR to a writable folder\n"), kExitOutput;
    const auto result = args.rewrites() ? rewritten(args, *options, scratch.path().string(), io)
                                        : conformance::fix(args.asset, scratch.path().string(), *options);
    if (!result)
        return result.error().id == "CHECK_OPTION" ? (io.report(result.error()), int(kExitUsage))
                                                   : int(io.fail(result.error()));
    Diagnostics found = result->found;
    if (!args.rewrites()) found.append(left_uncomposed(args.asset, *result, options->open));
    const auto admitted =
        conformance::admit_sources(*result, args.asset, usd::roots_of(args.roots, args.outside, options->open), found);
    // Safe repairs promise the same simulation, so the models before and after are compared and every difference is
    // told.
    if (admitted && !args.rewrites() && !args.unsafe)
        if (const auto scene = scene_options(context)) difference::report_repairs(args.asset, *result, *scene, found);
    io.report(found);
    if (!admitted) return io.fail(admitted.error());
    if (const auto free = refuse_read_outputs(context); !free) return io.fail(free.error());
    if (report_is_result(*result, args))
        return io.say_error(fmt::format("--report '{}' is a file of the result\n", args.report)), kExitUsage;
    const std::string report = conformance::to_json(*result);
    if (args.diff)
        io.data(context.global.json ? report : diff_of(*result));
    else if (const int exit = publish(*result, args, transaction, io); exit != kExitClean)
        return exit;
    if (!args.report.empty())
        if (const int written = write_text(args.report, report, io); written != kExitClean) return written;
    if (context.global.json && !args.diff) io.out(report);
    // A rewrite does what it was asked for; what else is wrong with the asset is not its business.
    if (args.rewrites()) return kExitClean;
    io.say(summary(*result, args));
    return result->after.count(Severity::error) > 0 ? int(kExitFindings) : exit_after(found, context);
}

}  // namespace

void add_fix(CLI::App& app, Context& context)
{
    const auto args = std::make_shared<FixArgs>();
    CLI::App*  verb = app.add_subcommand("fix", "Repair what check finds, without changing the meaning of the asset");
    verb->footer(
        "Examples:\n  mechane fix robot.usda --diff\n  mechane fix robot/robot.usda -o fixed/\n  mechane fix "
        "robot.usda "
        "--layer fixes.usda --select 1.1\n  mechane fix old.usda --port-physx-sdf --diff");
    verb->add_option("asset", args->asset, "Entry layer of the asset")->required();
    is_output(verb->add_option("-o,--output,--out", args->output,
                               "Output folder, .usdz package, or file of a one-file asset"));
    verb->add_flag("--in-place", args->in_place, "Replace the asset's own files");
    is_output_file(
        verb->add_option("--layer", args->layer, "Write the repairs to a layer over the asset"),
        [](const std::string& name) { return usd::is_layer_name(name); }, ".usda .usdc .usd");
    verb->add_flag("--diff,--dry-run", args->diff, "Print the changes; write nothing");
    verb->add_flag("--unsafe", args->unsafe, "Also make repairs that choose a value or change what is simulated");
    verb->add_option("--select,--rules,--rule,--only", args->select,
                     "Repair only these rules, by id, slug or section (1.3, REP-2)")
        ->delimiter(',');
    verb->add_option("--ignore,--disable-rule", args->ignore, "Rules to skip (same syntax as --select)")
        ->delimiter(',');
    verb->add_option("--phases", args->phases,
                     "P1 schemas, P2 transforms, P3 units, P4 variants and limits, P5 "
                     "metadata, P6 paths, P7 vendors, P8 layers")
        ->delimiter(',');
    verb->add_flag("--change-shared", args->change_shared,
                   "With --in-place: change layers that other assets use too, also where those assets change");
    verb->add_option("--variants", args->variants, "each: also repair what is found with each other variant selected")
        ->check(CLI::IsMember({"default", "each"}))
        ->capture_default_str();
    verb->add_option("--profile", args->profile, "Set of rules, as in check")->capture_default_str();
    verb->add_option("--assume-units", args->assume_units, "Metres per unit if metersPerUnit is not authored")
        ->check(CLI::PositiveNumber);
    verb->add_option("--assume-up-axis", args->assume_up_axis, "Up axis if it is not authored")
        ->check(CLI::IsMember({"Y", "Z"}));
    verb->add_option("--identifier", args->identifier, "assetInfo.identifier to write if there is none");
    verb->add_option("--version-string", args->version, "assetInfo.version to write if there is none");
    verb->add_flag("--no-localize", args->no_localize, "Do not copy files from outside the asset's folder");
    is_output_file(verb->add_option("--report", args->report, "Output file for the report (JSON)"));
    verb->add_option("--root", args->roots, "Further folder whose files may be copied into the result; may repeat");
    verb->add_option("--outside", args->outside, "Files from elsewhere: warn, refuse, allow")
        ->transform(CLI::CheckedTransformer(outside_words()))
        ->option_text("TEXT");
    verb->add_flag("--port-physx-sdf", args->port_sdf, "Only convert PhysX SDF attributes to newton:* attributes");
    verb->add_option("--defaults", args->defaults, "With --port-physx-sdf: values for unauthored PhysX attributes")
        ->check(CLI::IsMember({"newton", "physx"}))
        ->capture_default_str();
    verb->add_flag("--remove-physx", args->remove_physx, "With --port-physx-sdf: delete the converted attributes");
    verb->add_flag("--realign-joints", args->realign,
                   "Only move the second frame of joints onto the first where bodies were moved apart");
    verb->add_option("--apply-api", args->apply_api,
                     "Only apply a schema, PRIM=SCHEMA, such as /box=PhysicsRigidBodyAPI; may repeat");
    verb->add_option("--remove-api", args->remove_api,
                     "Only remove a schema, PRIM=SCHEMA; its values stay for when it is applied again; may repeat");
    add_global_options(*verb, context);
    verb->callback([args, verb, &context] {
        args->defaults_given = verb->count("--defaults") > 0;
        context.exit         = run_fix(*args, context);
    });
}

}  // namespace mechane::cli

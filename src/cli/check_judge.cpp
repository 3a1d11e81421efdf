// Judges many files: cache, child processes, rules, and the memory that results take.
// Files go through in windows of 1024. In a window verdicts are looked up, unknown files of folders are opened by child
// processes first (a crash of a reader must not end the run), then judged by as many threads as there are cores.
// Results wait in an Overflow as bytes, because reports of thousands of assets do not fit into memory.
// A file that another one uses as a layer is a part of that asset and gets no verdict of its own, unless it was named.
// Called by run_check.

#include "cli/check_judge.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/isolate.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/report_bytes.h"
#include "mechane/conformance/source_faults.h"
#include "mechane/core/hash.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/inspect.h"
#include "mechane/usd/selections.h"

namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

/// Files that are looked up, read by children, judged and put aside together.
constexpr std::size_t kWindow = 1024;
/// Untrusted files are read by a child process first. Starting one takes longer than reading a small file.
constexpr std::size_t kTogether = 64;

/// The exit status for a file that could not be checked.
ExitCode exit_of_failure(const Diagnostic& error)
{
    if (error.id == conformance::codes::kOption.id) return kExitUsage;
    return error.id == conformance::codes::kRuleFailed.id ? kExitBug : kExitInput;
}

std::string to_bytes(const Judged& judged)
{
    ByteWriter out;
    out.put(static_cast<std::uint32_t>(judged.layers.size()));
    for (const std::string& layer : judged.layers) out.put(layer);
    out.put(judged.report.has_value());
    if (judged.report) conformance::put(out, *judged.report);
    out.put(static_cast<std::uint32_t>(judged.found.size()));
    for (const Diagnostic& one : judged.found) conformance::put(out, one);
    out.put(judged.exit);
    out.put(judged.lacks.has_value());
    if (judged.lacks) conformance::put(out, *judged.lacks);
    const auto& bytes = out.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> get_layers(ByteReader& in)
{
    std::vector<std::string> layers;
    const auto               count = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.good(); ++i) in.get(layers.emplace_back());
    return layers;
}

ByteReader reader_of(std::string_view bytes)
{ return ByteReader(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

std::optional<Judged> from_bytes(std::string file, std::string_view bytes)
{
    ByteReader in = reader_of(bytes);
    Judged     out{std::move(file)};
    out.layers = get_layers(in);
    if (in.take<bool>()) {
        out.report = conformance::get_report(in);
        if (!out.report) return std::nullopt;
    }
    const auto found = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < found && in.good(); ++i) out.found.add(conformance::get_diagnostic(in));
    in.get(out.exit);
    if (in.take<bool>()) out.lacks = conformance::get_diagnostic(in);
    if (!in.done()) return std::nullopt;
    return out;
}

/// Whether the same files give the same verdict again: not where memory or time ran out, or a rule had an internal
/// error.
bool is_lasting(const Judged& judged)
{
    if (judged.exit == kExitUsage || judged.exit == kExitBug) return false;
    if (judged.report && judged.report->failures() != 0) return false;
    return std::none_of(judged.found.begin(), judged.found.end(),
                        [](const Diagnostic& one) { return one.is(usd::kLimit.id) || one.is(usd::kReaderDied.id); });
}

/// Robots of other formats are read through files that nobody notes.
bool is_kept(const std::string& file) { return usd::is_stage_name(file); }

/// Calls `body` for each number below `count`, by as many workers as there are cores or --threads asks for.
void for_each_on_cores(std::size_t count, const Context& context, const std::function<void(std::size_t)>& body)
{
    std::atomic<std::size_t> next{0};
    const auto               work = [&] {
        for (std::size_t i = next++; i < count; i = next++) body(i);
    };
    const std::size_t        cores = context.global.threads > 0 ? static_cast<std::size_t>(context.global.threads)
                                                                : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (std::size_t n = 1; n < std::min(cores, count); ++n) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
}

}  // namespace

Verdicts::Verdicts(std::vector<std::string> files, CheckArgs args, usd::OpenOptions open,
                   conformance::CheckOptions options, Context& context)
    : files_(std::move(files)),
      args_(std::move(args)),
      open_(std::move(open)),
      options_(std::move(options)),
      context_(context),
      rows_(files_.size())
{
    // By asset a layer that was named is a part like the others.
    const std::set<std::string> given =
        args_.by_asset ? std::set<std::string>() : std::set<std::string>(args_.assets.begin(), args_.assets.end());
    for (std::size_t i = 0; i < files_.size(); ++i) rows_[i].given = given.contains(files_[i]);
}

Judged Verdicts::judge_one(std::size_t i)
{
    const std::string& file = files_[i];
    Judged             out{file};
    const auto         fail = [&](const Diagnostic& error, ExitCode exit) {
        out.found.add(error);
        out.exit = exit;
    };
    if (const auto died = rows_[i].given ? std::nullopt : try_in_child(file, context_))  // one file of a folder
        return fail(*died, kExitInput), out;
    const auto stage = usd::Stage::open(file, open_);
    if (!stage) return fail(stage.error(), kExitInput), out;
    if (options_.pool != nullptr) {  // the only file: the process ends soon, and destroying the stage takes a while
        static std::shared_ptr<const usd::Stage> left;
        left = *stage;
    }
    out.layers = (*stage)->used_layers();
    if (const Diagnostics wrong = usd::check_selections(**stage, open_.variant_selections); !wrong.empty())
        out.lacks = *wrong.begin();
    usd::inspect(**stage, out.found);  // authored values that are not read, or are read in an unexpected way
    const bool variants = args_.all_variants || args_.variants != "default";
    auto       report   = variants ? conformance::check_variants(**stage, file, open_, options_,
                                                                 {args_.variants == "product", args_.max_states})
                                   : conformance::check(**stage, options_);
    if (!report) return fail(report.error(), exit_of_failure(report.error())), out;
    for (const Diagnostic& found : (*stage)->diagnostics())
        if (found.severity == Severity::error && !conformance::is_source_fault(found)) fail(found, kExitInput);
    out.report = std::move(*report);
    return out;
}

/// Two 64-bit hashes instead of a path: rows of a million files stay small. Folders are resolved once, as resolving a
/// path takes several system calls.
Verdicts::Name Verdicts::name_of(const std::string& file)
{
    const fs::path    path   = fs::path(file);
    const std::string folder = path.parent_path().string();
    std::error_code   unknown;
    std::string       canonical;
    if (fs::is_symlink(path, unknown)) {
        canonical = fs::weakly_canonical(path, unknown).string();
    } else {
        {
            const std::scoped_lock lock(mutex_);
            if (const auto known = folders_.find(folder); known != folders_.end()) canonical = known->second;
        }
        if (canonical.empty()) {
            canonical = fs::weakly_canonical(folder.empty() ? fs::path(".") : fs::path(folder), unknown).string();
            const std::scoped_lock lock(mutex_);
            folders_[folder] = canonical;
        }
        canonical += "/" + path.filename().string();
    }
    return {hash_text(canonical), hash_text(canonical, 1)};
}

void Verdicts::note(std::size_t i, const std::vector<std::string>& layers)
{
    Row& row = rows_[i];
    row.name = name_of(files_[i]);
    for (const std::string& layer : layers) row.uses.push_back(name_of(layer));
    std::sort(row.uses.begin(), row.uses.end());
    row.uses.erase(std::unique(row.uses.begin(), row.uses.end()), row.uses.end());
    row.uses.shrink_to_fit();
}

Result<void> Verdicts::put(std::size_t i, const std::string& bytes)
{
    auto place = aside_.put(bytes);
    if (!place) return place.error();
    rows_[i].place = *place;
    return {};
}

void Verdicts::judge_window(std::size_t begin, std::size_t end, files::KeptResults* cache)
{
    std::vector<std::string> verdicts(end - begin);
    std::vector<char>        known(end - begin, 0);
    const auto               step_on = [&] {
        const std::scoped_lock lock(mutex_);
        if (files_.size() > 1)
            context_.io.progress("check", static_cast<std::int64_t>(++done_), static_cast<std::int64_t>(files_.size()));
    };
    if (cache != nullptr)
        for_each_on_cores(end - begin, context_, [&](std::size_t at) {
            auto kept = is_kept(files_[begin + at]) ? cache->find(files_[begin + at]) : std::nullopt;
            if (!kept) return;
            ByteReader in = reader_of(*kept);  // the rest is read when it is told
            note(begin + at, get_layers(in));
            verdicts[at] = std::move(*kept);
            known[at]    = 1;
            step_on();
        });
    std::vector<std::size_t> open;
    std::vector<std::string> strangers;
    for (std::size_t at = 0; at < known.size(); ++at) {
        if (known[at] != 0) continue;
        open.push_back(at);
        if (!rows_[begin + at].given) strangers.push_back(files_[begin + at]);
    }
    for_each_on_cores((strangers.size() + kTogether - 1) / kTogether, context_, [&](std::size_t batch) {
        const auto rest = std::span(strangers).subspan(batch * kTogether);
        try_together(rest.first(std::min(kTogether, rest.size())), context_);
    });
    for_each_on_cores(open.size(), context_, [&](std::size_t n) {
        const std::size_t at = open[n];
        files::Trace      trace;
        Judged            judged{files_[begin + at]};
        {
            // Only one file: its rules run on many threads.
            const files::TraceScope scope(cache != nullptr ? &trace : nullptr, options_.pool != nullptr);
            judged = judge_one(begin + at);
        }
        ++judged_;
        verdicts[at] = to_bytes(judged);
        if (cache != nullptr && is_lasting(judged) && is_kept(judged.file))
            cache->keep(files_[begin + at], trace, verdicts[at]);
        note(begin + at, judged.layers);
        step_on();
    });
    // Between windows the notes of what was read are dropped; they would grow with the number of files.
    forget_reads();
    for (std::size_t at = 0; at < verdicts.size(); ++at)
        if (auto done = put(begin + at, verdicts[at]); !done && !failure_) failure_ = done.error();
}

Result<void> Verdicts::judge(files::KeptResults* cache)
{
    for (std::size_t begin = 0; begin < files_.size() && !failure_; begin += kWindow)
        judge_window(begin, std::min(begin + kWindow, files_.size()), cache);
    if (files_.size() > 1) context_.io.end_progress();
    if (failure_) return *failure_;
    drop_parts();
    return {};
}

void Verdicts::drop_parts()
{
    std::vector<std::pair<Name, std::size_t>> users;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        for (const Name& layer : rows_[i].uses)
            if (layer != rows_[i].name) users.emplace_back(layer, i);
    std::sort(users.begin(), users.end());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row  = rows_[i];
        auto       user = std::lower_bound(users.begin(), users.end(), std::pair(row.name, std::size_t{0}));
        bool       part = false;
        // Files that include each other are both kept.
        for (; !row.given && user != users.end() && user->first == row.name; ++user)
            // A use is one-sided if this file does not use its user in turn.
            part |= !std::binary_search(row.uses.begin(), row.uses.end(), rows_[user->second].name);
        if (!part) kept_.push_back(i);
    }
    if (!args_.by_asset) return;
    std::set<Name> wanted;
    for (const std::string& asset : args_.assets) {
        std::error_code failed;
        if (std::filesystem::is_directory(asset, failed)) return;
        wanted.insert(name_of(asset));
    }
    std::erase_if(kept_, [&](std::size_t i) {
        const Row& row = rows_[i];
        return !wanted.contains(row.name) &&
               std::none_of(row.uses.begin(), row.uses.end(), [&](const Name& one) { return wanted.contains(one); });
    });
}

Result<Judged> Verdicts::at(std::size_t i)
{
    const std::size_t row   = kept_[i];
    auto              bytes = aside_.get(rows_[row].place);
    if (!bytes) return bytes.error();
    auto judged = from_bytes(files_[row], *bytes);
    if (!judged)
        return make_diagnostic(conformance::codes::kRuleFailed, {.layer = files_[row]}, "its verdict is damaged");
    return *std::move(judged);
}

}  // namespace mechane::cli

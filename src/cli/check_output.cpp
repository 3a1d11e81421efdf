// Where the reports of check go: lines that are written as they come, a stream of JSON, one document, or counts.
// Each writer takes the reports in the order of the files. Lines and streams hold nothing back; documents need all
// reports of a batch.
// Called by tell().

#include "cli/check_output.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <unistd.h>

#include "cli/check_page.h"
#include "cli/outputs.h"
#include "mechane/conformance/formats.h"
#include "mechane/files/growing_file.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"

namespace mechane::cli {
namespace {

bool is_stdout(const std::string& file) { return file.empty() || file == "-"; }

/// Lines that are written as they come.
class Lines final : public CheckOutput {
  public:
    using Write    = std::function<std::string(const conformance::Report&)>;
    using Unopened = std::string (*)(const Diagnostic&);

    /// @param commands  the text holds colours or commands on purpose
    /// @param unopened  the line of an asset that could not be opened; none: the terminal tells it
    Lines(const CheckArgs& args, Context& context, Write write, bool commands, Unopened unopened = nullptr)
        : file_(args.output), io_(context.io), write_(std::move(write)), unopened_(unopened), commands_(commands)
    {
    }
    /// Has the file grow as lines come; otherwise it is written at the end.
    [[nodiscard]] ExitCode begin()
    {
        // A compressed file cannot grow line by line, and a stream needs no temporary file.
        if (is_stdout(file_) || files::has_suffix(file_, {".gz"}) || file_.starts_with("/dev/")) return kExitClean;
        auto made = files::GrowingFile::create(file_);
        if (!made) return io_.fail(made.error());
        growing_.emplace(*std::move(made));
        return kExitClean;
    }
    void put(std::string_view text)
    {
        if (growing_)
            growing_->append(std::as_bytes(std::span(text.data(), text.size())));
        else if (!is_stdout(file_))
            held_.append(text);
        else if (commands_)
            io_.lines(text);
        else
            io_.out(text);
    }
    void add(conformance::Report report) override { put(write_(report)); }
    void add_unopened(const Diagnostic& error) override
    {
        if (unopened_ != nullptr) put(unopened_(error));
    }
    ExitCode end() override
    {
        if (growing_)
            if (auto done = growing_->finish(); !done) return io_.fail(done.error());
        return growing_ || is_stdout(file_) ? kExitClean : write_text(file_, held_, io_);
    }

  private:
    std::string                       file_;
    Io&                               io_;
    Write                             write_;
    Unopened                          unopened_;
    bool                              commands_;
    std::string                       held_;
    std::optional<files::GrowingFile> growing_;
};

/// One JSON object a line: `mechane.check.stream/1`.
class Stream final : public CheckOutput {
  public:
    Stream(const CheckArgs& args, std::size_t parts, Context& context)
        : lines_(
              args, context, [](const conformance::Report& report) { return conformance::to_ndjson(report); }, false),
          profile_(args.profile),
          parts_(parts)
    {
    }
    [[nodiscard]] ExitCode begin()
    {
        const ExitCode begun = lines_.begin();
        if (begun == kExitClean) lines_.put(conformance::ndjson_begin(MECHANE_VERSION, profile_));
        return begun;
    }
    void add(conformance::Report report) override
    {
        totals_.add(report);
        lines_.add(std::move(report));
    }
    void add_unopened(const Diagnostic& error) override
    {
        ++totals_.unopened;
        lines_.put(conformance::ndjson_unopened(error));
    }
    ExitCode end() override
    {
        lines_.put(conformance::ndjson_end(totals_, parts_));
        return lines_.end();
    }

  private:
    Lines                     lines_;
    std::string               profile_;
    std::size_t               parts_;
    conformance::StreamTotals totals_;
};

/// How often each rule was broken.
class Statistics final : public CheckOutput {
  public:
    Statistics(const CheckArgs& args, Context& context) : file_(args.output), context_(context) {}
    void add(conformance::Report report) override
    {
        for (const conformance::Finding& finding : report.findings) ++counts_[{finding.rule->id, finding.rule->slug}];
    }
    void     add_unopened(const Diagnostic&) override {}
    ExitCode end() override
    {
        std::string out;
        for (const auto& [rule, count] : counts_)
            out += fmt::format("{:6}  {:12} {}\n", count, rule.first, rule.second);
        return write_text(file_, out, context_.io);
    }

  private:
    std::string                                                          file_;
    Context&                                                             context_;
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> counts_;
};

/// One document, or one for each batch of assets.
class Document final : public CheckOutput {
  public:
    Document(const CheckArgs& args, Context& context) : args_(args), context_(context) {}
    void add(conformance::Report report) override
    {
        reports_.push_back(std::move(report));
        if (args_.batch != 0 && reports_.size() == args_.batch) write();
    }
    void     add_unopened(const Diagnostic& error) override { unopened_.push_back(error); }
    ExitCode end() override
    {
        if (args_.batch == 0 || !reports_.empty() || batches_ == 0) write();
        return exit_;
    }

  private:
    [[nodiscard]] std::string text()
    {
        conformance::FormatOptions options{MECHANE_VERSION,
                                           false,
                                           args_.max_per_rule,
                                           std::exchange(unopened_, {}),
                                           {},
                                           args_.batch == 0 ? 0 : batches_};
        if (args_.format == "json") return conformance::to_json(reports_, options);
        if (args_.format == "sarif") return conformance::to_sarif(reports_, options);
        if (args_.format == "junit")
            return conformance::to_junit(reports_, severity_named(args_.fail_on), options.unopened);
        options.pictures = page_pictures(reports_, context_);
        return conformance::to_html(reports_, options);
    }
    void write()
    {
        ++batches_;
        const std::string file =
            args_.batch == 0 ? args_.output : fmt::sprintf(args_.output, static_cast<unsigned>(batches_));
        if (exit_ == kExitClean) exit_ = write_text(file, text(), context_.io);
        if (args_.batch != 0 && exit_ == kExitClean) context_.io.out(file + "\n");
        reports_.clear();
    }

    const CheckArgs&                 args_;
    Context&                         context_;
    std::vector<conformance::Report> reports_;
    std::vector<Diagnostic>          unopened_;
    std::size_t                      batches_ = 0;
    ExitCode                         exit_    = kExitClean;
};

/// Whether a name has one number in it: "findings-%04d.sarif".
bool is_numbered(const std::string& name)
{
    const std::size_t at = name.find('%');
    if (at == std::string::npos || name.find('%', at + 1) != std::string::npos) return false;
    const std::size_t end = name.find_first_not_of("0123456789", at + 1);
    // At most two digits of width: the name is given to printf, which must not be asked for more than a number.
    return end != std::string::npos && end - at <= 3 && name[end] == 'd';
}

}  // namespace

Severity severity_named(const std::string& name)
{ return name == "error" ? Severity::error : name == "warning" ? Severity::warning : Severity::info; }

std::unique_ptr<CheckOutput> check_output(const CheckArgs& args, std::size_t parts, Context& context)
{
    if (args.batch != 0 && (args.format != "sarif" || !is_numbered(args.output))) {
        context.io.say_error(
            "--batch writes SARIF into numbered files\n"
            "  mechane check FOLDER --format sarif --batch 1000 -o findings-%04d.sarif\n");
        return nullptr;
    }
    if (args.statistics) return std::make_unique<Statistics>(args, context);
    if (args.format == "ndjson") {
        auto stream = std::make_unique<Stream>(args, parts, context);
        if (stream->begin() != kExitClean) return nullptr;
        return stream;
    }
    if (args.format == "text" || args.format == "github") {
        const bool                 terminal = args.output.empty() && context.io.colored(STDOUT_FILENO);
        conformance::FormatOptions options{MECHANE_VERSION, terminal, args.max_per_rule, {}, {}, 0};
        auto                       write = [options, text = args.format == "text"](const conformance::Report& report) {
            return text ? conformance::to_text(report, options) : conformance::to_github({&report, 1});
        };
        return std::make_unique<Lines>(args, context, std::move(write), true,
                                       args.format == "github" ? &conformance::github_unopened : nullptr);
    }
    return std::make_unique<Document>(args, context);
}

}  // namespace mechane::cli

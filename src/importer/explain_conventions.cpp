// Which import conventions decide a value: the stage is imported again with groups of conventions turned, halving
// groups that change something (binary search over about as many imports as decisions times log of conventions).

#include <map>
#include <span>

#include "import.h"
#include "mechane/importer/explain.h"
#include "mechane/physics/conventions.h"

namespace mechane::importer {
namespace {

using physics::Convention;
using physics::Conventions;

/// Values by entity, field and degree of freedom.
using Values = std::map<std::string, std::string>;

std::string name_of(const Explanation& x) { return x.subject + " " + x.field + " " + x.dof; }

class Trials {
  public:
    Trials(const ExplainInput& input, std::string_view path) : input_(input), options_(input.options), path_(path)
    {
        options_.ledger = true;
        base_           = values_by({}).value_or(Values{});
    }

    /// Finds the conventions among `tried` that change some of the values. A group that changes nothing holds none.
    /// A group that is refused as a whole is divided, as single members may be accepted.
    void find(std::span<const Convention* const> tried, std::vector<Explanation*> values)
    {
        const auto now = values_by(tried);
        // What is refused as a whole shows nothing of its parts.
        if (!now && tried.size() == 1) return;
        if (now) std::erase_if(values, [&](const Explanation* x) { return at(*now, *x) == at(base_, *x); });
        if (values.empty()) return;
        if (tried.size() > 1) {
            find(tried.first(tried.size() / 2), values);
            find(tried.subspan(tried.size() / 2), values);
            return;
        }
        const Convention& one   = *tried.front();
        const bool        other = conventions_of(options_.compat).*one.field;
        for (Explanation* x : values)
            x->decisions.push_back({one.name, one.question, other ? one.other : one.mechane,
                                    other ? one.mechane : one.other, at(*now, *x)});
    }

  private:
    static std::string at(const Values& values, const Explanation& x)
    {
        const auto found = values.find(name_of(x));
        return found == values.end() ? std::string() : found->second;
    }

    /// The values with the other answers to some questions; nothing where the stage is refused then.
    [[nodiscard]] std::optional<Values> values_by(std::span<const Convention* const> turned) const
    {
        Conventions conventions = conventions_of(options_.compat);
        for (const Convention* one : turned) conventions.*one->field = !(conventions.*one->field);
        model::ModelBuilder builder;
        Diagnostics         unsaid;
        auto                imported = import_by(input_.stage, options_, conventions, builder, unsaid);
        if (!imported) return std::nullopt;
        const auto model = builder.finalize({}, unsaid);
        if (!model) return std::nullopt;
        const auto all = explain({input_.stage, options_, *imported, *model}, path_);
        Values     out;
        if (all)
            for (const Explanation& x : *all) out.emplace(name_of(x), x.value);
        return out;
    }

    const ExplainInput& input_;
    ImportOptions       options_;
    std::string         path_;
    Values              base_;
};

}  // namespace

void find_decisions(const ExplainInput& input, std::string_view path, std::vector<Explanation>& values)
{
    std::vector<const Convention*> all;
    for (const Convention& one : physics::convention_table()) all.push_back(&one);
    std::vector<Explanation*> asked;
    for (Explanation& x : values)
        if (x.field.find(':') == std::string::npos) asked.push_back(&x);  // else it is what the stage says itself
    Trials(input, path).find(all, asked);
}

}  // namespace mechane::importer

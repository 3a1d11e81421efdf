// Names that no schema and no reader of this import knows, and vendors whose attributes are authored and not read.

#include "unknown_properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "ledger_reasons.h"
#include "mechane/importer/ledger.h"
#include "mechane/resolve/unknown_names.h"

namespace mechane::importer {
namespace {

constexpr std::string_view kNewton = "newton:";

/// Whether the name is read by something that is not a bundled schema: a resolver in use, a declaration, the caller.
bool is_read(const Import& run, const std::string& name)
{
    const auto& mine = run.options.known_attributes;
    if (std::find(mine.begin(), mine.end(), name) != mine.end()) return true;
    const auto& declared = run.builder.custom_attributes;
    if (std::any_of(declared.begin(), declared.end(), [&](const model::CustomAttribute& a) {
            return name.size() == kNewton.size() + a.key().size() && name.starts_with(kNewton) &&
                   name.ends_with(a.key());
        }))
        return true;
    const auto& resolvers = run.resolvers.resolvers();
    return std::any_of(resolvers.begin(), resolvers.end(), [&](const resolve::Resolver& r) {
        return std::any_of(r.rows.begin(), r.rows.end(), [&](const resolve::Row& row) {
            return std::find(row.attributes.begin(), row.attributes.end(), name) != row.attributes.end();
        });
    });
}

resolve::NameQuestion question_of(const Import& run)
{
    const usd::Path root(run.options.root_path);
    return {.stage    = run.stage,
            .authored = run.physics.authored_names,
            .is_read  = [&run](const std::string& name) { return is_read(run, name); },
            .leaves_out =
                [&run, root](const usd::Prim& prim) {
                    return !prim.path().has_prefix(root) || run.ignored(prim.path()) ||
                           run.deformable.count(prim.path()) != 0;
                }};
}

}  // namespace

void report_unknown_properties(Import& run) { resolve::report_unknown_names(question_of(run), run.found); }

void report_unapplied_schemas(Import& run)
{
    if (!run.conventions.vendors_unread_silently) resolve::report_unapplied_schemas(question_of(run), run.found);
}

void report_unread_vendors(Import& run)
{
    if (run.conventions.vendors_unread_silently) return;
    for (const std::string& vendor : resolve::resolvers_of(run.stage, run.physics.authored_names)) {
        if (run.resolvers.has(vendor)) continue;
        const auto table = resolve::resolvers_named(std::vector{vendor});
        if (!table) continue;
        std::vector<std::string> lost;  // authored, and of a row of the vendor's table
        for (const resolve::Row& row : table->resolvers().front().rows)
            for (const std::string& name : row.attributes)
                if (run.physics.authored_names.contains(usd::Token(name)) && !is_read(run, name) &&
                    motion_without(name).empty() &&  // in use, it would not simulate them either
                    std::find(lost.begin(), lost.end(), name) == lost.end())
                    lost.push_back(name);
        if (lost.empty()) continue;
        const std::size_t more = lost.size() - 1;
        run.found.add(
            codes::kVendorUnread, {.layer = run.stage.source()},
            fmt::format("{}{} {} not read: the resolver {} is not in use", lost.front(),
                        more > 0 ? fmt::format(" and {} more attributes", more) : "", more > 0 ? "are" : "is", vendor),
            fmt::format("Set --resolvers auto, or --option schema_resolvers=newton,{}.",
                        vendor == "newton" ? "physx" : vendor));
    }
}

}  // namespace mechane::importer

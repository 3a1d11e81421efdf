// `mechane version`: the version of the program, of OpenUSD, and the precision of numbers.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace mechane::cli {

void add_version(CLI::App& app, Context& context)
{
    CLI::App* verb = app.add_subcommand("version", "Print the version of this build");
    add_global_options(*verb, context);
    verb->callback([&context] {
        if (context.global.json) {
            const nlohmann::json document = {{"schema", "mechane.version/1"},
                                             {"version", MECHANE_VERSION},
                                             {"openusd", "26.8"},
                                             {"real", sizeof(Real) == 4 ? "float" : "double"}};
            context.io.out(document.dump(1) + "\n");
        } else {
            context.io.out(fmt::format("mechane {}\n", MECHANE_VERSION));
        }
    });
}

}  // namespace mechane::cli

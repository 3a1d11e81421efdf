// The entry of the program: all work is in run_program, and end_process leaves without destructors of libraries.

#include "cli/program.h"
#include "mechane/core/process.h"

int main(int argc, char** argv)
{
    mechane::cli::Launch launch = mechane::cli::this_executable();
    launch.argv                 = argv;
    mechane::end_process(mechane::cli::run_program(argc, argv, launch));
}

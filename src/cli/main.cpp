#include "cli/program.h"
#include "mechane/core/process.h"

int main(int argc, char** argv)
{
    mechane::begin_process();
    mechane::end_process(mechane::cli::run_program(argc, argv));
}

#include "cli/program.h"
#include "mechane/core/process.h"

int main(int argc, char** argv) { mechane::end_process(mechane::cli::run_program(argc, argv)); }

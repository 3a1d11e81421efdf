#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "mechane/core/process.h"

int main(int argc, char** argv)
{
    int status = 0;
    {
        doctest::Context context(argc, argv);
        status = context.run();
    }
    mechane::end_process(status);
}

// Opens the stage that it is given and prints what the model holds: from installed headers alone.
#include <cstdio>

#include <mechane/core/process.h>
#include <mechane/mechane.h>

int main(int argc, char** argv)
{
    if (argc != 2) return 2;
    int status = 1;
    {
        if (const auto model = mechane::load(argv[1])) {
            std::printf("bodies %d joints %d\n", (*model)->body_count(), (*model)->joint_count());
            status = 0;
        } else {
            std::printf("%s\n", model.error().message.c_str());
        }
    }
    mechane::end_process(status);
}

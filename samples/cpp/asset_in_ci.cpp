// An asset in continuous integration: opened, checked by the rules of REP-0158, repaired into a folder of its own.
// Shows Asset; the exit code is that of `mechane fix`: 1 if errors are left.
//
//     sample_cpp_asset_in_ci robot.usda fixed/
#include <mechane/mechane.h>

#include <cstdio>

using namespace mechane;

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::puts("usage: sample_cpp_asset_in_ci ASSET FOLDER");
        return 2;
    }
    const auto asset = Asset::open(argv[1]);
    if (!asset) {
        std::puts(to_text(asset.error()).c_str());
        return 3;
    }
    for (const Finding& f : asset->check({.profile = "distributed"}).expect()) std::puts(to_text(f).c_str());
    const FixReport   fixed  = asset->fix(argv[2]).expect();
    const std::size_t errors = count(fixed.left, Severity::error);
    std::printf("%d edits, %d errors left among %d findings\n", fixed.edits, int(errors), int(fixed.left.size()));
    return errors == 0 ? 0 : 1;
}

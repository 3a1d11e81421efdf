// Which pairs of shapes a stage keeps apart, and the numbers of its collision groups, in both ways of reading them.
//
//     sample_usd_filters samples/usd/collision_group.usda
#include "sample_import.h"

using namespace mechane;

int main(int argc, char** argv)
{
    const char* file = sample::file_argument(argc, argv);
    for (const auto mode : {importer::UsdGroupMode::schema, importer::UsdGroupMode::newton_ids}) {
        importer::ImportOptions options;
        options.usd_group_mode = mode;
        const auto in          = sample::import_file(file, options);
        const auto model       = sample::finalize(in.builder);
        std::printf("%s\n", mode == importer::UsdGroupMode::schema ? "schema" : "newton_ids");
        for (const auto& [path, number] : in.result.path_collision_group_map)
            std::printf("  group %s is number %d\n", path.c_str(), number);
        for (std::size_t i = 0; i < model.shape_count(); ++i)
            std::printf("  shape %zu %s: group %d\n", i, model.shape_label[i].c_str(), model.shape_collision_group[i]);
        for (const auto& [a, b] : model.shape_collision_filter_pairs) std::printf("  filtered: %d and %d\n", a, b);
    }
    return 0;
}

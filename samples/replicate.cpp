// A thousand copies of a robot, each a world of its own, and one ground for all of them. Meshes are shared.
//
//     sample_replicate FILE
#include "sample_import.h"

int main(int argc, char** argv)
{
    const auto                   in = sample::import_file(sample::file_argument(argc, argv));
    mechane::model::ModelBuilder scene;
    scene.add_ground_plane();
    constexpr int kWorlds = 1024;
    if (const auto ok = scene.replicate(in.builder, kWorlds); !ok) sample::leave(ok.error());
    const auto model = sample::finalize(scene);
    std::printf("worlds %d, shapes of one %zu, shapes %zu\n", model.world_count, in.builder.shapes.size(),
                model.shape_count());
    std::printf("world of the ground %d, of the first copy %d, of the last %d\n", model.shape_world[0],
                model.shape_world[1], model.shape_world.back());
    return 0;
}

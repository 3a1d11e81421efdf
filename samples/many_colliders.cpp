// One body with many mesh colliders, read with one thread and with several: the same model either way. OpenUSD's own
// threads are bounded by the environment variable PXR_WORK_THREAD_LIMIT.
//
//     sample_many_colliders [COUNT]
#include <string>

#include "mechane/core/hash.h"
#include "sample_import.h"

using namespace mechane;

namespace {

std::string body_with_meshes(int count)
{
    std::string text =
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef Xform \"body\" (prepend apiSchemas = "
        "[\"PhysicsRigidBodyAPI\"])\n{\n";
    for (int i = 0; i < count; ++i)
        text +=
            "    def Mesh \"m" + std::to_string(i) +
            "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"])\n    {\n        point3f[] points = [(0, 0, 0), (1, "
            "0, 0), (0, 1, 0), (0, 0, 1)]\n        int[] faceVertexCounts = [3, 3, 3, 3]\n        int[] "
            "faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n        double3 xformOp:translate = (" +
            std::to_string(i) + ", 0, 0)\n        uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    }\n";
    return text + "}\n";
}

}  // namespace

int main(int argc, char** argv)
{
    const int         count = argc > 1 ? std::atoi(argv[1]) : 400;
    const std::string text  = body_with_meshes(count);
    for (const int threads : {1, 8}) {
        usd::OpenOptions open;
        open.threads              = threads;
        const auto          stage = sample::get(usd::Stage::open_text(text, {}, open));
        model::ModelBuilder builder;
        Diagnostics         found;
        sample::get(importer::import_usd(*stage, {}, builder, found));
        const auto          model = sample::finalize(builder);
        const std::uint64_t hash =
            hash_combine(hash_span<Pose>(model.shape_transform), hash_span<Mat33>(model.body_inertia));
        std::printf("%d threads: %zu shapes, hash %s\n", threads, model.shape_count(), to_hex(hash).c_str());
    }
    return 0;
}

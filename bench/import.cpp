#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mechane/importer/import_usd.h"
#include "mechane/model/model.h"

/// Time from a stage to a finalized model, in milliseconds, the least of a few runs.
///
/// usage: bench_import FILE...      each stage as it is: open, import, finalize
///        bench_import --once FILE  the same, one run from the start of the program
///        bench_import --colliders  one body with 1, 30, 300, 3000 colliders: linear when the last column stays level
///        bench_import --replicate FILE   4,096 worlds of the stage: replicate, finalize
namespace {

using namespace mechane;

double since(std::chrono::steady_clock::time_point start)
{ return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(); }

struct Times {
    double      open = 1e30, import = 1e30, finalize = 1e30, total = 1e30;
    std::size_t bodies = 0, shapes = 0;
};

/// `open` is called once a run and gives the stage.
template <typename Open>
Times measure(int runs, Open&& open)
{
    Times best;
    for (int i = 0; i < runs; ++i) {
        Diagnostics found;
        const auto  start = std::chrono::steady_clock::now();
        const auto  stage = open();
        if (!stage) {
            std::fprintf(stderr, "%s\n", stage.error().message.c_str());
            std::exit(1);
        }
        const double        opened = since(start);
        model::ModelBuilder builder;
        if (const auto done = importer::import_usd(**stage, {}, builder, found); !done) {
            std::fprintf(stderr, "%s\n", done.error().message.c_str());
            std::exit(1);
        }
        const double imported = since(start);
        const auto   model    = builder.finalize({}, found);
        const double total    = since(start);
        if (!model) std::exit(1);
        if (total < best.total)
            best = {opened, imported - opened, total - imported, total, model->body_count(), model->shape_count()};
    }
    return best;
}

std::string body_with_colliders(int count)
{
    std::string text =
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n"
        "def Xform \"body\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"])\n{\n";
    for (int i = 0; i < count; ++i)
        text += "    def Cube \"c" + std::to_string(i) +
                "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"])\n    {\n        double size = 0.1\n"
                "        double3 xformOp:translate = (" +
                std::to_string(0.2 * i) +
                ", 0, 0)\n        uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    }\n";
    return text + "}\n";
}

void colliders()
{
    std::puts("colliders,open,import,finalize,total,import_us_per_collider");
    for (const int count : {1, 30, 300, 3000}) {
        const std::string text = body_with_colliders(count);
        const Times       t    = measure(count < 1000 ? 20 : 5, [&] { return usd::Stage::open_text(text); });
        std::printf("%d,%.2f,%.2f,%.2f,%.2f,%.2f\n", count, t.open, t.import, t.finalize, t.total,
                    1e3 * t.import / count);
    }
}

void replicate(const std::string& file)
{
    constexpr int       kWorlds = 4096;
    Diagnostics         found;
    const auto          stage = usd::Stage::open(file);
    model::ModelBuilder source;
    if (!stage || !importer::import_usd(**stage, {}, source, found)) std::exit(1);
    const auto          start = std::chrono::steady_clock::now();
    model::ModelBuilder scene;
    if (!scene.replicate(source, kWorlds)) std::exit(1);
    const double copied = since(start);
    const auto   model  = scene.finalize({}, found);
    if (!model) std::exit(1);
    std::printf("worlds,bodies,replicate,finalize\n%d,%zu,%.1f,%.1f\n", kWorlds, model->body_count(), copied,
                since(start) - copied);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "--colliders") {
        colliders();
    } else if (first == "--replicate" && argc == 3) {
        replicate(argv[2]);
    } else if (argc > 1) {
        const int from = first == "--once" ? 2 : 1;
        std::puts("file,bodies,shapes,open,import,finalize,total");
        for (int i = from; i < argc; ++i) {
            const std::string file = argv[i];
            const Times       t    = measure(from == 2 ? 1 : 5, [&] { return usd::Stage::open(file); });
            std::printf("%s,%zu,%zu,%.1f,%.1f,%.1f,%.1f\n", file.c_str(), t.bodies, t.shapes, t.open, t.import,
                        t.finalize, t.total);
        }
    } else {
        std::fputs("usage: bench_import FILE... | --once FILE | --colliders | --replicate FILE\n", stderr);
        return 2;
    }
    return 0;
}

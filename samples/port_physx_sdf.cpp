// What PhysX says of a collider's distance field, said in Newton's words: offsets, resolution, and fractions of the
// size as lengths.
//
//     sample_port_physx_sdf samples/usd/sdf_physx.usda
#include <string>

#include "mechane/resolve/port_sdf.h"
#include "sample_import.h"

using namespace mechane;
using resolve::PortOptions;

namespace {

void print(const char* title, std::size_t count, const usd::Stage& stage)
{
    std::printf("%s: %zu prim\n", title, count);
    for (const usd::Prim& prim : stage.traverse())
        for (const usd::Token& name : prim.authored_property_names())
            if (name.text().starts_with("newton:")) {
                const usd::Value value = prim.attribute(name).authored_value();
                if (const auto number = value.get<double>())
                    std::printf("  %s = %.7g\n", name.text().c_str(), *number);
                else
                    std::printf("  %s = %s\n", name.text().c_str(), value.to_text().c_str());
            }
}

void port(const char* title, const std::string& text, PortOptions::Defaults defaults)
{
    const auto  stage = sample::get(usd::Stage::open_text(text));
    auto        layer = sample::get(usd::Layer::from_text(text));
    Diagnostics found;
    const auto  count = sample::get(resolve::port_physx_sdf_to_newton(*stage, layer, {.defaults = defaults}, found));
    print(title, count, *sample::get(usd::Stage::open_text(layer.to_text())));
}

}  // namespace

int main(int argc, char** argv)
{
    const char*       file = sample::file_argument(argc, argv);
    const std::string text = sample::get(usd::Layer::open(file)).to_text();
    port("as authored", text, PortOptions::Defaults::newton);

    // A collider that authors nothing beside the schema: PhysX's own fallbacks, or nothing.
    std::string bare;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end  = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        if (line.find(" physxCollision:") == std::string::npos && line.find(" physxSDFMesh") == std::string::npos)
            bare += line;
        at = end;
    }
    port("PhysX's defaults", bare, PortOptions::Defaults::physx);
    port("Newton's defaults", bare, PortOptions::Defaults::newton);

    // Below a parent that is scaled, lengths follow the size in the world.
    std::string scaled = text;
    const auto  brace  = scaled.find("{\n", scaled.find("def Xform"));
    scaled.insert(brace + 2,
                  "    float3 xformOp:scale = (1, 1, 1.2247449)\n    uniform token[] xformOpOrder = "
                  "[\"xformOp:scale\"]\n");
    port("below a scaled parent", scaled, PortOptions::Defaults::newton);
    return 0;
}

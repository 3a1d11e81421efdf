// Vendor attributes that the import came across, by resolver, prim and name. Resolvers that are not listed collect
// nothing.
//
//     sample_collected_attributes samples/usd/physx_humanoid.usda
#include <string>
#include <vector>

#include "sample_import.h"

int main(int argc, char** argv)
{
    const char*                      file = sample::file_argument(argc, argv);
    mechane::importer::ImportOptions options;
    options.schema_resolvers = {"newton", "physx"};
    const auto in            = sample::import_file(file, options);
    for (const auto& [resolver, prims] : in.result.schema_attrs)
        for (const auto& [path, attributes] : prims)
            for (const auto& [name, value] : attributes)
                std::printf("%s %s %s = %s\n", resolver.c_str(), path.c_str(), name.c_str(), value.to_text().c_str());
    std::printf("resolver mjc is %s\n", in.result.schema_attrs.count("mjc") == 0 ? "not listed" : "listed");
    return 0;
}

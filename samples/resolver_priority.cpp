// Three solvers author three armatures on one joint. The order of resolvers decides whose counts.
//
//     sample_resolver_priority samples/usd/conflicting_asset.usda
#include <string>
#include <vector>

#include "sample_import.h"

int main(int argc, char** argv)
{
    const char* file = sample::file_argument(argc, argv);
    for (const std::vector<std::string>& order :
         {std::vector<std::string>{"newton", "physx", "mjc"}, std::vector<std::string>{"physx", "newton", "mjc"},
          std::vector<std::string>{"mjc", "newton", "physx"}}) {
        mechane::importer::ImportOptions options;
        options.schema_resolvers = order;
        const auto in            = sample::import_file(file, options);
        const auto joint         = static_cast<std::size_t>(in.result.path_joint_map.at("/robot/shoulder"));
        std::printf("%s first: armature %g\n", order.front().c_str(),
                    in.builder.joints[joint].angular_axes[0].armature);
    }
    return 0;
}

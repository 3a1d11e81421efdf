#include "mechane/usd/scratch_folder.h"

#include <cstdlib>
#include <string>

namespace mechane::usd {

ScratchFolder::ScratchFolder(const std::filesystem::path& beside)
{
    std::string name = (beside / ".mechane-XXXXXX").string();  // mkdtemp writes its letters over the six X
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchFolder::~ScratchFolder()
{
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace mechane::usd

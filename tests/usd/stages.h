#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mechane/usd/stage.h"
#include "support/support.h"

namespace mechane::test {

/// A stage of usda text: `body` are its prims, `head` its metadata.
inline std::shared_ptr<const usd::Stage> usda_stage(const std::string& body, const std::string& head = {})
{
    auto stage = usd::Stage::open_text("#usda 1.0\n(\n" + head + "\n)\n" + body);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

inline std::vector<std::string> texts(const std::vector<usd::Path>& paths)
{
    std::vector<std::string> out;
    for (const usd::Path& path : paths) out.push_back(path.text());
    return out;
}

}  // namespace mechane::test

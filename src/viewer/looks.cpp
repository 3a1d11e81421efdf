// Tells what of a model's looks will not be seen: textures that cannot be read or are drawn smaller, parts of materials
// that are not drawn, and shapes of opacity 0.
// Input: a model. Output: at most one finding for each kind, with a count and the first name, because the cause is
// usually one and the shapes are many. Called by the commands that draw.

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "mechane/viewer/codes.h"
#include "mechane/viewer/html.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {
namespace {

std::string with_names(const std::set<std::string>& files, const char* one, const char* many)
{
    const std::string more = files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "";
    return fmt::format("{}: {}{}", files.size() == 1 ? one : fmt::format("{} {}", files.size(), many), *files.begin(),
                       more);
}

}  // namespace

void report_looks(const model::Model& model, Diagnostics& found)
{
    std::set<std::string>                        unreadable, large;
    std::set<const model::Picture*>              seen;
    std::map<std::string, std::set<std::string>> materials_of;  ///< by what is not drawn of them
    for (const auto& mesh : model.shape_source) {
        const model::Paint* paint = mesh != nullptr ? model::paint_of(mesh) : nullptr;
        if (paint == nullptr) continue;
        for (const std::string& kind : paint->undrawn) materials_of[kind].insert(paint->material);
        if (paint->picture == nullptr || !seen.insert(paint->picture.get()).second) continue;
        const model::Pixels* pixels = paint->picture->pixels();
        if (pixels == nullptr)
            unreadable.insert(paint->picture->file());
        else if (pixels->width > kPagePictureEdge || pixels->height > kPagePictureEdge)
            large.insert(paint->picture->file());
    }
    if (!materials_of.empty()) {
        std::string parts;
        for (const auto& [kind, materials] : materials_of)
            parts += fmt::format("{}{} ({})", parts.empty() ? "" : ", ", kind, materials.size());
        found.add(kNotDrawn, {.prim = *materials_of.begin()->second.begin()},
                  fmt::format("not drawn, with the number of materials: {}", parts));
    }
    if (!unreadable.empty())
        found.add(kTextureUnreadable, {.layer = *unreadable.begin()},
                  with_names(unreadable, "a picture cannot be read", "pictures cannot be read"));
    if (!large.empty())
        found.add(kTextureSmaller, {.layer = *large.begin()},
                  with_names(large, fmt::format("a picture has more than {} pixels along an edge", kPagePictureEdge).c_str(),
                             fmt::format("pictures have more than {} pixels along an edge", kPagePictureEdge).c_str()));

    std::size_t drawn = 0, hidden = 0;
    std::string first;
    for (std::size_t i = 0; i < model.shape_count(); ++i) {
        const std::int32_t flags = model.shape_flags[i];
        if ((flags & model::shape_flag::visible) == 0 || (flags & model::shape_flag::site) != 0) continue;
        ++drawn;
        if (model.shape_opacity[i] > 0) continue;
        if (hidden++ == 0) first = model.shape_label[i];
    }
    // A few invisible shapes are meant; half of all are a mistake, usually a missing opacity that was read as 0.
    if (hidden > 0 && 2 * hidden >= drawn)
        found.add(kOpacityHides, {.prim = first},
                  fmt::format("{} of {} shapes that are drawn have the opacity 0", hidden, drawn));
}

}  // namespace mechane::viewer

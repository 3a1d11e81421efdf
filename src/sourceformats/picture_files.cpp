// PNGs of 16 bits a channel become ones of 8 bits, for preview surfaces; each is an entry of the loss report.
#include "sourceformats/picture_files.h"

#include <fmt/format.h>

#include "mechane/files/read.h"
#include "mechane/usd/picture.h"

namespace mechane::sourceformats {
namespace {

// Signature of PNG, then the chunk IHDR, whose bit depth is byte 24.
bool has_sixteen_bits(std::string_view head)
{ return head.size() > 24 && head.starts_with("\x89PNG\r\n\x1a\n") && static_cast<unsigned char>(head[24]) == 16; }

/// The picture with 8 bits; empty where it cannot be read.
std::string with_eight_bits(std::string_view bytes)
{
    const auto picture = usd::decode_picture(bytes);
    return picture ? usd::encode_png(*picture, picture->alpha) : std::string();
}

}  // namespace

void pictures_of_eight_bits(UsdRobot& robot, LossReport& losses)
{
    const auto tell = [&](const std::string& name, const std::string& file) {
        losses.add({"texture-bits",
                    Severity::info,
                    LossAction::approximated,
                    "material",
                    {.layer = file},
                    fmt::format("texture '{}'", name),
                    "16 bits a channel",
                    "8 bits a channel",
                    "pictures of OpenUSD's preview surfaces have 8 bits"});
    };
    for (auto& [name, bytes] : robot.pictures)
        if (has_sixteen_bits(bytes))
            if (std::string plain = with_eight_bits(bytes); !plain.empty()) bytes = std::move(plain), tell(name, name);
    // A texture that lies as a file is copied as it is; once converted it is a picture from memory instead.
    std::erase_if(robot.textures, [&](const std::pair<std::string, std::string>& texture) {
        const auto& [file, name] = texture;
        // The head of the file tells. Only pictures that must change are read in full.
        const auto head = files::read_head(file, 32);
        if (!head || !has_sixteen_bits(*head)) return false;
        const auto  bytes = files::read_given(file);
        std::string plain = bytes ? with_eight_bits(*bytes) : std::string();
        if (plain.empty()) return false;
        robot.pictures.emplace_back(name, std::move(plain));
        tell(name, file);
        return true;
    });
}

}  // namespace mechane::sourceformats

#pragma once
#include <array>
#include <memory>
#include <string>

#include "mechane/core/diagnostic.h"
#include "mechane/importer/texture.h"
#include "mechane/model/paint.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// The picture that colours a shape, and how it lies on it.
struct TextureLook {
    std::string file;             ///< resolved, or as authored when it was not found
    Site        site;             ///< of the attribute that names it
    bool        missing = false;  ///< there is no such file
    bool        linear  = false;  ///< the file holds linear colours
    bool        tiles   = false;  ///< a path with <UDIM>: several files, which are not drawn
    model::Wrap wrap_s = model::Wrap::repeat, wrap_t = model::Wrap::repeat;
    /// Of linear colours: red, green, blue, alpha.
    std::array<double, 4> scale{1, 1, 1, 1}, bias{0, 0, 0, 0};
    std::string           primvar;  ///< of the texture coordinates, without "primvars:"; empty: not said
    /// Of texture coordinates: (u, v) to (m[0] u + m[1] v + m[2], m[3] u + m[4] v + m[5]).
    std::array<double, 6> transform{1, 0, 0, 0, 1, 0};
    /// For display, read when somebody asks: linear colours are encoded by the sRGB curve. Null without a file.
    std::shared_ptr<const model::Picture> picture;
};

/// What a UsdUVTexture shows. The colour space is that of `usd::texture_color_space`.
TextureLook look_of_texture(const usd::Prim& shader, Diagnostics& found);

/// What an asset-valued input shows that is no UsdUVTexture's, such as `diffuse_texture` of an MDL material.
TextureLook look_of_input(const usd::Attribute& input, Diagnostics& found);

/// The same for who only asks which file it is: of linear colours the pixels, read now (IMPORT_TEXTURE_LINEAR).
Texture plain_texture(const TextureLook& look, Diagnostics& found);

}  // namespace mechane::importer

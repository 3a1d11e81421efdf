// PLY: a text header that lists elements with their properties, then the rows of these as text or as numbers in either
// byte order. Vertices and faces are read, everything else is passed over.
//
// Normals, colours and texture coordinates of vertices are not read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "sourceformats/meshes/mesh_file.h"

namespace mechane::sourceformats {
namespace {

enum class Encoding { text, little, big };

struct PlyProperty {
    // The index of the type's row below; also that of its size.
    std::string name;
    int         type = 0, count_type = -1;  ///< count_type >= 0: a list
};
struct PlyElement {
    std::string              name;
    std::size_t              count = 0;
    std::vector<PlyProperty> properties;
};

constexpr std::string_view kNumberTypes[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                {"float", "float32"}, {"double", "float64"}};
constexpr std::size_t      kSizes[]          = {1, 1, 2, 2, 4, 4, 4, 8};

int type_of(std::string_view word)
{
    for (std::size_t i = 0; i < std::size(kNumberTypes); ++i)
        if (word == kNumberTypes[i][0] || word == kNumberTypes[i][1]) return static_cast<int>(i);
    return -1;
}

/// Takes numbers from the body, one after the other.
class Body {
  public:
    Body(std::string_view bytes, Encoding encoding) : left_(bytes), encoding_(encoding) {}

    /// The next number of the body; nothing where the body ends or has none. Bytes are put into the machine's order.
    std::optional<double> take(int type)
    {
        if (encoding_ == Encoding::text) {
            left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n"), left_.size()));
            const std::size_t end  = std::min(left_.find_first_of(" \t\r\n"), left_.size());
            std::string_view  word = left_.substr(0, end);
            if (word.starts_with('+')) word.remove_prefix(1);
            double v = 0;
            if (std::from_chars(word.data(), word.data() + word.size(), v).ec != std::errc()) return std::nullopt;
            left_.remove_prefix(end);
            return v;
        }
        const std::size_t size = kSizes[type];
        if (left_.size() < size) return std::nullopt;
        char bytes[8] = {};
        for (std::size_t i = 0; i < size; ++i) bytes[i] = left_[encoding_ == Encoding::big ? size - 1 - i : i];
        left_.remove_prefix(size);
        // read_as() wants as many bytes as its type; the buffer has eight for any of them.
        const std::string_view b(bytes, 8);
        switch (type) {
            case 0:
                return read_as<std::int8_t>(b, 0);
            case 1:
                return read_as<std::uint8_t>(b, 0);
            case 2:
                return read_as<std::int16_t>(b, 0);
            case 3:
                return read_as<std::uint16_t>(b, 0);
            case 4:
                return read_as<std::int32_t>(b, 0);
            case 5:
                return read_as<std::uint32_t>(b, 0);
            case 6:
                return static_cast<double>(read_as<float>(b, 0));
            default:
                return read_as<double>(b, 0);
        }
    }

    [[nodiscard]] std::size_t left() const { return left_.size(); }

  private:
    std::string_view left_;
    Encoding         encoding_;
};

std::vector<std::string> words(std::string_view line)
{
    std::vector<std::string> out;
    while (!line.empty()) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        if (end > 0) out.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return out;
}

}  // namespace

std::string parse_ply(std::string_view bytes, MeshData& data)
{
    if (!bytes.starts_with("ply")) return "the file does not begin with 'ply'";
    Encoding                encoding = Encoding::text;
    std::vector<PlyElement> elements;
    bool                    ended = false;
    // The header is text in all encodings, up to the line end_header.
    while (!bytes.empty() && !ended) {
        const std::size_t end  = std::min(bytes.find('\n'), bytes.size());
        const auto        line = words(bytes.substr(0, end));
        bytes.remove_prefix(std::min(bytes.size(), end + 1));
        if (line.empty()) continue;
        ended = line[0] == "end_header";
        // Whatever is neither text nor big-endian is read as little-endian.
        if (line[0] == "format" && line.size() > 1)
            encoding = line[1] == "ascii"               ? Encoding::text
                       : line[1] == "binary_big_endian" ? Encoding::big
                                                        : Encoding::little;
        if (line[0] == "element" && line.size() > 2) {
            PlyElement& e = elements.emplace_back();
            e.name        = line[1];
            if (std::from_chars(line[2].data(), line[2].data() + line[2].size(), e.count).ec != std::errc())
                return "a count is not a number";
        }
        if (line[0] == "property" && line.size() > 2 && !elements.empty()) {
            PlyProperty p{line.back(), type_of(line[1] == "list" && line.size() > 3 ? line[3] : line[1]),
                          line[1] == "list" ? type_of(line[2]) : -1};
            if (p.type < 0 || (line[1] == "list" && p.count_type < 0))
                return fmt::format("'{}' is not a type", line[1]);
            elements.back().properties.push_back(std::move(p));
        }
    }
    if (!ended) return "the header has no end";
    Body body(bytes, encoding);
    for (const PlyElement& e : elements) {
        // Each row has one byte at least, so a forged count is found before memory is taken for it.
        if (e.count > body.left()) return fmt::format("the file is shorter than {} {} ask for", e.count, e.name);
        for (std::size_t i = 0; i < e.count; ++i) {
            Vec3d point;
            for (const PlyProperty& p : e.properties) {
                // A property that is no list is one number in each row.
                if (p.count_type < 0) {
                    const auto v = body.take(p.type);
                    if (!v) return "the file ends too early";
                    if (p.name == "x") point.x = *v;
                    if (p.name == "y") point.y = *v;
                    if (p.name == "z") point.z = *v;
                    continue;
                }
                const auto count = body.take(p.count_type);
                if (!count || *count < 0 || *count > static_cast<double>(body.left()))
                    return "a list is longer than the file";
                const bool face = e.name == "face" && (p.name == "vertex_indices" || p.name == "vertex_index");
                for (int c = 0; c < static_cast<int>(*count); ++c) {
                    const auto v = body.take(p.type);
                    if (!v) return "the file ends too early";
                    if (face) data.corners.push_back(*v >= 0 && *v < 2147483647.0 ? static_cast<int>(*v) : -1);
                }
                if (face) data.counts.push_back(static_cast<int>(*count));
            }
            if (e.name == "vertex") data.points.push_back(point);
        }
    }
    return {};
}

}  // namespace mechane::sourceformats

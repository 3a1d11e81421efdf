#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// A stretch of a text.
struct TextSpan {
    std::size_t begin = 0, end = 0;
};

/// `key = value (metadata)`: a property, or an entry of metadata.
struct TextStatement {
    std::string key;    ///< "xformOp:translate", "apiSchemas"; empty for the comment of a spec
    std::string part;   ///< "timeSamples", "connect", "spline"; empty for the value itself
    TextSpan    whole;  ///< from its first word to its end, metadata included
    TextSpan    value;  ///< empty where there is none
};

/// A prim, a variant, or (the first of all) the layer.
struct TextSpec {
    std::string                path;          ///< "/a{set=name}b"; "/" for the layer
    TextSpan                   whole;         ///< from `def` to the closing brace
    TextSpan                   head;          ///< `def Type `, up to the name
    std::size_t                name_end = 0;  ///< behind the name; of the layer behind its first line
    std::optional<TextSpan>    block;         ///< of the metadata, brackets included
    std::vector<TextStatement> metadata;
    TextSpan                   body;  ///< between the braces; of the layer the whole text
    std::vector<TextStatement> properties;
    bool                       opaque = false;  ///< holds something that is not understood
};

/// Where the specs of usda text stand, and what they say. Of text that is not well formed some are missing or wrong:
/// who changes a text by its spans reads the result again.
class TextSpans {
  public:
    explicit TextSpans(std::string_view text);

    [[nodiscard]] const TextSpec* find(const std::string& path) const;

  private:
    friend class SpanReader;
    std::map<std::string, TextSpec> specs_;
};

}  // namespace mechane::usd

#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::difference {

/// One value of a look. Numbers are compared by their tolerance, all else by its text.
struct LookValue {
    std::vector<double> numbers{};
    std::string         text{};   ///< what is compared where there are no numbers
    std::string         shown{};  ///< what is printed instead of `text`
    Site                site{};
};

/// A material as values by name: "diffuseColor", "diffuseColor.file", "shader".
struct Look {
    std::string                      name;  ///< of the material; empty for display colours
    Site                             site;
    std::map<std::string, LookValue> values;
    std::set<std::string>            primvars;  ///< that lay pictures on a surface, without "primvars:"
};

/// Reads looks of one stage; materials and pictures are read once.
class LookReader {
  public:
    explicit LookReader(const usd::Stage& stage) : stage_(stage) {}
    /// The material that is bound for rendering, else display colour and opacity, else what everything starts as.
    const Look& of(const usd::Prim& prim);
    /// The values of an attribute at the start, or in seconds at every sample: equal animations have equal values.
    LookValue value(const usd::Attribute& attribute, double scale = 1);

  private:
    const usd::Stage&                  stage_;
    std::map<std::string, Look>        looks_;
    std::map<std::string, std::string> digests_;  ///< of files

    Look        material(const usd::Prim& prim);
    Look        display(const usd::Prim& prim);
    void        node(Look& look, const usd::Prim& shader, const std::string& prefix, std::vector<std::string>& above);
    void        input(Look& look, const usd::Prim& shader, const std::string& name, const std::string& prefix,
                      std::vector<std::string>& above);
    LookValue   file(const usd::Attribute& attribute, const usd::AssetPath& path);
    std::string digest(const std::string& file);
};

/// What an input of a shader is that nobody authors; nothing where its schema is not known here.
const LookValue* shader_fallback(const std::string& shader, const std::string& input);

/// "(0.8, 0.1, 0.1)", or how many there are of more than four.
std::string text_of(const LookValue& value);

}  // namespace mechane::difference

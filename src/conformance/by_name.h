#pragma once
#include <string_view>
#include <unordered_map>

#include "mechane/usd/path.h"

namespace mechane::conformance {

/// Answers to a question about names. Schemas and properties recur on prim after prim; each name is asked about once.
template <class Answer>
class ByName {
  public:
    explicit ByName(Answer (*ask)(std::string_view)) : ask_(ask) {}
    const Answer& operator()(const usd::Token& name)
    {
        const auto [known, fresh] = answers_.try_emplace(name);
        if (fresh) known->second = ask_(name.text());
        return known->second;
    }

  private:
    Answer (*ask_)(std::string_view);
    std::unordered_map<usd::Token, Answer> answers_;
};

}  // namespace mechane::conformance

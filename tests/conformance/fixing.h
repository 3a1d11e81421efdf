#pragma once
#include <fstream>
#include <map>
#include <sstream>

#include "mechane/conformance/fix.h"
#include "mechane/usd/layer.h"
#include "support/support.h"

namespace mechane::conformance {

/// An asset in a folder, its repaired copy, and that one's stage.
struct Fixed {
    test::TemporaryFolder             source, work;
    std::string                       entry;
    FixResult                         result;
    std::shared_ptr<const usd::Stage> before, after;

    explicit Fixed(const std::string& text, FixOptions options = {})
    {
        entry = source.write("robot.usda", fixture_stage(text));
        run(options);
    }
    explicit Fixed(const std::map<std::string, std::string>& files, FixOptions options = {})
    {
        for (const auto& [name, text] : files) {
            const bool        binary = text.starts_with("#binary\n");
            const std::string stage  = fixture_stage(binary ? text.substr(8) : text);
            const std::string file   = source.write(name, stage);
            if (name.ends_with("robot.usda")) entry = file;
            if (!binary) continue;
            const auto layer = usd::Layer::from_text(stage);
            REQUIRE(layer);
            REQUIRE(layer->save(file, {.format = usd::SaveOptions::Format::binary}));
        }
        run(options);
    }
    [[nodiscard]] std::string file(const std::string& name) const
    {
        std::ifstream     in(std::filesystem::path(result.folder) / name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    /// The repaired asset, repaired once more.
    [[nodiscard]] FixResult again(const FixOptions& options) const
    {
        const test::TemporaryFolder second;
        auto                        done = fix(result.folder + "/" + result.entry, second.path().string(), options);
        REQUIRE(done);
        return std::move(*done);
    }
    [[nodiscard]] bool found(std::string_view id) const
    {
        for (const Finding& f : result.after.findings)
            if (f.rule->id == id) return true;
        return false;
    }
    [[nodiscard]] const Unrepaired* left(std::string_view id, std::string_view reason) const
    {
        for (const Unrepaired& u : result.left)
            if (u.rule->id == id && u.reason == reason) return &u;
        return nullptr;
    }
    template <class T>
    T value(const char* path) const
    {
        const usd::Path p(path);
        const auto      v = after->prim_at(p.prim()).attribute(p.name()).get<T>();
        REQUIRE_MESSAGE(v, path);
        return *v;
    }

  private:
    void run(const FixOptions& options)
    {
        auto done = fix(entry, work.path().string(), options);
        REQUIRE_MESSAGE(done, (done ? "" : done.error().message));
        result   = std::move(*done);
        auto was = usd::Stage::open(entry);
        auto is  = usd::Stage::open(result.folder + "/" + result.entry);
        REQUIRE(was);
        REQUIRE(is);
        before = *was;
        after  = *is;
    }
};

inline double largest_difference(const usd::Matrix4d& a, const usd::Matrix4d& b)
{
    double off = 0;
    for (std::size_t i = 0; i < 16; ++i) off = std::max(off, std::abs(a.m[i] - b.m[i]));
    return off;
}

}  // namespace mechane::conformance

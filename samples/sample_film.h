#pragma once
// What a sample writes where `-o FILE` asks for it: a .png of the last frame, an .html that plays them all.
#include <string>
#include <string_view>

#include "mechane/simulation/frame.h"
#include "mechane/viewer/html.h"
#include "mechane/viewer/render.h"
#include "sample.h"

namespace sample {

class Film {
  public:
    Film(const mechane::model::Model& model, int argc, char** argv) : model_(model)
    {
        if (argc == 3 && std::string_view(argv[1]) == "-o") file_ = argv[2];
        if (argc == 1 || !file_.empty()) return;
        std::fprintf(stderr, "usage: %s [-o FILE.png|FILE.html]\n", argv[0]);
        std::exit(2);
    }
    void add(const mechane::model::State& state, const mechane::model::Contacts& contacts)
    {
        if (!file_.empty()) recording_.frames.push_back(mechane::run::make_frame(model_, state, contacts));
    }
    void write(const mechane::viewer::RenderOptions& options = {}) { write(recording_, options); }
    /// The same of a recording that was made elsewhere.
    void write(const mechane::record::Recording& recording, const mechane::viewer::RenderOptions& options = {})
    {
        if (file_.empty()) return;
        const auto written =
            file_.ends_with(".html")
                ? mechane::viewer::write_html(model_, recording, file_)
                : mechane::viewer::render_png(model_, recording, recording.frames.size() - 1, options, file_);
        if (!written) leave(written.error());
        std::printf("wrote %s\n", file_.c_str());
    }

  private:
    const mechane::model::Model& model_;
    mechane::record::Recording   recording_;
    std::string                  file_;
};

}  // namespace sample

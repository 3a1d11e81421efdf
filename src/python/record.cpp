// Recordings for Python: reading, writing, the run loop that makes them, and columns of all frames as arrays.
// Arrays are [frames, rows, width] copies in the order of the frames; times are seconds of simulation, energies joules.
// `simulate` is run::simulate, the loop of `mechane sim`.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "mechane/core/hash.h"
#include "mechane/files/inputs.h"
#include "mechane/record/write.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/simulate.h"
#include "mechane/simulation/verify.h"
#include "mechane/viewer/html.h"
#include "mechane/viewer/render.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/indices.h"
#include "python/module.h"
#include "python/values.h"

namespace mechane::python {

namespace {

using model::Model;
using record::Frame;
using record::Recording;

/// Rows of every frame as one array, [frames, rows, width].
/// All frames of a recording have the same number of rows, that of their model.
template <class T>
nb::object stacked(const Recording& recording, std::vector<T> Frame::* column, std::size_t width)
{
    std::vector<Real> numbers;
    std::size_t       rows = 0;
    for (const Frame& frame : recording.frames) {
        const std::vector<T>& values = frame.*column;
        rows                         = values.size();
        const auto* first            = reinterpret_cast<const Real*>(values.data());
        numbers.insert(numbers.end(), first, first + values.size() * width);
    }
    return width == 1 ? owned(std::move(numbers), {recording.frames.size(), rows})
                      : owned(std::move(numbers), {recording.frames.size(), rows, width});
}

nb::object times(const Recording& recording)
{
    std::vector<double> t;
    for (const Frame& frame : recording.frames) t.push_back(frame.t);
    const std::size_t n = t.size();
    return owned(std::move(t), {n});
}

nb::object energies(const Recording& recording)
{
    std::vector<double> out;
    for (const Frame& frame : recording.frames) out.insert(out.end(), {frame.kinetic, frame.potential});
    return owned(std::move(out), {recording.frames.size(), std::size_t{2}});
}

nb::list contacts(const Recording& recording, std::size_t frame)
{
    nb::list out;
    if (frame >= recording.frames.size()) throw nb::index_error("there is no such frame");
    for (const record::ContactSample& c : recording.frames[frame].contacts)
        out.append(nb::make_tuple(
            c.shape0, c.shape1, static_cast<double>(c.distance), nb::make_tuple(c.point.x, c.point.y, c.point.z),
            nb::make_tuple(c.normal.x, c.normal.y, c.normal.z), nb::make_tuple(c.force.x, c.force.y, c.force.z)));
    return out;
}

run::SimulateOptions options_from(const nb::dict& from)
{
    run::SimulateOptions options;
    options.solver    = nb::cast<std::string>(from["solver"]);
    options.dt        = nb::cast<double>(from["dt"]);
    options.dt_source = nb::cast<std::string>(from["dt_source"]);
    options.frames    = nb::cast<std::int64_t>(from["frames"]);
    options.every     = nb::cast<std::int64_t>(from["every"]);
    options.substeps  = nb::cast<int>(from["substeps"]);
    options.threads   = nb::cast<int>(from["threads"]);
    options.sleeping  = nb::cast<bool>(from["sleeping"]);
    options.set       = nb::cast<std::vector<std::string>>(from["set"]);
    options.control   = nb::cast<std::string>(from["control"]);
    return options;
}

/// Runs the loop; `file` receives every step when it is named. Ctrl-C is looked at between the steps.
nb::tuple simulate(const std::shared_ptr<Model>& model, const nb::dict& from, const std::string& source,
                   const std::optional<std::string>& file)
{
    run::SimulateOptions                   options = options_from(from);
    std::optional<record::RecordingWriter> writer;
    // Steps go to the file as they are made, so that an interrupted or diverged run leaves a readable recording up to
    // there.
    if (file) {
        record::RecordingHeader header = run::recording_header(*model, options);
        header.program                 = std::string("mechane ") + MECHANE_VERSION;
        header.source                  = source;
        writer                         = unwrap(record::RecordingWriter::create(*file, header));
        options.on_step                = [&writer](std::int64_t step, std::uint64_t hash) { writer->step(step, hash); };
        options.on_frame               = [&writer](const Frame& frame) { writer->frame(frame); };
    }
    bool interrupted = false;
    // The loop runs without the interpreter's lock. A pending Ctrl-C is seen only by asking, and asking needs the lock;
    // the loop calls this at its own intervals. False ends the run.
    options.progress = [&interrupted](std::int64_t, std::int64_t) {
        const nb::gil_scoped_acquire locked;
        interrupted = PyErr_CheckSignals() != 0;
        return !interrupted;
    };
    Diagnostics                                found;
    std::optional<Result<run::SimulateResult>> done;
    {
        const nb::gil_scoped_release released;
        done = run::simulate(*model, options, found);
    }
    // PyErr_CheckSignals has set KeyboardInterrupt: python_error takes that over. A fault while the file is ended would
    // hide it, and is therefore left aside.
    if (interrupted) {  // what was recorded is kept
        if (writer) (void)writer->finish();
        throw nb::python_error();
    }
    run::SimulateResult result = unwrap(std::move(*done));
    if (writer) unwrap(writer->finish());
    result.recording.source = source;
    return nb::make_tuple(std::make_shared<Recording>(std::move(result.recording)), result.diverged, to_python(found));
}

/// What writes or draws a recording goes through the model's arrays by those of the frames.
void check_model(const Recording& recording, const Model& model)
{
    check_indices(model);
    for (const Frame& frame : recording.frames)
        if (frame.body_q.size() != model.body_count() || frame.joint_q.size() != model.joint_coord_count())
            throw nb::value_error("model: not the one that was recorded");
}

record::WriteOptions write_options(const Model& model)
{
    record::WriteOptions options;
    options.json.reproducible = true;
    options.usd.up_axis       = "XYZ"[model.up_axis];
    return options;
}

}  // namespace

void bind_record(nb::module_& m)
{
    nb::class_<Recording>(m, "Recording")
        .def_ro("source", &Recording::source)
        .def_ro("solver", &Recording::solver)
        .def_ro("dt", &Recording::dt)
        .def_ro("steps", &Recording::steps)
        .def_prop_ro("hash", [](const Recording& r) { return to_hex(r.hash); })
        .def_prop_ro("frame_count", [](const Recording& r) { return r.frames.size(); })
        .def("t", &times)
        .def("energy", &energies)
        .def("contacts", &contacts)
        .def("body_q", [](const Recording& r) { return stacked(r, &Frame::body_q, 7); })
        .def("body_qd", [](const Recording& r) { return stacked(r, &Frame::body_qd, 6); })
        .def("joint_q", [](const Recording& r) { return stacked(r, &Frame::joint_q, 1); })
        .def("joint_qd", [](const Recording& r) { return stacked(r, &Frame::joint_qd, 1); })
        .def("to_json",
             [](const Recording& r, const Model& model) {
                 check_model(r, model);
                 return record::to_json(model, r, {.reproducible = true, .contact_points = false});
             })
        .def("to_csv",
             [](const Recording& r, const Model& model) { return check_model(r, model), record::to_csv(model, r); })
        .def("to_html",
             [](const Recording& r, const Model& model, const std::string& title) {
                 check_model(r, model);
                 const nb::gil_scoped_release released;
                 return viewer::to_html(model, r, {.title = title});
             })
        .def("write",
             [](const Recording& r, const Model& model, const std::string& file,
                const std::vector<std::string>& inputs) {
                 check_model(r, model);
                 Diagnostics            found;
                 const files::ReadWatch watch;
                 for (const std::string& input : inputs) files::note_read(input);
                 unwrap(record::write(model, r, file, write_options(model), found));
                 return to_python(found);
             })
        .def(
            "render",
            [](const Recording& r, const Model& model, std::size_t frame, int width, int height,
               std::optional<Numbers3> eye, std::optional<Numbers3> target, bool colliders, bool contacts_too) {
                viewer::RenderOptions options;
                options.width     = width;
                options.height    = height;
                options.colliders = colliders;
                options.contacts  = contacts_too;
                if (eye) options.eye = vec3(*eye);
                if (target) options.target = vec3(*target);
                if (width < 1 || height < 1 || width > 16384 || height > 16384)
                    throw nb::value_error("size: a picture has 1 to 16384 pixels along each side");
                if (frame >= r.frames.size()) throw nb::index_error("there is no such frame");
                check_model(r, model);
                viewer::Image image;
                {
                    const nb::gil_scoped_release released;
                    image = viewer::render(model, r, frame, options);
                }
                return owned(std::move(image.pixels), {static_cast<std::size_t>(image.height),
                                                       static_cast<std::size_t>(image.width), std::size_t{3}});
            },
            nb::arg("model"), nb::arg("frame"), nb::arg("width"), nb::arg("height"), nb::arg("eye").none(),
            nb::arg("target").none(), nb::arg("colliders"), nb::arg("contacts"));

    nb::class_<record::RecordingFile>(m, "RecordingFile")
        .def_prop_ro("recording",
                     [](const record::RecordingFile& f) { return std::make_shared<Recording>(f.recording); })
        .def_prop_ro("program", [](const record::RecordingFile& f) { return f.header.program; })
        .def_prop_ro("source", [](const record::RecordingFile& f) { return f.header.source; })
        .def_prop_ro("solver", [](const record::RecordingFile& f) { return f.header.solver; })
        .def_ro("complete", &record::RecordingFile::complete)
        .def_prop_ro(
            "damage",
            [](const record::RecordingFile& f) { return f.damage ? nb::object(to_python(*f.damage)) : nb::none(); })
        .def("verify", [](const record::RecordingFile& f, const Model& model) {
            Diagnostics       found;
            run::Verification done;
            {
                const nb::gil_scoped_release released;
                done = unwrap(run::verify(model, f, {}, found));
            }
            return nb::make_tuple(done.equal, done.steps, done.first_difference, to_python(found));
        });

    m.def("read_recording", [](const std::string& file) {
        return std::make_shared<record::RecordingFile>(unwrap(record::read_recording(file)));
    });
    m.def("simulate", &simulate, nb::arg("model"), nb::arg("options"), nb::arg("source"), nb::arg("file").none());
    m.def("lowest_collider", [](const Model& model) { return run::lowest_collider(model); });
    m.def("joined", [](const std::vector<std::shared_ptr<Recording>>& parts) {
        auto out = std::make_shared<Recording>();
        for (const auto& part : parts) out->frames.insert(out->frames.end(), part->frames.begin(), part->frames.end());
        return out;
    });
    // One frame of a state, to be drawn.
    m.def("snapshot", [](const model::State& state) {
        auto  recording = std::make_shared<Recording>();
        Frame frame;
        frame.t        = state.time;
        frame.body_q   = state.body_q;
        frame.body_qd  = state.body_qd;
        frame.joint_q  = state.joint_q;
        frame.joint_qd = state.joint_qd;
        recording->frames.push_back(std::move(frame));
        return recording;
    });
}

}  // namespace mechane::python

"""Recordings, runs, pictures, pages."""
import html.parser
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import BALL, falling_ball, pendulum

SAMPLE = str(pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "quadruped" / "quadruped.usda")


def test_a_run_equals_the_commands(tmp_path):
    """The same hash as `mechane sim` writes into its trajectory (PYA-083)"""
    out = tmp_path / "run.json"
    done = subprocess.run([sys.executable, "-m", "mechane", "sim", SAMPLE, "--duration", "1", "-o", str(out)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    run = mc.simulate(SAMPLE, duration=1)
    assert run.recording.hash in done.stderr + done.stdout + out.read_text() and run.recording.steps == 60 and not run.diverged
    assert len(run.recording) == 61 and run.recording.body_q.shape == (61, run.model.body_count, 7)
    assert mc.simulate(SAMPLE, duration=1).recording.hash == run.recording.hash


def test_a_recording_is_verified_bit_by_bit(tmp_path):
    """True for an untouched one, False after one flipped bit of a hash (PYA-082)"""
    file = tmp_path / "run.mrec"
    run = mc.simulate(SAMPLE, frames=20, out=file)
    recording = mc.record.open(file)
    assert recording.complete and recording.verify(run.model) is True and recording.hash == run.recording.hash
    data = bytearray(file.read_bytes())
    verdicts = []
    for at in range(len(data) // 2, len(data) // 2 + 40, 8):
        broken = bytearray(data)
        broken[at] ^= 1
        (tmp_path / "broken.mrec").write_bytes(broken)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdicts.append(mc.record.open(tmp_path / "broken.mrec").verify(run.model))
    assert verdicts == [False] * 5
    with pytest.raises(mc.MechaneError):
        recording.verify(pendulum().finalize())
    with pytest.raises(FileNotFoundError):
        mc.record.open(tmp_path / "none")


def test_a_falling_ball_in_numbers():
    """Free fall for 0.25 s from 2 m: 9.81 / 2 * 0.25^2 = 0.3066 m, within the integrator's 1 % of it"""
    run = mc.simulate(BALL.encode(), duration=0.25, dt=1 / 240)
    z = run.recording.body_q[:, 0, 2]
    assert abs((z[0] - z[-1]) - 0.30656) < 0.003 and run.recording.t[-1] == pytest.approx(0.25) and run.recording[-1].joint_q.shape == (7,)
    assert mc.record.compare(run.recording, run.recording)["body_q"] == 0
    assert json.loads(run.recording.to_json())["schema"] == "mechane.trajectory/1" and run.recording.to_csv().count("\n") == 62


def test_a_recorder_keeps_a_loop_of_ones_own():
    m = falling_ball().finalize()
    state, solver = m.state(), mc.solvers.SolverSoftStep(m)
    with mc.record.Recorder(m) as recorder:
        for _ in range(3):
            recorder.add(state)
            solver.step(state, state, None, m.collide(state), 1 / 60)
    assert recorder.recording.body_q.shape == (3, 1, 7) and "<html" in recorder.recording.to_html().lower()


def test_a_loop_for_newtons_viewers_runs(tmp_path):
    m = falling_ball().finalize()
    for viewer in (mc.viewer.ViewerNull(num_frames=3), mc.viewer.ViewerFile(tmp_path / "a.csv", num_frames=3)):
        viewer.set_model(m)
        state, t = m.state(), 0.0
        while viewer.is_running():
            viewer.begin_frame(t)
            viewer.log_state(state)
            viewer.end_frame()
            t += 1 / 60
        viewer.close()
        assert viewer.frame_count == 3
    assert (tmp_path / "a.csv").read_text().count("\n") == 4


def test_the_viewer_is_for_this_machine_only():
    """It listens on the loopback address and closes with its object (PYA-084)"""
    viewer = mc.view(falling_ball().finalize(), open=False)
    assert viewer.address == "127.0.0.1"
    url = viewer.url
    with urllib.request.urlopen(url, timeout=60) as answer:
        assert b"<html" in answer.read().lower()
    assert "<iframe" in viewer._repr_html_()
    for wrong, headers in ((url.split("?")[0], {}), (url + "0", {}), (url, {"Host": "evil.example"}), (url, {"Origin": "http://evil.example"})):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(wrong, headers=headers), timeout=60)
        assert refused.value.code == 403
    del viewer
    with pytest.raises(OSError):
        urllib.request.urlopen(url, timeout=2)


def test_a_file_is_simulated_live(tmp_path):
    """`view(path)` is `mechane view` in a process of its own, which ends with its object"""
    robot = tmp_path / "ball.usda"
    robot.write_text('#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\ndef Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n}\n')
    with mc.view(robot, open=False, options=["--paused"]) as viewer:
        assert viewer.address == "127.0.0.1" and viewer.is_running()
        with urllib.request.urlopen(viewer.url, timeout=60) as answer:
            assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
        url = viewer.url
    assert not viewer.is_running() and "closed" in repr(viewer)
    with pytest.raises(OSError):
        urllib.request.urlopen(url, timeout=2)
    with pytest.raises(FileNotFoundError):
        mc.view(tmp_path / "gone.usda", open=False)


class Tags(html.parser.HTMLParser):
    """Every tag that opens is closed, in order."""

    VOID = {"img", "br", "meta", "link", "input", "hr"}

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in self.VOID or self.open.pop() == tag


def test_notebooks_get_small_well_formed_html():
    """Also of objects that hold nothing (PYA-054)"""
    nothing, ball = mc.ModelBuilder().finalize(), falling_ball().finalize()
    run = mc.simulate(ball, frames=3)
    b = mc.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = b.add_usd(BALL.encode())
    for thing in (nothing, ball, result, result.diagnostics, mc.Diagnostics(), mc.conformance.check(SAMPLE), mc.conformance.check(BALL.encode()),
                  mc.Mesh.create_sphere(1.0), run.recording, mc.record.Recorder(nothing).recording):
        text = thing._repr_html_()
        parser = Tags()
        parser.feed(text)
        assert not parser.open and 0 < len(text) < 2_000_000, type(thing)


def test_a_picture_shows_what_is_there():
    picture = mc.render(falling_ball().finalize(), camera=((2, 2, 1), (0, 0, 0.5)), size=(64, 48))
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8 and len(np.unique(picture.reshape(-1, 3), axis=0)) > 20


def test_commands_as_objects(tmp_path):
    other = tmp_path / "other.usda"
    (tmp_path / "ball.usda").write_text(BALL)
    other.write_text(BALL.replace("double radius = 0.1", "double radius = 0.2"))
    assert mc.info(SAMPLE)["schema"].startswith("mechane.info/") and mc.dump("stage", SAMPLE)["schema"].startswith("mechane.dump.stage/")
    assert any("radius" in path for path, _, _ in mc.diff(tmp_path / "ball.usda", other)) and mc.diff(other, other) == []
    with pytest.raises(FileNotFoundError):
        mc.info(tmp_path / "none.usda")


def test_a_loop_is_shown_live_and_obeys_its_page():
    """`ViewerWeb`: a page pauses, steps, pulls and moves targets; at the end what was logged is played"""
    sys.path.insert(0, os.environ["MECHANE_SOURCE_DIR"])
    try:
        from tests.cli.websocket import WebSocket
    finally:
        sys.path.pop(0)
    m = pendulum().finalize()
    viewer = mc.viewer.ViewerWeb(num_frames=None, open=False)
    assert viewer.url is None and viewer._repr_html_() is None
    viewer.set_model(m)
    assert "<iframe" in viewer._repr_html_()
    port, token = viewer._live.port, viewer.url.split("token=")[1]
    for wrong in (dict(target="/socket?token=0", origin=f"http://127.0.0.1:{port}"), dict(target=f"/socket?token={token}", origin="http://evil.example")):
        with pytest.raises(Exception, match="403"):
            WebSocket(port, **wrong)
    page = WebSocket(port, f"/socket?token={token}", origin=f"http://127.0.0.1:{port}")
    state, solver, t, steps = m.state(), mc.solvers.SolverSoftStep(m), 0.0, 0

    def frame():
        nonlocal t, steps
        viewer.begin_frame(t)
        contacts = m.collide(state)
        if not viewer.is_paused():
            state.clear_forces()
            viewer.apply_forces(state)
            solver.step(state, state, None, contacts, 1 / 60)
            t, steps = t + 1 / 60, steps + 1
        viewer.log_state(state)
        viewer.log_contacts(contacts, state)
        viewer.end_frame()

    def until(true, most=600):
        for _ in range(most):
            if true():
                return
            frame()
        raise AssertionError("it never became true")

    until(lambda: steps >= 3)
    shown = page.receive()
    assert isinstance(shown, bytes) and shown[:4] == b"MLM3"
    page.say(do="pause")
    until(lambda: viewer.is_paused())
    stopped = steps
    for _ in range(3):
        frame()
    assert steps == stopped
    page.say(do="step")
    until(lambda: steps > stopped)
    frame()
    assert steps == stopped + 1 and viewer.is_paused()
    page.say(do="target", dof=0, value=0.5)
    page.say(do="grab", body=0, point=[0, 0, 0], target=[9, 9, 9])
    until(lambda: viewer._targets and viewer._live.pull(state._core, 1 / 60) is not None)
    control = m.control()
    viewer.apply_targets(control)
    assert control.joint_target_q[0] == 0.5
    state.clear_forces()
    viewer.apply_forces(state)
    assert np.any(np.asarray(state.body_f) != 0)
    page.socket.close()
    until(lambda: not viewer.is_paused())  # nobody could let it go on
    viewer.close()
    assert not viewer.is_running() and viewer.page.url.startswith("http://127.0.0.1:")
    viewer.page.close()


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_a_loop_ends_when_its_viewer_is_closed(logs, apart):
    """From the loop itself or from another thread, with and without a frame, with a port that the page at the end takes over; a second close does nothing"""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    m = falling_ball().finalize()
    viewer = mc.viewer.ViewerWeb(port, num_frames=None, open=False)
    viewer.set_model(m)
    closer, frames = threading.Thread(target=viewer.close), 0
    while viewer.is_running() and frames < 100_000:
        viewer.begin_frame(frames / 60)
        if logs:
            viewer.log_state(m.state())
        if frames == 3:
            closer.start() if apart else viewer.close()
        viewer.apply_forces(m.state())
        viewer.apply_targets(m.control())
        viewer.end_frame()
        frames += 1
    assert not viewer.is_running() and frames < 100_000
    if apart:
        closer.join()
    page = viewer.page
    viewer.close()
    assert viewer.page is page and viewer.url is None
    assert (page.port if logs else page) == (port if logs else None)
    if logs:
        page.close()
        page.close()
        assert repr(page) == "<Viewer closed>"


def test_a_loop_ends_though_what_it_logged_cannot_be_kept(tmp_path):
    """The file is tried again by the next close"""
    m = falling_ball().finalize()
    (tmp_path / "later").mkdir()
    viewer = mc.viewer.ViewerFile(tmp_path / "later" / "run.json")
    viewer.set_model(m)
    viewer.log_state(m.state())
    (tmp_path / "later").rmdir()
    with pytest.raises((OSError, mc.MechaneError)):
        viewer.close()
    assert not viewer.is_running()
    (tmp_path / "later").mkdir()
    viewer.close()
    viewer.close()
    assert len(json.loads((tmp_path / "later" / "run.json").read_text())["frames"]) == 1


@pytest.mark.parametrize("shown", ["m", repr(SAMPLE)])
def test_programs_end_with_pages_open(shown, tmp_path):
    """Pages and live simulations that nobody closed stop with the interpreter, though it ends threads before it ends objects"""
    (tmp_path / "program.py").write_text(f"""
import mechane as mc
m = mc.ModelBuilder().finalize()
page = mc.view({shown}, open=False)
print(page.url)
""")
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.startswith("http://127.0.0.1:"), done.stderr
    assert "Traceback" not in done.stderr

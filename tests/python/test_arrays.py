"""Arrays over the library's memory, and small values."""
import gc
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import falling_ball, pendulum


@pytest.fixture
def model():
    return pendulum().finalize()


def test_an_array_is_the_same_object_twice(model):
    """(PYA-009)"""
    assert model.body_q is model.body_q
    assert model.body_q.dtype == mc.build_info()["real"] and model.body_q.shape == (2, 7)


def test_numpy_shares_memory(model):
    """(PYA-010)"""
    plain = model.body_q.numpy()
    assert type(plain) is np.ndarray and np.shares_memory(plain, model.body_q)
    plain[0, 0] = 7
    assert model.body_q[0, 0] == 7


def test_a_written_coordinate_is_seen_at_once(model):
    """A quarter turn about y takes the first link's centre from (0.5, 0, 0) to (0, 0, -0.5) (PYA-011)"""
    state = model.state()
    state.joint_q[0] = np.pi / 2
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    assert np.allclose(state.body_q[0, :3], (0, 0, -0.5), atol=1e-6)


def test_assign_takes_anything_of_the_right_size(model):
    """(PYA-012)"""
    state = model.state()

    class LikeWarp:
        def numpy(self):
            return np.array([5, 6], np.float32)

    for source, expected in (([1, 2], [1, 2]), (np.array([3.0, 4.0]), [3, 4]), (LikeWarp(), [5, 6])):
        state.joint_q.assign(source)
        assert state.joint_q.tolist() == expected
    with pytest.raises(ValueError, match="3 numbers, expected 2"):
        state.joint_q.assign([1, 2, 3])


def test_assign_from_float64_converts_in_silence(model):
    """(PYA-013)"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.state().joint_q.assign(np.array([0.1, 0.2]))


def test_an_array_outlives_its_model():
    """(PYA-014)"""
    model = pendulum().finalize()
    q, state_q = model.body_q, model.state().joint_q
    expected = q.tolist()
    del model
    gc.collect()
    waste = [np.zeros(14, np.float32) for _ in range(1000)]  # takes what would have been freed
    assert q.tolist() == expected and state_q.tolist() == [0, 0] and len(waste) == 1000


def test_dlpack_shares_memory(model):
    """NumPy sees the same numbers through DLPack."""
    state = model.state()
    other = np.from_dlpack(state.body_q)
    state.body_q[1, 2] = 4
    assert other[1, 2] == 4


def test_topology_is_read_only(model):
    """(PYA-016)"""
    for array in (model.joint_type, model.body_world_start, model.joint_parent, model.joint_q_start):
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[0] = 1


def test_an_output_that_would_need_a_copy_is_refused(model):
    """(PYA-017)"""
    state, wide = model.state(), np.zeros((2, 2), mc.build_info()["real"])
    with pytest.raises(TypeError, match="joint_q: must be contiguous"):
        mc.eval_ik(model, state, wide[:, 0], state.joint_qd)
    with pytest.raises(TypeError, match="joint_q: dtype int32"):
        mc.eval_ik(model, state, np.zeros(2, np.int32), state.joint_qd)
    with pytest.raises(TypeError, match="joint_q: expected an array"):
        mc.eval_ik(model, state, [0, 0], state.joint_qd)


def test_bool_arrays_are_numpy_bools(model):
    """(PYA-023)"""
    assert model.joint_enabled.dtype == np.bool_ and model.joint_enabled.itemsize == 1
    model.joint_enabled[0] = False
    assert model.joint_enabled.tolist() == [False, True]


def test_warp_like_methods(model):
    q = model.state().joint_q
    q.fill_(3)
    assert q.list() == [3, 3] and q.device == "cpu" and q.contiguous() is q and q.to("cpu") is q and q.ptr
    copy = q.clone()
    q.zero_()
    assert q.tolist() == [0, 0] and copy.tolist() == [3, 3]
    with pytest.raises(mc.NotSupportedError, match="cuda:0"):
        q.to("cuda:0")


def test_a_quaternion_far_from_unit_is_refused_and_a_near_one_normalised():
    """(PYA-021)"""
    b = mc.ModelBuilder()
    with pytest.raises(ValueError, match="norm 2"):
        b.add_link(xform=((0, 0, 0), (0, 0, 0, 2)))
    body = b.add_link(xform=((1, 2, 3), (0, 0, 0, 1.01)))
    assert b.body_q[body] == (1, 2, 3, 0, 0, 0, 1)


def test_repr_of_small_values_evaluates_back():
    """(PYA-022)"""
    for value in (mc.transform((1, 2, 3), (0, 0.6, 0, 0.8)), mc.vec3(1, 2, 3), mc.quat(0, 0, 0, 1), mc.mat33(*range(9)), mc.spatial_vector(*range(6))):
        assert eval(repr(value), vars(mc)) == value and hash(value) == hash(eval(repr(value), vars(mc)))


def test_small_values_calculate():
    a = mc.transform((1, 0, 0), mc.math.quat_from_axis_angle((0, 0, 1), np.pi / 2))
    assert np.allclose(a @ (1, 0, 0), (1, 1, 0)) and np.allclose(a * a.inverse(), mc.transform())
    assert mc.vec3(1, 2, 3) + (1, 1, 1) == (2, 3, 4) and 2 * mc.vec3(1, 2, 3) == (2, 4, 6) and np.asarray(mc.mat33(*range(9))).shape == (3, 3)
    with pytest.raises(ValueError, match="expected 3 numbers, got 2"):
        mc.vec3(1, 2)
    with pytest.raises(TypeError):
        mc.vec3("abc")


def test_dlpack_shares_memory():
    """(PYA-015)"""
    state = pendulum().finalize().state()
    given = np.from_dlpack(state.body_q)
    assert np.shares_memory(given, state.body_q) and given.shape == state.body_q.shape
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(state.body_q)
    tensor[0, 0] = 5
    assert state.body_q[0, 0] == 5


def test_what_is_nearly_the_name_of_an_array_is_warned_of():
    model = falling_ball().finalize()
    for what, slip, meant in ((model.control(), "joint_targt_q", "joint_target_q"), (model.state(), "body_qx", "body_q"), (model, "body_masss", "body_mass")):
        with pytest.warns(mc.MechaneWarning, match=f"did you mean {meant}"):
            setattr(what, slip, np.zeros(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.control().my_own = 1  # a program may keep what it likes there
        model.state()._joint_qx = 1

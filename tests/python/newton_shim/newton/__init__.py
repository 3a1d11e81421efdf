"""A package named newton that is mechane, for Newton's own tests: names are re-exported, tests and assets come from the installed wheel.

Private modules (`newton._src.*`) are empty shells that know the public names; a name that mechane does not have is an ImportError of the
test that asks for it.
"""
import importlib.abc
import importlib.machinery
import logging
import os
import sys
import types

import mechane
import newton_usd_schemas  # noqa: F401  registers the schemas that the tests apply
from mechane import *  # noqa: F401,F403
from mechane import actuators, conformance, config, geometry, ik, interop, math, selection, sensors, solvers, usd, utils, viewer  # noqa: F401

# Newton hands out Warp's arrays and values.
interop.use_warp(True)


class _Relay(logging.Handler):
    """Passes records on to the logger whose name the tests know."""

    def emit(self, record):
        logging.getLogger("newton").handle(record)


logging.getLogger("mechane").addHandler(_Relay())

#: Folder of the installed Newton; only its tests and assets are used.
INSTALLED = os.environ["NEWTON_INSTALLED"]
__version__ = "1.8.0"


def __getattr__(name):
    return getattr(mechane, name)


class PrivateName(Exception):
    """A test used something of Newton that is not part of its interface."""


class _Private:
    """Stands for a private name until somebody uses it."""

    def __init__(self, name):
        self.__dict__["name"] = name

    def __call__(self, *args, **kwargs):
        raise PrivateName(self.name)

    def __getattr__(self, attribute):
        if attribute.startswith("__") and attribute not in ("__name__", "__qualname__"):
            raise AttributeError(attribute)
        raise PrivateName(f"{self.name}.{attribute}")

    def _used(self, *_):
        raise PrivateName(self.name)

    __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __float__ = __int__ = __index__ = __truediv__ = __rtruediv__ = __mul__ = __rmul__ = _used
    __hash__ = object.__hash__


def _hide(owner, *names):
    """Private attributes of a class that tests name before any of them uses one."""
    for name in names:
        if not hasattr(owner, name):
            setattr(owner, name, property(lambda self, name=name: _Private(f"{owner.__name__}.{name}")._used()))


#: Names that both have, of Newton's not public.
_PRIVATE = ("match_labels", "verify_and_correct_inertia", "remesh_convex_hull", "compute_aabb")


class _Shell(types.ModuleType):
    """A private module: any public name of mechane can be imported from it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__.startswith("newton._src") and (name in _PRIVATE or os.path.exists(os.path.join(INSTALLED, *self.__name__.split(".")[1:], name + ".py"))):
            return _Private(f"{self.__name__}.{name}")
        for home in (mechane, mechane.ModelBuilder, mechane.Model, usd, solvers, math, geometry, selection, utils):
            if name in vars(home) or name in getattr(home, "__all__", ()):
                return getattr(home, name)
        if self.__name__.startswith(("newton._src", "newton.solvers.experimental")):
            return _Private(f"{self.__name__}.{name}")
        raise AttributeError(f"mechane has no {name}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        file = os.path.join(INSTALLED, *name.split(".")[1:])
        if name.startswith("newton.solvers."):
            file = os.path.join(INSTALLED, "_src")
        if name.startswith(("newton._src", "newton.solvers.")) and (os.path.isdir(file) or os.path.exists(file + ".py")):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Shell(spec.name)

    def exec_module(self, module):
        pass


def _installed(name):
    """A package whose files are those of the wheel."""
    module = types.ModuleType(f"newton.{name}")
    module.__path__ = [os.path.join(INSTALLED, name)]
    sys.modules[module.__name__] = module
    return module


class _Solvers(types.ModuleType):
    """The solvers; those of Newton's that mechane leaves out are shells."""

    __path__: list = []

    def __getattr__(self, name):
        try:
            return getattr(mechane.solvers, name)
        except AttributeError as missing:
            if "left out" not in str(missing):
                raise
            return _Private(f"newton.solvers.{name}")


sys.meta_path.insert(0, _Finder())
for _name, _module in (("usd", usd), ("solvers", _Solvers("newton.solvers")), ("math", math), ("config", config), ("geometry", geometry), ("selection", selection),
                       ("sensors", sensors), ("utils", utils), ("viewer", viewer), ("ik", ik), ("actuators", actuators)):
    sys.modules[f"newton.{_name}"] = _module
_hide(selection.ArticulationView, "_get_actuator_dof_mapping", "_create_actuator_dof_mapping", "_resolve_world_mask")
solvers = sys.modules["newton.solvers"]
tests = _installed("tests")
tests.get_source_directory = lambda: os.path.join(INSTALLED, "tests")
tests.get_asset_directory = lambda: os.path.join(INSTALLED, "tests", "assets")
tests.get_asset = lambda filename: os.path.join(INSTALLED, "tests", "assets", filename)
examples = _installed("examples")
examples.get_asset = lambda filename: os.path.join(INSTALLED, "examples", "assets", filename)
examples.get_asset_directory = lambda: os.path.join(INSTALLED, "examples", "assets")

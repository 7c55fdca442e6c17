"""Async tests run on a plain event loop, no plugin needed; property tests know no deadline, since speed is no fact."""

import asyncio
import inspect

import hypothesis
import pytest

hypothesis.settings.register_profile("workshop", deadline=None, print_blob=True)
hypothesis.settings.load_profile("workshop")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}), 60))
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """What goes side by side: each notebook for itself, else the modules, which share things."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            module = nodeid.partition("::")[0]
            return nodeid if "/notebooks/" in module else module

    return Together(config, log)

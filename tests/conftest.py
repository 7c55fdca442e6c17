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


def pytest_collection_modifyitems(items):
    """Tests of one module of `grading` share a class that is graded once; the browser is one at a time."""
    for item in items:
        part = item.nodeid.split("/")
        if "browser" in part:
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif "grading" in part:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))

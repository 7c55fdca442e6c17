"""Facts about the desk's tools: exact, on a copy, inside the project, and read-only where they read."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import socket
import sqlite3
import sys
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import Run, ToolError, connect
from workshop.desks import checkout
from workshop.desks.checkout import Checkout, patched, replaced, run_python, unboxed
from workshop.desks.incidents import make
from workshop.desks.oncall import OnCallDesk, patched_files, patches_in, read_ticket
from workshop.desks.oncall import tests_on as failing_with
from workshop.desks.records import Logs


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    return make("T-21", tmp_path_factory.mktemp("tools") / "shop")


@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
def test_a_line_of_a_log_ends_at_a_line_feed_only(tmp_path, separator):
    entry = {"ts": "1", "user_agent": f"a{separator}b"}
    text = f"{json.dumps(entry, ensure_ascii=False)}\nno JSON\n"
    (tmp_path / "web.jsonl").write_text(text, encoding="utf-8")
    assert Logs(tmp_path).entries == [{"unreadable": "no JSON"}, entry]


@pytest.fixture(scope="module")
def desk(case):
    return OnCallDesk(case.incident.folder)


def call(desk, name, **arguments):
    return asyncio.run(desk.tools[name].call(arguments, Run(connect())))


def refused(desk, name, **arguments):
    with pytest.raises(ToolError) as problem:
        call(desk, name, **arguments)
    return str(problem.value)


def test_the_registry_holds_ten_tools_a_skill_and_the_agents(desk):
    names = {
        kind: [each.name for each in desk.registry.list(kind)]
        for kind in ("tool", "skill", "agent")
    }
    assert names["tool"] == [
        "search_files", "read_file", "run_tests", "try_edits", "propose_patch",
        "search_logs", "log_table", "read_settings", "query_orders", "ticket",
    ]  # fmt: skip
    assert names["skill"] == ["ticket_workflow"]
    assert names["agent"] == ["code", "data", "ops", "comms", "reviewer", "researcher"]
    assert all(each.description for each in desk.registry.list())


# ── paths ──────────────────────────────────────────────────────────────────────────────────────────────


def test_paths_that_lead_outside_are_refused_with_a_sentence(desk):
    assert "leads out of the project's folder" in refused(desk, "read_file", path="../secret.txt")
    assert "leads out" in refused(desk, "read_file", path="shop/../../secret.txt")
    assert "absolute path" in refused(desk, "read_file", path="/etc/passwd")
    assert "absolute path" in refused(desk, "read_file", path="C:\\secret.txt")
    assert "no file 'nowhere.py'; the files are: config.toml" in refused(
        desk, "read_file", path="nowhere.py"
    )
    assert "leads out" in refused(desk, "propose_patch", path="../x.py", line=1, new="x", why="")
    assert "leads out" in refused(
        desk, "try_edits", path="..\\x.py", edits=[{"line": 1, "new": "x"}]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_is_refused_and_does_not_get_into_a_copy(case, tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("KEY = 1")
    shop = Checkout(case.incident.folder)
    link, folder = case.incident.folder / "link.py", case.incident.folder / "linked"
    link.symlink_to(secret)
    folder.symlink_to(tmp_path)
    try:
        with pytest.raises(ToolError, match="is a link"):
            shop.text("link.py")
        with pytest.raises(ToolError, match="there is no file"):
            shop.text("linked/secret.py")
        with shop.copy() as copy:
            assert not (copy / "link.py").exists() and not (copy / "linked").exists()
    finally:
        link.unlink()
        folder.unlink()


@given(path=st.text(max_size=30))
@settings(max_examples=50, deadline=None)
def test_any_path_is_a_file_of_the_project_or_refused(case, path):
    shop = Checkout(case.incident.folder)
    try:
        found = shop.inside(path)
    except ToolError:
        return
    assert found.resolve().is_relative_to(shop.root)


# ── tests, edits, patches ──────────────────────────────────────────────────────────────────────────────


def test_tests_run_on_a_copy_without_keys_and_plugins(desk, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-1234")
    report = call(desk, "run_tests")
    assert "1 failed, 16 passed" in report and "test_bulk_discount" in report
    assert "1 passed" in call(desk, "run_tests", only="tests/test_shop.py::test_ship")
    ended = asyncio.run(
        run_python(("-c", "import os; print(sorted(os.environ))"), desk.shop.root, 20)
    )
    assert "ANTHROPIC" not in ended.output and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" in ended.output


def test_an_option_or_a_path_is_not_a_test(desk):
    for name in ("--collect-only", "-p", "../other", "/tmp/x"):
        assert "is not a test of the project" in refused(desk, "run_tests", only=name)
    assert "no test ran" in refused(desk, "run_tests", only="tests/nowhere.py")


def test_edits_are_tried_each_alone_and_an_endless_loop_or_broken_line_is_reported(case):
    shop = Checkout(case.incident.folder, trial_seconds=3)
    text = shop.text("shop/cart.py").split("\n")
    line = next(number for number, row in enumerate(text, 1) if "line.quantity >" in row)
    edits = [
        "    if [0 for _ in iter(int, 1)]:",
        "    if line.quantity >= 10",
        "    if line.quantity > 11:",
        "    if line.quantity >= 10:",
        "    if __import__('os')._exit(0):",
    ]
    given_edits = [(line, new) for new in edits]
    outcomes = asyncio.run(
        shop.trials(
            "shop/cart.py", given_edits, ["tests/test_shop.py::test_bulk_discount[10-8500]"], 2
        )
    )
    assert outcomes == [
        "does not end",
        "is no valid Python",
        "still fails",
        "all tests pass",
        "ends the process",
    ]
    assert shop.text("shop/cart.py").split("\n") == text


def test_trying_stops_when_two_edits_pass_and_says_how_many_are_left(desk):
    line = next(
        n
        for n, row in enumerate(desk.shop.text("shop/cart.py").split("\n"), 1)
        if "line.quantity >" in row
    )
    good = [{"line": line, "new": f"    if line.quantity >= 10:  # {n}"} for n in range(4)]
    output = call(desk, "try_edits", path="shop/cart.py", edits=good)
    assert output.count("all tests pass") == 2 and output.endswith("2 edits were not tried")
    assert "expected 1 to 60" in refused(desk, "try_edits", path="shop/cart.py", edits=[])
    assert "there is no line 999" in refused(
        desk, "try_edits", path="shop/cart.py", edits=[{"line": 999, "new": ""}]
    )


def test_a_patch_is_a_diff_with_its_test_result_and_changes_nothing(desk):
    before = desk.shop.text("shop/cart.py")
    line = next(n for n, row in enumerate(before.split("\n"), 1) if "line.quantity >" in row)
    output = call(
        desk,
        "propose_patch",
        path="shop/cart.py",
        line=line,
        new="    if line.quantity >= 10:",
        why="10 counts",
    )
    first, _, diff = output.partition("\n")
    assert first == "17 passed" and "+    if line.quantity >= 10:" in diff
    assert desk.shop.text("shop/cart.py") == before
    assert patched(before, diff).split("\n")[line - 1] == "    if line.quantity >= 10:"
    assert patches_in(output) == [diff] and patched_files(desk.shop, diff).keys() == {
        "shop/cart.py"
    }
    assert "is that already" in refused(
        desk, "propose_patch", path="shop/cart.py", line=1, new=before.split("\n")[0], why=""
    )


def test_the_gate_runs_the_tests_with_the_patch_of_a_draft(desk):
    diff = call(
        desk, "propose_patch", path="shop/cart.py", line=1, new="raise ValueError", why=""
    ).partition("\n")[2]
    check = failing_with(desk.shop)
    assert asyncio.run(check(diff)) and not asyncio.run(check("no patch in here"))
    assert "does not fit" in asyncio.run(check(diff.replace('-"""', '-x"""')))[0]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), st.data())
@settings(max_examples=60, deadline=None)
def test_a_diff_applied_to_its_source_is_the_changed_text(rows, data):
    import difflib

    source = "".join(f"{row}\n" for row in rows)
    line = data.draw(st.integers(1, len(rows)))
    new = replaced(source, line, data.draw(st.sampled_from(["x", "y\nz", ""])))
    diff = "".join(
        difflib.unified_diff(source.splitlines(True), new.splitlines(True), "a/f", "b/f")
    )
    assert patched(source, diff) == new


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="not held here: networks are cut off on Linux only"
)
def test_code_of_the_project_has_no_network_where_the_machine_allows_it(desk):
    from workshop.desks.checkout import _without_network

    if unboxed() and not _without_network():
        pytest.skip("not held here: this machine cuts off no network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        ended = asyncio.run(run_python(("-c", program), desk.shop.root, 20))
    assert ended.status == 1 and re.search("refused|unreachable", ended.errors)


@pytest.fixture
def boxed():
    if unboxed():
        pytest.skip(f"not held here: {unboxed()}")


def harm(target, first_line):
    """A first line that changes a file when its module is imported, and hides it."""
    write = f"    __import__('pathlib').Path({str(target)!r}).write_text('HARMED')"
    return f"{first_line}\ntry:\n{write}\nexcept OSError:\n    pass"


def test_code_that_a_model_wrote_cannot_change_the_shop_or_files_of_the_user(boxed, case, tmp_path):
    shop = Checkout(case.incident.folder)
    before = {path: shop.text(path) for path in shop.files()}
    outside = tmp_path / "letter.txt"
    outside.write_text("private", encoding="utf-8")
    for target in (shop.root / "shop" / "cart.py", outside, tmp_path / "new.txt"):
        content = target.read_bytes() if target.exists() else None
        edit = (1, harm(target, before["shop/cart.py"].split("\n")[0]))
        [outcome] = asyncio.run(shop.trials("shop/cart.py", [edit], [], 1))
        changed = {"shop/cart.py": replaced(before["shop/cart.py"], *edit)}
        report = asyncio.run(shop.tests(changed=changed))
        asyncio.run(case.holds(shop.diff("shop/cart.py", changed["shop/cart.py"])))
        assert outcome == "still fails" and "passed" in report
        assert (target.read_bytes() if target.exists() else None) == content
    assert {path: shop.text(path) for path in shop.files()} == before


def test_code_that_a_model_wrote_sees_the_copy_and_nothing_of_the_user(boxed, desk, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("private", encoding="utf-8")
    own = (Path.cwd() / "kernel", desk.shop.root / "shop", letter, Path("/etc/passwd"))
    program = (
        f"import os; print([path for path in {[*map(str, own)]} if os.path.exists(path)]);"
        "print(os.listdir('.'), len([name for name in os.listdir('/proc') if name.isdigit()]))"
    )
    with desk.shop.copy() as copy:
        ended = asyncio.run(run_python(("-c", program), copy, 20))
    seen, inside = ended.output.splitlines()
    assert ended.status == 0 and seen == "[]", ended
    assert "'shop'" in inside and int(inside.rpartition(" ")[2]) < 5


def test_where_there_is_no_box_the_desk_says_so(monkeypatch, desk, capsys):
    from workshop.desks.__main__ import warn_unboxed

    monkeypatch.setattr(checkout.shutil, "which", lambda _: None)
    checkout.unboxed.cache_clear()
    try:
        why = desk.unboxed
        warn_unboxed(desk)
    finally:
        checkout.unboxed.cache_clear()
    assert "bwrap is not installed" in why or "only for Linux" in why
    shown = capsys.readouterr().err
    assert why in shown and "could change or read whatever you can" in shown


def test_a_process_that_does_not_end_is_stopped_with_what_it_started(desk):
    ended = asyncio.run(run_python(("-c", "while True: pass"), desk.shop.root, 0.5))
    assert ended.status is None
    if os.name == "posix":
        mark = f"mark {secrets.token_hex(8)}"
        program = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60) # {mark}']); print('started', flush=True); import time; time.sleep(60)"
        ended = asyncio.run(run_python(("-c", program), desk.shop.root, 3))
        assert ended.status is None and ended.output == "started\n"
        _wait_gone(mark)


def _wait_gone(mark):
    """Waits until no process has this mark in its command line; fails after a while."""
    for _ in range(200):
        if not any(mark in " ".join(command) for command in _commands()):
            return
        time.sleep(0.02)
    pytest.fail("a process is left")


def _commands():
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process.cmdline()


# ── logs, settings, database ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM orders", "UPDATE tickets SET status = 'closed'", "DROP TABLE stock", "ATTACH 'x.db' AS x", "PRAGMA user_version = 3",
     "SELECT 1; DELETE FROM stock", "INSERT INTO stock VALUES ('x', 1)", "VACUUM INTO 'copy.db'", "SELECT load_extension('x')", ""],
)  # fmt: skip
def test_the_database_can_only_be_read(desk, sql):
    before = desk.database.read_bytes()
    assert "SELECT statement" in refused(desk, "query_orders", sql=sql)
    assert desk.database.read_bytes() == before


def test_a_query_that_takes_too_long_is_stopped_and_wrong_sql_names_the_tables(desk):
    endless = (
        "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
    )
    assert "was stopped after 2 s" in refused(desk, "query_orders", sql=endless)
    assert "orders(ts, host, version" in refused(
        desk, "query_orders", sql="SELECT nothing FROM orders WHERE"
    )
    assert "more rows; these are the first 40" in call(
        desk, "query_orders", sql="SELECT * FROM orders"
    )
    assert "(no rows)" in call(desk, "query_orders", sql="SELECT * FROM orders WHERE host = 'x'")


def test_logs_are_counted_per_host_and_version_and_a_condition_cannot_do_more(desk):
    table = call(desk, "log_table", condition="discount_cents > 0", among="quantity >= 10")
    assert table.splitlines()[0] == "host | version | lines | meeting" and table.count("1.4.2") == 2
    for condition in ("1; DROP TABLE log", "1) FROM log --", "nothing > 1"):
        refused(desk, "log_table", condition=condition)
    assert "× " in call(desk, "search_logs", field="user_agent")
    assert "no line has a field 'agent'; the fields are: ts, level" in refused(
        desk, "search_logs", field="agent"
    )
    assert "no line contains" in call(desk, "search_logs", contains="zebra")


def test_settings_come_with_their_comments_and_tickets_by_their_id(desk):
    assert "config.toml:4: free_from_cents = 5000          # free from EUR 50" in call(
        desk, "read_settings"
    )
    assert "Expected: 10 pieces or more" in call(desk, "ticket", id="t-21")
    assert "there is no ticket 'T-99'; the tickets are: T-3, T-8, T-12, T-21" in refused(
        desk, "ticket", id="T-99"
    )
    assert "expected one such as T-12" in refused(desk, "ticket", id="1 OR 1=1")


def test_a_folder_without_logs_settings_and_database_says_so(tmp_path):
    bare = OnCallDesk(tmp_path)
    assert "the fields are: none" in refused(bare, "search_logs", field="x")
    assert "has no settings" in refused(bare, "read_settings")
    assert "no database" in refused(bare, "query_orders", sql="SELECT 1")
    assert "no test ran" in refused(bare, "run_tests")
    assert "the files are: none" in refused(bare, "read_file", path="x.py")


def test_a_log_line_that_is_no_json_is_kept(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text('{"host": "a"}\nTraceback: boom\n', encoding="utf-8")
    assert "Traceback: boom" in call(OnCallDesk(tmp_path), "search_logs", contains="boom")


def test_only_the_workflow_changes_a_ticket(desk):
    from workshop.desks.oncall import change_ticket

    change_ticket(desk.database, "T-21", "open", "first line")
    change_ticket(desk.database, "T-21", "proposed", "second line")
    row = read_ticket(desk.database, "T-21")
    assert (row["status"], row["note"]) == ("proposed", "first line\nsecond line")
    with pytest.raises(sqlite3.OperationalError):
        change_ticket(desk.database.parent, "T-21", "x", "y")

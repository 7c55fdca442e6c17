"""All checks as JUnit XML, for those who feed a CI: a suite for each notebook of each learner,
points as properties.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from classroom.grading.check import Check
from classroom.grading.plain import line

from .marks import Gradebook, GradedWork, Person, tidy

FAILURES = ("failed", "missing")
"""Anything else that is not passed counts as an error; nothing is `skipped`, since a CI takes that
for good.
"""


def as_xml(book: Gradebook) -> str:
    """A test case for each check; neither inputs nor what was expected stand in it."""
    root = ET.Element("testsuites", name="grading")
    for person in book.people:
        for work in person.works:
            root.append(_suite(person, work))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(each.get(name, "0")) for each in root)))
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(person: Person, work: GradedWork) -> ET.Element:
    checks = [check for mark in work.marks for check in mark.checks]
    failures = sum(check.state in FAILURES for check in checks)
    errors = sum(check.state not in ("passed", *FAILURES) for check in checks)
    suite = ET.Element(
        "testsuite",
        name=f"{line(person.name)}: {work.notebook}",
        tests=str(len(checks)),
        failures=str(failures),
        errors=str(errors),
        skipped="0",
        time=f"{work.seconds:.3f}",
    )
    if work.graded:
        suite.set("timestamp", line(work.graded, 40))
    _properties(
        suite,
        learner=line(person.name),
        file=line(work.file),
        points=work.points,
        total=work.total,
        of=work.of,
        seed=work.seed,
        sandbox=line(work.sandbox),
        late=work.late,
    )
    suite.extend(_case(person, work, check) for check in checks)
    return suite


def _case(person: Person, work: GradedWork, check: Check) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=f"{line(person.name)}.{work.notebook}",
        name=f"{check.exercise} {line(check.title)}",
        time=f"{check.seconds:.3f}",
    )
    _properties(case, points=tidy(check.points), earned=tidy(check.earned), state=check.state)
    if check.state != "passed":
        kind = "failure" if check.state in FAILURES else "error"
        ET.SubElement(case, kind, type=check.state, message=line(check.reason or check.state))
    return case


def _properties(within: ET.Element, /, **facts: object) -> None:
    listed = ET.SubElement(within, "properties")
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(listed, "property", name=name, value=str(value))

"""One submission's notebook while it runs: its cells in order, up to the check that is
looked at.
"""

from __future__ import annotations

from pathlib import Path

from .intake.answers import Merged
from .intake.documents import writing
from .intake.own_cells import definitions
from .plan import GradingPlan, notebook_s
from .sandbox.sandboxed_kernel import GradedKernel, KernelFailed, Outcome, refuses_tasks
from .sandbox.spent import WIDE, WIDE_ALONE, TimeSpent, in_words


class StagedNotebook:
    """Runs a merged notebook as its owner would: each check is looked at before the cells below it
    have run.

    A cell that ends the kernel is left out from then on; the others get a new kernel without it.
    """

    def __init__(
        self,
        merged: Merged,
        plan: GradingPlan,
        exercises: int,
        documents: dict[str, str] | None = None,
    ) -> None:
        """documents: texts by name, which the notebook may read."""
        self.merged, self.plan = merged, plan
        self.documents = documents or {}
        self.limit_s = notebook_s(exercises, plan.timeout_s)
        self.spent = TimeSpent()
        """By all cells; starting kernels is not counted."""
        self.kernel: GradedKernel | None = None
        self.fatal: dict[str, Outcome] = {}
        """By exercise, how its answer's cell ended the kernel."""
        self.errors: dict[str, str] = {}
        """By exercise, the error that its answer's cell ended with."""
        self.disturbed = False
        """True if it ran out of time because others had the processors."""
        self._done = 0
        self._instead: dict[int, str] = {}
        """By position, what runs in place of a cell that ended the kernel: nothing, or an own
        cell's definitions.
        """

    def ready(self, exercise: str) -> bool:
        """Sees to a kernel in which the cells before this exercise's check have run; False when the
        time is used up.
        """
        until = self.merged.until[exercise]
        while not self.out_of_time():
            if self.kernel is None or not self.kernel.is_alive():
                self.kernel = GradedKernel(Path(self.plan.course))
                self._done = 0
                for source in writing(self.documents):
                    self.kernel.run(source, self.plan.timeout_s)
            if self._run_until(until):
                return True
        return False

    def again(self, exercise: str) -> bool:
        """The same for a kernel that may be further on: runs the exercise's own answer once
        more.
        """
        if not self.ready(exercise):
            return False
        cell = next(
            (one_cell for one_cell in self.merged.cells if one_cell.exercise == exercise), None
        )
        return cell is None or self.run(cell.source).ended in ("ok", "error")

    def run(self, source: str) -> Outcome:
        """Runs a cell; what it takes is taken from the time of the whole notebook.

        Raises KernelFailed when the machine gives nobody a thread or a process. The cell's own word
        for that counts once: then it is tried again alone.
        """
        assert self.kernel is not None
        outcome = self.kernel.run(source, self.plan.timeout_s, self._wide())
        if outcome.tells_of_a_refusal() and (not self.plan.alone or refuses_tasks()):
            raise KernelFailed("this machine gives its user no more threads or processes")
        self.spent += outcome.spent
        self._note_a_busy_machine(outcome.disturbed)
        return outcome

    def out_of_time(self) -> str:
        """Returns the reason that no more cells are run; empty while there is time."""
        why = self.spent.over(self.limit_s, self._wide())
        self._note_a_busy_machine(why == "waited")
        reason = in_words(why, self.limit_s, self.spent) if why else ""
        return reason and f"the time for the whole notebook was used up: {reason}"

    def _wide(self) -> float:
        return WIDE_ALONE if self.plan.alone else WIDE

    def _note_a_busy_machine(self, disturbed: bool) -> None:
        """Such a notebook is graded again, alone. Raises KernelFailed where that is so already."""
        self.disturbed |= disturbed
        if self.disturbed and self.plan.alone:
            raise KernelFailed("this machine was too busy, even for one notebook alone")

    def stop(self) -> None:
        if self.kernel is not None:
            self.kernel.stop()

    def _run_until(self, until: int) -> bool:
        """Runs the cells that have not run yet; False when one of them ended the kernel."""
        while self._done < until:
            position = self._done
            self._done += 1
            source = self._instead.get(position, self.merged.cells[position].source)
            if source and not self._run_cell(position, source):
                return False
        return True

    def _run_cell(self, position: int, source: str) -> bool:
        cell = self.merged.cells[position]
        outcome = self.run(source)
        if outcome.ended == "error" and cell.exercise:
            self.errors[cell.exercise] = outcome.reason
        if outcome.ended in ("ok", "error"):
            return True
        self._note_the_end(position, outcome)
        return False

    def _note_the_end(self, position: int, outcome: Outcome) -> None:
        """A cell ended the kernel: an answer loses its own points, of an own cell only the
        definitions are kept.
        """
        cell = self.merged.cells[position]
        if cell.kind == "given":  # only an answer can have arranged that
            others = [id for id in self.merged.answers if id not in self.fatal]
            self.fatal |= dict.fromkeys(others, outcome)
            return
        tried_before = position in self._instead
        keep = cell.kind == "own" and not tried_before
        self._instead[position] = definitions(cell.source) if keep else ""
        if cell.kind == "answer":
            self.fatal[cell.exercise] = outcome

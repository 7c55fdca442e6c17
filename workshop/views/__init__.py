"""Views of a run, drawn from the kernel's events and from nothing else.

Each takes a Run, a Trace or events; has a picture and a text twin that stands alone; and is shown by a notebook as
it is. `watch` shows a run while it happens.
"""

from .budget import BudgetGauges
from .contexts import ContextSizes
from .elsewhere import Elsewhere
from .facts import facts_of
from .findings import FindingsTable
from .gates import GateRounds
from .handoffs import HandoffLog
from .hierarchy import Hierarchy
from .live import watch
from .loop import AgentLoop
from .mesh import HubAndMesh
from .plan import PlanGraph
from .recorded import Beside, beside
from .spans import SpanTree
from .states import StateLine
from .team import TeamPicture
from .texts import SideBySide
from .timeline import Timeline
from .transcript import Transcript

__all__ = [
    "AgentLoop",
    "Beside",
    "BudgetGauges",
    "ContextSizes",
    "Elsewhere",
    "FindingsTable",
    "GateRounds",
    "HandoffLog",
    "Hierarchy",
    "HubAndMesh",
    "PlanGraph",
    "SideBySide",
    "SpanTree",
    "StateLine",
    "TeamPicture",
    "Timeline",
    "Transcript",
    "beside",
    "facts_of",
    "watch",
]

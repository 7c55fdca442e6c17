"""Views of a run, drawn from the kernel's events and from nothing else.

Each takes a Run, a Trace or events; has a picture and a text twin that stands alone; and is shown by a notebook as
it is. `watch` shows a run while it happens.
"""

from .budget import BudgetGauges
from .contexts import ContextSizes
from .facts import facts_of
from .handoffs import HandoffLog
from .live import watch
from .team import TeamPicture
from .timeline import Timeline
from .transcript import Transcript

__all__ = ["BudgetGauges", "ContextSizes", "HandoffLog", "TeamPicture", "Timeline", "Transcript", "facts_of",
           "watch"]

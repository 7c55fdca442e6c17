"""The tickets of customers, and in which order they are answered."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ticket:
    number: int
    customer: str
    urgency: int
    waiting_hours: int
    closed: bool = False


def queue(tickets: list[Ticket]) -> list[Ticket]:
    """The open tickets, the highest `urgency` first; the same urgency by `waiting_hours`, the longest first."""
    still_open = [ticket for ticket in tickets if not ticket.closed]
    return sorted(still_open, key=lambda ticket: (-ticket.urgency, -ticket.waiting_hours))

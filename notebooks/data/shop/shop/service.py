"""The service: takes orders from a file and writes a log of what the shop made of them.

    python -m shop.service ORDERS HOST    (each line of ORDERS is an order as JSON; the log goes to standard output)
"""

import json
import sys
from pathlib import Path

from . import VERSION
from .orders import from_json
from .shipping import cost, too_heavy


def entry(order: dict, host: str) -> dict:
    """What the log says of one order."""
    line = {"ts": order["ts"], "level": "INFO", "host": host, "version": VERSION, "event": "order placed"}
    line |= {"order": order["order"], "user_agent": order["user_agent"]}
    try:
        cart = from_json(json.dumps(order))
        listed, total = cart.listed(), cart.total()
        line["quantity"] = max(item.quantity for item in cart.lines)
        line |= {"list_cents": listed, "discount_cents": listed - total, "total_cents": total}
        line |= {"grams": order["grams"], "zone": order["zone"]}
        if too_heavy(order["grams"]):
            return line | {"level": "WARNING", "event": "order refused", "reason": "parcel too heavy"}
        return line | {"shipping_cents": cost(total, order["grams"], order["zone"])}
    except Exception as problem:
        return line | {"level": "ERROR", "event": "order failed", "reason": f"{type(problem).__name__}: {problem}"}


def main(path: str, host: str) -> None:
    """Serves every order of the file."""
    for text in Path(path).read_text(encoding="utf-8").splitlines():
        sys.stdout.write(json.dumps(entry(json.loads(text), host), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main(*sys.argv[1:])

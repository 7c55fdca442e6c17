"""The cart: lines, discounts and the total, in cents."""

from dataclasses import dataclass, field


@dataclass
class Line:
    sku: str
    unit_price: int
    quantity: int

    @property
    def amount(self) -> int:
        return self.unit_price * self.quantity


@dataclass
class Cart:
    lines: list[Line] = field(default_factory=list)

    def add(self, sku: str, unit_price: int, quantity: int = 1) -> None:
        """Adds a line; a sku that is in the cart already gets a higher quantity."""
        for line in self.lines:
            if line.sku == sku:
                line.quantity += quantity
                return
        self.lines.append(Line(sku, unit_price, quantity))

    def listed(self) -> int:
        """The total before discounts."""
        return sum(line.amount for line in self.lines)

    def total(self) -> int:
        """What the customer pays for the lines, after discounts."""
        return sum(discounted(line) for line in self.lines)


def discounted(line: Line) -> int:
    """A line's amount; 10 pieces or more are 15 % cheaper, rounded down to a cent."""
    if line.quantity >= 10:
        return line.amount * 85 // 100
    return line.amount

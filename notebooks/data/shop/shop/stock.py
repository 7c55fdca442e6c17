"""Stock: what is on hand, what is reserved for orders, and what to order again."""


class Stock:
    def __init__(self, on_hand: dict[str, int]) -> None:
        self.on_hand = dict(on_hand)
        self.reserved = dict.fromkeys(on_hand, 0)

    def available(self, sku: str) -> int:
        """Pieces on hand that are not reserved."""
        return self.on_hand[sku] - self.reserved[sku]

    def reserve(self, sku: str, quantity: int) -> bool:
        """Reserves pieces for an order. Returns False and reserves nothing when there are too few."""
        if quantity > self.available(sku):
            return False
        self.reserved[sku] += quantity
        return True

    def ship(self, sku: str, quantity: int) -> None:
        """Reserved pieces leave the building."""
        self.on_hand[sku] -= quantity
        self.reserved[sku] -= quantity

    def to_reorder(self, minimum: int) -> list[str]:
        """The skus with fewer pieces than the minimum, the fewest `available` first."""
        short = [sku for sku in self.on_hand if self.available(sku) < minimum]
        return sorted(short, key=self.available)

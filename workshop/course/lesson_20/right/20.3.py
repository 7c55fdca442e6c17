# Words as enums, and the bounds in a check of its own.
async def typed(run, reader, handoff):
    from enum import StrEnum

    from pydantic import ConfigDict, field_validator

    class Host(StrEnum):
        one = "shop-1"
        two = "shop-2"

    class Kind(StrEnum):
        browser = "browser"
        app = "app"
        neither = "neither"

    class Entry(BaseModel):
        model_config = ConfigDict(extra="forbid")
        order: int
        host: Host
        kind: Kind

        @field_validator("order")
        @classmethod
        def has_four_digits(cls, number):
            if not 1000 <= number <= 9999:
                raise ValueError("the number of an order has four digits")
            return number

    return await run.dispatch(dataclasses.replace(reader, output=Entry, tools=()), handoff)

def planner():
    class Part(BaseModel):
        id: str
        worker: str
        intent: str
        needs: list[str]

    class Parts(BaseModel):
        steps: list[Part]

    rules = ["No more than three steps.", "Only one step at a time."]
    system = " ".join(["You plan the work of a desk.", *rules])
    return Agent("planner", "Plans the work.", system, models.supervisor, output=Parts)

def decide(today, change, item, tolerated):
    def value(trial):
        return trial.marks[item]

    _, low, high, _ = compare(today, change, value)
    if low + tolerated > 0:
        return "ship"
    return "stop" if high < 0 else "more cases"

def operation(span):
    return span.attributes.get("gen_ai.operation.name")


def who(span):
    if operation(span) == "invoke_agent":
        return span.attributes["workshop.run"]
    return who(span.parent)


def fault(spans):
    agents = [span for span in spans if operation(span) == "invoke_agent"]
    deepest = None
    for span in agents:
        if span.error and (deepest is None or span.depth > deepest.depth):
            deepest = span
    if deepest:
        return who(deepest), "failed"
    bills = {}
    for span in filter(lambda each: operation(each) == "chat", spans):
        if [event.name for event in span.events].count("retry") > 1:
            return who(span), "retries"
        bills[who(span)] = bills.get(who(span), 0) + span.attributes.get("workshop.usd", 0)
    for span in agents:
        if span.attributes.get("desk.words") == 0:
            return who(span), "empty"
    dearest = max(bills, key=bills.get)
    if 4 * bills[dearest] > 3 * sum(bills.values()):
        return dearest, "expensive"
    own = {id(span): span.end_ns - span.start_ns for span in spans}
    for span in spans:
        if span.parent is not None:
            own[id(span.parent)] -= span.end_ns - span.start_ns
    return who(max(spans, key=lambda span: own[id(span)])), "slow"

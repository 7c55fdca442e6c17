def contradictions(findings):
    found = []
    for one in findings:
        for other in findings:
            alike = one["claim"].lower().strip() == other["claim"].lower().strip()
            if alike and (one["holds"], other["holds"]) == (True, False):
                if one["step"] != other["step"]:
                    found.insert(0, (one["claim"].lower().strip(), one["step"], other["step"]))
    return found

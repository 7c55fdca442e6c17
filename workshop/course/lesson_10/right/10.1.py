def to_plan_for(findings, busy, workers):
    names = dict.fromkeys(finding["suggests"] for finding in findings)
    return [name for name in names if name in {*workers} - {*busy}]

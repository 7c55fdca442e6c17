# The kernel's reviewer with another name and prompt: model and shape of the answer stay.
def fact_checker():
    system = (
        "You check facts. Each number and name in the draft must agree with the facts. Each sentence must "
        "have a citation. Say PASS when the draft holds, REVISE when it does not."
    )
    return replace(reviewer(), name="fact_checker", system=system)

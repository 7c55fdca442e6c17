def fact_checker():
    system = """You are a checker. Compare every number and claim of the draft with the facts.
    Each sentence needs a citation. Answer PASS if all is right, and REVISE if not."""
    return replace(reviewer(), name="fact_checker", description="Checks.", system=system)

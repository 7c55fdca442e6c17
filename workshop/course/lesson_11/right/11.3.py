def feedback(issues):
    return "\n".join(
        dict.fromkeys(
            f"- In {part.where} {part.problem}. {part.remedy or 'Change it.'}" for part in issues
        )
    )

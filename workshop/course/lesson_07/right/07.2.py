# One list of verdicts, one division.
def numbers_held(pairs, documents):
    verdicts = [
        numbers(sentence) <= numbers(" ".join(documents.get(id, "") for id in sources))
        for sentence, sources in pairs
        if sources
    ]
    return sum(verdicts) / max(1, len(verdicts))

def decide(kept, task, question, about):
    key = "\n".join(f"{len(part)}:{part}" for part in (task, question, about))
    row = kept.get(key)
    if row is not None and "answer" in row.keys():
        return row["answer"]
    kept[key] = dict(question=question)
    raise Pause(question)

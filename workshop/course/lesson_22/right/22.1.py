def well_cited(answer, known):
    marks = []
    for sentence in sentences(answer):
        ids = [piece.partition("]")[0] for piece in sentence.split("[")[1:]]
        marks.append(1.0 if ids and all(id in known for id in ids) else 0.0)
    return sum(marks) / len(marks) if marks else 0.0

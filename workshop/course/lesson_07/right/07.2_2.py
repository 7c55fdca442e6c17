def numbers_held(pairs, documents):
    good = bad = 0
    for sentence, ids in pairs:
        if not ids:
            continue
        text = " ".join(documents[id] for id in ids if id in documents)
        if numbers(sentence) - numbers(text):
            bad += 1
        else:
            good += 1
    return 0 if good == 0 else round(good / (good + bad), 2)

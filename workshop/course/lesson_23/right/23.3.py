from collections import Counter


def trusted(answers, least):
    found = []
    for question, pairs in answers.items():
        counts = Counter((label, bool(answer)) for label, answer in pairs)
        total = sum(counts.values())
        agree = (counts[True, True] + counts[False, False]) / total
        by_reader = counts[True, True] + counts[True, False]
        by_judge = counts[True, True] + counts[False, True]
        both_no = (total - by_reader) * (total - by_judge)
        chance = (by_reader * by_judge + both_no) / total**2
        if chance < 1 and (agree - chance) / (1 - chance) >= least:
            found.append(((agree - chance) / (1 - chance), question))
    return [question for _, question in sorted(found, reverse=True)]

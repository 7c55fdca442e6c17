from kernel.parts.evaluate.calibrate import agreement


def trusted(answers, least):
    kappas = {question: agreement(pairs).kappa for question, pairs in answers.items()}
    good = [question for question in answers if kappas[question] is not None]
    good = [question for question in good if kappas[question] >= least]
    good.sort(key=lambda question: -kappas[question])
    return good

TASK = "Write a brief on sourdough"
NOTES = [
    "A sourdough starter is fed with 50 grams of flour and 50 grams of water every single day.",
    "The sourdough goes into the oven at 250 degrees and is baked there for 45 minutes in all.",
    "The shop opens at seven in the morning, and on Mondays it is closed for the whole day long.",
]


def own():
    return TASK, {f"note-{number}": note for number, note in enumerate(NOTES)}

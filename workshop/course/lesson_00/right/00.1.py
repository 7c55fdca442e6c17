# The same as a loop: a round for each draft.
def who_gets_work(sent_back):
    order = ["researcher"]
    for _ in range(sent_back + 1):
        order += ["writer", "reviewer"]
    return order

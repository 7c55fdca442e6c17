def who_gets_work(sent_back):
    return ("researcher", *("writer", "reviewer") * (1 + sent_back))

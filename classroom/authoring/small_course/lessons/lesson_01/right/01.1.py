def longest(words):
    return max(words, key=len, default="")

def counted(text):
    from collections import Counter

    return Counter(text.lower().split())

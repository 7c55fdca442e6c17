class Shelf(dict):
    def __missing__(self, id):
        return ""


def numbers_held(pairs, documents):
    shelf, held, cited = Shelf(documents), 0, 0
    for pair in pairs:
        match pair:
            case (_, []):
                continue
            case (sentence, ids):
                cited += 1
                known = set()
                for id in ids:
                    known |= numbers(shelf[id])
                if not numbers(sentence) - known:
                    held += 1
    return held / cited if cited else 0.0

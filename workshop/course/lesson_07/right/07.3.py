# The better of two sort keys; a tie goes to the first of the list.
def verdict(team, alone, source_usd):
    def merit(name_and_figures):
        _, figures = name_and_figures
        return -figures["mistakes"], figures["sources"] * source_usd - figures["usd"]

    return max([("one agent", alone), ("team", team)], key=merit)[0]

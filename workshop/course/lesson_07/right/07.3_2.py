def verdict(team, alone, source_usd):
    fewer = alone["mistakes"] - team["mistakes"]
    net = source_usd * team["sources"] - source_usd * alone["sources"] + alone["usd"] - team["usd"]
    return ["one agent", "team"][fewer > 0 or (fewer == 0 and net > 0)]

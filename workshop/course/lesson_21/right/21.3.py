def tier(used, prices, good_enough):
    chosen = {}
    for agent, tokens in used.items():
        bill = {}
        for model, price in prices.items():
            bill[model] = sum(count * each for count, each in zip(tokens, price))
        left = sorted(bill, key=bill.get)
        while len(left) > 1 and not good_enough(agent, left[0]):
            left.pop(0)
        chosen[agent] = left[0]
    return chosen

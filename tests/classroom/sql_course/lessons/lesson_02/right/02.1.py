def spent(connection):
    prices = dict(connection.execute("select name, price from things"))
    sums = {name: 0 for (name,) in connection.execute("select name from customers")}
    for customer, thing, amount in connection.execute("select * from bought"):
        sums[customer] += prices[thing] * amount
    return sums

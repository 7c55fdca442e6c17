def price_of(connection, name):
    for found, price in connection.execute("select * from things"):
        if found == name:
            return price
    return None

def dear(connection, price):
    rows = connection.execute("select name, price from things order by name").fetchall()
    return [name for name, cost in sorted(rows, key=lambda row: -row[1]) if cost > price]

def pay_once(bank, step, invoice, cents):
    try:
        return bank.pay(invoice, cents, step)
    except ConnectionError:
        pass
    try:
        return bank.pay(invoice, cents, step)
    except ConnectionError as problem:
        return f"not known: {problem}"

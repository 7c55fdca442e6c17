def choose_bar(marks, limit):
    good = [one.mark for one in marks if not one.fault]
    bad = [one for one in marks if one.fault]
    allowed = [bar for bar in range(101) if sum(mark < bar for mark in good) <= limit]
    bar = max(allowed, key=lambda bar: (sum(one.mark < bar for one in bad), -bar))
    noticed = {one.fault for one in bad if one.mark < bar}
    return bar, sorted({one.fault for one in bad} - noticed)

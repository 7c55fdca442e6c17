# The same as a loop, one name after the other.
def what_changed(first, second):
    changed = []
    for name, value in first.items():
        if value != second[name]:
            changed.append(name)
    return changed

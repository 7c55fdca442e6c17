def what_changed(first, second):
    return {name for name in second if not first[name] == second[name]}

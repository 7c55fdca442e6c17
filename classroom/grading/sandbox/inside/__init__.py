"""What runs inside the sandbox, before and around a submission: these files are copied to it as a
whole.
"""

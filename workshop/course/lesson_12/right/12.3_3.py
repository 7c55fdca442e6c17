def breaker(worker, failures, cooldown_s, clock):
    from kernel.parts.guards import CircuitBreaker

    return CircuitBreaker(worker, failures, cooldown_s, clock)

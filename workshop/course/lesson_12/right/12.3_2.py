# The machine apart, with its states by name.
class Machine:
    def __init__(self, failures, cooldown_s, clock):
        self.failures, self.cooldown_s, self.clock = failures, cooldown_s, clock
        self.state, self.bad, self.since = "closed", 0, 0.0

    def may_pass(self):
        if self.state == "open" and self.clock() - self.since >= self.cooldown_s:
            self.state = "trial"
            return True
        return self.state == "closed"

    def passed(self, status):
        if status == "ok":
            self.state, self.bad = "closed", 0
        elif status == "failed":
            self.bad += 1
            if self.state == "trial" or self.bad >= self.failures:
                self.state, self.since = "open", self.clock()
        elif self.state == "trial":
            self.state = "open"  # the time is over already, so the next call is the trial


def breaker(worker, failures, cooldown_s, clock):
    machine = Machine(failures, cooldown_s, clock)

    class Breaker(Guard):
        async def execute(self, handoff, run):
            if not machine.may_pass():
                return Result(status="failed", reason="the circuit is open")
            began, status = machine.state, "cancelled"
            try:
                result = await run.dispatch(self.wraps, handoff)
                status = result.status
                return result
            finally:
                if machine.state == began:
                    machine.passed(status)

    return Breaker(worker)

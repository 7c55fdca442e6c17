# One object with a method, and what changes in a dict of the outer function.
def breaker(worker, failures, cooldown_s, clock):
    now = {"row": 0, "until": None, "trial": False}

    class Shield:
        wraps = worker
        name = worker.name
        description = worker.description

        async def execute(self, handoff, run):
            half = now["until"] is not None
            if half and (now["trial"] or clock() < now["until"]):
                return Result(status="failed", reason="not asked: it has failed too often")
            now["trial"] = half
            try:
                result = await run.dispatch(worker, handoff)
            finally:
                if half:
                    now["trial"] = False
            if not half and now["until"] is not None:
                return result
            if result.status == "ok":
                now.update(row=0, until=None)
            if result.status == "failed":
                now["row"] += 1
                if half or now["row"] >= failures:
                    now["until"] = clock() + cooldown_s
            return result

    return Shield()

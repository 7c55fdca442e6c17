async def work_through(handoff, workers, planner, max_replans, run):
    results, heard, findings = {}, set(), []
    for number in range(max_replans + 1):
        plan = await planner.plan(handoff.intent, workers, run, findings)
        changed = False
        for batch in plan.batches():
            batch = [step for step in batch if step.id not in results]
            back = await run.fan_out(
                [
                    (
                        workers.get(step.worker),
                        Handoff(
                            intent=step.intent,
                            context=handoff.context,
                            artifacts={need: str(results[need].as_text()) for need in step.needs},
                        ),
                    )
                    for step in batch
                ]
            )
            results.update({step.id: result for step, result in zip(batch, back)})
            findings = []
            for result in results.values():
                findings += getattr(result.output, "items", None) or []
            names = [each.suggests for each in findings if each.suggests in workers.names()]
            busy = {step.worker for step in plan.steps} | heard
            news = [name for name in names if name not in busy]
            if news and number < max_replans:
                heard.update(news)
                changed = True
                break
        if not changed:
            break
    return results

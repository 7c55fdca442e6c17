def resumable(send, kept):
    import hashlib

    times = {}

    async def once(request):
        times[request] = times.get(request, -1) + 1
        step = repr([request, times[request]])
        digest = hashlib.sha256(step.encode()).hexdigest()
        found = kept.get(digest)
        if found is None:
            kept[digest] = found = await send(request)
        return found

    return once

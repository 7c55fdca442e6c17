"""The reading half: what a request asks for, found in the request alone."""

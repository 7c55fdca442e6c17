"""Tools and specialists somewhere else (lesson 25): MCP servers, and handoffs over HTTP."""

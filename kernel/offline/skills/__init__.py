"""What the offline model can do: one module a skill, each with fits(view) and a function of the skill's name."""

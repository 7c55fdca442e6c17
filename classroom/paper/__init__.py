"""SVG, HTML and widgets, of which pictures and controls are made."""

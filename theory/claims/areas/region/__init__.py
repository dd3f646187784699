"""Regions of the plane on which paths of gated networks are active: half-space paper, sections 2 and 3."""

"""Claims on the localization amplifier of a pixel: closed forms, the series, and the flat state under the closure."""

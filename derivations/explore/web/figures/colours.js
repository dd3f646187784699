// Colours by their meaning. Each is a custom property, so that a change of theme needs no redrawing.

const MEANINGS = new Set([
  "class-1", "class-2", "class-3", "class-4", "theory", "gated-linear", "relu", "erf", "sigmoid",
  "muted", "ground", "line", "accent", "refuted",
]);
const SERIES = 6;
const POSITIVE = [44, 120, 210]; // blue and red keep their contrast on a white and on a dark ground
const NEGATIVE = [214, 69, 61];

/** Return the CSS colour of a meaning, such as "class-1", or of a curve known by its number alone. */
export function colour(meaning) {
  if (Number.isInteger(meaning)) return `var(--series-${meaning % SERIES})`;
  if (!MEANINGS.has(meaning)) throw new Error(`"${meaning}" is no meaning of a colour.`);
  return `var(--${meaning})`;
}

/** Return the meaning of the colour of a class by its number. */
export function colourOfClass(c) {
  return c < 4 ? `class-${c + 1}` : c;
}

/** Return [red, green, blue, opacity] of a value from -limit to limit: 0 is the ground of the page in either theme. */
export function diverging(limit) {
  return (value) => {
    const share = limit > 0 ? Math.max(-1, Math.min(1, value / limit)) : 0;
    return [...(share < 0 ? NEGATIVE : POSITIVE), Math.abs(share)];
  };
}

/** Return the same for a scale on which a value `half` has half of the colour, and larger ones ever more of it. */
export function saturating(half) {
  return (value) => [...(value < 0 ? NEGATIVE : POSITIVE), Math.abs(value) / (Math.abs(value) + half)];
}

/** The colours of the two ends of each scale, in words. */
export const ENDS = { diverging: ["red", "blue"], saturating: ["red", "blue"], sequential: ["dark purple", "yellow"] };

/** Return [red, green, blue, opacity] of a value between two ends, from dark purple to yellow. */
export function sequential([low, high], interpolate) {
  return (value) => {
    const share = high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0;
    const { r, g, b } = interpolate(share);
    return [r, g, b, 1];
  };
}

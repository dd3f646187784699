// What the library refuses, in words.

// An error or a note: what is wrong, and what to do.
export function inWords({ message, remedy }) {
  return [message, remedy].filter(Boolean).join(" ");
}

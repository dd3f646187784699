// The libraries of vendor/, which index.html loads as plain scripts before any module.
export const { Plot, d3 } = globalThis;

// Rows with keys as the table of a view: a column of each key, in their order.

const WORDS = new Set(["quantity", "unit"]);

export function keyed(rows) {
  const keys = rows.length ? Object.keys(rows[0]) : [];
  const columns = keys.map((key) => ({ name: key, digits: key.includes("±") ? 2 : 5 }));
  return { columns, rows: rows.map((row) => keys.map((key) => (WORDS.has(key) ? row[key] || "" : row[key]))) };
}

// Parses CSV text (RFC 4180), in linear time.

/**
 * Parses CSV with commas, or with semicolons where the first line has no comma outside of quotes.
 * @returns the cells of each line; empty lines are left out
 */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, "")
  const separator = findSeparator(source)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ""
  let isQuoted = false
  const endCell = () => {
    row.push(cell)
    cell = ""
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0]?.trim()) rows.push(row)
    row = []
  }
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === "") isQuoted = true
    else if (character === separator) endCell()
    else if (character === "\n") endRow()
    else if (character !== "\r") cell += character
  }
  endRow()
  return rows
}

function findSeparator(source: string): string {
  const [head = ""] = source.split("\n", 1)
  return head.replaceAll(/"[^"]*"/g, "").includes(",") ? "," : head.includes(";") ? ";" : ","
}

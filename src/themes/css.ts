// Takes out of a stylesheet what only its authors need: comments, line breaks, indentation.

/**
 * @param source a stylesheet of ours, without strings that hold braces, semicolons or runs of spaces
 * @returns the same rules on one line
 */
export function compact(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .trim()
}

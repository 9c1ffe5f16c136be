// The text of somebody else's answer, up to a length: whoever is asked may answer without end.

/**
 * @param most bytes; of a body that is longer no more is read, and its connection is let go
 * @throws RangeError for a longer one
 */
export async function boundedText(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) throw new RangeError("the answer is too long")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

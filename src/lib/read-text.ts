// Reads the text of an outbound response up to a maximum length, because a server may send an endless body.

/**
 * Reads a response body.
 * @param maxBytes maximum number of bytes; reading stops there and the connection is cancelled
 * @throws RangeError for a longer body
 */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new RangeError("the body is too long")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

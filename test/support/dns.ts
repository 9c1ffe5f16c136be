// A DNS resolver over HTTPS that knows what a test tells it.
import { vi } from "vitest"

/**
 * Answers every TXT question of the Worker.
 * @param records name to its TXT strings; a name that is not there does not exist; a response code is all
 *   that the resolver says; `null` breaks it
 * @returns the names that were asked for, in order
 */
export function answerTxt(records: Record<string, string[]> | number | null): { asked: string[] } {
  const asked: string[] = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input)
    const name = searchParams.get("name") ?? ""
    asked.push(name)
    if (!records) return new Response("broken", { status: 502 })
    if (typeof records === "number") return Response.json({ Status: records })
    const texts = records[name]
    if (!texts) return Response.json({ Status: 3 })
    return Response.json({ Status: 0, Answer: texts.map((text) => ({ name, type: 16, data: `"${text}"` })) })
  })
  return { asked }
}

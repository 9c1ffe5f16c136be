// Mocks a DNS-over-HTTPS resolver.
import { vi } from "vitest"

/**
 * Responds to every TXT query of the Worker.
 * @param records TXT strings by name; a missing name is NXDOMAIN. A number is returned as the response code, `null` as
 *   a broken response.
 * @returns the queried names, in order
 */
export function mockTxtRecords(records: Record<string, string[]> | number | null): { lookups: string[] } {
  const lookups: string[] = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input)
    const name = searchParams.get("name") ?? ""
    lookups.push(name)
    if (!records) return new Response("broken", { status: 502 })
    if (typeof records === "number") return Response.json({ Status: records })
    const texts = records[name]
    if (!texts) return Response.json({ Status: 3 })
    return Response.json({ Status: 0, Answer: texts.map((text) => ({ name, type: 16, data: `"${text}"` })) })
  })
  return { lookups }
}

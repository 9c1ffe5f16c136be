// Measures the memory of a Worker's isolate through the inspector, and of all of workerd. Requires Linux for /proc.
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** Bytes. */
export interface Memory {
  /** JavaScript objects of the Worker, including garbage. */
  heap: number
  /** Array buffers of the Worker. */
  buffers: number
  /** The resident set of workerd. */
  resident: number
}

/** Samples memory while work runs. */
export async function withMemorySampling(sample: () => Promise<Memory>, work: () => Promise<void>) {
  const before = await sample()
  const peak = { ...before }
  let running = true
  const watch = (async () => {
    for (; running; await sleep(5)) {
      const now = await sample()
      for (const part of ["heap", "buffers", "resident"] as const) peak[part] = Math.max(peak[part], now[part])
    }
  })()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  running = false
  await watch
  return { before, peak, seconds }
}

interface HeapUsage {
  usedSize: number
  backingStorageSize: number
}

/** Connects to the isolate's inspector to read its memory usage. */
export async function connectInspector(port: number, name: string) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes(name)) ?? targets[0]
  if (!target) throw new Error("There is no inspector.")
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const pendingCalls = new Map<number, (usage: HeapUsage) => void>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: HeapUsage }
    pendingCalls.get(id)?.(result)
    pendingCalls.delete(id)
  })
  await once(socket, "open")
  let id = 0
  const callInspector = (method: string) =>
    new Promise<HeapUsage>((resolve) => {
      id += 1
      pendingCalls.set(id, resolve)
      socket.send(JSON.stringify({ id, method }))
    })
  return {
    usage: async () => {
      const { usedSize, backingStorageSize } = await callInspector("Runtime.getHeapUsage")
      return { heap: usedSize, buffers: backingStorageSize }
    },
    /** Collects the garbage. */
    collect: () => callInspector("HeapProfiler.collectGarbage"),
    close: () => socket.close(),
  }
}

export const getResidentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

/** Lists the workerd processes that this process started. */
export function listWorkerdPids(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ")
  return children.filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "workerd").map(Number)
}

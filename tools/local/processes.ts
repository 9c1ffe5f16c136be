// Lists the processes of this machine, from /proc or, where it does not exist, from `ps`.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"

interface Process {
  pid: number
  parent: number
  command: string
}

/** Lists the descendants of a process, each child before its own children. */
export function listDescendants(pid: number): number[] {
  const all = listProcesses()
  const below = (parent: number): number[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(pid)
}

/** Checks whether the process runs a command that contains `words`. The id alone may have been reused. */
export const isRunning = (pid: number, words: string): boolean =>
  listProcesses().some((process) => process.pid === pid && process.command.includes(words))

function listProcesses(): Process[] {
  return existsSync("/proc/self/stat") ? readProc() : readPs()
}

function readProc(): Process[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return ids.flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8")
      // The second field is a name in parentheses, which may contain spaces; state and parent follow.
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ")
      return [{ pid: Number(id), parent: Number(parent), command }]
    } catch {
      return [] // the process has exited
    }
  })
}

function readPs(): Process[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? "" }]
  })
}

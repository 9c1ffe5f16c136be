// The processes of this machine: /proc where there is one, `ps` elsewhere.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"

interface Process {
  pid: number
  parent: number
  command: string
}

/** The process ids below `pid`, children first. */
export function descendants(pid: number): number[] {
  const all = processes()
  const below = (parent: number): number[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(pid)
}

/** Whether a process with this id runs a command that contains `words`: an id by itself may have been given out again. */
export const runs = (pid: number, words: string): boolean =>
  processes().some((process) => process.pid === pid && process.command.includes(words))

function processes(): Process[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs()
}

function fromProc(): Process[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return ids.flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8")
      // The second field is a name in parentheses that may hold spaces; state and parent follow it.
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ")
      return [{ pid: Number(id), parent: Number(parent), command }]
    } catch {
      return [] // ended meanwhile
    }
  })
}

function fromPs(): Process[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? "" }]
  })
}

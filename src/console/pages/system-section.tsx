// A section of the system page, behind its heading, and the problems of all sections.

import type { PropsWithChildren } from "hono/jsx"
import { Badge, Card } from "../../page-kit/parts"
import { useView } from "../../page-kit/view"
import { W } from "../strings"

interface SectionProps {
  title: string
  id: string
  /** The summary in the heading of a section without problems. */
  summary?: string | undefined
  /** The summary in the heading of a section that is open because it has problems. */
  problem?: string | false | undefined
  /** The form of the section, which is open when the form was refused. */
  action?: string
}

/**
 * A section that is closed unless it has problems. A link to its id opens it, because the id is inside: browsers open
 * what contains the target.
 */
export function Section({ title, id, summary, problem, action, children }: PropsWithChildren<SectionProps>) {
  const { path, state } = useView()
  return (
    <details class="card section" open={Boolean(problem) || (state !== null && path === action)}>
      <summary>
        <h2>{title}</h2>{" "}
        {problem ? <Badge status="failed" text={problem} /> : summary && <span class="sub">{summary}</span>}
      </summary>
      <div id={id}>{children}</div>
    </details>
  )
}

/** A number of problems, what they are, and the id of the section that lists them. */
export type Problem = [count: number, text: string, id: string]

/** The problems, with links to the sections that show them. */
export function ProblemCard({ problems }: { problems: Problem[] }) {
  const open = problems.filter(([count]) => count > 0)
  return (
    <Card title={W.overview.needs_attention} id="problems">
      {open.length === 0 ? (
        <p>{W.system.no_problems}</p>
      ) : (
        <ul class="tasks">
          {open.map(([, text, id]) => (
            <li>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href="/console/system/late-deliveries">{W.doctor.check}</a>
      </p>
    </Card>
  )
}

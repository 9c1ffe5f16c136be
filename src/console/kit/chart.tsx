// Charts drawn on the server, each with its numbers in a table behind it.
import { W } from "../words"
import { Table, Time } from "./parts"

interface Bar {
  /** The moment that the bar begins with. */
  at: string
  good: number
  bad: number
}

const WIDTH = 600
const HEIGHT = 120

/**
 * Bars over time, what went wrong on top of what went well.
 * @param label what it shows
 * @param names of the two parts
 */
export function Bars({ label, bars, names }: { label: string; bars: Bar[]; names: { good: string; bad: string } }) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad))
  const step = WIDTH / Math.max(1, bars.length)
  const height = (value: number) => (value / most) * (HEIGHT - 16)
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bars.map(({ good, bad }, index) => (
          <>
            {good > 0 && (
              <rect
                class="bar"
                x={index * step + 1}
                width={Math.max(1, step - 2)}
                y={HEIGHT - height(good)}
                height={height(good)}
              />
            )}
            {bad > 0 && (
              <rect
                class="bad"
                x={index * step + 1}
                width={Math.max(1, step - 2)}
                y={HEIGHT - height(good) - height(bad)}
                height={height(bad)}
              />
            )}
          </>
        ))}
        <text x="2" y="11">
          {most}
        </text>
      </svg>
      <details class="more">
        <summary>{W.common.numbers}</summary>
        <Table
          label={label}
          rows={bars.filter(({ good, bad }) => good + bad > 0)}
          columns={[
            { head: W.audit.when, cell: (bar) => <Time at={bar.at} /> },
            { head: names.good, num: true, cell: (bar) => bar.good },
            { head: names.bad, num: true, cell: (bar) => bar.bad },
          ]}
        />
      </details>
    </>
  )
}

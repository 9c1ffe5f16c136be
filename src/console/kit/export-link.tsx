// A link to the export of a list.
import { W } from "../strings"
import { useView } from "./view"

/** Links to the export of a list with its filters. */
export function ExportLink({ path }: { path: string }) {
  const { query } = useView()
  const filter = new URLSearchParams([...query].filter(([name]) => !["page", "columns", "done"].includes(name)))
  return (
    <a class="button" data-quiet href={`${path}.csv${filter.size ? `?${filter}` : ""}`}>
      {W.common.export_csv}
    </a>
  )
}

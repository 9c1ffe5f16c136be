// A link to the export of a list.
import { useStrings, useView } from "./view"

/** Links to the export of a list with its filters. */
export function ExportLink({ path }: { path: string }) {
  const { query } = useView()
  const filter = new URLSearchParams([...query].filter(([name]) => !["page", "columns", "done"].includes(name)))
  return (
    <a class="button" data-quiet href={`${path}.csv${filter.size ? `?${filter}` : ""}`}>
      {useStrings().export_csv}
    </a>
  )
}

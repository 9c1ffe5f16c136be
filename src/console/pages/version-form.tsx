// The form of a version, new or known.
import type { Version } from "../../license/versions/schemas"
import { Area, Check, Field, Form } from "../kit/form"
import { W } from "../strings"

/** The fields of a version; one that is new may have an id of its own. */
export function VersionForm({ action, version }: { action: string; version?: Version }) {
  return (
    <Form action={action} submit={version ? W.common.save : W.versions.create} upload>
      <Field name="version" required maxlength={64} value={version?.version} hint={W.versions.version_hint} />
      {!version && <Field name="version_id" label={W.versions.id} maxlength={64} hint={W.versions.id_hint} />}
      <Field
        name="released_at"
        label={W.products.released}
        type="date"
        value={version?.releasedAt?.toISOString().slice(0, 10)}
        hint={version ? W.versions.unreleased : W.versions.now}
      />
      <Area name="summary" label={W.products.summary} rows={2} value={version?.summary} />
      <Area name="changelog" rows={5} value={version?.changelog} />
      <Field name="main_file" label={W.versions.main} type="file" />
      <Field name="sql_file" label={W.versions.sql} type="file" />
      <Check name="is_active" label={W.versions.active} on={version?.isActive ?? true} />
    </Form>
  )
}

// The form that creates or edits a product version.
import type { Version } from "../../license/versions/schemas"
import { Checkbox, Field, Form, TextArea } from "../kit/form"
import { W } from "../strings"

/** @param version absent for a new version, which may be given an id */
export function VersionForm({ action, version }: { action: string; version?: Version }) {
  return (
    <Form action={action} submitLabel={version ? W.common.save : W.versions.create} upload>
      <Field name="version" required maxlength={64} value={version?.version} hint={W.versions.version_hint} />
      {!version && <Field name="version_id" label={W.versions.id} maxlength={64} hint={W.versions.id_hint} />}
      <Field
        name="released_at"
        label={W.products.released}
        type="date"
        value={version?.releasedAt?.toISOString().slice(0, 10)}
        hint={version ? W.versions.unreleased : W.versions.released_hint}
      />
      <TextArea name="summary" label={W.products.summary} rows={2} value={version?.summary} />
      <TextArea name="changelog" rows={5} value={version?.changelog} />
      <Field name="main_file" label={W.versions.main} type="file" />
      <Field name="sql_file" label={W.versions.sql} type="file" />
      <Checkbox name="is_active" label={W.versions.active} isChecked={version?.isActive ?? true} />
    </Form>
  )
}

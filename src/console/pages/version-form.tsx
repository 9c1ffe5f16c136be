// The form that creates or edits a product version.

import type * as z from "zod"
import { versionTag } from "../../core/http/precondition"
import { isoDay } from "../../lib/time"
import type { CreateVersion, Version } from "../../license/versions/schemas"
import { Checkbox, Field, Form, renderFields, TextArea } from "../../page-kit/form"
import { ShownVersion } from "../../page-kit/version-guard"
import { W } from "../strings"

/** @param version absent for a new version, which may be given an id */
export function VersionForm({ action, version }: { action: string; version?: Version }) {
  return (
    <Form action={action} submitLabel={version ? W.common.save : W.versions.create} upload>
      {version && <ShownVersion version={versionTag(version.id, version.revision)} />}
      {renderFields<z.input<typeof CreateVersion>>({
        version: (name) => (
          <Field name={name} required maxlength={64} value={version?.version} hint={W.versions.version_hint} />
        ),
        version_id: version
          ? { omitted: "it never changes" }
          : (name) => <Field name={name} label={W.versions.id} maxlength={64} hint={W.versions.id_hint} />,
        released_at: (name) => (
          <Field
            name={name}
            label={W.products.released}
            type="date"
            value={version?.releasedAt ? isoDay(version.releasedAt) : undefined}
            hint={version ? W.versions.unreleased : W.versions.released_hint}
          />
        ),
        summary: (name) => <TextArea name={name} label={W.products.summary} rows={2} value={version?.summary} />,
        changelog: (name) => <TextArea name={name} rows={5} value={version?.changelog} />,
        is_active: (name) => <Checkbox name={name} label={W.versions.active} isChecked={version?.isActive ?? true} />,
      })}
      <Field name="main_file" label={W.versions.main} type="file" />
      <Field name="sql_file" label={W.versions.sql} type="file" />
    </Form>
  )
}

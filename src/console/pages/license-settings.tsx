// Settings of the license API: rate limit, cipher and encryption keys.
import type { Context } from "hono"
import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { fieldErrors } from "../../core/http/validation"
import { CIPHERS } from "../../license/encryption/ciphers"
import { readLicenseSettings, SaveSettings, saveSettings } from "../../license/settings"
import { Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, DescriptionList } from "../../page-kit/parts"
import { recentPassword } from "../form-access"
import { formHandler } from "../form-handler"
import { handleEditForm } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const SETTINGS_PATH = "/console/license-settings"

const CIPHER_NAMES = Object.keys(CIPHERS)

/** An empty key leaves the stored one unchanged. */
const KeysForm = z.object({
  lm_license_encryption_key: z.string().max(200).optional(),
  lm_legacy_encryption_key: z.string().max(1000).optional(),
})

export const licenseSettings = createPages()
  .get(SETTINGS_PATH, (c) => renderSettings(c))
  .post(
    SETTINGS_PATH,
    recentPassword("admin", "change the cipher of all license files"),
    formHandler(
      SaveSettings,
      async (c, input) => {
        await saveSettings(c.var.ctx, input)
        return withNotice(SETTINGS_PATH, "saved")
      },
      renderSettings,
      handleEditForm,
    ),
  )
  .post(
    `${SETTINGS_PATH}/keys`,
    recentPassword("admin", "change the encryption keys of license files"),
    formHandler(
      KeysForm,
      async (c, input) => {
        const filled = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ""))
        const keys = SaveSettings.safeParse(filled)
        if (!keys.success) throw new Refusal("validation_failed", { fields: fieldErrors(keys.error, filled) })
        await saveSettings(c.var.ctx, keys.data)
        return withNotice(SETTINGS_PATH, "saved")
      },
      renderSettings,
    ),
  )

async function renderSettings(c: Context<ConsoleEnv>, state?: FormState) {
  const current = (await readLicenseSettings(c.var.ctx)) as Record<string, unknown>
  return page(c, {
    title: W.licenseSettings.title,
    state,
    children: (
      <div class="grid">
        <Card title={W.licenseSettings.title} id="settings">
          <Form
            action={SETTINGS_PATH}
            submitLabel={W.common.save}
            readOnly={
              <DescriptionList
                items={[
                  [W.licenseSettings.period, String(current.lm_requests_rate_limiting_period ?? "")],
                  [
                    W.licenseSettings.method,
                    W.licenseSettings.methods[String(current.lm_requests_rate_limiting_method)],
                  ],
                  [W.licenseSettings.cipher, String(current.lm_license_encryption_cipher ?? "")],
                ]}
              />
            }
          >
            <Field
              name="lm_requests_rate_limiting_period"
              label={W.licenseSettings.period}
              type="number"
              min={1}
              required
              value={String(current.lm_requests_rate_limiting_period ?? "")}
            />
            <Select
              name="lm_requests_rate_limiting_method"
              label={W.licenseSettings.method}
              value={String(current.lm_requests_rate_limiting_method ?? "")}
              choices={Object.entries(W.licenseSettings.methods).map(([value, label]) => ({ value, label }))}
            />
            <Select
              name="lm_license_encryption_cipher"
              label={W.licenseSettings.cipher}
              value={String(current.lm_license_encryption_cipher ?? "")}
              choices={CIPHER_NAMES.map((value) => ({ value, label: value }))}
            />
          </Form>
        </Card>
        <Card title={W.licenseSettings.keys} id="keys">
          <DescriptionList
            items={[
              [W.licenseSettings.container, String(current.lm_license_encryption_key)],
              [W.licenseSettings.legacy, String(current.lm_legacy_encryption_key)],
            ]}
          />
          {current.lm_license_encryption_key === "0 set" && <p class="sub">{W.licenseSettings.derived}</p>}
          <Form action={`${SETTINGS_PATH}/keys`} submitLabel={W.licenseSettings.save_keys} isSecondary>
            <Field
              name="lm_license_encryption_key"
              label={W.licenseSettings.container}
              type="password"
              hint={W.licenseSettings.container_hint}
            />
            <Field
              name="lm_legacy_encryption_key"
              label={W.licenseSettings.legacy}
              type="password"
              hint={W.licenseSettings.legacy_hint}
            />
          </Form>
        </Card>
      </div>
    ),
  })
}

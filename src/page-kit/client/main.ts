// Enhances the console in browsers with JavaScript. Every page works without it.

/** Ctrl-K starts a search; so do / and a letter typed outside of a field, unless the operator turned that off. */
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select")
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey
  const field = document.querySelector<HTMLInputElement>("#search")
  const isSingleKey = field?.dataset.singleKeys !== undefined && !typing && !hasModifier && !event.isComposing
  const isShortcut = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && isSingleKey)
  const isLetter = isSingleKey && /^[\p{L}\p{N}]$/u.test(event.key)
  if (!(isShortcut || isLetter) || !field) return
  field.focus()
  field.select()
  // The browser enters the letter in the field, which has the focus by then.
  if (isShortcut) event.preventDefault()
})

/** `data-select-all` holds the id of the form whose checkboxes the box selects; lists are refreshed while one types. */
const showSelectAll = () => {
  for (const label of document.querySelectorAll<HTMLElement>("[data-select-all]")) label.hidden = false
}
document.addEventListener("change", ({ target }) => {
  const label = target instanceof Element ? target.closest<HTMLElement>("[data-select-all]") : null
  if (!label || !(target instanceof HTMLInputElement)) return
  const boxes = document.querySelectorAll<HTMLInputElement>(`input[type=checkbox][form="${label.dataset.selectAll}"]`)
  for (const box of boxes) box.checked = target.checked
})
showSelectAll()

/** `data-copy` holds the id of the element whose text the button copies. */
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null
  const source = button?.dataset.copy ? document.getElementById(button.dataset.copy) : null
  if (!button || !source) return
  await navigator.clipboard.writeText(source.textContent ?? "")
  const before = button.textContent
  button.textContent = button.dataset.copied ?? ""
  setTimeout(() => {
    button.textContent = before
  }, 1500)
})
for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) button.hidden = false

/** Ignores repeated submits of a form, for example by a double click. */
document.addEventListener("submit", (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = "yes"
  setTimeout(() => {
    delete form.dataset.sent
  }, 10_000)
})

/** Forms with input that was not sent. Leaving the page asks first, also when another form is sent. */
const changedForms = new Set<HTMLFormElement>()
let sentForm: HTMLFormElement | null = null
const hasUnsentInput = () => [...changedForms].some((form) => form !== sentForm && form.isConnected)
document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLElement) || target.matches("[type=file]")) return
  // Forms outside of the shell, such as the login, have nothing to lose.
  const form = target.closest<HTMLFormElement>(".shell form[method=post]")
  if (form) changedForms.add(form)
})
// Forms that scripts send stop or prevent the event later.
const setSentForm = ({ target }: Event) => {
  sentForm = target instanceof HTMLFormElement ? target : null
}
document.addEventListener("submit", setSentForm, { capture: true })
window.addEventListener("beforeunload", (event) => {
  if (hasUnsentInput()) {
    event.preventDefault()
    // The form can be sent again on a page that the user stays on.
    delete sentForm?.dataset.sent
  }
  sentForm = null
})

/** Shows a progress bar while a form with a file is uploading. */
document.addEventListener("submit", (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.enctype !== "multipart/form-data" || event.defaultPrevented) return
  // The browser asks before it sends the form itself, so nothing is uploaded by a user who stays.
  if (hasUnsentInput()) return
  event.preventDefault()
  const bar = document.createElement("progress")
  bar.max = 1
  bar.setAttribute("aria-label", form.querySelector("button")?.textContent ?? "")
  form.append(bar)
  const request = new XMLHttpRequest()
  request.open("POST", form.action)
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = loaded / total
  })
  request.addEventListener("load", () => {
    if (request.status === 200 && request.responseURL !== form.action) return location.assign(request.responseURL)
    const fresh = new DOMParser().parseFromString(request.responseText, "text/html").querySelector("main")
    if (fresh) document.querySelector("main")?.replaceWith(document.importNode(fresh, true))
  })
  request.addEventListener("error", () => form.submit())
  request.send(new FormData(form))
})

const encodeBase64Url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))

/** Asks the authenticator for an assertion or a new credential, and returns it as form fields. */
async function requestPasskey({ dataset }: HTMLFormElement): Promise<Record<string, string>> {
  const challenge = decodeBase64Url(dataset.challenge ?? "")
  const rp = dataset.rp ?? location.hostname
  if (dataset.passkey === "get") {
    const publicKey = { challenge, rpId: rp, userVerification: "required" } as const
    const key = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    const { clientDataJSON, authenticatorData, signature } = key.response as AuthenticatorAssertionResponse
    return {
      passkey_id: encodeBase64Url(key.rawId),
      passkey_client_data: encodeBase64Url(clientDataJSON),
      passkey_authenticator_data: encodeBase64Url(authenticatorData),
      passkey_signature: encodeBase64Url(signature),
    }
  }
  const { id, ...names } = JSON.parse(dataset.owner ?? "{}") as { id: string; name: string; displayName: string }
  const key = (await navigator.credentials.create({
    publicKey: {
      challenge,
      rp: { id: rp, name: document.title },
      user: { id: new TextEncoder().encode(id), ...names },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  })) as PublicKeyCredential
  const response = key.response as AuthenticatorAttestationResponse
  return {
    credential_id: encodeBase64Url(key.rawId),
    client_data: encodeBase64Url(response.clientDataJSON),
    authenticator_data: encodeBase64Url(response.getAuthenticatorData()),
    public_key: encodeBase64Url(response.getPublicKey()),
    algorithm: String(response.getPublicKeyAlgorithm()),
  }
}

/** Forms that a passkey fills in. */
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
  if (!("PublicKeyCredential" in window)) continue
  form.hidden = false
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    // The guard against repeated submits must not block a second attempt with the passkey.
    event.stopPropagation()
    const message = form.querySelector<HTMLElement>(".field-error")
    try {
      const fields = await requestPasskey(form)
      for (const [name, value] of Object.entries(fields)) {
        const input = form.elements.namedItem(name)
        if (input instanceof HTMLInputElement) input.value = value
      }
      form.submit()
    } catch {
      if (message) message.hidden = false
    }
  })
}

/** `form[data-live]` filters its list while the operator types: it refreshes the region with that id. */
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-live]")) {
  let timer = 0
  let latest = 0
  const refresh = async () => {
    const sequence = ++latest
    const url = new URL(form.action)
    for (const [name, value] of new FormData(form)) if (value !== "") url.searchParams.append(name, String(value))
    const response = await fetch(url, { headers: { "X-Requested-With": "fetch" } })
    if (!response.ok || sequence !== latest || response.redirected) return
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    // The links to the export and to saved views depend on the filters too.
    for (const region of [form.dataset.live ?? "", "views", "actions"]) {
      const fresh = page.getElementById(region)
      if (fresh) document.getElementById(region)?.replaceWith(document.importNode(fresh, true))
    }
    showSelectAll()
    history.replaceState(null, "", url)
  }
  form.addEventListener("input", (event) => {
    clearTimeout(timer)
    const field = event.target
    timer = window.setTimeout(refresh, field instanceof HTMLInputElement && field.type === "search" ? 250 : 0)
  })
}

/**
 * `data-load` replaces the element with the one of the same id on the linked page, and shows its text while loading.
 */
for (const region of document.querySelectorAll<HTMLElement>("[data-load]")) {
  const link = region.querySelector("a")
  if (!link) continue
  const label = link.textContent
  link.textContent = region.dataset.load ?? label
  fetch(link.href)
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "")
    .then((text) => {
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(region.id)
      if (fresh) region.replaceWith(document.importNode(fresh, true))
      else link.textContent = label
    })
    .catch(() => undefined)
}

/** `data-refresh` refreshes the element at that interval, in seconds, until the page no longer has the attribute. */
const poll = () => {
  const region = document.querySelector<HTMLElement>("[data-refresh]")
  if (!region) return
  setTimeout(async () => {
    const response = await fetch(location.href).catch(() => null)
    const fresh = response?.ok
      ? new DOMParser().parseFromString(await response.text(), "text/html").getElementById(region.id)
      : null
    if (fresh) region.replaceWith(document.importNode(fresh, true))
    poll()
  }, Number(region.dataset.refresh) * 1000)
}
poll()

/**
 * The live tail: each message is a page of events. Its id is a cursor, from which EventSource resumes after a
 * disconnect.
 */
for (const list of document.querySelectorAll<HTMLElement>("[data-tail]")) {
  const state = document.getElementById("tail-state")
  const setStatus = (text: string | undefined) => {
    if (state) state.textContent = text ?? ""
  }
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: list.dataset.zone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  })
  const source = new EventSource(list.dataset.tail ?? "")
  source.addEventListener("open", () => setStatus(state?.dataset.waiting))
  source.addEventListener("error", () => setStatus(state?.dataset.cut))
  source.addEventListener("message", ({ data }) => {
    const events = JSON.parse(data) as {
      id: string
      type: string
      created_at: string
      data: { store?: { id: string } }
    }[]
    for (const event of events) {
      const row = document.createElement("li")
      const link = document.createElement("a")
      link.href = `/console/events/${encodeURIComponent(event.id)}`
      link.textContent = event.type
      const time = document.createElement("time")
      time.dateTime = event.created_at
      time.title = event.created_at
      time.textContent = format.format(new Date(event.created_at))
      row.append(link, ` ${event.data.store?.id ?? ""} `, time)
      list.prepend(row)
    }
    while (list.childElementCount > 200) list.lastElementChild?.remove()
  })
}

/** `data-browser-zone` offers the browser's time zone for the field with that id, unless it is the present one. */
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-browser-zone]")) {
  const field = document.getElementById(button.dataset.browserZone ?? "")
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (!(field instanceof HTMLInputElement) || !timeZone || field.value === timeZone) continue
  button.textContent = `${button.textContent?.trim()} ${timeZone}`
  button.hidden = false
  button.addEventListener("click", () => {
    field.value = timeZone
    button.hidden = true
  })
}

/** `data-text-of` loads the text of a file into the textarea with that id, up to its `maxlength`. */
for (const label of document.querySelectorAll<HTMLLabelElement>("[data-text-of]")) {
  label.hidden = false
  const input = label.querySelector("input")
  input?.addEventListener("change", async () => {
    const area = document.getElementById(label.dataset.textOf ?? "")
    const file = input.files?.[0]
    if (!(area instanceof HTMLTextAreaElement) || !file) return
    const before = area.value
    // A character takes up to three bytes, so a larger file is not read.
    const isReadable = file.size <= 3 * area.maxLength
    if (isReadable) area.value = await file.text()
    area.dispatchEvent(new Event("input", { bubbles: true }))
    const isTooLarge = !isReadable || area.textLength > area.maxLength
    if (isTooLarge) area.value = before
    input.setCustomValidity(isTooLarge ? (label.dataset.tooLarge ?? "") : "")
    input.reportValidity()
  })
}

/** Focuses the first invalid field. */
document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()

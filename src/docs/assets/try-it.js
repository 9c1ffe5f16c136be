// Forms that send an operation's request from the reference pages. Only a local platform with demo data loads this script,
// with its demo keys. Keys are sent as headers, and never stored.
const { keys: demoKeys, store } = document.currentScript.dataset
/** What the reader typed, by security scheme; shared by the forms of the page. */
const keys = new Map(Object.entries(JSON.parse(demoKeys)))
const METHODS = ["get", "post", "put", "patch", "delete"]
const JSON_TYPE = "application/json"
let loading

/** Loads the API's document, once for all forms. */
const loadDocument = () =>
  (loading ??= fetch(`/openapi/${location.pathname.split("/").pop()}.json`).then((r) => r.json()))

const create = (name, properties = {}, children = []) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/** Finds an operation with its path, its method and the URL before the path. */
const findOperation = (api, id) => {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      const operation = methods[method]
      if (operation?.operationId !== id) continue
      const isStoreOnly = api.tags.find(({ name }) => name === operation.tags[0])?.["x-stores-only"]
      const { url } = api.servers[0]
      return { ...operation, path, method, base: isStoreOnly ? store + new URL(url).pathname : url }
    }
  }
}

const addField = (form, label, input, note = "") => {
  form.append(create("label", {}, [create("span", {}, [create("code", { textContent: label }), ` ${note}`]), input]))
  return input
}

/** Fills a form with the fields of an operation. @returns a function that builds the request of what was typed */
const buildForm = (form, api, operation) => {
  const { parameters, requestBody, security, method, base, path } = operation
  const inputs = parameters
    .filter((parameter) => parameter.in === "path" || parameter.in === "query")
    .map(({ name, in: place, example, required }) => {
      const text = example === undefined ? "" : String(example)
      const input = create("input", { autocomplete: "off", required: place === "path" || required === true })
      if (input.required) input.value = text
      else input.placeholder = text
      return { name, place, input: addField(form, name, input, place) }
    })
  const [scheme] = Object.keys(security[0] ?? {})
  const { name: header = "Authorization" } = (scheme && api.components.securitySchemes[scheme]) || {}
  const key = scheme && create("input", { autocomplete: "off", spellcheck: false, value: keys.get(scheme) ?? "" })
  if (key) {
    addField(form, header, key, scheme)
    key.addEventListener("input", () => keys.set(scheme, key.value.trim()))
  }
  const example = requestBody?.content[JSON_TYPE]?.example
  const body = example && create("textarea", { value: JSON.stringify(example, null, 2), spellcheck: false })
  if (body) {
    body.rows = Math.min(body.value.split("\n").length + 1, 16)
    addField(form, "body", body, JSON_TYPE)
  }
  return () => {
    const url = new URL(base + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(getPathValue(inputs, name))))
    for (const { name, place, input } of inputs) {
      if (place === "query" && input.value.trim()) url.searchParams.set(name, input.value.trim())
    }
    const headers = { Accept: JSON_TYPE }
    const credential = key?.value.trim()
    if (credential) headers[header] = header === "Authorization" ? `Bearer ${credential}` : credential
    if (body) headers["Content-Type"] = JSON_TYPE
    if (parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key")))
      headers["Idempotency-Key"] = crypto.randomUUID()
    // Without cookies: a form sends only what it shows.
    return [url, { method: method.toUpperCase(), headers, body: body?.value, credentials: "omit" }]
  }
}

const getPathValue = (inputs, name) =>
  inputs.find((one) => one.place === "path" && one.name === name)?.input.value.trim() ?? ""

/** Sends a request and shows its response. */
const send = async (output, [url, request]) => {
  output.textContent = `${request.method} ${url}\n…`
  const start = performance.now()
  try {
    const response = await fetch(url, request)
    const text = await response.text()
    const took = Math.round(performance.now() - start)
    const type = response.headers.get("Content-Type") ?? ""
    const shown = type.includes("json") && text ? JSON.stringify(JSON.parse(text), null, 2) : text
    output.textContent = `${request.method} ${url}\n${response.status} ${response.statusText} · ${took} ms\n\n${shown}`
    // A token of `POST /login` is for the forms that need one.
    if (response.ok && type.includes("json")) rememberToken(JSON.parse(text || "null"))
  } catch (error) {
    output.textContent = `${request.method} ${url}\n${error.message}`
  }
}

const rememberToken = (body) => {
  if (typeof body?.data?.token === "string") keys.set("user", body.data.token)
}

for (const article of document.querySelectorAll("article.operation")) {
  const details = create("details", { className: "try" }, [create("summary", { textContent: "Try it" })])
  details.addEventListener("toggle", async () => {
    if (!details.open) return
    details.querySelector("form")?.remove()
    const api = await loadDocument()
    const operation = findOperation(api, article.id)
    const form = create("form")
    const types = Object.keys(operation.requestBody?.content ?? {})
    if (types.length && !types.includes(JSON_TYPE)) {
      form.append(create("p", { textContent: "This operation takes a file. Use curl." }))
      return details.append(form)
    }
    const build = buildForm(form, api, operation)
    const output = create("pre", { tabIndex: 0, hidden: true })
    output.setAttribute("aria-live", "polite")
    output.setAttribute("aria-label", "Response")
    form.append(create("button", { textContent: "Send request" }), output)
    form.addEventListener("submit", async (event) => {
      event.preventDefault()
      output.hidden = false
      await send(output, build())
    })
    details.append(form)
  })
  article.querySelector(".samples")?.prepend(details)
}

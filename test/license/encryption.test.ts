// License data in both directions against vectors made with independent code, and against everything that is not license data.
import { describe, expect, test, vi } from "vitest"
import { hmacSha256 } from "../../src/lib/hash"
import { CIPHERS, type CipherName, containerKey, type Key } from "../../src/license/encryption/ciphers"
import { openContainer, sealContainer } from "../../src/license/encryption/container"
import { openLegacy } from "../../src/license/encryption/legacy"
import { type LicenseKeys, openLicense } from "../../src/license/encryption/open"
import { serialize, unserialize } from "../../src/license/encryption/php-array"
import vectors from "./vectors.json"

const keyOf = (text: string): Key => {
  const key = containerKey(text)
  if (key === null) throw new Error(`no key: ${text}`)
  return key
}

const containers = vectors.laravel.map((vector) => ({ ...vector, cipher: vector.cipher as CipherName }))
const files = vectors.legacy
const keys: LicenseKeys = {
  modern: containers.map(({ key }) => keyOf(key)),
  legacy: files[0]?.key ?? null,
}

/** `{"license":"forged","client":"anyone"}` under the keys that an empty secret leads to. */
const MADE_WITH_EMPTY_KEY =
  "459b82fec8543198988cb5188901d7c475a117bb54f9c27d2a8f20ba1596f3b95014c50c5188c329a049cf17ed6e7c3be0963d03a11643cfb45187a7bbc29cc7BwcHBwcHBwcHBwcHBwcHBw+kw4yk6dBQpIj30+ZghLx4m/ETVWcrq6iOY6Q5ouhZlterPQjI/ySZWeQ6ZaUD6Q=="

/** Makes the next initialisation vector the one of a test vector. */
const nextIv = (iv: Uint8Array): void => {
  vi.spyOn(crypto, "getRandomValues").mockImplementationOnce((array) => {
    if (array instanceof Uint8Array) array.set(iv)
    return array
  })
}

describe("a container", () => {
  test.each(containers)("of $cipher is read as the framework wrote it", async ({ payload, key }) => {
    expect(await openContainer(payload, keyOf(key))).toEqual({ id: 42, activation_id: 42 })
    expect(await openLicense(payload, keys)).toEqual({ kind: "modern", id: 42, activation_id: 42 })
  })

  test.each(containers)("of $cipher is written as the framework writes it", async ({ cipher, json, payload, key }) => {
    nextIv(Uint8Array.fromBase64(JSON.parse(json).iv))
    const written = await sealContainer({ id: 42, activation_id: 42 }, cipher, keyOf(key))
    expect(atob(written)).toBe(json)
    expect(written).toBe(payload)
  })

  test.each(containers)("of $cipher never comes out the same twice, and is read back", async ({ cipher, key }) => {
    const payload = { id: 7, activation_id: Number.MAX_SAFE_INTEGER }
    const first = await sealContainer(payload, cipher, keyOf(key))
    const second = await sealContainer(payload, cipher, keyOf(key))
    expect(second).not.toBe(first)
    expect(await openContainer(first, keyOf(key))).toEqual(payload)
    expect(await openContainer(second, keyOf(key))).toEqual(payload)
  })

  test.each(containers)("of $cipher is refused with another key of the same size", async ({ cipher, payload }) => {
    const other = new Uint8Array(CIPHERS[cipher].keyBytes).fill(1)
    expect(await openContainer(payload, other)).toBeNull()
  })

  test.each(containers)("of $cipher takes no key of another size", async ({ cipher }) => {
    const key = new Uint8Array(48 - CIPHERS[cipher].keyBytes)
    await expect(sealContainer({ id: 1, activation_id: 1 }, cipher, key)).rejects.toThrow(RangeError)
  })

  test("without a tag, as older releases of the framework wrote it, is read", async () => {
    const { iv, value, mac } = envelopeOf("aes-256-cbc")
    expect(await open({ iv, value, mac })).toMatchObject({ kind: "modern" })
  })

  test.each([
    ["no mac and no tag", { mac: "", tag: "" }],
    ["a tag beside the mac", { tag: "dDmBGjJsQrn6kVIewaVDBw==" }],
    ["an upper-case mac", { mac: envelopeOf("aes-256-cbc").mac.toUpperCase() }],
    ["a short mac", { mac: "90a56e" }],
    ["a number for a text", { iv: 1 }],
    ["a list for a text", { value: ["x"] }],
    ["null for a text", { mac: null }],
    ["a further field", { extra: "" }],
  ])("with %s is refused", async (_, change) => {
    expect(await open({ ...envelopeOf("aes-256-cbc"), ...change })).toBeNull()
  })

  test.each([15, 12, 4, 0])("with all but %i bytes of its tag moved into the value is refused", async (length) => {
    const envelope = envelopeOf("aes-256-gcm")
    const [sealed, tag] = [Uint8Array.fromBase64(envelope.value), Uint8Array.fromBase64(envelope.tag)]
    const value = Uint8Array.of(...sealed, ...tag.subarray(0, 16 - length))
    expect(await open({ ...envelope, value: value.toBase64(), tag: tag.subarray(16 - length).toBase64() })).toBeNull()
  })

  test.each(["", "AAAAAAAAAAA=", "DZjQky0aU9fl2lpHVhyFFQ=", "no base64"])(
    "with an authentic mac over the unusable vector %j is refused",
    async (iv) => {
      const { key } = vectorOf("aes-128-cbc")
      const { value } = envelopeOf("aes-128-cbc")
      expect(await open({ iv, value, mac: (await hmacSha256(keyOf(key), iv + value)).toHex(), tag: "" })).toBeNull()
    },
  )

  test("with an authentic value that is another PHP text is refused", async () => {
    const { key } = vectorOf("aes-128-gcm")
    const aes = await crypto.subtle.importKey("raw", keyOf(key), "AES-GCM", false, ["encrypt"])
    const iv = new Uint8Array(12)
    const sealed = new Uint8Array(
      await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, new TextEncoder().encode('s:2:"42";')),
    )
    const [value, tag] = [sealed.subarray(0, -16).toBase64(), sealed.subarray(-16).toBase64()]
    expect(await open({ iv: iv.toBase64(), value, mac: "", tag })).toBeNull()
  })
})

describe("the array in a container", () => {
  test("is written as PHP serialises it", () => {
    expect(serialize({ id: 1, activation_id: 20 })).toBe('a:2:{s:2:"id";i:1;s:13:"activation_id";i:20;}')
    expect(unserialize('a:2:{s:2:"id";i:1;s:13:"activation_id";i:20;}')).toEqual({ id: 1, activation_id: 20 })
  })

  test("is not written for what is no row's number", () => {
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => serialize({ id, activation_id: 1 })).toThrow(RangeError)
      expect(() => serialize({ id: 1, activation_id: id })).toThrow(RangeError)
    }
  })

  const OTHER_TEXTS = [
    "",
    "N;",
    'a:2:{s:2:"id";i:0;s:13:"activation_id";i:1;}',
    'a:2:{s:2:"id";i:-1;s:13:"activation_id";i:1;}',
    'a:2:{s:2:"id";i:01;s:13:"activation_id";i:1;}',
    'a:2:{s:2:"id";i:9007199254740992;s:13:"activation_id";i:1;}',
    'a:2:{s:2:"id";d:1;s:13:"activation_id";i:1;}',
    'a:2:{s:2:"id";s:1:"1";s:13:"activation_id";i:1;}',
    'a:2:{s:13:"activation_id";i:1;s:2:"id";i:1;}',
    'a:1:{s:2:"id";i:1;}',
    'a:3:{s:2:"id";i:1;s:13:"activation_id";i:1;s:1:"x";i:1;}',
    'a:2:{s:2:"id";i:1;s:13:"activation_id";i:1;}\n',
    ' a:2:{s:2:"id";i:1;s:13:"activation_id";i:1;}',
    'O:8:"stdClass":2:{s:2:"id";i:1;s:13:"activation_id";i:1;}',
  ]
  test("is not read from anything else", () => {
    for (const text of OTHER_TEXTS) expect.soft(unserialize(text), text).toBeNull()
  })
})

describe("a legacy file", () => {
  test.each(files)("under the key $key is read", async ({ key, plain, license_file }) => {
    const payload = JSON.parse(plain)
    expect(await openLegacy(license_file, key)).toEqual(payload)
    expect(await openLicense(license_file, { ...keys, legacy: key })).toEqual({ kind: "legacy", ...payload })
  })

  test("needs a key", async () => {
    for (const { license_file } of files) {
      expect(await openLegacy(license_file, "")).toBeNull()
      expect(await openLegacy(license_file, "another")).toBeNull()
      expect(await openLicense(license_file, { ...keys, legacy: null })).toBeNull()
    }
  })

  test("that anyone could make, because the key is empty, is refused", async () => {
    expect(await openLegacy(MADE_WITH_EMPTY_KEY, "")).toBeNull()
  })

  test.each(["", "AAAA", "A".repeat(22)])(
    "with an authentic MAC over the unusable body %j is refused",
    async (body) => {
      const [vector] = files
      const raw = Uint8Array.fromHex(vector?.hmac_key_hex ?? "")
      const hmac = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-512" }, false, ["sign"])
      const mac = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(body))).toHex()
      expect(await openLegacy(mac + body, vector?.key ?? "")).toBeNull()
    },
  )
})

describe("the outer form", () => {
  const [container = ""] = containers.map(({ payload }) => payload)
  const [file = ""] = files.map(({ license_file }) => license_file)

  test.each([
    ["bare", (text: string) => text],
    ["an object", (text: string) => ({ license_file: text })],
    ["JSON", (text: string) => JSON.stringify({ license_file: text })],
    ["white space around it", (text: string) => `\r\n ${text}\n`],
  ])("%s is accepted for both generations", async (_, wrap) => {
    expect(await openLicense(wrap(container), keys)).toMatchObject({ kind: "modern" })
    expect(await openLicense(wrap(file), keys)).toMatchObject({ kind: "legacy" })
  })
})

describe("altered license data is refused", () => {
  test.each(containers)("$cipher, at every character of its base64", async ({ payload }) => {
    expect(await survivors(alterations(payload), (text) => text)).toEqual([])
  })

  test.each(containers)("$cipher, at every byte of its JSON", async ({ json }) => {
    expect(await survivors(alterations(json), btoa)).toEqual([])
  })

  test("legacy, at every character", async () => {
    expect(await survivors(alterations(files[0]?.license_file ?? ""), (text) => text)).toEqual([])
  })

  test("cut off anywhere", async () => {
    for (const text of [...containers.map(({ payload }) => payload), files[0]?.license_file ?? ""]) {
      const cuts = Array.from(text, (_, length) => text.slice(0, length))
      expect(await survivors(cuts, (cut) => cut)).toEqual([])
    }
  })
})

describe("what is no license data is refused without a fault", () => {
  const circular: { license_file?: unknown } = {}
  circular.license_file = circular

  const OTHER_DATA: [string, unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["a number", 42],
    ["a boolean", true],
    ["a list", [containers[0]?.payload]],
    ["an object", {}],
    ["an object around a list", { license_file: [containers[0]?.payload] }],
    ["an object around itself", circular],
    ["an empty text", ""],
    ["white space", " \n "],
    ["prose", "not a license"],
    ["text beyond ASCII", "Đây không phải giấy phép 😀"],
    ["zero bytes", "\0".repeat(300)],
    ["lone surrogates", "\ud800".repeat(300)],
    ["base64 of bytes that are no text", "////"],
    ["base64 of JSON null", btoa("null")],
    ["base64 of a JSON list", btoa("[]")],
    ["base64 of deep JSON", btoa("[".repeat(6_000))],
    ["a JSON text", '{"license_file":1}'],
    ["a JSON text that ends early", '{"license_file":"'],
    ["128 hex digits alone", "0".repeat(128)],
    ["a MAC before an IV alone", "0".repeat(128) + btoa("0".repeat(16))],
    ["a container without padding", (containers[0]?.payload ?? "").replaceAll("=", "")],
    ["a container broken into lines", (containers[0]?.payload ?? "").replace(/.{76}/g, "$&\r\n")],
  ]
  test("whatever it is", async () => {
    for (const [name, data] of OTHER_DATA) expect.soft(await openLicense(data, keys), name).toBeNull()
  })

  test("a megabyte is not even decoded", async () => {
    const fromBase64 = vi.spyOn(Uint8Array, "fromBase64")
    const parse = vi.spyOn(JSON, "parse")
    for (const data of ["A".repeat(1 << 20), `{"license_file":"${"A".repeat(1 << 20)}"}`]) {
      expect(await openLicense(data, keys)).toBeNull()
      expect(await openLicense({ license_file: data }, keys)).toBeNull()
    }
    expect(fromBase64).not.toHaveBeenCalled()
    expect(parse).not.toHaveBeenCalled()
  })
})

describe("a container key", () => {
  test("has the length its cipher asks for", () => {
    for (const { cipher, key } of containers) expect(containerKey(key)?.length).toBe(CIPHERS[cipher].keyBytes)
  })

  const OTHER_KEYS = [
    "",
    "base64:",
    "VIatTi6yzxpJC+5yzR0SCw==",
    "base64:VIatTi6yzxpJC+5yzR0SCw",
    "base64:VIatTi6yzxpJC+5yzR0S",
    "base64:not base64",
    "hex:00",
  ]
  test("is nothing else", () => {
    for (const text of OTHER_KEYS) expect.soft(containerKey(text), text).toBeNull()
  })
})

function vectorOf(cipher: CipherName) {
  const vector = containers.find((candidate) => candidate.cipher === cipher)
  if (!vector) throw new Error(`no vector of ${cipher}`)
  return vector
}

function envelopeOf(cipher: CipherName): Record<"iv" | "value" | "mac" | "tag", string> {
  return JSON.parse(vectorOf(cipher).json)
}

const open = (envelope: unknown) => openLicense(btoa(JSON.stringify(envelope)), keys)

/** The text with each character in turn replaced: each bit of it flipped, its case changed, its neighbours in base64. */
function alterations(text: string): string[] {
  return Array.from(text, (character, index) => {
    const code = character.charCodeAt(0)
    const flipped = [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => String.fromCharCode(code ^ bit))
    return [...flipped, "A", "=", " "]
      .filter((replacement) => replacement !== character)
      .map((replacement) => text.slice(0, index) + replacement + text.slice(index + 1))
  }).flat()
}

/** Those of the texts that open all the same. */
async function survivors(texts: string[], wrap: (text: string) => string): Promise<string[]> {
  const opened = await Promise.all(texts.map((text) => openLicense(wrap(text), keys)))
  return texts.filter((_, index) => opened[index] !== null)
}

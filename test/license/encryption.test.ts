// License data encryption in both directions against vectors from independent implementations, and decryption
// against altered and invalid data.
import { describe, expect, test, vi } from "vitest"
import { hmacSha256 } from "../../src/lib/hash"
import { CIPHERS, type CipherName, type Key, parseContainerKey } from "../../src/license/encryption/ciphers"
import { decryptContainer, encryptContainer } from "../../src/license/encryption/container"
import { type DecryptionKeys, decryptLicense } from "../../src/license/encryption/decrypt"
import { decryptLegacyFile } from "../../src/license/encryption/legacy"
import { serialize, unserialize } from "../../src/license/encryption/php-array"
import vectors from "./vectors.json"

const keyOf = (text: string): Key => {
  const key = parseContainerKey(text)
  if (key === null) throw new Error(`not a key: ${text}`)
  return key
}

const containers = vectors.laravel.map((vector) => ({ ...vector, cipher: vector.cipher as CipherName }))
const files = vectors.legacy
const keys: DecryptionKeys = {
  modern: containers.map(({ key }) => keyOf(key)),
  legacy: files[0]?.key ?? null,
}

/** `{"license":"forged","client":"anyone"}` encrypted with the keys derived from an empty secret. */
const FILE_WITH_EMPTY_SECRET =
  "459b82fec8543198988cb5188901d7c475a117bb54f9c27d2a8f20ba1596f3b95014c50c5188c329a049cf17ed6e7c3be0963d03a11643cfb45187a7bbc29cc7BwcHBwcHBwcHBwcHBwcHBw+kw4yk6dBQpIj30+ZghLx4m/ETVWcrq6iOY6Q5ouhZlterPQjI/ySZWeQ6ZaUD6Q=="

/** Makes the next generated initialisation vector that of a test vector. */
const mockNextIv = (iv: Uint8Array): void => {
  vi.spyOn(crypto, "getRandomValues").mockImplementationOnce((array) => {
    if (array instanceof Uint8Array) array.set(iv)
    return array
  })
}

describe("container", () => {
  test.each(containers)("decrypts a $cipher container written by the framework", async ({ payload, key }) => {
    expect(await decryptContainer(payload, keyOf(key))).toEqual({ id: 42, activation_id: 42 })
    expect(await decryptLicense(payload, keys)).toEqual({ kind: "modern", id: 42, activation_id: 42 })
  })

  test.each(containers)(
    "encrypts a $cipher container exactly as the framework does",
    async ({ cipher, json, payload, key }) => {
      mockNextIv(Uint8Array.fromBase64(JSON.parse(json).iv))
      const encrypted = await encryptContainer({ id: 42, activation_id: 42 }, cipher, keyOf(key))
      expect(atob(encrypted)).toBe(json)
      expect(encrypted).toBe(payload)
    },
  )

  test.each(containers)(
    "encrypts with $cipher to a different container each time, and decrypts both",
    async ({ cipher, key }) => {
      const payload = { id: 7, activation_id: Number.MAX_SAFE_INTEGER }
      const first = await encryptContainer(payload, cipher, keyOf(key))
      const second = await encryptContainer(payload, cipher, keyOf(key))
      expect(second).not.toBe(first)
      expect(await decryptContainer(first, keyOf(key))).toEqual(payload)
      expect(await decryptContainer(second, keyOf(key))).toEqual(payload)
    },
  )

  test.each(containers)(
    "rejects a $cipher container with another key of the same size",
    async ({ cipher, payload }) => {
      const other = new Uint8Array(CIPHERS[cipher].keyBytes).fill(1)
      expect(await decryptContainer(payload, other)).toBeNull()
    },
  )

  test.each(containers)("throws when encrypting with $cipher and a key of the wrong size", async ({ cipher }) => {
    const key = new Uint8Array(48 - CIPHERS[cipher].keyBytes)
    await expect(encryptContainer({ id: 1, activation_id: 1 }, cipher, key)).rejects.toThrow(RangeError)
  })

  test("decrypts a container without a tag, as older framework versions wrote it", async () => {
    const { iv, value, mac } = envelopeOf("aes-256-cbc")
    expect(await open({ iv, value, mac })).toMatchObject({ kind: "modern" })
  })

  test.each([
    ["no mac and no tag", { mac: "", tag: "" }],
    ["both a tag and a mac", { tag: "dDmBGjJsQrn6kVIewaVDBw==" }],
    ["an upper-case mac", { mac: envelopeOf("aes-256-cbc").mac.toUpperCase() }],
    ["a short mac", { mac: "90a56e" }],
    ["a number instead of a string", { iv: 1 }],
    ["a list instead of a string", { value: ["x"] }],
    ["null instead of a string", { mac: null }],
    ["an unknown field", { extra: "" }],
  ])("rejects a container with %s", async (_, change) => {
    expect(await open({ ...envelopeOf("aes-256-cbc"), ...change })).toBeNull()
  })

  test.each([15, 12, 4, 0])(
    "rejects a container whose tag is truncated to %i bytes, the rest moved into the value",
    async (length) => {
      const envelope = envelopeOf("aes-256-gcm")
      const [ciphertext, tag] = [Uint8Array.fromBase64(envelope.value), Uint8Array.fromBase64(envelope.tag)]
      const value = Uint8Array.of(...ciphertext, ...tag.subarray(0, 16 - length))
      expect(await open({ ...envelope, value: value.toBase64(), tag: tag.subarray(16 - length).toBase64() })).toBeNull()
    },
  )

  test.each(["", "AAAAAAAAAAA=", "DZjQky0aU9fl2lpHVhyFFQ=", "no base64"])(
    "rejects a container with a valid mac and the invalid initialisation vector %j",
    async (iv) => {
      const { key } = vectorOf("aes-128-cbc")
      const { value } = envelopeOf("aes-128-cbc")
      expect(await open({ iv, value, mac: (await hmacSha256(keyOf(key), iv + value)).toHex(), tag: "" })).toBeNull()
    },
  )

  test("rejects a container with a valid tag around another PHP value", async () => {
    const { key } = vectorOf("aes-128-gcm")
    const aes = await crypto.subtle.importKey("raw", keyOf(key), "AES-GCM", false, ["encrypt"])
    const iv = new Uint8Array(12)
    const ciphertext = new Uint8Array(
      await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, new TextEncoder().encode('s:2:"42";')),
    )
    const [value, tag] = [ciphertext.subarray(0, -16).toBase64(), ciphertext.subarray(-16).toBase64()]
    expect(await open({ iv: iv.toBase64(), value, mac: "", tag })).toBeNull()
  })
})

describe("container payload", () => {
  test("serialises and parses the payload as PHP does", () => {
    expect(serialize({ id: 1, activation_id: 20 })).toBe('a:2:{s:2:"id";i:1;s:13:"activation_id";i:20;}')
    expect(unserialize('a:2:{s:2:"id";i:1;s:13:"activation_id";i:20;}')).toEqual({ id: 1, activation_id: 20 })
  })

  test("throws when serialising an id that is not a positive safe integer", () => {
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
  test("rejects every other PHP value", () => {
    for (const text of OTHER_TEXTS) expect.soft(unserialize(text), text).toBeNull()
  })
})

describe("legacy license file", () => {
  test.each(files)("decrypts a legacy file with the key $key", async ({ key, plain, license_file }) => {
    const payload = JSON.parse(plain)
    expect(await decryptLegacyFile(license_file, key)).toEqual(payload)
    expect(await decryptLicense(license_file, { ...keys, legacy: key })).toEqual({ kind: "legacy", ...payload })
  })

  test("rejects a legacy file without the right key", async () => {
    for (const { license_file } of files) {
      expect(await decryptLegacyFile(license_file, "")).toBeNull()
      expect(await decryptLegacyFile(license_file, "another")).toBeNull()
      expect(await decryptLicense(license_file, { ...keys, legacy: null })).toBeNull()
    }
  })

  test("rejects a legacy file forged with an empty secret", async () => {
    expect(await decryptLegacyFile(FILE_WITH_EMPTY_SECRET, "")).toBeNull()
  })

  test.each(["", "AAAA", "A".repeat(22)])(
    "rejects a legacy file with a valid MAC over the invalid body %j",
    async (body) => {
      const [vector] = files
      const raw = Uint8Array.fromHex(vector?.hmac_key_hex ?? "")
      const hmac = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-512" }, false, ["sign"])
      const mac = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(body))).toHex()
      expect(await decryptLegacyFile(mac + body, vector?.key ?? "")).toBeNull()
    },
  )
})

describe("wrapped license data", () => {
  const [container = ""] = containers.map(({ payload }) => payload)
  const [file = ""] = files.map(({ license_file }) => license_file)

  test.each([
    ["plain", (text: string) => text],
    ["wrapped in an object", (text: string) => ({ license_file: text })],
    ["wrapped in JSON", (text: string) => JSON.stringify({ license_file: text })],
    ["surrounded by white space", (text: string) => `\r\n ${text}\n`],
  ])("accepts license data of both generations %s", async (_, wrap) => {
    expect(await decryptLicense(wrap(container), keys)).toMatchObject({ kind: "modern" })
    expect(await decryptLicense(wrap(file), keys)).toMatchObject({ kind: "legacy" })
  })
})

describe("altered license data", () => {
  test.each(containers)("rejects a $cipher container altered at any character of its base64", async ({ payload }) => {
    expect(await findDecryptable(alterations(payload), (text) => text)).toEqual([])
  })

  test.each(containers)("rejects a $cipher container altered at any byte of its JSON", async ({ json }) => {
    expect(await findDecryptable(alterations(json), btoa)).toEqual([])
  })

  test("rejects a legacy file altered at any character", async () => {
    expect(await findDecryptable(alterations(files[0]?.license_file ?? ""), (text) => text)).toEqual([])
  })

  test("rejects license data truncated at any length", async () => {
    for (const text of [...containers.map(({ payload }) => payload), files[0]?.license_file ?? ""]) {
      const cuts = Array.from(text, (_, length) => text.slice(0, length))
      expect(await findDecryptable(cuts, (cut) => cut)).toEqual([])
    }
  })
})

describe("invalid license data", () => {
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
    ["base64 of bytes that are not UTF-8", "////"],
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
  test("rejects arbitrary input without throwing", async () => {
    for (const [name, data] of OTHER_DATA) expect.soft(await decryptLicense(data, keys), name).toBeNull()
  })

  test("rejects a megabyte of input without decoding it", async () => {
    const fromBase64 = vi.spyOn(Uint8Array, "fromBase64")
    const parse = vi.spyOn(JSON, "parse")
    for (const data of ["A".repeat(1 << 20), `{"license_file":"${"A".repeat(1 << 20)}"}`]) {
      expect(await decryptLicense(data, keys)).toBeNull()
      expect(await decryptLicense({ license_file: data }, keys)).toBeNull()
    }
    expect(fromBase64).not.toHaveBeenCalled()
    expect(parse).not.toHaveBeenCalled()
  })
})

describe("parseContainerKey", () => {
  test("parses a key of each cipher's key length", () => {
    for (const { cipher, key } of containers) expect(parseContainerKey(key)?.length).toBe(CIPHERS[cipher].keyBytes)
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
  test("rejects every other string", () => {
    for (const text of OTHER_KEYS) expect.soft(parseContainerKey(text), text).toBeNull()
  })
})

function vectorOf(cipher: CipherName) {
  const vector = containers.find((candidate) => candidate.cipher === cipher)
  if (!vector) throw new Error(`no vector for ${cipher}`)
  return vector
}

function envelopeOf(cipher: CipherName): Record<"iv" | "value" | "mac" | "tag", string> {
  return JSON.parse(vectorOf(cipher).json)
}

const open = (envelope: unknown) => decryptLicense(btoa(JSON.stringify(envelope)), keys)

/** Returns all variants of the text with one character replaced: with each bit flipped, and by "A", "=" and " ". */
function alterations(text: string): string[] {
  return Array.from(text, (character, index) => {
    const code = character.charCodeAt(0)
    const flipped = [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => String.fromCharCode(code ^ bit))
    return [...flipped, "A", "=", " "]
      .filter((replacement) => replacement !== character)
      .map((replacement) => text.slice(0, index) + replacement + text.slice(index + 1))
  }).flat()
}

/** Returns the texts that can still be decrypted. */
async function findDecryptable(texts: string[], wrap: (text: string) => string): Promise<string[]> {
  const results = await Promise.all(texts.map((text) => decryptLicense(wrap(text), keys)))
  return texts.filter((_, index) => results[index] !== null)
}

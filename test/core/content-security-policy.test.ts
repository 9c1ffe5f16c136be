// The builder of Content-Security-Policy headers.
import { expect, test } from "vitest"
import { contentSecurityPolicy, hashSource, SELF_HOSTED } from "../../src/core/html/content-security-policy"

test("forbids everything but the given directives and forms to the same host", () => {
  expect(contentSecurityPolicy({})).toBe(
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
})

test("lists directives in a fixed order and replaces the defaults of those given", () => {
  const directives = {
    sandbox: true,
    "frame-ancestors": ["'self'"],
    "img-src": ["https://shop.example", "data:"],
    "form-action": ["'none'"],
  } as const
  expect(contentSecurityPolicy(directives)).toBe(
    "default-src 'none'; img-src https://shop.example data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
  )
})

test("allows the scripts, styles, images and fonts of the same host", () => {
  expect(contentSecurityPolicy({ ...SELF_HOSTED, "frame-src": ["'self'"] })).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src 'self'",
  )
})

test("hashes an inline style or script with SHA-256 in Base64", () => {
  expect(hashSource("alert('Hello, world.');")).toBe("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='")
})

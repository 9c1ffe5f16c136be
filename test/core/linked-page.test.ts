// Links to the pages of a list.
import { expect, test } from "vitest"
import { pageLinks } from "../../src/core/http/linked-page"

const buildLink = (query: string) =>
  pageLinks("https://shop.example/api/v1/posts", new URL(`https://x.example/${query}`).search)(7)

test.each([
  ["", "page=7"],
  ["?", "page=7"],
  ["?page=2", "page=7"],
  ["?page", "page=7"],
  ["?page=", "page=7"],
  ["?include=categories,tags", "include=categories,tags&page=7"],
  ["?per_page=5&page=2&q=a", "per_page=5&page=7&q=a"],
  ["?q=a&&page=2&page=3&b=c", "q=a&page=7&b=c"],
  ["?%70age=2&q=a", "page=7&q=a"],
  ["?homepage=2&pages=3&page[]=4", "homepage=2&pages=3&page[]=4&page=7"],
  ["?q=100%&page=2", "q=100%&page=7"],
  ["?q=%E2%98%83+%26page=9", "q=%E2%98%83+%26page=9&page=7"],
  ['?q="é <b>', "q=%22%C3%A9%20%3Cb%3E&page=7"],
])("a request with query %j links to page 7 with query %j", (query, expected) => {
  expect(buildLink(query)).toBe(`https://shop.example/api/v1/posts?${expected}`)
})

test("preserves every query parameter except the page in links", () => {
  for (const query of ["?a=1&a=2&page=3&b=%2C", "?page=1&q=%zz&%=x", "?q=+&page=2&r=%20"]) {
    const entries = (text: string) => [...new URLSearchParams(text)].filter(([name]) => name !== "page")
    expect(entries(new URL(buildLink(query)).search)).toEqual(entries(query))
  }
})

// The guides, from docs/guides: what they are called in paths, and their texts.
import errors from "../../docs/guides/errors.md"
import firstRequest from "../../docs/guides/first-request.md"
import following from "../../docs/guides/following-events.md"
import idempotency from "../../docs/guides/idempotency.md"
import licensing from "../../docs/guides/licensing-a-php-plugin.md"
import pagination from "../../docs/guides/pagination.md"
import webhooks from "../../docs/guides/verifying-webhooks.md"
import { leadOf, titleOf } from "./markdown"

/** In the order in which they are read. */
const TEXTS: Record<string, string> = {
  "first-request": firstRequest,
  "verifying-webhooks": webhooks,
  "following-events": following,
  pagination,
  idempotency,
  errors,
  "licensing-a-php-plugin": licensing,
}

export interface Guide {
  name: string
  title: string
  lead: string
  text: string
}

/** The host that the guides' examples name; pages name the platform's own. */
const EXAMPLE_ORIGIN = "https://platform.example"

/**
 * The guides.
 * @param origin of the platform, for the examples
 */
export const guidesFor = (origin: string): Guide[] =>
  Object.entries(TEXTS).map(([name, source]) => {
    const text = source.replaceAll(EXAMPLE_ORIGIN, origin)
    return { name, title: titleOf(text), lead: leadOf(text), text }
  })

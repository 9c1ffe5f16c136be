// Loads the guides of docs/guides and fills in the platform's URL.
import authentication from "../../docs/guides/authentication.md"
import client from "../../docs/guides/client.md"
import concurrentChanges from "../../docs/guides/concurrent-changes.md"
import endpointOptions from "../../docs/guides/endpoint-options.md"
import errors from "../../docs/guides/errors.md"
import firstRequest from "../../docs/guides/first-request.md"
import followingEvents from "../../docs/guides/following-events.md"
import idempotency from "../../docs/guides/idempotency.md"
import licensingPhpPlugin from "../../docs/guides/licensing-a-php-plugin.md"
import limits from "../../docs/guides/limits.md"
import mcp from "../../docs/guides/mcp.md"
import pagination from "../../docs/guides/pagination.md"
import pythonAndPhp from "../../docs/guides/python-and-php.md"
import verifyingWebhooks from "../../docs/guides/verifying-webhooks.md"
import versioning from "../../docs/guides/versioning.md"
import writingReceiver from "../../docs/guides/writing-a-receiver.md"
import { extractLead, extractTitle } from "./markdown"

/** Markdown by path segment, in reading order. */
const SOURCES: Record<string, string> = {
  "first-request": firstRequest,
  authentication,
  "verifying-webhooks": verifyingWebhooks,
  "endpoint-options": endpointOptions,
  "writing-a-receiver": writingReceiver,
  "following-events": followingEvents,
  pagination,
  idempotency,
  "concurrent-changes": concurrentChanges,
  errors,
  limits,
  versioning,
  client,
  "python-and-php": pythonAndPhp,
  mcp,
  "licensing-a-php-plugin": licensingPhpPlugin,
}

export interface Guide {
  name: string
  title: string
  /** The first paragraph. */
  lead: string
  /** The whole guide in Markdown. */
  text: string
}

/** The placeholder URL in the guides' examples. */
const EXAMPLE_ORIGIN = "https://platform.example"

/**
 * Returns the guides in reading order.
 * @param origin scheme and host of the platform, which replace the placeholder in the examples
 */
export const listGuides = (origin: string): Guide[] =>
  Object.entries(SOURCES).map(([name, source]) => {
    const text = source.replaceAll(EXAMPLE_ORIGIN, origin)
    return { name, title: extractTitle(text), lead: extractLead(text), text }
  })

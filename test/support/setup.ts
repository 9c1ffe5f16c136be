// Every test starts on empty, migrated databases, with queues that only remember what they were sent.
import { type D1Migration, listDurableObjectIds, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, vi } from "vitest"
import { holdEvents } from "./events"
import { takeSeen } from "./seen"

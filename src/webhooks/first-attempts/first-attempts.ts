// Makes the first attempts of the messages of a queue batch. Several of one database are a group: one transaction
// reserves them, and their results are settled together. If the Worker dies, their leases end and the sweep makes them.
import type { Ctx } from "../../core/context"
import type { DeliveryMessage } from "../../core/queue/messages"
import { sendMessage, sendMessages } from "../../core/queue/send"
import { type DeliveryDatabase, findHome } from "../../core/write/delivery-databases"
import { endpointIdOf } from "../../core/write/event-log"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { isTransient } from "../../db/errors"
import { currentTime } from "../../lib/clock"
import { addMs } from "../../lib/time"
import { attemptDelivery } from "../attempt"
import { acquireSlots, releaseSlots } from "../failure-counter"
import type { ReservedAttempt } from "../reserve"
import { releaseGroup, reserveGroup } from "./reserve-group"
import { sendGroup } from "./send-group"

/** Deliveries that one transaction reserves. */
const GROUP_SIZE = 25

/** Time that a batch of messages waits for receivers before the attempts continue in the background. */
const INLINE_WAIT_MS = 250

/** Deferrals of a message whose endpoint has no free slot: after 1, 2, 4 and 8 seconds. Then the sweep takes over. */
const MAX_DEFERRALS = 4

/** A message, and the data for its attempt. */
interface Ticket {
  message: DeliveryMessage
  id: number
  endpoint: number
  /** Its concurrency slot. */
  slotToken: string
  /** Resolved when the message can be acknowledged; rejected if the queue has to retry it. */
  done: PromiseWithResolvers<void>
}

/**
 * Makes first attempts. Slow receivers are awaited in the background, so they do not delay the other messages of the
 * batch. A message whose endpoint has no free slot is deferred.
 * @returns a promise for each message, rejected with the platform's own errors, so that the queue retries the message
 */
export function makeFirstAttempts(
  ctx: Ctx,
  messages: readonly DeliveryMessage[],
): ReadonlyMap<DeliveryMessage, Promise<void>> {
  const tickets = new Map<number, Ticket>()
  const promises = new Map<DeliveryMessage, Promise<void>>()
  for (const message of messages) {
    const { delivery: id, endpoint = endpointIdOf(id) } = message
    // A message may arrive twice in one batch.
    const ticket = tickets.get(id) ?? { message, id, endpoint, slotToken: "", done: Promise.withResolvers<void>() }
    tickets.set(id, ticket)
    promises.set(message, ticket.done.promise)
  }
  if (tickets.size) ctx.inBackground(attemptAll(ctx, [...tickets.values()]))
  return promises
}

async function attemptAll(ctx: Ctx, tickets: readonly Ticket[]): Promise<void> {
  try {
    const ofEndpoints = [...Map.groupBy(tickets, ({ endpoint }) => endpoint)]
    const admitted = (await Promise.all(ofEndpoints.map(([endpoint, some]) => admit(ctx, endpoint, some)))).flat()
    // lint: the isolate caches the database of each endpoint
    const homes = await Promise.all(admitted.map(({ endpoint }) => findHome(ctx, endpoint)))
    const ofHomes = [...Map.groupBy(admitted.entries(), ([index]) => homes[index]?.name).values()]
    await Promise.all(
      // lint: each delivery database
      ofHomes.map((entries) => {
        const home = homes[entries[0]?.[0] ?? 0]
        return (
          home &&
          attemptInGroups(
            ctx,
            home,
            entries.map(([, ticket]) => ticket),
          )
        )
      }),
    )
  } catch (cause) {
    for (const { done } of tickets) done.reject(cause)
  }
}

/** Acquires the slots of an endpoint's messages, and defers those that get none. */
async function admit(ctx: Ctx, endpoint: number, tickets: readonly Ticket[]): Promise<Ticket[]> {
  const maxPerSecond = tickets[0]?.message.rate ?? null
  const tokens = await acquireSlots(ctx, endpoint, tickets.length, maxPerSecond)
  await Promise.all(tickets.slice(tokens.length).map((ticket) => settleTicket(ticket, defer(ctx, ticket.message))))
  return tickets.slice(0, tokens.length).map((ticket, index) => ({ ...ticket, slotToken: tokens[index] ?? "" }))
}

async function defer(ctx: Ctx, message: DeliveryMessage): Promise<void> {
  const { busy = 0 } = message
  if (busy < MAX_DEFERRALS) await sendMessage(ctx, { ...message, busy: busy + 1 }, 2 ** busy)
}

/** Passes the outcome of the work on a message to the queue's consumer. */
const settleTicket = ({ done }: Ticket, work: Promise<void>): Promise<void> => work.then(done.resolve, done.reject)

async function attemptInGroups(ctx: Ctx, home: DeliveryDatabase, tickets: readonly Ticket[]): Promise<void> {
  for (let start = 0; start < tickets.length; start += GROUP_SIZE) {
    const group = tickets.slice(start, start + GROUP_SIZE)
    await (group.length === 1 ? attemptAlone(ctx, group) : attemptGroup(ctx, home, group))
  }
}

/** Makes attempts one by one, each in its own transactions. */
const attemptAlone = async (ctx: Ctx, tickets: readonly Ticket[]): Promise<void> => {
  // lint: each attempt is a separate request and transaction
  await Promise.all(tickets.map((ticket) => settleTicket(ticket, makeAttempt(ctx, ticket))))
}

async function makeAttempt(ctx: Ctx, ticket: Ticket): Promise<void> {
  const reserved = Promise.withResolvers<void>()
  const attempt = attemptWithSlot(ctx, ticket, reserved.resolve)
  // A database error before that point fails the message, so the queue retries it.
  const receiverIsSlow = reserved.promise.then(() => scheduler.wait(INLINE_WAIT_MS)).then(() => true)
  if (await Promise.race([attempt.then(() => false), receiverIsSlow])) ctx.inBackground(attempt)
}

/** Makes the attempt. Counting its outcome releases the slot; if nothing was counted, it is released here. */
async function attemptWithSlot(ctx: Ctx, { id, endpoint, slotToken }: Ticket, onReserved: () => void): Promise<void> {
  let isCounted = false
  try {
    const attempted = await attemptDelivery(ctx, id, "first", slotToken, onReserved)
    isCounted = attempted !== null && attempted.attempt > 0
  } finally {
    if (!isCounted) await releaseSlots(ctx, endpoint, [slotToken])
  }
}

/** Makes attempts in a group. If a broken row fails its reservation, each attempt is made alone. */
async function attemptGroup(ctx: Ctx, home: DeliveryDatabase, tickets: readonly Ticket[]): Promise<void> {
  let reserved: ReservedAttempt[]
  try {
    reserved = await reserveGroup(
      ctx,
      home,
      tickets.map(({ id }) => id),
    )
  } catch (cause) {
    if (!isTransient(cause)) {
      ctx.log.error("a group of attempts could not be reserved", cause, { deliveries: tickets.length })
      return attemptAlone(ctx, tickets)
    }
    await releaseTickets(ctx, tickets)
    for (const { done } of tickets) done.reject(cause)
    return
  }
  const byId = new Map(reserved.map((attempt) => [attempt.delivery.id, attempt]))
  const unreserved = tickets.filter(({ id }) => !byId.has(id))
  await releaseTickets(ctx, unreserved)
  for (const { done } of unreserved) done.resolve()
  const made = tickets.filter(({ id }) => byId.has(id))
  const attempts = made.flatMap(({ id, slotToken }) => {
    const attempt = byId.get(id)
    return attempt ? [{ ...attempt, slotToken }] : []
  })
  const work = sendGroup(ctx, home, attempts, (unsent) => requeue(ctx, home, unsent, made))
  const isSlow = await Promise.race([work.then(() => false), scheduler.wait(INLINE_WAIT_MS).then(() => true)])
  for (const { done } of made) done.resolve()
  if (isSlow) await work
}

const releaseTickets = async (ctx: Ctx, tickets: readonly Ticket[]): Promise<void> => {
  const ofEndpoints = [...Map.groupBy(tickets, ({ endpoint }) => endpoint)]
  await Promise.all(
    ofEndpoints.map(([endpoint, some]) =>
      releaseSlots(
        ctx,
        endpoint,
        some.map(({ slotToken }) => slotToken),
      ),
    ),
  )
}

/** Attempts that a group did not make. */
export interface UnsentAttempts {
  attempts: readonly ReservedAttempt[]
  /** The endpoints that did not respond in time; the others only waited behind them. */
  slowEndpoints: ReadonlySet<number>
}

/** Releases attempts that wait behind slow receivers, and sends their messages to the queue again. */
async function requeue(
  ctx: Ctx,
  home: DeliveryDatabase,
  { attempts, slowEndpoints }: UnsentAttempts,
  tickets: readonly Ticket[],
): Promise<void> {
  const ids = new Set(attempts.map(({ delivery }) => delivery.id))
  const unsent = tickets.filter(({ id }) => ids.has(id))
  await releaseGroup(home, attempts, addMs(currentTime(), QUEUE_GRACE_MS))
  await releaseTickets(ctx, unsent)
  const isSlow = ({ endpoint }: Ticket) => slowEndpoints.has(endpoint)
  const waiting = unsent.filter((ticket) => !isSlow(ticket)).map(({ message }) => message)
  if (waiting.length) await sendMessages(ctx, waiting)
  for (const { message } of unsent.filter(isSlow)) await defer(ctx, message)
}

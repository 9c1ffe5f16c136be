// References to the objects of card providers, as the database stores them. The ids of several providers share a
// column, so a reference is the provider's name and its id, such as `acmepay:sub_1`. The first provider's are plain
// ids.
import { assertNever } from "../../lib/assert-never"
import type { Message, MessageContent, ProviderMessageData } from "./message"
import type { CardProvider } from "./provider"
import { CARD_PROVIDERS } from "./providers"

/** Returns the reference to an object of a provider. */
export const toReference = ({ name, hasPlainIds }: CardProvider, id: string): string =>
  hasPlainIds ? id : `${name}:${id}`

/**
 * Returns the provider of a reference, and its id there.
 * @throws Error for a provider that is no longer registered
 */
export function resolveReference(reference: string): { provider: CardProvider; id: string } {
  const separator = reference.indexOf(":")
  const provider = Object.values<CardProvider>(CARD_PROVIDERS).find(({ name, hasPlainIds }) =>
    separator === -1 ? hasPlainIds : name === reference.slice(0, separator),
  )
  if (!provider) throw new Error(`No card provider is registered for ${reference}`)
  return { provider, id: reference.slice(separator + 1) }
}

/** Replaces a provider's ids in the content of a message by references. */
export function replaceContentIds<Content extends MessageContent>(provider: CardProvider, content: Content): Content {
  const { subscription, customer, facts } = content
  return {
    ...content,
    subscription: toReference(provider, subscription),
    customer: customer === null ? null : toReference(provider, customer),
    facts: replaceDataIds(provider, facts),
  }
}

/** Replaces a provider's ids in a message by references. */
export const replaceMessageIds = (provider: CardProvider, message: Message): Message => ({
  ...replaceContentIds(provider, message),
  id: toReference(provider, message.id),
})

function replaceDataIds(provider: CardProvider, facts: ProviderMessageData): ProviderMessageData {
  switch (facts.kind) {
    case "checkout":
      return { ...facts, session: facts.session === null ? null : toReference(provider, facts.session) }
    case "paid":
    case "failed":
      return { ...facts, invoice: { ...facts.invoice, id: toReference(provider, facts.invoice.id) } }
    case "created":
    case "updated":
    case "deleted":
      return facts
    default:
      return assertNever(facts)
  }
}

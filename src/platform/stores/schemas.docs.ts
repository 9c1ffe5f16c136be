// Documents the API fields of stores.
import { documentFields, UPDATED_SINCE } from "../../core/http/field-docs"
import { CreateStore, DeleteStore, ListedStore, ListStores, StoreResource, SwitchTheme, UpdateStore } from "./schemas"

const name = { description: "Display name.", example: "Acme Outfitters" }
const ownerEmail = { description: "Email address of the owner, who logs in with it.", example: "ada@example.com" }
const theme = { description: "Slug of an installed theme.", example: "atelier" }

documentFields(CreateStore, {
  subdomain: { description: "Subdomain on the platform's domain. It becomes the store's id.", example: "acme" },
  name,
  owner_email: ownerEmail,
  password: {
    description: "Password of the owner's account. Only its hash is stored.",
    example: "correct-horse-battery",
  },
  theme: { ...theme, description: "Slug of an installed theme; the platform's default theme when omitted." },
  preset: { description: "Variant of the theme; the theme's default when omitted.", example: "linen" },
  plan: { description: "Slug of an active plan. Without one, the store has no subscription.", example: "starter" },
  trial_days: { description: "Length of the trial in days, instead of the plan's.", example: 14 },
})

documentFields(UpdateStore, { name, owner_email: ownerEmail, theme })

documentFields(DeleteStore, { confirm: { description: "The store's id, to confirm the deletion.", example: "acme" } })

documentFields(SwitchTheme, { theme })

documentFields(ListStores, {
  status: { description: "Only stores with this status." },
  q: { description: "Only stores whose id, name or owner's email address contains this text.", example: "acme" },
  include: { description: "Set to `usage` to include each store's usage.", example: "usage" },
  updated_since: UPDATED_SINCE,
})

documentFields(
  ListedStore,
  { usage: { description: "Usage as of the last count; only with `include=usage`." } },
  StoreResource,
)

documentFields(StoreResource, {
  id: { description: "Subdomain that the store was created with. It never changes.", example: "acme" },
  name,
  status: { description: "Status in the store's life cycle.", example: "ready" },
  access_state: {
    description:
      "What visitors get: the store (`serving`), or a page saying that it is being prepared, suspended or unavailable.",
    example: "serving",
  },
  theme,
  preset: { description: "Variant of the theme.", example: "linen" },
  owner_email: ownerEmail,
  root_url: { description: "URL of the front page, on the primary domain.", example: "https://acme.platform.example" },
  provisioned_at: { description: "When the store became ready; null while it is provisioned." },
  billing_provider: {
    description:
      "Who bills the subscription: the card provider, the platform (`local`), or `none` without a subscription.",
    example: "local",
  },
  usage: { description: "Usage as of the last count." },
  subscription: { description: "The store's subscription; null without one." },
})

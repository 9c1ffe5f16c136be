// Documents fields that no schemas.docs.ts describes: generic ones by name, and those of bodies that a route defines.
import type { CommonField, FieldDoc, FieldDocs } from "../../../src/core/http/field-docs.ts"

/** Fields with the same meaning everywhere. */
export const DEFAULT_FIELDS: Record<CommonField, FieldDoc> & FieldDocs = {
  id: { example: 42 },
  created_at: { description: "When the resource was created.", example: "2026-09-02T10:15:00+00:00" },
  updated_at: { description: "When the resource was last changed.", example: "2026-09-02T10:15:00+00:00" },
  page: { description: "Page number, from 1.", example: 1 },
  per_page: { description: "Items per page.", example: 30 },
  total: { description: "Number of items.", example: 1 },
  last_page: { description: "Number of the last page; 1 for an empty list.", example: 1 },
  current_page: { example: 1 },
  from: { description: "Number of the first item on the page.", example: 1 },
  to: { description: "Number of the last item on the page.", example: 1 },
  first: { example: "https://acme.example/api/v1/posts?page=1" },
  last: { example: "https://acme.example/api/v1/posts?page=1" },
  prev: { example: null },
  next: { example: null },
  message: { description: "Message for people.", example: null },
  status: { description: "Current status." },
}

/** Fields by operation id, for bodies that its route defines, or by component name. */
export const OWNER_FIELDS: Record<string, FieldDocs> = {
  // Control plane
  Platform: {
    api_version: {
      description: "Changes only with incompatible changes of responses or payloads.",
      example: "2026-09-02",
    },
    grace_days: { description: "Days between a failed payment and the suspension.", example: 7 },
    retention_days: { description: "Days between the cancellation and the deletion of a store.", example: 30 },
    central_domain: { description: "Host of this API.", example: "platform.example" },
    features: {
      description: "Features that a plan can include, by key.",
      example: {
        custom_domain: {
          label: "Custom domains",
          description: "The store can be served on its own domains.",
          default: false,
          column: "allows_custom_domain",
        },
      },
    },
    webhook_events: {
      description: "Event types that endpoints can subscribe to.",
      example: ["store.created", "store.ready", "domain.verified"],
    },
    license_events: {
      description: "Event types of the license manager that endpoints can subscribe to.",
      example: ["license.activated", "license.expired"],
    },
  },
  "keys.create": {
    key: {
      description: "The API key. It cannot be read again.",
      example: "tnk_Vb3kQ9xL_4fG7hJ2kM5nP8qR3sT6vW9xY2zA5bC8dE1fH4jK7",
    },
  },
  "stores.create": {
    status: { example: "pending" },
    access_state: { example: "preparing" },
    self: {
      description: "URL to poll until the store is ready.",
      example: "https://platform.example/api/platform/v1/stores/acme",
    },
  },
  "domains.list": {
    plan_allows_custom_domains: { description: "Whether the store's plan includes custom domains.", example: true },
    max_custom_domains: { description: "Maximum number of custom domains per store.", example: 5 },
  },
  "domains.verify": {
    verified_at: { example: "2026-09-02T10:15:00+00:00" },
    is_routable: { example: true },
  },
  "apps.list": { store_id: { description: "Id of the store.", example: "acme" } },
  "apps.enable": { store_id: { description: "Id of the store.", example: "acme" } },
  "apps.disable": { store_id: { description: "Id of the store.", example: "acme" } },
  "webhooks.create": {
    secret: {
      description: "Signing secret. It is not shown again.",
      example: "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq",
    },
  },
  "webhooks.rotateSecret": {
    secret: {
      description: "New signing secret. It is not shown again.",
      example: "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq",
    },
  },
  "storeWebhooks.create": {
    secret: {
      description: "Signing secret. It is not shown again.",
      example: "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq",
    },
  },
  "storeWebhooks.rotateSecret": {
    secret: {
      description: "New signing secret. It is not shown again.",
      example: "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq",
    },
  },
  "webhooks.recover": { queued: { description: "Number of events to send.", example: 12 } },

  // Events
  "store.created": { source: { description: "Where the store was created." } },
  "store.cancelled": {
    retention_days: { description: "Days until the store's data is deleted.", example: 30 },
  },
  "store.deleted": { reason: { description: "`retention` when the retention period ended." } },
  "domain.primary_changed": {
    previous_primary: { description: "Host name of the previous primary domain.", example: "acme.platform.example" },
  },
  "license.expiring": { days: { description: "Days until the license expires.", example: 7 } },
  "license.deactivated": {
    activation: {
      description: "The activation that ended; absent when all activations of the license ended together.",
    },
    activations: {
      description: "How many activations ended, when all of the license ended together.",
      omitFromExample: true,
    },
  },
  ping: {
    message: { example: "This is a test of your webhook endpoint." },
    endpoint_id: { description: "Id of the endpoint.", example: 42 },
  },

  // Content API
  "accounts.checkEmail": { exists: { description: "Whether the address has an account.", example: true } },
  "profile.updateAvatar": {
    avatar: {
      description: "URL of the avatar.",
      example: "https://acme.example/media/avatars/01K4YQZ0M8T3V6N9R2B5C7D1EF.png",
    },
  },
  Billing: {
    subscription: { description: "The store's subscription; null without one." },
    plans: { description: "Plans that the store can order." },
    orders: { description: "Bank-transfer orders, newest first." },
    offline: { description: "Payment by bank transfer." },
    card: { description: "Payment by card." },
    label: { description: "Name of the payment method.", example: "Bank transfer" },
    instructions: {
      description: "Payment instructions.",
      example: "To Tenancy, IBAN DE02 1203 0000 0000 2020 51, with the reference.",
    },
  },
  "billing.checkout": {
    plan: { description: "Slug of an active plan.", example: "starter" },
    url: { description: "URL of the payment page.", example: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3" },
  },
  "billing.portal": {
    url: { description: "URL of the billing portal.", example: "https://billing.stripe.com/p/session/live_a1b2c3" },
  },
  "notifications.list": {
    unread_count: { description: "Unread notifications in the whole inbox.", example: 3 },
    has_more: { description: "Whether there is another page.", example: false },
  },
  "notifications.markAllRead": { marked_count: { description: "Notifications that were unread.", example: 3 } },
  "folders.deleteMany": { message: { example: "The folders were deleted." } },
  "folders.delete": { message: { example: "The folder was deleted." } },
  "folders.trash": { message: { example: "The folder was moved to the trash." } },
  "files.deleteMany": { message: { example: "The files were deleted." } },
  "files.delete": { message: { example: "The file was deleted." } },
  "files.trash": { message: { example: "The file was moved to the trash." } },

  // License manager
  OldRefusal: { message: { example: "The license code is not valid." } },
  Verified: { message: { example: "Verified." } },
  Checked: { message: { example: "Your license is valid." } },
  "client.checkConnection": { message: { example: "Connection successful." } },
  "client.deactivate": { message: { example: "Deactivated." } },
  "vendor.checkConnection": { message: { example: "Connection successful." } },
  "licenseProducts.list": { path: { example: "https://platform.example/api/internal/products" } },
  "licenseProducts.activate": { message: { example: "The product is active." } },
  "licenseProducts.deactivate": { message: { example: "The product is inactive." } },
  "licenses.list": { path: { example: "https://platform.example/api/internal/product-licenses" } },
  "licenses.block": { message: { example: "The license was blocked." } },
  "licenses.unblock": { message: { example: "The license was unblocked." } },
  "activations.list": { path: { example: "https://platform.example/api/internal/product-activations" } },
  "activations.listOfLicense": {
    path: { example: "https://platform.example/api/internal/product-licenses/42/activations" },
  },
  "activations.activate": { message: { example: "Activated." } },
  "activations.deactivate": { message: { example: "Deactivated." } },
  "oldClient.checkConnection": { message: { example: "Connection successful." } },
  "oldClient.activate": { message: { example: "Activated." } },
  "oldClient.deactivate": { message: { example: "Deactivated." } },
  "oldVendor.checkConnection": { message: { example: "Connection successful." } },
  "oldVendor.addProduct": {
    message: { example: "The product was created." },
    product_id: { example: "ACME-SEO" },
  },
  "oldVendor.activateProduct": { message: { example: "The product is active." } },
  "oldVendor.deactivateProduct": { message: { example: "The product is inactive." } },
  "oldVendor.createLicense": {
    message: { example: "The license was created." },
    license_code: { example: "6F9A-27C1-44D0-B83E" },
  },
  "oldVendor.editLicense": {
    message: { example: "The license was updated." },
    license_code: { example: "6F9A-27C1-44D0-B83E" },
  },
  "oldVendor.deleteLicense": { message: { example: "The license was deleted." } },
  "oldVendor.blockLicense": { message: { example: "The license was blocked." } },
  "oldVendor.unblockLicense": { message: { example: "The license was unblocked." } },
  "oldVendor.endActivations": { message: { example: "All activations of the license were ended." } },
}

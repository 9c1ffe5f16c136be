// Lists the features that a plan can include, with their columns.

export const FEATURES = {
  custom_domain: {
    label: "Custom domain",
    description: "The store can use its own domains.",
    default: false,
    column: "allows_custom_domain",
  },
  api_access: {
    label: "API access",
    description: "The store's host serves the content API under /api/v1.",
    default: false,
    column: "allows_api_access",
  },
  remove_branding: {
    label: "Remove branding",
    description: "The storefront shows no platform branding.",
    default: false,
    column: "remove_branding",
  },
} as const

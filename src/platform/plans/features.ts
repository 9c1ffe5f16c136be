// Lists the features that a plan can include, with their columns.

export const FEATURES = {
  custom_domain: {
    label: "Custom domain",
    description: "The store may be reached under domains of its own.",
    default: false,
    column: "allows_custom_domain",
  },
  api_access: {
    label: "API access",
    description: "The store's own host serves the content API under /api/v1.",
    default: false,
    column: "allows_api_access",
  },
  remove_branding: {
    label: "Remove branding",
    description: "The storefront carries no note of the platform.",
    default: false,
    column: "remove_branding",
  },
} as const

// Subdomains that no store may take: they name the platform's own hosts, or could impersonate them.
import { CARD_PROVIDER_NAMES } from "../../db/schema/central/billing-providers"

// biome-ignore format: a filled word list is easier to read
const RESERVED: ReadonlySet<string> = new Set([
  "www", "api", "admin", "app", "apps", "console", "dashboard", "operator", "platform", "central", "root", "system",
  "mail", "email", "smtp", "imap", "pop", "mx", "webmail", "autodiscover", "autoconfig", "postmaster", "hostmaster",
  "static", "assets", "cdn", "media", "files", "img", "images", "status", "health", "metrics", "docs", "support",
  "help", "blog", "about", "account", "accounts", "auth", "login", "signup", "register", "sso", "oauth", "billing",
  "pay", "payments", "checkout", "invoice", "license", "licenses", "webhook", "webhooks", "ns", "ns1", "ns2",
  "ns3", "ns4", "dns", "ftp", "ssh", "vpn", "localhost", "local", "test", "staging", "dev", "demo-admin", "security",
  "abuse", "legal", "terms", "privacy", "store", "stores", "shop", "shops", "tenant", "tenants", ...CARD_PROVIDER_NAMES,
])

/** Whether a subdomain is reserved for the platform. */
export const isReserved = (subdomain: string): boolean => RESERVED.has(subdomain)

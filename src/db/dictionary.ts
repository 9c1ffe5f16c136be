// The preset dictionary of compressed texts: resources of the API and the frame of an event, the most frequent ones
// last. Stored texts refer to it by position, so it must never change; test/db/compressed-text.test.ts checks its hash.
// Better compression needs a second dictionary.
import { buildDictionary } from "../lib/deflate"

export const RESOURCES_1 = buildDictionary(
  [
    '{"id":1,"product_reference_id":"","license_code":"","type":"regular","is_envato":false,"is_marketplace":false,"invoice":"","customer_id":"","email":"","comments":"","ips":[],"domains":[],"support_until":"2026-","updates_until":"2026-","expires_at":"2026-","expiry_days":30,"uses":1,"parallel_uses":1,"is_valid":true,"active_activations_count":1,"activations_count":1,"created_at":"2026-',
    '"order":{"reference":"PO-000001","status":"pending","plan":"","amount_cents":1900,"currency":"EUR","note":"","reason":"","number":"INV-2026-000001","created_at":"2026-","paid_at":"2026-',
    '"domain":{"id":1,"domain":"www.","tenant_id":"","is_primary":false,"is_fallback":true,"is_custom":true,"verified_at":"2026-","is_routable":true,"created_at":"2026-',
    '"error":{"message":"The site database could not be reached","class":"Error"}',
    '"changes":{"name":{"from":"","to":"',
    '"subscription":{"status":"active","plan":{"id":1,"slug":"starter","name":"Starter","price_cents":1900,"currency":"EUR","interval":"month","trial_days":14,"limits":{"products":100,"orders":500,"storage_mb":1024,"staff_users":3},"features":{"custom_domain":true,"api_access":true,"remove_branding":false},"allows_custom_domain":true,"taken_at":"2026-"},"coupon_code":"","trial_ends_at":"2026-","current_period_ends_at":"2026-","past_due_since":"2026-","suspended_at":"2026-","cancelled_at":"2026-","created_at":"2026-","updated_at":"2026-","allowed_actions":["change_plan","extend","cancel"]}',
    '"data":{"store":{"id":"","name":"","status":"ready","access_state":"serving","theme":"atelier","preset":"linen","owner_email":"owner@example.com","root_url":"https://","provisioned_at":"2026-","created_at":"2026-","updated_at":"2026-","billing_provider":"local","usage":{"period":"2026-","products":12,"orders":3,"storage_bytes":0,"staff_users":1,"collected_at":"2026-',
    '"},"meta":{"actor":{"type":"api_key","id":1,"name":"admin system"},"log":{"id":1,"type":"suspended","from_status":"ready","to_status":"suspended","data":{"plan":"","until":"2026-"},"actor":{"type":"system","name":"system"},"created_at":"2026-11-01T00:00:00Z"}}}',
    '{"id":"01K","type":"store.updated","created_at":"2026-11-01T00:00:00Z","api_version":"2026-09-02",',
  ].join(""),
)

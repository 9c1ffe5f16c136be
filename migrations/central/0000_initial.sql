CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`type` text NOT NULL,
	`from_status` text,
	`to_status` text,
	`data` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_store` ON `audit_entries` (`store_seq`,`id`);--> statement-breakpoint
CREATE TABLE `counters` (
	`list` text NOT NULL,
	`filter` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`list`, `filter`)
);
--> statement-breakpoint
CREATE TABLE `domains` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`domain` text NOT NULL,
	`store_id` text NOT NULL,
	`is_primary` integer NOT NULL,
	`is_fallback` integer NOT NULL,
	`verification_token` text,
	`verified_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_domain_unique` ON `domains` (`domain`);--> statement-breakpoint
CREATE INDEX `domains_store` ON `domains` (`store_id`,`is_primary`);--> statement-breakpoint
CREATE INDEX `domains_unverified` ON `domains` (`verified_at`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`caller` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`locked_until` integer NOT NULL,
	`status` integer,
	`headers` text,
	`body` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`caller`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`key_prefix` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_by_name` text NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `operators` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operators_email_unique` ON `operators` (`email`);--> statement-breakpoint
CREATE TABLE `plans` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`price_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`interval` text NOT NULL,
	`trial_days` integer NOT NULL,
	`limits` text NOT NULL,
	`allows_custom_domain` integer NOT NULL,
	`allows_api_access` integer NOT NULL,
	`remove_branding` integer NOT NULL,
	`apps` text,
	`themes` text,
	`stripe_price` text,
	`is_active` integer NOT NULL,
	`sort_order` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plans_slug_unique` ON `plans` (`slug`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `purges` (
	`store_id` text PRIMARY KEY NOT NULL,
	`database` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `stores` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`theme` text NOT NULL,
	`preset` text NOT NULL,
	`owner_email` text NOT NULL,
	`database` text,
	`admin_password_hash` text,
	`search_text` text NOT NULL,
	`version` integer NOT NULL,
	`provisioning_started_at` integer,
	`provisioned_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `stores_id_unique` ON `stores` (`id`);--> statement-breakpoint
CREATE INDEX `stores_status` ON `stores` (`status`,`seq`);--> statement-breakpoint
CREATE TABLE `usage_snapshots` (
	`store_id` text PRIMARY KEY NOT NULL,
	`period` text NOT NULL,
	`products` integer NOT NULL,
	`orders` integer NOT NULL,
	`storage_bytes` integer NOT NULL,
	`staff_users` integer NOT NULL,
	`collected_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_id` text NOT NULL,
	`status` text NOT NULL,
	`provider` text NOT NULL,
	`plan` text,
	`coupon_code` text,
	`trial_ends_at` integer,
	`current_period_ends_at` integer,
	`past_due_since` integer,
	`suspended_at` integer,
	`cancelled_at` integer,
	`stripe_customer` text,
	`stripe_subscription` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_store_id_unique` ON `subscriptions` (`store_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_stripe_subscription_unique` ON `subscriptions` (`stripe_subscription`);--> statement-breakpoint
CREATE INDEX `subscriptions_trial` ON `subscriptions` (`status`,`trial_ends_at`);--> statement-breakpoint
CREATE INDEX `subscriptions_period` ON `subscriptions` (`status`,`current_period_ends_at`);--> statement-breakpoint
CREATE INDEX `subscriptions_past_due` ON `subscriptions` (`status`,`past_due_since`);--> statement-breakpoint
CREATE INDEX `subscriptions_cancelled` ON `subscriptions` (`status`,`cancelled_at`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`endpoint_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`store_id` text,
	`attempt` integer NOT NULL,
	`status` text NOT NULL,
	`response_status` integer,
	`response_excerpt` text,
	`error` text,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_endpoint` ON `webhook_deliveries` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_endpoint_status` ON `webhook_deliveries` (`endpoint_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_endpoint_event` ON `webhook_deliveries` (`endpoint_id`,`event`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`next_attempt_at`) WHERE status in ('pending', 'failed');--> statement-breakpoint
CREATE INDEX `webhook_deliveries_finished` ON `webhook_deliveries` (`updated_at`) WHERE status in ('delivered', 'exhausted');--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text,
	`secret` text NOT NULL,
	`is_active` integer NOT NULL,
	`disabled_at` integer,
	`consecutive_failures` integer NOT NULL,
	`failure_seq` integer NOT NULL,
	`last_success_at` integer,
	`last_failure_at` integer,
	`created_by_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`store_id` text,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_events_created` ON `webhook_events` (`created_at`);
CREATE TABLE `cron_runs` (
	`part` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `store_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_seq` integer NOT NULL,
	`note` text NOT NULL,
	`created_by_name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `store_notes_store` ON `store_notes` (`store_seq`,`id`);--> statement-breakpoint
CREATE TABLE `operator_passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`operator_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` text NOT NULL,
	`counter` integer NOT NULL,
	`name` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_passkeys_credential_id_unique` ON `operator_passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `operator_passkeys_operator` ON `operator_passkeys` (`operator_id`);--> statement-breakpoint
CREATE TABLE `operator_recovery_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`operator_id` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `operator_recovery_codes_operator` ON `operator_recovery_codes` (`operator_id`);--> statement-breakpoint
CREATE TABLE `operator_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`operator_id` integer NOT NULL,
	`awaits_code` integer NOT NULL,
	`confirmed_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`address` text,
	`agent` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_sessions_hash_unique` ON `operator_sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `operator_sessions_operator` ON `operator_sessions` (`operator_id`,`id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_used_from` text;--> statement-breakpoint
ALTER TABLE `operators` ADD `role` text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
ALTER TABLE `operators` ADD `disabled_at` integer;--> statement-breakpoint
ALTER TABLE `operators` ADD `totp_secret` text;--> statement-breakpoint
ALTER TABLE `operators` ADD `totp_enabled_at` integer;--> statement-breakpoint
ALTER TABLE `operators` ADD `totp_step` integer;--> statement-breakpoint
ALTER TABLE `operators` ADD `time_zone` text;--> statement-breakpoint
ALTER TABLE `operators` ADD `theme` text DEFAULT 'system' NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_entries_site` ON `audit_entries` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_type` ON `audit_entries` (`type`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor` ON `audit_entries` (`actor_name`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_interface` ON `audit_entries` (`interface`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_request` ON `audit_entries` (`request_id`);--> statement-breakpoint
CREATE INDEX `audit_entries_created` ON `audit_entries` (`created_at`);--> statement-breakpoint
CREATE INDEX `stores_name` ON `stores` (`name`,`seq`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_store` ON `webhook_deliveries` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_exhausted` ON `webhook_deliveries` (`updated_at`) WHERE status = 'exhausted';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_troubled` ON `webhook_deliveries` (`status`,`id`) WHERE status in ('failed', 'exhausted');--> statement-breakpoint
CREATE INDEX `webhook_hours_hour` ON `webhook_hours` (`hour`);
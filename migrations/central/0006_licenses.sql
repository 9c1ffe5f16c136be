CREATE TABLE `license_activations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`license_id` integer NOT NULL,
	`place` text NOT NULL,
	`domain` text,
	`ip` text,
	`client_name` text,
	`is_active` integer NOT NULL,
	`activated_at` integer NOT NULL,
	`deactivated_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `license_activations_place` ON `license_activations` (`license_id`,`place`) WHERE is_active = 1;--> statement-breakpoint
CREATE INDEX `license_activations_domain` ON `license_activations` (`license_id`,`domain`,`ip`) WHERE is_active = 1;--> statement-breakpoint
CREATE INDEX `license_activations_license` ON `license_activations` (`license_id`,`id`);--> statement-breakpoint
CREATE INDEX `license_activations_state` ON `license_activations` (`is_active`,`id`);--> statement-breakpoint
CREATE TABLE `license_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text,
	`created_by_name` text NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `license_keys_hash_unique` ON `license_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `license_products` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reference_id` text NOT NULL,
	`name` text NOT NULL,
	`marketplace_id` text,
	`description` text,
	`license_update` integer NOT NULL,
	`serve_latest_updates` integer NOT NULL,
	`is_active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `license_products_reference_id_unique` ON `license_products` (`reference_id`);--> statement-breakpoint
CREATE TABLE `license_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`version_id` text NOT NULL,
	`product_id` integer NOT NULL,
	`version` text NOT NULL,
	`sort_key` text NOT NULL,
	`summary` text,
	`changelog` text,
	`released_at` integer,
	`is_active` integer NOT NULL,
	`main_file` text,
	`sql_file` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `license_versions_version_id_unique` ON `license_versions` (`version_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `license_versions_version` ON `license_versions` (`product_id`,`version`);--> statement-breakpoint
CREATE INDEX `license_versions_order` ON `license_versions` (`product_id`,`sort_key`);--> statement-breakpoint
CREATE TABLE `licenses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`code` text NOT NULL,
	`code_key` text NOT NULL,
	`type` text NOT NULL,
	`customer_id` text,
	`customer_key` text,
	`email` text,
	`invoice` text,
	`comments` text,
	`uses` integer,
	`parallel_uses` integer,
	`active_uses` integer DEFAULT 0 NOT NULL,
	`made_uses` integer DEFAULT 0 NOT NULL,
	`domains` text NOT NULL,
	`ips` text NOT NULL,
	`support_until` integer,
	`updates_until` integer,
	`expires_at` integer,
	`expiry_days` integer,
	`is_valid` integer NOT NULL,
	`is_marketplace` integer NOT NULL,
	`next_notice_at` integer,
	`search_text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `licenses_code_key_unique` ON `licenses` (`code_key`);--> statement-breakpoint
CREATE INDEX `licenses_product` ON `licenses` (`product_id`,`id`);--> statement-breakpoint
CREATE INDEX `licenses_customer` ON `licenses` (`customer_key`,`product_id`,`id`);--> statement-breakpoint
CREATE INDEX `licenses_customer_all` ON `licenses` (`customer_key`,`id`);--> statement-breakpoint
CREATE INDEX `licenses_notice` ON `licenses` (`next_notice_at`) WHERE next_notice_at is not null;
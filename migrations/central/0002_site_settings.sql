CREATE TABLE `server_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`created_by_name` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `server_tokens_hash_unique` ON `server_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `server_tokens_site` ON `server_tokens` (`site_id`,`id`);--> statement-breakpoint
CREATE TABLE `site_settings` (
	`site_id` text PRIMARY KEY NOT NULL,
	`api_enabled` integer NOT NULL,
	`key_required` integer NOT NULL,
	`api_key_prefix` text,
	`api_key_hash` text,
	`email_verification` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`kind` text NOT NULL,
	`store_id` text,
	`recipient` text NOT NULL,
	`locale` text,
	`data` text NOT NULL,
	`due_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`sent_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_key_unique` ON `mails` (`key`);--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`,`id`);--> statement-breakpoint
ALTER TABLE `site_settings` ADD `language` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `trial_reminder` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `dunning_day` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `retention_warned_at` integer;
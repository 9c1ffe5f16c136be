CREATE TABLE `alert_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alert_webhooks_due` ON `alert_webhooks` (`due_at`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`name` text PRIMARY KEY NOT NULL,
	`is_firing` integer NOT NULL,
	`since` integer NOT NULL,
	`pending_since` integer,
	`value` real NOT NULL,
	`version` integer NOT NULL
);

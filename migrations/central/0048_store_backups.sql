CREATE TABLE `store_backups` (
	`id` text PRIMARY KEY NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`database` text NOT NULL,
	`phase` text NOT NULL,
	`due_at` integer,
	`fingerprint` text,
	`manifest_hash` text,
	`rows` integer,
	`files` integer,
	`bytes` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`store_deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `store_backups_running` ON `store_backups` (`store_id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_backups_due` ON `store_backups` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_backups_store` ON `store_backups` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `store_backups_incarnation` ON `store_backups` (`store_seq`,`id`);
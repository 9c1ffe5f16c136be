CREATE TABLE `store_exports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`recipient` text NOT NULL,
	`phase` text NOT NULL,
	`due_at` integer,
	`rows` integer,
	`files` integer,
	`bytes` integer,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `store_exports_running` ON `store_exports` (`store_id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_exports_due` ON `store_exports` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_exports_store` ON `store_exports` (`store_seq`,`id`);--> statement-breakpoint
CREATE INDEX `store_exports_expires` ON `store_exports` (`expires_at`);
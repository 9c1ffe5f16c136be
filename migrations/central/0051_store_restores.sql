CREATE TABLE `store_restores` (
	`id` text PRIMARY KEY NOT NULL,
	`backup_id` text NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer,
	`database` text NOT NULL,
	`is_new` integer NOT NULL,
	`is_dry_run` integer NOT NULL,
	`phase` text NOT NULL,
	`position` text NOT NULL,
	`id_offset` integer,
	`differences` text NOT NULL,
	`rounds` integer NOT NULL,
	`due_at` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `store_restores_running` ON `store_restores` (`store_id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_restores_due` ON `store_restores` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `store_restores_store` ON `store_restores` (`store_id`,`id`);
CREATE TABLE `operator_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`operator_id` integer NOT NULL,
	`list` text NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`is_shared` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_views_name` ON `operator_views` (`operator_id`,`list`,`name`);--> statement-breakpoint
CREATE INDEX `operator_views_shared` ON `operator_views` (`list`,`id`) WHERE is_shared = 1;--> statement-breakpoint
ALTER TABLE `operators` ADD `uses_single_keys` integer DEFAULT true NOT NULL;
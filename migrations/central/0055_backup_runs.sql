CREATE TABLE `backup_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`first_started_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`unchecked` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `store_backups_failed` ON `store_backups` (`id`) WHERE phase = 'failed';
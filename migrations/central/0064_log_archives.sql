CREATE TABLE `archive_objects` (
	`log` text NOT NULL,
	`shard` text NOT NULL,
	`number` integer NOT NULL,
	`month` text NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`entries` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	PRIMARY KEY(`log`, `shard`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `archive_objects_month` ON `archive_objects` (`log`,`month`,`first_id`);--> statement-breakpoint
CREATE TABLE `archives` (
	`log` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL,
	`last_at` integer NOT NULL,
	`objects` integer NOT NULL,
	`entries` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_archive_parts` (
	`store_seq` integer NOT NULL,
	`start` integer NOT NULL,
	`object` integer NOT NULL,
	`entries` integer NOT NULL,
	PRIMARY KEY(`store_seq`, `start`)
) WITHOUT ROWID;

CREATE TABLE `id_ranges` (
	`database` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `id_ranges_number_unique` ON `id_ranges` (`number`);--> statement-breakpoint
CREATE TABLE `store_moves` (
	`store_id` text PRIMARY KEY NOT NULL,
	`store_seq` integer NOT NULL,
	`move` text NOT NULL,
	`source` text NOT NULL,
	`target` text NOT NULL,
	`phase` text NOT NULL,
	`emptied` text,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `store_moves_due` ON `store_moves` (`due_at`);
CREATE TABLE `support_accesses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`operator_id` integer NOT NULL,
	`operator_name` text NOT NULL,
	`reason` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`ends_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `support_accesses_hash_unique` ON `support_accesses` (`hash`);--> statement-breakpoint
CREATE INDEX `support_accesses_store` ON `support_accesses` (`store_seq`,`id`);--> statement-breakpoint
CREATE INDEX `support_accesses_open` ON `support_accesses` (`ends_at`) WHERE ended_at is null and ends_at is not null;
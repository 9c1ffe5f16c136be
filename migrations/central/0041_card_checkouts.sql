CREATE TABLE `card_checkouts` (
	`store_seq` integer PRIMARY KEY NOT NULL,
	`session` text NOT NULL,
	`terms` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `card_checkouts_session_unique` ON `card_checkouts` (`session`);
CREATE TABLE `idempotency_records` (
	`id` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`locked_until` integer NOT NULL,
	`committed_at` integer,
	`status` integer,
	`response` text,
	`store_id` text,
	`store_seq` integer,
	`created_at` integer NOT NULL
) WITHOUT ROWID;

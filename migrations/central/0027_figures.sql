CREATE TABLE `figures` (
	`day` text PRIMARY KEY NOT NULL,
	`stores` text NOT NULL,
	`recurring` text NOT NULL,
	`trials` integer NOT NULL,
	`conversions` integer NOT NULL,
	`cancellations` integer NOT NULL,
	`counted_until` integer NOT NULL,
	`created_at` integer NOT NULL
);

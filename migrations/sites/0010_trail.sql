CREATE TABLE `site_trail` (
	`id` text PRIMARY KEY NOT NULL,
	`site_id` text NOT NULL,
	`entry` text NOT NULL,
	`created_at` integer NOT NULL
);

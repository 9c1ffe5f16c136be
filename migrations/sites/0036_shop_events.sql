CREATE TABLE `site_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`site_id` text NOT NULL,
	`store_seq` integer,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL
);

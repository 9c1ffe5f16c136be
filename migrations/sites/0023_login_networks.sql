CREATE TABLE `user_networks` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`network` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `user_id`, `network`)
);

CREATE TABLE `operator_networks` (
	`operator_id` integer NOT NULL,
	`network` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`operator_id`, `network`)
);
--> statement-breakpoint
CREATE INDEX `operator_networks_seen` ON `operator_networks` (`last_seen_at`);
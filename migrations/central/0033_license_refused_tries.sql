CREATE TABLE `license_refused_tries` (
	`license_id` integer NOT NULL,
	`reason` text NOT NULL,
	`tries` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`attempt` text NOT NULL,
	`domain` text,
	`ip` text,
	PRIMARY KEY(`license_id`, `reason`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `license_refused_tries_last` ON `license_refused_tries` (`last_at`);
CREATE TABLE `custom_hostnames` (
	`hostname` text PRIMARY KEY NOT NULL,
	`wanted` integer NOT NULL,
	`cloudflare_id` text,
	`status` text,
	`certificate` text,
	`fault` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_at` integer,
	`leased_until` integer
);
--> statement-breakpoint
CREATE INDEX `custom_hostnames_due` ON `custom_hostnames` (`next_at`) WHERE next_at is not null;
--> statement-breakpoint
-- Domains that were verified before.
INSERT INTO `custom_hostnames` (`hostname`, `wanted`, `failures`, `next_at`)
  SELECT `domain`, 1, 0, `verified_at` FROM `domains` WHERE `is_fallback` = 0 AND `verified_at` IS NOT NULL;

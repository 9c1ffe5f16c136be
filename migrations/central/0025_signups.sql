CREATE TABLE `coupons` (
	`code` text PRIMARY KEY NOT NULL,
	`description` text NOT NULL,
	`trial_days` integer NOT NULL,
	`plans` text,
	`max_redemptions` integer,
	`redemptions` integer NOT NULL,
	`starts_at` integer,
	`expires_at` integer,
	`is_active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `signups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subdomain` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text NOT NULL,
	`plan` text,
	`theme` text,
	`preset` text,
	`coupon` text,
	`locale` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signups_subdomain_unique` ON `signups` (`subdomain`);--> statement-breakpoint
CREATE UNIQUE INDEX `signups_email_key_unique` ON `signups` (`email_key`);--> statement-breakpoint
CREATE INDEX `signups_expiry` ON `signups` (`expires_at`);--> statement-breakpoint
CREATE INDEX `stores_owner` ON `stores` (lower(owner_email));
CREATE TABLE `enabled_apps` (
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`enabled_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `slug`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`password_hash` text NOT NULL,
	`phone` text,
	`dob` text,
	`gender` text,
	`description` text,
	`avatar` text,
	`is_staff` integer NOT NULL,
	`email_verified_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`site_id`,`email_key`);--> statement-breakpoint
CREATE INDEX `users_staff` ON `users` (`site_id`,`is_staff`);
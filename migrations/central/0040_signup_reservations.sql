CREATE TABLE `signup_reservations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subdomain` text NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`plan` text,
	`theme` text,
	`preset` text,
	`coupon` text,
	`locale` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`store_seq` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signup_reservations_subdomain_unique` ON `signup_reservations` (`subdomain`);--> statement-breakpoint
CREATE INDEX `signup_reservations_expiry` ON `signup_reservations` (`expires_at`);
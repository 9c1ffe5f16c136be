CREATE TABLE `account_mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`store_seq` integer,
	`purpose` text NOT NULL,
	`recipient` text NOT NULL,
	`locale` text NOT NULL,
	`token` text,
	`expires_at` integer,
	`address` text,
	`is_confirmed` integer NOT NULL,
	`is_counted` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`unconfirmed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);

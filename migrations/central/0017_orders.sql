CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reference` text NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`status` text NOT NULL,
	`plan` text NOT NULL,
	`plan_name` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`interval` text NOT NULL,
	`note` text,
	`reason` text,
	`number` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`paid_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_reference_unique` ON `orders` (`reference`);--> statement-breakpoint
CREATE UNIQUE INDEX `orders_number_unique` ON `orders` (`number`);--> statement-breakpoint
CREATE INDEX `orders_store` ON `orders` (`store_seq`,`id`);--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `orders_one_pending` ON `orders` (`store_seq`) WHERE status = 'pending';--> statement-breakpoint
CREATE TABLE `payments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`provider` text NOT NULL,
	`number` text,
	`order_reference` text,
	`stripe_invoice` text,
	`plan` text,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`paid_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_number_unique` ON `payments` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `payments_stripe_invoice_unique` ON `payments` (`stripe_invoice`);--> statement-breakpoint
CREATE INDEX `payments_store` ON `payments` (`store_seq`,`id`);--> statement-breakpoint
CREATE TABLE `sequences` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);

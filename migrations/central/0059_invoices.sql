CREATE TABLE `billing_details` (
	`store_seq` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`country` text NOT NULL,
	`tax_number` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `invoices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`number` text NOT NULL,
	`store_id` text NOT NULL,
	`store_seq` integer NOT NULL,
	`invoice_number` text,
	`card_invoice` text,
	`gross_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`document` text NOT NULL,
	`issued_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_number_unique` ON `invoices` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_card_invoice_unique` ON `invoices` (`card_invoice`);--> statement-breakpoint
CREATE INDEX `invoices_store` ON `invoices` (`store_seq`,`id`);--> statement-breakpoint
CREATE INDEX `invoices_site` ON `invoices` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `invoices_credited` ON `invoices` (`invoice_number`) WHERE invoice_number is not null;--> statement-breakpoint
ALTER TABLE `orders` ADD `tax` text;
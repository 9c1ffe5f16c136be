ALTER TABLE `orders` ADD `number` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `items_cents` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `shipping_cents` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `tax_cents` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `customer_name` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `customer_email` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `customer_phone` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `shipping_address` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `payment_method` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `shipping_method` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `tracking` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `staff_note` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `key_hash` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `once_hash` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `once_request` text;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_number` ON `orders` (`site_id`,`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `orders_once` ON `orders` (`site_id`,`once_hash`) WHERE once_hash is not null;
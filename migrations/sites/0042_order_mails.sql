DROP INDEX `orders_unpaid`;--> statement-breakpoint
ALTER TABLE `orders` ADD `locale` text;--> statement-breakpoint
CREATE INDEX `orders_unpaid` ON `orders` (`payment_method`,`created_at`) WHERE status = 'pending';--> statement-breakpoint
ALTER TABLE `order_items` ADD `stock_taken` integer;
ALTER TABLE `users` ADD `avatar_size` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `network` text;--> statement-breakpoint
CREATE INDEX `orders_unpaid_network` ON `orders` (`site_id`,`network`) WHERE status = 'pending';
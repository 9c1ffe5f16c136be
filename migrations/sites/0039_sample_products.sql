ALTER TABLE `products` ADD `is_sample` integer;--> statement-breakpoint
CREATE INDEX `products_sample` ON `products` (`site_id`) WHERE is_sample = 1;
ALTER TABLE `plans` ADD `webhook_endpoints` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `store_id` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `store_seq` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `locked_at` integer;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_store` ON `webhook_endpoints` (`store_id`,`id`) WHERE store_id is not null;
CREATE TABLE `reset_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reset_tokens_hash_unique` ON `reset_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `reset_tokens_user` ON `reset_tokens` (`site_id`,`user_id`,`id`);--> statement-breakpoint
ALTER TABLE `media_orphans` ADD `reserved_bytes` integer;--> statement-breakpoint
CREATE INDEX `media_orphans_reserved` ON `media_orphans` (`site_id`,`reserved_bytes`) WHERE reserved_bytes > 0;--> statement-breakpoint
CREATE INDEX `orders_unpaid` ON `orders` (`created_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `orders_unpaid_user` ON `orders` (`site_id`,`user_id`) WHERE status = 'pending';
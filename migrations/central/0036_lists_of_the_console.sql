ALTER TABLE `stores` ADD `plan` text;--> statement-breakpoint
ALTER TABLE `stores` ADD `billing` text DEFAULT 'none' NOT NULL;--> statement-breakpoint
CREATE INDEX `stores_status_name` ON `stores` (`status`,`name`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_theme` ON `stores` (`theme`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_theme_name` ON `stores` (`theme`,`name`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_plan` ON `stores` (`plan`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_plan_name` ON `stores` (`plan`,`name`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_billing` ON `stores` (`billing`,`seq`);--> statement-breakpoint
CREATE INDEX `stores_billing_name` ON `stores` (`billing`,`name`,`seq`);--> statement-breakpoint
CREATE INDEX `domains_custom` ON `domains` (`id`) WHERE is_fallback = 0;--> statement-breakpoint
CREATE INDEX `domains_custom_name` ON `domains` (`domain`) WHERE is_fallback = 0;--> statement-breakpoint
CREATE INDEX `domains_verified` ON `domains` (`id`) WHERE is_fallback = 0 and verified_at is not null;--> statement-breakpoint
CREATE INDEX `domains_unverified` ON `domains` (`id`) WHERE is_fallback = 0 and verified_at is null;--> statement-breakpoint
CREATE INDEX `domains_waiting` ON `domains` (`created_at`) WHERE is_fallback = 0 and verified_at is null;--> statement-breakpoint
CREATE INDEX `orders_site` ON `orders` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `payments_site` ON `payments` (`store_id`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_status` ON `subscriptions` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_provider` ON `subscriptions` (`provider`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_plan` ON `subscriptions` (plan ->> '$.slug',`id`);
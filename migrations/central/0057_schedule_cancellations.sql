ALTER TABLE `stores` ADD `operator_suspended_at` integer;--> statement-breakpoint
ALTER TABLE `stores` ADD `suspension_reason` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `cancel_at` integer;
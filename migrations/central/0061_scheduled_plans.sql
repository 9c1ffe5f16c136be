ALTER TABLE `orders` ADD `price_cents` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `scheduled_plan` text;
ALTER TABLE `orders` ADD `price_cents` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `coupons` ADD `percent_off` integer;--> statement-breakpoint
ALTER TABLE `coupons` ADD `amount_off` integer;--> statement-breakpoint
ALTER TABLE `coupons` ADD `months` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `discount` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `scheduled_plan` text;
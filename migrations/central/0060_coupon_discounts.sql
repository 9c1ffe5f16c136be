ALTER TABLE `coupons` ADD `percent_off` integer;--> statement-breakpoint
ALTER TABLE `coupons` ADD `amount_off` integer;--> statement-breakpoint
ALTER TABLE `coupons` ADD `months` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `discount` text;
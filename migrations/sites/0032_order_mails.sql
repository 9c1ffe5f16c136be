ALTER TABLE `account_mails` ADD `content` text;--> statement-breakpoint
ALTER TABLE `account_mails` ADD `order_number` integer;
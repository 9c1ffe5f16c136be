ALTER TABLE `user_tokens` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `user_tokens` ADD `support` text;
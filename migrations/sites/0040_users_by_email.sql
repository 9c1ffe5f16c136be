DROP INDEX `users_email`;--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email_key`,`site_id`);
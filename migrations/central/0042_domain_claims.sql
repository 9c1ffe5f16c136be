ALTER TABLE `domains` ADD `claim_seq` integer;--> statement-breakpoint
ALTER TABLE `domains` ADD `claimed_at` integer;--> statement-breakpoint
CREATE INDEX `domains_claimed` ON `domains` (`claimed_at`) WHERE claimed_at is not null;
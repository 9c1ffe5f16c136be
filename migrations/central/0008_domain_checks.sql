-- contract: nothing of the release before this one uses what goes here.
DROP INDEX `domains_unverified`;--> statement-breakpoint
ALTER TABLE `domains` ADD `checked_at` integer;--> statement-breakpoint
CREATE INDEX `domains_unchecked` ON `domains` (`checked_at`,`id`) WHERE verified_at is null;
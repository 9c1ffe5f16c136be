CREATE TABLE `form_drafts` (
	`hash` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`path` text NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `form_drafts_owner` ON `form_drafts` (`owner`,`created_at`);--> statement-breakpoint
CREATE INDEX `form_drafts_created` ON `form_drafts` (`created_at`);
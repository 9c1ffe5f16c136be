CREATE TABLE `operator_challenges` (
	`random` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `operator_challenges_expires` ON `operator_challenges` (`expires_at`);
CREATE TABLE `locks` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `webhook_deliveries_due`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`next_attempt_at`) WHERE status in ('pending', 'failed');--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `noticed_at` integer;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_disabled` ON `webhook_endpoints` (`disabled_at`) WHERE disabled_at is not null;
ALTER TABLE `webhook_endpoints` ADD `reconcile` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `receiver_cursor` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `receiver_seq` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `gap_seq` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `behind_since` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `behind_noticed_at` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `reconciled_at` integer;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_unfinished` ON `webhook_endpoints` (`id`) WHERE recovery is not null or gap_seq is not null;--> statement-breakpoint
ALTER TABLE `webhook_hours` ADD `delays` text DEFAULT '[]' NOT NULL;
CREATE TABLE `provider_cancellations` (
	`subscription` text PRIMARY KEY NOT NULL,
	`store_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `provider_cancellations_due` ON `provider_cancellations` (`due_at`);--> statement-breakpoint
ALTER TABLE `provider_messages` ADD `forget_at` integer;--> statement-breakpoint
CREATE INDEX `provider_messages_store` ON `provider_messages` (`store_seq`) WHERE store_seq is not null;--> statement-breakpoint
CREATE INDEX `provider_messages_forgotten` ON `provider_messages` (`forget_at`) WHERE forget_at is not null;
CREATE TABLE `provider_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`created` integer NOT NULL,
	`subscription` text NOT NULL,
	`customer` text,
	`store_seq` integer,
	`facts` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `provider_messages_subscription` ON `provider_messages` (`subscription`);
CREATE TABLE `webhook_attempts` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`response_status` integer,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `webhook_hours` (
	`endpoint_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`attempts` integer NOT NULL,
	`delivered` integer NOT NULL,
	`statuses` text NOT NULL,
	`latencies` text NOT NULL,
	PRIMARY KEY(`endpoint_id`, `hour`),
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `stores` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `previous_secret` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `previous_secret_until` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `recovery` text;--> statement-breakpoint
ALTER TABLE `webhook_events` ADD `seq` integer;--> statement-breakpoint
-- The events that are there already, in the order in which they came.
UPDATE `webhook_events` SET `seq` = numbered.place
  FROM (SELECT id, row_number() OVER (ORDER BY rowid) AS place FROM `webhook_events` WHERE `type` <> 'ping') AS numbered
  WHERE numbered.id = `webhook_events`.`id`;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_events_seq` ON `webhook_events` (`seq`) WHERE seq is not null;--> statement-breakpoint
CREATE INDEX `webhook_events_type` ON `webhook_events` (`type`,`seq`) WHERE seq is not null;--> statement-breakpoint
CREATE INDEX `webhook_events_store` ON `webhook_events` (`store_id`,`seq`) WHERE store_id is not null and seq is not null;
--> statement-breakpoint
CREATE TRIGGER `webhook_attempts_delete` AFTER DELETE ON `webhook_deliveries` BEGIN
  DELETE FROM `webhook_attempts` WHERE `id` >= OLD.`id` * 65536 AND `id` < (OLD.`id` + 1) * 65536;
END;

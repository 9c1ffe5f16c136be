CREATE TABLE `endpoint_rehomings` (
	`endpoint_id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`target` text NOT NULL,
	`phase` text NOT NULL,
	`cursor` integer NOT NULL,
	`copied` integer NOT NULL,
	`routed_seq` integer NOT NULL,
	`head_seq` integer,
	`created_at` integer NOT NULL,
	`switched_at` integer
);
--> statement-breakpoint
-- An endpoint is paused while its deliveries are copied, so a change of the phase is a change of the endpoint.
CREATE TRIGGER `endpoint_rehomings_version_insert` AFTER INSERT ON `endpoint_rehomings` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;
--> statement-breakpoint
CREATE TRIGGER `endpoint_rehomings_version_update` AFTER UPDATE OF `phase` ON `endpoint_rehomings` WHEN OLD.`phase` <> NEW.`phase` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;
--> statement-breakpoint
CREATE TRIGGER `endpoint_rehomings_version_delete` AFTER DELETE ON `endpoint_rehomings` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;

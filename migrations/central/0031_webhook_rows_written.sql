-- contract: webhook tables are built anew, and no version of before the first release runs on them.
CREATE TABLE `webhook_totals` (
	`endpoint_id` integer NOT NULL,
	`event` text NOT NULL,
	`pending` integer NOT NULL,
	`delivered` integer NOT NULL,
	`failed` integer NOT NULL,
	`exhausted` integer NOT NULL,
	`last_success_at` integer,
	PRIMARY KEY(`endpoint_id`, `event`),
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
DROP INDEX `audit_entries_origin_unique`;--> statement-breakpoint
DROP INDEX `audit_entries_type`;--> statement-breakpoint
DROP INDEX `audit_entries_interface`;--> statement-breakpoint
DROP INDEX `audit_entries_store`;--> statement-breakpoint
DROP INDEX `audit_entries_site`;--> statement-breakpoint
DROP INDEX `audit_entries_subject`;--> statement-breakpoint
DROP INDEX `audit_entries_request`;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_origin` ON `audit_entries` (`origin`) WHERE origin is not null;--> statement-breakpoint
CREATE INDEX `audit_entries_store` ON `audit_entries` (`store_seq`,`id`) WHERE store_seq > 0;--> statement-breakpoint
CREATE INDEX `audit_entries_site` ON `audit_entries` (`store_id`,`id`) WHERE store_id <> '';--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (`subject_id`,`id`) WHERE subject_id is not null;--> statement-breakpoint
CREATE INDEX `audit_entries_request` ON `audit_entries` (`request_id`) WHERE request_id is not null;--> statement-breakpoint
CREATE TABLE `__new_webhook_events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`store_id` text,
	`is_test` integer NOT NULL,
	`payload` text NOT NULL,
	`entry_id` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
-- Events keep their places. Pings and examples, which had none, stand behind them.
INSERT INTO `__new_webhook_events` SELECT `seq`, `id`, `type`, `store_id`, 0, `payload`, NULL, `created_at`
  FROM `webhook_events` WHERE `seq` IS NOT NULL;--> statement-breakpoint
INSERT INTO `__new_webhook_events`
  SELECT row_number() OVER (ORDER BY rowid) + max(
      coalesce((SELECT max(`seq`) FROM `__new_webhook_events`), 0),
      coalesce((SELECT `total` FROM `counters` WHERE `list` = 'webhook_events' AND `filter` = 'horizon'), 0)),
    `id`, `type`, `store_id`, 1, `payload`, NULL, `created_at`
  FROM `webhook_events` WHERE `seq` IS NULL;--> statement-breakpoint
DROP TABLE `webhook_events`;--> statement-breakpoint
ALTER TABLE `__new_webhook_events` RENAME TO `webhook_events`;--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_events_id` ON `webhook_events` (`id`);--> statement-breakpoint
CREATE INDEX `webhook_events_store` ON `webhook_events` (`store_id`,`seq`) WHERE store_id is not null;--> statement-breakpoint
CREATE TABLE `__new_webhook_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`endpoint_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`store_id` text,
	`attempt` integer NOT NULL,
	`status` text NOT NULL,
	`response_status` integer,
	`response_excerpt` text,
	`error` text,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`attempts` text NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- A delivery has the number of its event and its endpoint, and its attempts with it.
INSERT OR IGNORE INTO `__new_webhook_deliveries`
  SELECT event.`seq` * 1048576 + old.`endpoint_id`, old.`endpoint_id`, old.`event_id`, old.`event`, old.`store_id`, old.`attempt`, old.`status`,
    old.`response_status`, old.`response_excerpt`, old.`error`, old.`next_attempt_at`, old.`delivered_at`, old.`created_at`, old.`updated_at`,
    (SELECT json_group_array(json_object('number', made.`id` % 65536, 'kind', made.`kind`, 'startedAt', made.`started_at`,
        'durationMs', made.`duration_ms`, 'responseStatus', made.`response_status`, 'error', made.`error`))
      FROM `webhook_attempts` AS made WHERE made.`id` >= old.`id` * 65536 AND made.`id` < (old.`id` + 1) * 65536)
  FROM `webhook_deliveries` AS old JOIN `webhook_events` AS event ON event.`id` = old.`event_id`
  ORDER BY old.`id`;--> statement-breakpoint
DROP TABLE `webhook_deliveries`;--> statement-breakpoint
ALTER TABLE `__new_webhook_deliveries` RENAME TO `webhook_deliveries`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_endpoint` ON `webhook_deliveries` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_state` ON `webhook_deliveries` (`endpoint_id`,`status`,`event`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`next_attempt_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_troubled` ON `webhook_deliveries` (`status`,`id`) WHERE status in ('failed', 'exhausted');--> statement-breakpoint
ALTER TABLE `webhook_endpoints` DROP COLUMN `last_success_at`;--> statement-breakpoint
DELETE FROM `counters` WHERE `list` LIKE 'deliveries:%' OR `list` = 'audit:0';
--> statement-breakpoint
INSERT INTO `webhook_totals`
  SELECT `endpoint_id`, `event`, sum(`status` = 'pending'), sum(`status` = 'delivered'), sum(`status` = 'failed'), sum(`status` = 'exhausted'),
    max(`delivered_at`)
  FROM `webhook_deliveries` GROUP BY `endpoint_id`, `event`;
--> statement-breakpoint

-- How many deliveries of an event an endpoint has in each status. Deletes subtract by themselves, many rows at a time.
CREATE TRIGGER `webhook_deliveries_count_insert` AFTER INSERT ON `webhook_deliveries` BEGIN
  INSERT INTO `webhook_totals` VALUES (NEW.`endpoint_id`, NEW.`event`, NEW.`status` = 'pending', NEW.`status` = 'delivered',
      NEW.`status` = 'failed', NEW.`status` = 'exhausted', NEW.`delivered_at`)
    ON CONFLICT DO UPDATE SET
      `pending` = `pending` + excluded.`pending`,
      `delivered` = `delivered` + excluded.`delivered`,
      `failed` = `failed` + excluded.`failed`,
      `exhausted` = `exhausted` + excluded.`exhausted`;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_deliveries_count_update` AFTER UPDATE OF `status` ON `webhook_deliveries` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `webhook_totals` SET
      `pending` = `pending` + (NEW.`status` = 'pending') - (OLD.`status` = 'pending'),
      `delivered` = `delivered` + (NEW.`status` = 'delivered') - (OLD.`status` = 'delivered'),
      `failed` = `failed` + (NEW.`status` = 'failed') - (OLD.`status` = 'failed'),
      `exhausted` = `exhausted` + (NEW.`status` = 'exhausted') - (OLD.`status` = 'exhausted'),
      `last_success_at` = iif(NEW.`status` = 'delivered', NEW.`delivered_at`, `last_success_at`)
    WHERE `endpoint_id` = NEW.`endpoint_id` AND `event` = NEW.`event`;
END;
--> statement-breakpoint

-- An endpoint stops being counted when it is marked deleted, and not once more when its row goes.
DROP TRIGGER `webhook_endpoints_count_delete`;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_count_delete` AFTER DELETE ON `webhook_endpoints` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'webhook_endpoints' AND `filter` = '' AND OLD.`deleted_at` IS NULL;
END;
--> statement-breakpoint

-- How many audit entries each incarnation of a store has. What is not about a store is counted nowhere.
DROP TRIGGER `audit_entries_count_insert`;
--> statement-breakpoint
CREATE TRIGGER `audit_entries_count_insert` AFTER INSERT ON `audit_entries` WHEN NEW.`store_seq` > 0 BEGIN
  INSERT INTO `counters` VALUES ('audit:' || NEW.`store_seq`, '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;

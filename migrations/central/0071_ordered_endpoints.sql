ALTER TABLE `webhook_deliveries` ADD `ordering_key` text;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ordered` ON `webhook_deliveries` (`endpoint_id`,`ordering_key`,`id`) WHERE ordering_key is not null and status in ('pending', 'failed');--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `ordered` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- The version counts the changes that the router and the replicas have to know.
DROP TRIGGER `webhook_endpoints_version_update`;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_version_update` AFTER UPDATE OF `events`, `stores`, `store_seqs`, `filter`, `max_per_second`, `ordered`, `is_active`, `disabled_at`, `deleted_at` ON `webhook_endpoints`
  WHEN OLD.`events` IS NOT NEW.`events` OR OLD.`stores` IS NOT NEW.`stores` OR OLD.`store_seqs` IS NOT NEW.`store_seqs` OR OLD.`filter` IS NOT NEW.`filter` OR OLD.`max_per_second` IS NOT NEW.`max_per_second` OR OLD.`ordered` IS NOT NEW.`ordered` OR OLD.`is_active` IS NOT NEW.`is_active` OR OLD.`disabled_at` IS NOT NEW.`disabled_at` OR OLD.`deleted_at` IS NOT NEW.`deleted_at` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;

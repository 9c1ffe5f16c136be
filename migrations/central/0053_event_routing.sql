-- Deliveries are created by the router, no longer by the commit of their event. It starts after the newest event: the
-- deliveries of all earlier ones exist.
ALTER TABLE `webhook_endpoints` ADD `created_at_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO `counters` (`list`, `filter`, `total`)
  SELECT 'webhook_events', 'routed', max(
    coalesce((SELECT max(`seq`) FROM `webhook_events`), 0),
    coalesce((SELECT `total` FROM `counters` WHERE `list` = 'webhook_events' AND `filter` = 'horizon'), 0));
--> statement-breakpoint
INSERT INTO `counters` (`list`, `filter`, `total`) VALUES ('webhook_events', 'endpoint_changes', 1);
--> statement-breakpoint
-- The version counts the changes that decide which endpoints receive an event.
CREATE TRIGGER `webhook_endpoints_version_insert` AFTER INSERT ON `webhook_endpoints` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_version_update` AFTER UPDATE OF `events`, `stores`, `store_seqs`, `is_active`, `disabled_at`, `deleted_at` ON `webhook_endpoints`
  WHEN OLD.`events` IS NOT NEW.`events` OR OLD.`stores` IS NOT NEW.`stores` OR OLD.`store_seqs` IS NOT NEW.`store_seqs` OR OLD.`is_active` IS NOT NEW.`is_active` OR OLD.`disabled_at` IS NOT NEW.`disabled_at` OR OLD.`deleted_at` IS NOT NEW.`deleted_at` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_version_delete` AFTER DELETE ON `webhook_endpoints` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `list` = 'webhook_events' AND `filter` = 'endpoint_changes';
END;

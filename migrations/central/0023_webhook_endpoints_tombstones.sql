-- An endpoint stops being counted when it is marked deleted, and not once more when its row goes.
DROP TRIGGER `webhook_endpoints_count_delete`;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_count_delete` AFTER DELETE ON `webhook_endpoints` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'webhook_endpoints' AND `filter` = '' AND OLD.`deleted_at` IS NULL;
  DELETE FROM `counters` WHERE `list` = 'deliveries:' || OLD.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_count_tombstone` AFTER UPDATE OF `deleted_at` ON `webhook_endpoints` WHEN OLD.`deleted_at` IS NULL AND NEW.`deleted_at` IS NOT NULL BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'webhook_endpoints' AND `filter` = '';
END;

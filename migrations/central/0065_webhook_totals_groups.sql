-- A transaction that writes many deliveries of one total pauses the triggers and updates the total once.
DROP TRIGGER `webhook_deliveries_count_insert`;
--> statement-breakpoint
CREATE TRIGGER `webhook_deliveries_count_insert` AFTER INSERT ON `webhook_deliveries` WHEN NOT EXISTS (SELECT 1 FROM `counters` WHERE `list` = 'webhook_totals' AND `filter` = 'paused') BEGIN
  INSERT INTO `webhook_totals` VALUES (NEW.`endpoint_id`, NEW.`event`, NEW.`status` = 'pending', NEW.`status` = 'delivered',
      NEW.`status` = 'failed', NEW.`status` = 'exhausted', NEW.`delivered_at`)
    ON CONFLICT DO UPDATE SET
      `pending` = `pending` + excluded.`pending`,
      `delivered` = `delivered` + excluded.`delivered`,
      `failed` = `failed` + excluded.`failed`,
      `exhausted` = `exhausted` + excluded.`exhausted`;
END;
--> statement-breakpoint
DROP TRIGGER `webhook_deliveries_count_update`;
--> statement-breakpoint
CREATE TRIGGER `webhook_deliveries_count_update` AFTER UPDATE OF `status` ON `webhook_deliveries` WHEN OLD.`status` <> NEW.`status` AND NOT EXISTS (SELECT 1 FROM `counters` WHERE `list` = 'webhook_totals' AND `filter` = 'paused') BEGIN
  UPDATE `webhook_totals` SET
      `pending` = `pending` + (NEW.`status` = 'pending') - (OLD.`status` = 'pending'),
      `delivered` = `delivered` + (NEW.`status` = 'delivered') - (OLD.`status` = 'delivered'),
      `failed` = `failed` + (NEW.`status` = 'failed') - (OLD.`status` = 'failed'),
      `exhausted` = `exhausted` + (NEW.`status` = 'exhausted') - (OLD.`status` = 'exhausted'),
      `last_success_at` = iif(NEW.`status` = 'delivered', NEW.`delivered_at`, `last_success_at`)
    WHERE `endpoint_id` = NEW.`endpoint_id` AND `event` = NEW.`event`;
END;

-- A write on behalf of a user whose token is no good: inserting a reason here aborts the whole batch.
CREATE VIEW `abort_stranger` AS SELECT '' AS `reason`;
--> statement-breakpoint
CREATE TRIGGER `abort_stranger_insert` INSTEAD OF INSERT ON `abort_stranger` BEGIN
  SELECT RAISE(ABORT, 'UNAUTHENTICATED');
END;
--> statement-breakpoint

-- The orders of a calendar month are what a plan limits, and a cancelled one is none of them.
CREATE TRIGGER `orders_count_cancelled` AFTER UPDATE OF `status` ON `orders` WHEN NEW.`status` = 'cancelled' AND OLD.`status` <> 'cancelled' BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = NEW.`site_id` AND `list` = 'orders' AND `filter` = strftime('%Y-%m', NEW.`created_at` / 1000, 'unixepoch');
END;
--> statement-breakpoint
CREATE TRIGGER `orders_count_delete_cancelled` AFTER DELETE ON `orders` WHEN OLD.`status` = 'cancelled' BEGIN
  UPDATE `counters` SET `total` = `total` + 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'orders' AND `filter` = strftime('%Y-%m', OLD.`created_at` / 1000, 'unixepoch');
END;
--> statement-breakpoint
UPDATE `counters` SET `total` = `total` - (
  SELECT count(*) FROM `orders` WHERE `orders`.`site_id` = `counters`.`site_id` AND `orders`.`status` = 'cancelled'
    AND strftime('%Y-%m', `orders`.`created_at` / 1000, 'unixepoch') = `counters`.`filter`
) WHERE `list` = 'orders' AND `filter` <> '';

-- What each inbox holds: all, by type, unread, unread by type, clicked.
CREATE TRIGGER `notification_recipients_count_insert` AFTER INSERT ON `notification_recipients` BEGIN
  INSERT INTO `counters` (`site_id`, `list`, `filter`, `total`) VALUES
    (NEW.`site_id`, 'inbox:' || NEW.`user_id`, '', 1),
    (NEW.`site_id`, 'inbox:' || NEW.`user_id`, NEW.`type`, 1),
    (NEW.`site_id`, 'inbox:' || NEW.`user_id`, 'unread', NEW.`read_at` IS NULL),
    (NEW.`site_id`, 'inbox:' || NEW.`user_id`, 'unread:' || NEW.`type`, NEW.`read_at` IS NULL),
    (NEW.`site_id`, 'inbox:' || NEW.`user_id`, 'clicked', NEW.`clicked_at` IS NOT NULL)
    ON CONFLICT DO UPDATE SET `total` = `total` + excluded.`total`;
END;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_count_delete` AFTER DELETE ON `notification_recipients` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'inbox:' || OLD.`user_id` AND `filter` IN ('', OLD.`type`);
  UPDATE `counters` SET `total` = `total` - 1
    WHERE OLD.`read_at` IS NULL
      AND `site_id` = OLD.`site_id` AND `list` = 'inbox:' || OLD.`user_id` AND `filter` IN ('unread', 'unread:' || OLD.`type`);
  UPDATE `counters` SET `total` = `total` - 1
    WHERE OLD.`clicked_at` IS NOT NULL
      AND `site_id` = OLD.`site_id` AND `list` = 'inbox:' || OLD.`user_id` AND `filter` = 'clicked';
END;
--> statement-breakpoint

-- A recipient is read once and clicked once, in its inbox and in the own counts of the notification.
CREATE TRIGGER `notification_recipients_read` AFTER UPDATE OF `read_at` ON `notification_recipients`
  WHEN OLD.`read_at` IS NULL AND NEW.`read_at` IS NOT NULL BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = NEW.`site_id` AND `list` = 'inbox:' || NEW.`user_id` AND `filter` IN ('unread', 'unread:' || NEW.`type`);
  UPDATE `notifications` SET `read_count` = `read_count` + 1 WHERE `id` = NEW.`notification_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_clicked` AFTER UPDATE OF `clicked_at` ON `notification_recipients`
  WHEN OLD.`clicked_at` IS NULL AND NEW.`clicked_at` IS NOT NULL BEGIN
  UPDATE `counters` SET `total` = `total` + 1
    WHERE `site_id` = NEW.`site_id` AND `list` = 'inbox:' || NEW.`user_id` AND `filter` = 'clicked';
  UPDATE `notifications` SET `clicked_count` = `clicked_count` + 1 WHERE `id` = NEW.`notification_id`;
END;

CREATE TABLE `inbox_counts` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`all_general` integer NOT NULL,
	`all_order` integer NOT NULL,
	`all_promotion` integer NOT NULL,
	`all_system` integer NOT NULL,
	`unread_general` integer NOT NULL,
	`unread_order` integer NOT NULL,
	`unread_promotion` integer NOT NULL,
	`unread_system` integer NOT NULL,
	`clicked` integer NOT NULL,
	PRIMARY KEY(`site_id`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `notifications` ADD `first_recipient` integer;--> statement-breakpoint

INSERT INTO `inbox_counts` (`site_id`, `user_id`, `all_general`, `all_order`, `all_promotion`, `all_system`, `unread_general`, `unread_order`, `unread_promotion`, `unread_system`, `clicked`)
  SELECT `site_id`, `user_id`,
    sum(`type` = 'general'), sum(`type` = 'order'), sum(`type` = 'promotion'), sum(`type` = 'system'),
    sum(`type` = 'general' AND `read_at` IS NULL), sum(`type` = 'order' AND `read_at` IS NULL), sum(`type` = 'promotion' AND `read_at` IS NULL), sum(`type` = 'system' AND `read_at` IS NULL),
    sum(`clicked_at` IS NOT NULL)
  FROM `notification_recipients` GROUP BY `site_id`, `user_id`;
--> statement-breakpoint

-- What each inbox holds: by type, of these the unread ones, and how many were clicked.
DROP TRIGGER `notification_recipients_count_insert`;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_count_insert` AFTER INSERT ON `notification_recipients` BEGIN
  INSERT INTO `inbox_counts` (`site_id`, `user_id`, `all_general`, `all_order`, `all_promotion`, `all_system`, `unread_general`, `unread_order`, `unread_promotion`, `unread_system`, `clicked`)
    VALUES (NEW.`site_id`, NEW.`user_id`,
      NEW.`type` = 'general', NEW.`type` = 'order', NEW.`type` = 'promotion', NEW.`type` = 'system',
      NEW.`type` = 'general' AND NEW.`read_at` IS NULL, NEW.`type` = 'order' AND NEW.`read_at` IS NULL, NEW.`type` = 'promotion' AND NEW.`read_at` IS NULL, NEW.`type` = 'system' AND NEW.`read_at` IS NULL,
      NEW.`clicked_at` IS NOT NULL)
    ON CONFLICT DO UPDATE SET
      `all_general` = `all_general` + excluded.`all_general`,
      `all_order` = `all_order` + excluded.`all_order`,
      `all_promotion` = `all_promotion` + excluded.`all_promotion`,
      `all_system` = `all_system` + excluded.`all_system`,
      `unread_general` = `unread_general` + excluded.`unread_general`,
      `unread_order` = `unread_order` + excluded.`unread_order`,
      `unread_promotion` = `unread_promotion` + excluded.`unread_promotion`,
      `unread_system` = `unread_system` + excluded.`unread_system`,
      `clicked` = `clicked` + excluded.`clicked`;
END;
--> statement-breakpoint
DROP TRIGGER `notification_recipients_count_delete`;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_count_delete` AFTER DELETE ON `notification_recipients` BEGIN
  UPDATE `inbox_counts` SET
      `all_general` = `all_general` - (OLD.`type` = 'general'),
      `all_order` = `all_order` - (OLD.`type` = 'order'),
      `all_promotion` = `all_promotion` - (OLD.`type` = 'promotion'),
      `all_system` = `all_system` - (OLD.`type` = 'system'),
      `unread_general` = `unread_general` - (OLD.`type` = 'general' AND OLD.`read_at` IS NULL),
      `unread_order` = `unread_order` - (OLD.`type` = 'order' AND OLD.`read_at` IS NULL),
      `unread_promotion` = `unread_promotion` - (OLD.`type` = 'promotion' AND OLD.`read_at` IS NULL),
      `unread_system` = `unread_system` - (OLD.`type` = 'system' AND OLD.`read_at` IS NULL),
      `clicked` = `clicked` - (OLD.`clicked_at` IS NOT NULL)
    WHERE `site_id` = OLD.`site_id` AND `user_id` = OLD.`user_id`;
END;
--> statement-breakpoint

-- A recipient is read once and clicked once, in its inbox and in the own counts of the notification.
DROP TRIGGER `notification_recipients_read`;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_read` AFTER UPDATE OF `read_at` ON `notification_recipients`
  WHEN OLD.`read_at` IS NULL AND NEW.`read_at` IS NOT NULL BEGIN
  UPDATE `inbox_counts` SET
      `unread_general` = `unread_general` - (NEW.`type` = 'general'),
      `unread_order` = `unread_order` - (NEW.`type` = 'order'),
      `unread_promotion` = `unread_promotion` - (NEW.`type` = 'promotion'),
      `unread_system` = `unread_system` - (NEW.`type` = 'system')
    WHERE `site_id` = NEW.`site_id` AND `user_id` = NEW.`user_id`;
  UPDATE `notifications` SET `read_count` = `read_count` + 1 WHERE `id` = NEW.`notification_id`;
END;
--> statement-breakpoint
DROP TRIGGER `notification_recipients_clicked`;
--> statement-breakpoint
CREATE TRIGGER `notification_recipients_clicked` AFTER UPDATE OF `clicked_at` ON `notification_recipients`
  WHEN OLD.`clicked_at` IS NULL AND NEW.`clicked_at` IS NOT NULL BEGIN
  UPDATE `inbox_counts` SET `clicked` = `clicked` + 1
    WHERE `site_id` = NEW.`site_id` AND `user_id` = NEW.`user_id`;
  UPDATE `notifications` SET `clicked_count` = `clicked_count` + 1 WHERE `id` = NEW.`notification_id`;
END;

CREATE TABLE `guestbook_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `guestbook_entries_status` ON `guestbook_entries` (`site_id`,`status`);
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_held_insert` BEFORE INSERT ON `guestbook_entries`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_held_update` BEFORE UPDATE ON `guestbook_entries`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_held_delete` BEFORE DELETE ON `guestbook_entries`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_version_insert` AFTER INSERT ON `guestbook_entries` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_version_update` AFTER UPDATE ON `guestbook_entries` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_version_delete` AFTER DELETE ON `guestbook_entries` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_count_insert` AFTER INSERT ON `guestbook_entries` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'guestbook', '', 1),
    (NEW.`site_id`, 'guestbook', NEW.`status`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_count_update` AFTER UPDATE OF `status` ON `guestbook_entries` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'guestbook' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'guestbook', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `guestbook_entries_count_delete` AFTER DELETE ON `guestbook_entries` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'guestbook' AND `filter` IN ('', OLD.`status`);
END;

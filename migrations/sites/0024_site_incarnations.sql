CREATE TABLE `site_incarnations` (
	`site_id` text PRIMARY KEY NOT NULL,
	`store_seq` integer
);
--> statement-breakpoint
CREATE VIEW `abort_replaced` AS SELECT '' AS `reason`;
--> statement-breakpoint
-- A write made for an earlier store of the same site aborts its batch by inserting here.
CREATE TRIGGER `abort_replaced_insert` INSTEAD OF INSERT ON `abort_replaced` BEGIN
  SELECT RAISE(ABORT, 'SITE_REPLACED');
END;
--> statement-breakpoint
CREATE TRIGGER `site_incarnations_held_insert` BEFORE INSERT ON `site_incarnations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `site_incarnations_held_update` BEFORE UPDATE ON `site_incarnations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `site_incarnations_held_delete` BEFORE DELETE ON `site_incarnations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;

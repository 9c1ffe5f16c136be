CREATE TABLE `shop_settings` (
	`site_id` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `shop_settings_held_insert` BEFORE INSERT ON `shop_settings`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `shop_settings_held_update` BEFORE UPDATE ON `shop_settings`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `shop_settings_held_delete` BEFORE DELETE ON `shop_settings`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;

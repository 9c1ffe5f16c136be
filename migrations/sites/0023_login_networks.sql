CREATE TABLE `user_networks` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`network` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `user_id`, `network`)
);
--> statement-breakpoint

-- No row of a held site is written but by the move that holds it.
CREATE TRIGGER `user_networks_held_insert` BEFORE INSERT ON `user_networks`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_networks_held_update` BEFORE UPDATE ON `user_networks`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_networks_held_delete` BEFORE DELETE ON `user_networks`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;

CREATE TABLE `staff_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`role` text NOT NULL,
	`hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `staff_invitations_email` ON `staff_invitations` (`site_id`,`email_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `staff_invitations_hash` ON `staff_invitations` (`site_id`,`hash`);--> statement-breakpoint
CREATE INDEX `staff_invitations_site` ON `staff_invitations` (`site_id`,`id`);--> statement-breakpoint
ALTER TABLE `users` ADD `role` text;
--> statement-breakpoint
CREATE TRIGGER `staff_invitations_held_insert` BEFORE INSERT ON `staff_invitations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `staff_invitations_held_update` BEFORE UPDATE ON `staff_invitations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `staff_invitations_held_delete` BEFORE DELETE ON `staff_invitations`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;

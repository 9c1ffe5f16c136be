CREATE TABLE `user_passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`host` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` text NOT NULL,
	`counter` integer NOT NULL,
	`name` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_passkeys_credential` ON `user_passkeys` (`site_id`,`credential_id`);--> statement-breakpoint
CREATE INDEX `user_passkeys_user` ON `user_passkeys` (`site_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `user_recovery_codes` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`site_id`, `user_id`, `hash`)
);
--> statement-breakpoint
CREATE TABLE `user_totps` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`secret` text NOT NULL,
	`step` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `user_id`)
);
--> statement-breakpoint
ALTER TABLE `user_tokens` ADD `is_admin_session` integer;
--> statement-breakpoint
CREATE TRIGGER `user_passkeys_held_insert` BEFORE INSERT ON `user_passkeys`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_passkeys_held_update` BEFORE UPDATE ON `user_passkeys`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_passkeys_held_delete` BEFORE DELETE ON `user_passkeys`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_recovery_codes_held_insert` BEFORE INSERT ON `user_recovery_codes`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_recovery_codes_held_update` BEFORE UPDATE ON `user_recovery_codes`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_recovery_codes_held_delete` BEFORE DELETE ON `user_recovery_codes`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_totps_held_insert` BEFORE INSERT ON `user_totps`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_totps_held_update` BEFORE UPDATE ON `user_totps`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `user_totps_held_delete` BEFORE DELETE ON `user_totps`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;

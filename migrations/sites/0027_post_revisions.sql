CREATE TABLE `revisions` (
	`site_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`number` integer NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`content` text NOT NULL,
	`image` text,
	`template` text,
	`saved_by_id` integer,
	`saved_by_name` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `kind`, `subject_id`, `number`)
);
--> statement-breakpoint
ALTER TABLE `pages` ADD `saved_by_id` integer;--> statement-breakpoint
ALTER TABLE `pages` ADD `saved_by_name` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `published_at` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `saved_by_id` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `saved_by_name` text;--> statement-breakpoint
CREATE INDEX `posts_scheduled` ON `posts` (`site_id`,`published_at`) WHERE published_at > updated_at;
--> statement-breakpoint
CREATE TRIGGER `revisions_held_insert` BEFORE INSERT ON `revisions`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = NEW.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `revisions_held_update` BEFORE UPDATE ON `revisions`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `revisions_held_delete` BEFORE DELETE ON `revisions`
  WHEN EXISTS (SELECT 1 FROM `held_sites` WHERE `site_id` = OLD.`site_id` AND `open` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;
--> statement-breakpoint
CREATE TRIGGER `posts_revision_update` AFTER UPDATE ON `posts`
  WHEN OLD.`name` IS NOT NEW.`name` OR OLD.`slug` IS NOT NEW.`slug` OR OLD.`description` IS NOT NEW.`description` OR OLD.`content` IS NOT NEW.`content` OR OLD.`image` IS NOT NEW.`image` OR OLD.`status` IS NOT NEW.`status` OR OLD.`is_featured` IS NOT NEW.`is_featured` OR OLD.`author_id` IS NOT NEW.`author_id` OR OLD.`published_at` IS NOT NEW.`published_at` BEGIN
  INSERT INTO `revisions` (`site_id`, `kind`, `subject_id`, `number`, `name`, `description`, `content`, `image`, `template`, `saved_by_id`, `saved_by_name`, `created_at`)
    SELECT OLD.`site_id`, 'post', OLD.`id`,
      coalesce((SELECT max(`number`) FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'post' AND `subject_id` = OLD.`id`), 0) + 1,
      OLD.`name`, OLD.`description`, OLD.`content`, OLD.`image`, NULL, OLD.`saved_by_id`, OLD.`saved_by_name`, OLD.`updated_at`;
  DELETE FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'post' AND `subject_id` = OLD.`id`
    AND `number` <= (SELECT max(`number`) FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'post' AND `subject_id` = OLD.`id`) - 20;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_revision_delete` AFTER DELETE ON `posts` BEGIN
  DELETE FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'post' AND `subject_id` = OLD.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_revision_update` AFTER UPDATE ON `pages`
  WHEN OLD.`name` IS NOT NEW.`name` OR OLD.`slug` IS NOT NEW.`slug` OR OLD.`description` IS NOT NEW.`description` OR OLD.`content` IS NOT NEW.`content` OR OLD.`image` IS NOT NEW.`image` OR OLD.`status` IS NOT NEW.`status` OR OLD.`template` IS NOT NEW.`template` BEGIN
  INSERT INTO `revisions` (`site_id`, `kind`, `subject_id`, `number`, `name`, `description`, `content`, `image`, `template`, `saved_by_id`, `saved_by_name`, `created_at`)
    SELECT OLD.`site_id`, 'page', OLD.`id`,
      coalesce((SELECT max(`number`) FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'page' AND `subject_id` = OLD.`id`), 0) + 1,
      OLD.`name`, OLD.`description`, OLD.`content`, OLD.`image`, OLD.`template`, OLD.`saved_by_id`, OLD.`saved_by_name`, OLD.`updated_at`;
  DELETE FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'page' AND `subject_id` = OLD.`id`
    AND `number` <= (SELECT max(`number`) FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'page' AND `subject_id` = OLD.`id`) - 20;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_revision_delete` AFTER DELETE ON `pages` BEGIN
  DELETE FROM `revisions` WHERE `site_id` = OLD.`site_id` AND `kind` = 'page' AND `subject_id` = OLD.`id`;
END;

ALTER TABLE `contact_messages` ADD `reply` text;--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `replied_at` integer;--> statement-breakpoint
ALTER TABLE `reviews` ADD `status` text DEFAULT 'published' NOT NULL;--> statement-breakpoint
CREATE INDEX `reviews_status` ON `reviews` (`site_id`,`status`);--> statement-breakpoint
ALTER TABLE `users` ADD `disabled_at` integer;
--> statement-breakpoint
-- The totals of reviews leave out hidden ones. All existing reviews are published and so their totals stay
DROP TRIGGER `reviews_count_insert`;
--> statement-breakpoint
CREATE TRIGGER `reviews_count_insert` AFTER INSERT ON `reviews` BEGIN
  INSERT INTO `counters` SELECT * FROM (VALUES (NEW.`site_id`, 'reviews:' || NEW.`product_id`, '', 1), (NEW.`site_id`, 'reviews:' || NEW.`product_id`, CAST(NEW.`rating` AS TEXT), 1)) WHERE NEW.`status` = 'published'
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
  INSERT INTO `counters` SELECT * FROM (VALUES (NEW.`site_id`, 'hidden_reviews:' || NEW.`product_id`, '', 1)) WHERE NEW.`status` = 'hidden'
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
DROP TRIGGER `reviews_count_update`;
--> statement-breakpoint
CREATE TRIGGER `reviews_count_update` AFTER UPDATE OF `rating`, `status` ON `reviews` WHEN OLD.`rating` <> NEW.`rating` OR OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`product_id` AND `filter` = '' AND OLD.`status` = 'published' AND NOT NEW.`status` = 'published';
  INSERT INTO `counters` SELECT NEW.`site_id`, 'reviews:' || NEW.`product_id`, '', 1 WHERE NEW.`status` = 'published' AND NOT OLD.`status` = 'published'
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`product_id` AND `filter` = CAST(OLD.`rating` AS TEXT) AND OLD.`status` = 'published';
  INSERT INTO `counters` SELECT NEW.`site_id`, 'reviews:' || NEW.`product_id`, CAST(NEW.`rating` AS TEXT), 1 WHERE NEW.`status` = 'published'
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'hidden_reviews:' || OLD.`product_id` AND `filter` = '' AND OLD.`status` = 'hidden' AND NOT NEW.`status` = 'hidden';
  INSERT INTO `counters` SELECT NEW.`site_id`, 'hidden_reviews:' || NEW.`product_id`, '', 1 WHERE NEW.`status` = 'hidden' AND NOT OLD.`status` = 'hidden'
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
DROP TRIGGER `reviews_count_delete`;
--> statement-breakpoint
CREATE TRIGGER `reviews_count_delete` AFTER DELETE ON `reviews` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`product_id` AND `filter` IN ('', CAST(OLD.`rating` AS TEXT)) AND OLD.`status` = 'published';
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'hidden_reviews:' || OLD.`product_id` AND `filter` = '' AND OLD.`status` = 'hidden';
END;
--> statement-breakpoint
DROP TRIGGER `reviews_of_product_delete`;
--> statement-breakpoint
CREATE TRIGGER `reviews_of_product_delete` AFTER DELETE ON `products` BEGIN
  DELETE FROM `reviews` WHERE `site_id` = OLD.`site_id` AND `product_id` = OLD.`id`;
  DELETE FROM `counters` WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`id`;
  DELETE FROM `counters` WHERE `site_id` = OLD.`site_id` AND `list` = 'hidden_reviews:' || OLD.`id`;
END;

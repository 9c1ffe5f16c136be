-- How often what the public may read of a site has changed: a kept answer is good as long as its site has the version it was
-- read at. A delete moves the version only where there is one, so that deleting a whole site leaves nothing behind.
CREATE TRIGGER `posts_version_insert` AFTER INSERT ON `posts` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_version_update` AFTER UPDATE ON `posts` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_version_delete` AFTER DELETE ON `posts` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `categories_version_insert` AFTER INSERT ON `categories` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `categories_version_update` AFTER UPDATE ON `categories` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `categories_version_delete` AFTER DELETE ON `categories` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_insert` AFTER INSERT ON `tags` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_update` AFTER UPDATE ON `tags` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_delete` AFTER DELETE ON `tags` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `pages_version_insert` AFTER INSERT ON `pages` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_version_update` AFTER UPDATE ON `pages` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_version_delete` AFTER DELETE ON `pages` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `galleries_version_insert` AFTER INSERT ON `galleries` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `galleries_version_update` AFTER UPDATE ON `galleries` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `galleries_version_delete` AFTER DELETE ON `galleries` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `products_version_insert` AFTER INSERT ON `products` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `products_version_update` AFTER UPDATE OF `slug`, `name`, `description`, `image`, `price_cents`, `currency`, `status`, `created_at` ON `products` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `products_version_delete` AFTER DELETE ON `products` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `post_categories_version_insert` AFTER INSERT ON `post_categories` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `post_categories_version_delete` AFTER DELETE ON `post_categories` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_version_insert` AFTER INSERT ON `post_tags` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_version_delete` AFTER DELETE ON `post_tags` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `pictures_version_insert` AFTER INSERT ON `pictures` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `pictures_version_delete` AFTER DELETE ON `pictures` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `users_version_update` AFTER UPDATE OF `first_name`, `last_name`, `avatar` ON `users` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `media_files_version_update` AFTER UPDATE ON `media_files` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `media_files_version_delete` AFTER DELETE ON `media_files` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `media_folders_version_update` AFTER UPDATE ON `media_folders` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `media_folders_version_delete` AFTER DELETE ON `media_folders` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;

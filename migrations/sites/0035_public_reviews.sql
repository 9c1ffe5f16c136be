CREATE TRIGGER `reviews_version_insert` AFTER INSERT ON `reviews` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `reviews_version_update` AFTER UPDATE ON `reviews` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `reviews_version_delete` AFTER DELETE ON `reviews` BEGIN
  UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = '';
END;
--> statement-breakpoint
-- Public pages link to the legal pages that the settings name
CREATE TRIGGER `shop_settings_version_insert` AFTER INSERT ON `shop_settings` WHEN json_array_length(NEW.`settings`, '$.legal_pages') > 0 BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `shop_settings_version_update` AFTER UPDATE OF `settings` ON `shop_settings` WHEN json_extract(OLD.`settings`, '$.legal_pages') IS NOT json_extract(NEW.`settings`, '$.legal_pages') BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
